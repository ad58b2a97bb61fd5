// Shapes with flat sides: grid solids and prisms; and the sphere, which is a blown-up cube.
#include <hackle/meshing/shapes/extrude.h>
#include <hackle/meshing/shapes/grid_solid.h>
#include <hackle/meshing/shapes/shape_builders.h>

#include <fmt/format.h>

#include <algorithm>

namespace hackle::detail {

namespace {

double boxArea(const Vec3& d) { return 2.0 * (d.x() * d.y() + d.y() * d.z() + d.z() * d.x()); }

GridSolidOptions boxOptions(const Vec3& size, double spacing) {
  GridSolidOptions grid;
  grid.planes = {{{-0.5 * size.x(), 0.5 * size.x()}, {0.0, size.y()}, {-0.5 * size.z(), 0.5 * size.z()}}};
  grid.spacing = spacing;
  return grid;
}

/// Equal steps from a to b, both included.
std::vector<double> steps(double a, double b, double spacing) {
  const int count = std::max(1, static_cast<int>(std::lround((b - a) / spacing)));
  std::vector<double> out;
  for (int i = 0; i <= count; ++i) out.push_back(a + (b - a) * i / count);
  return out;
}

}  // namespace

void buildBox(const ShapeOptions& options, SurfaceBuilder& builder) {
  for (int a = 0; a < 3; ++a)
    if (!(options.proportions[a] > 0))
      throw Error(ErrorCode::Usage, fmt::format("proportions: {} is not positive", options.proportions[a]),
                  "give three positive numbers: width, height, depth");
  const double largest = options.proportions.maxCoeff();
  if (options.proportions.minCoeff() < 1e-4 * largest)
    throw Error(ErrorCode::Usage, "proportions: the box is thinner than 1/10000 of its largest side",
                "give proportions nearer to each other");
  const Vec3 size = options.proportions / largest;
  addGridSolid(boxOptions(size, spacingFor(boxArea(size), options)), builder);
}

void buildPane(const ShapeOptions& options, SurfaceBuilder& builder) {
  const double height = 1.2;
  const Vec3 size = height * Vec3(options.paneWidth, 1.0, options.paneThickness);
  addGridSolid(boxOptions(size, spacingFor(boxArea(size), options)), builder);
  // Where a frame would hold the pane.
  builder.addGroupOfParts("edges", {"left", "right", "bottom", "top"});
}

void buildBrick(const ShapeOptions& options, SurfaceBuilder& builder) {
  const Vec3 size(0.215, 0.065, 0.1025);
  GridSolidOptions grid = boxOptions(size, spacingFor(boxArea(size), options));
  if (options.cores > 0) {
    // Equal cores with equal webs between them and at the ends.
    const double web = 0.45 * size.x() / (options.cores + 1);
    const double core = (size.x() - (options.cores + 1) * web) / options.cores;
    std::vector<double>& planes = grid.planes[0];
    planes = {-0.5 * size.x()};
    for (int i = 0; i < options.cores; ++i) {
      planes.push_back(-0.5 * size.x() + (i + 1) * web + i * core);
      planes.push_back(planes.back() + core);
    }
    planes.push_back(0.5 * size.x());
    grid.planes[2] = {-0.5 * size.z(), -0.22 * size.z(), 0.22 * size.z(), 0.5 * size.z()};
  }
  grid.filled = [&](const CellIndex& cell) { return options.cores == 0 || cell[2] != 1 || cell[0] % 2 == 0; };
  grid.part = [&](const CellIndex& cell, int axis, int side) -> std::string {
    const bool outer = axis == 1 || (axis == 0 && (side < 0 ? cell[0] == 0 : cell[0] == 2 * options.cores)) ||
                       (axis == 2 && (side < 0 ? cell[2] == 0 : cell[2] == (options.cores > 0 ? 2 : 0)));
    return outer ? boxSideName(axis, side) : "cores";
  };
  addGridSolid(grid, builder);
}

void buildStairs(const ShapeOptions& options, SurfaceBuilder& builder) {
  const double rise = 0.17, going = 0.28, width = options.stairsWidth;
  const int n = options.steps;
  const double run = n * going, height = n * rise;
  const double sides = 2.0 * rise * going * n * (n + 1) / 2.0;
  GridSolidOptions grid;
  grid.spacing = spacingFor(sides + 2.0 * width * (run + height), options);
  for (int i = 0; i <= n; ++i) {
    grid.planes[1].push_back(i * rise);
    grid.planes[2].push_back(0.5 * run - (n - i) * going);
  }
  grid.planes[0] = {-0.5 * width, 0.5 * width};
  // They climb towards the back: cell row 0 (back) is as high as all steps.
  grid.filled = [n](const CellIndex& cell) { return cell[1] < n - cell[2]; };
  grid.part = [](const CellIndex&, int axis, int side) -> std::string {
    if (axis == 1 && side > 0) return "treads";
    if (axis == 2 && side > 0) return "risers";
    return boxSideName(axis, side);
  };
  addGridSolid(grid, builder);
}

void buildSphere(const ShapeOptions& options, SurfaceBuilder& builder) {
  const double radius = 0.1, quarter = 0.25 * kPi * radius;
  GridSolidOptions grid;
  grid.spacing = spacingFor(4.0 * kPi * radius * radius, options);
  // Six equal patches whose grid lines are great circles at equal angles; at least two quads along each.
  grid.spacing = std::min(grid.spacing, 1.2 * quarter);
  for (auto& planes : grid.planes) planes = {-quarter, quarter};
  grid.place = [=](const Vec3& p) {
    const Vec3 direction(std::tan(p.x() / radius), std::tan(p.y() / radius), std::tan(p.z() / radius));
    return Vec3(radius * (direction.normalized() + Vec3::UnitY()));
  };
  addGridSolid(grid, builder);
}

namespace {

struct BarOutline {
  std::vector<Vec2> bottom, top;
  std::vector<bool> inNotch;  // per step along the bottom
};

/// Right half of the notch's outline from its tip to its mouth.
std::vector<Vec2> notchCurve(const ShapeOptions& options, double width, double depth, double spacing) {
  std::vector<Vec2> out;
  if (options.notch == NotchKind::V) {
    const double flank = std::hypot(0.5 * width, depth);
    for (const double s : steps(0, flank, std::min(spacing, flank / 2)))
      out.push_back({0.5 * width * s / flank, depth * (1.0 - s / flank)});
    return out;
  }
  const double radius = 0.5 * width;
  if (depth < 1.02 * radius)
    throw Error(ErrorCode::Usage, "notch_depth: a U notch must be deeper than half its width",
                "make the notch deeper or narrower");
  for (const double a : steps(0, 0.5 * kPi, std::min(spacing / radius, kPi / 8)))
    out.push_back({radius * std::sin(a), depth - radius + radius * std::cos(a)});
  const std::vector<double> wall = steps(0, depth - radius, spacing);
  for (size_t i = 1; i < wall.size(); ++i) out.push_back({radius, depth - radius - wall[i]});
  return out;
}

/// The bar's bottom from left to right through the notch, and a point of the top for each of its points.
BarOutline barOutline(const ShapeOptions& options, double length, double height, double strip,
                      double spacing) {
  const double width = options.notchWidth * height, depth = options.notchDepth * height;
  const double support = 0.5 * options.span * length;
  const double inner = support - 0.5 * strip, outer = support + 0.5 * strip;
  if (inner < 0.75 * width)
    throw Error(ErrorCode::Usage, "span: the supports stand in the notch",
                "use a wider span or a narrower notch");
  if (outer > 0.5 * length)
    throw Error(ErrorCode::Usage,
                fmt::format("span: supports at {} of the length stand over the ends", options.span),
                "use a shorter span");

  // Right half: notch, to the support, the support's strip, to the end.
  std::vector<Vec2> half = notchCurve(options, width, depth, spacing);
  const size_t notchSteps = half.size() - 1;
  const double stops[4] = {0.5 * width, inner, outer, 0.5 * length};
  for (int k = 0; k < 3; ++k) {
    const std::vector<double> xs = steps(stops[k], stops[k + 1], spacing);
    for (size_t i = 1; i < xs.size(); ++i) half.push_back({xs[i], 0});
  }

  // On the top, the steps of the notch's flanks are spread out over the middle, never further in than below.
  const double spread = std::min(inner, 0.5 * width + 1.5 * depth);
  std::vector<double> arc(half.size(), 0.0);
  for (size_t i = 1; i < half.size(); ++i) arc[i] = arc[i - 1] + (half[i] - half[i - 1]).norm();
  const double spreadArc = arc[notchSteps] + spread - 0.5 * width;
  BarOutline out;
  for (size_t k = 0; k + 1 < 2 * half.size(); ++k) {
    const bool left = k + 1 < half.size();
    const size_t i = left ? half.size() - 1 - k : k + 1 - half.size();
    const double x = std::max(half[i].x(), arc[i] < spreadArc ? spread * arc[i] / spreadArc : 0.0);
    out.bottom.push_back({left ? -half[i].x() : half[i].x(), half[i].y()});
    out.top.push_back({left ? -x : x, height});
    if (k + 2 < 2 * half.size()) out.inNotch.push_back(left ? i <= notchSteps : i < notchSteps);
  }
  return out;
}

}  // namespace

void buildNotchedBar(const ShapeOptions& options, SurfaceBuilder& builder) {
  const double length = 0.5, height = options.barHeight * length, depth = options.barDepth * length;
  const double strip = std::min(0.02 * length, 0.2 * height);  // width of supports and load
  const double spacing = spacingFor(boxArea({length, height, depth}), options);
  const BarOutline outline = barOutline(options, length, height, strip, spacing);
  const size_t rows = static_cast<size_t>(std::max(2L, std::lround(height / spacing))) + 1;

  ExtrudeOptions extrude;
  extrude.levels = steps(-0.5 * depth, 0.5 * depth, spacing);
  extrude.firstPart = [&](size_t i) { return outline.inNotch[i] ? "notch" : "bottom"; };
  extrude.secondPart = [](size_t) { return "top"; };
  // Where a three-point bending test holds the bar, besides the sides themselves.
  const double support = 0.5 * options.span * length;
  double nearest = length;  // of the top's columns to the middle: the load has at least those
  for (size_t i = 0; i + 1 < outline.top.size(); ++i)
    nearest = std::min(nearest, std::abs(0.5 * (outline.top[i].x() + outline.top[i + 1].x())));
  addPrism(ruledGrid(outline.bottom, outline.top, rows, false), extrude, builder,
           [&](int32_t face, bool second, size_t i) {
             const std::vector<Vec2>& curve = second ? outline.top : outline.bottom;
             const double x = 0.5 * (curve[i].x() + curve[i + 1].x());
             if (second && std::abs(x) <= std::max(0.5 * strip, nearest * 1.001))
               builder.addToGroup("load", face);
             if (!second && std::abs(std::abs(x) - support) < 0.5 * strip)
               builder.addToGroup(x < 0 ? "support_left" : "support_right", face);
           });
  builder.addGroupOfParts("ends", {"left", "right"});
}

void buildGear(const ShapeOptions& options, SurfaceBuilder& builder) {
  const double outer = 0.1, root = outer * (1.0 - options.toothDepth), bore = outer * options.bore;
  const double thickness = outer * options.gearThickness, pitch = 2.0 * kPi / options.teeth;
  if (bore > 0.9 * root)
    throw Error(ErrorCode::Usage,
                fmt::format("bore: {} of the radius leaves no rim below the teeth", options.bore),
                fmt::format("bore must be at most {:.3f} with this tooth_depth", 0.9 * root / outer));
  const double mean = 0.5 * (outer + root);
  const double teethLength = 2.0 * kPi * mean + 2.0 * options.teeth * (outer - root) * 0.9;
  const double area = 2.0 * kPi * (mean * mean - bore * bore) + thickness * (teethLength + 2.0 * kPi * bore);
  const double spacing = spacingFor(area, options);

  // One tooth from the middle of its gap: root, flank up, tip, flank down, root. A flank narrows the tooth as
  // an involute does, slowly at first; half widths are parts of a pitch.
  const double halfRoot = 0.33, halfTip = 0.14;
  const auto polar = [](double r, double angle) { return Vec2(r * std::cos(angle), r * std::sin(angle)); };
  std::vector<Vec2> rim, hole;
  std::vector<bool> tooth;
  const auto add = [&](int index, double r, double along, bool ofTooth) {
    rim.push_back(polar(r, (index + along) * pitch));
    hole.push_back(polar(bore, (index + along) * pitch));
    tooth.push_back(ofTooth);
  };
  const double flank = std::hypot(outer - root, (halfRoot - halfTip) * pitch * mean);
  const std::vector<double> gap = steps(0, 0.5 - halfRoot, std::min(spacing / (pitch * root), 0.2));
  const std::vector<double> rise = steps(0, 1, std::min(spacing / flank, 0.34));
  const std::vector<double> tip =
      steps(0.5 - halfTip, 0.5 + halfTip, std::min(spacing / (pitch * outer), 0.15));
  const auto flankAlong = [&](double t) {
    return halfRoot - (halfRoot - halfTip) * (0.45 * t + 0.55 * t * t);
  };
  for (int k = 0; k < options.teeth; ++k) {
    for (size_t i = 0; i + 1 < gap.size(); ++i) add(k, root, gap[i], false);
    for (size_t i = 0; i + 1 < rise.size(); ++i)
      add(k, root + rise[i] * (outer - root), 0.5 - flankAlong(rise[i]), true);
    for (size_t i = 0; i + 1 < tip.size(); ++i) add(k, outer, tip[i], true);
    for (size_t i = rise.size(); i-- > 1;)
      add(k, root + rise[i] * (outer - root), 0.5 + flankAlong(rise[i]), true);
    for (size_t i = gap.size(); i-- > 1;) add(k, root, 1.0 - gap[i], false);
  }

  const size_t rows = static_cast<size_t>(std::max(3L, std::lround((mean - bore) / spacing))) + 1;
  ExtrudeOptions extrude;
  extrude.levels = steps(0, thickness, spacing);
  // Rim first: seen from above, around and then inwards turns counter-clockwise.
  extrude.firstPart = [&](size_t i) { return tooth[i] ? "teeth" : "root"; };
  extrude.secondPart = [](size_t) { return "bore"; };
  extrude.lowerPart = "bottom";
  extrude.upperPart = "top";
  extrude.place = [](const Vec3& p) { return Vec3(p.x(), p.z(), -p.y()); };
  addPrism(ruledGrid(rim, hole, rows, true), extrude, builder);
}

}  // namespace hackle::detail
