// Shapes that are turned on a lathe.
#include <hackle/meshing/shapes/revolve.h>
#include <hackle/meshing/shapes/shape_builders.h>

#include <fmt/format.h>

#include <numeric>

namespace hackle::detail {

namespace {

/// Thickness of a wall in the units of the radius; refuses one that fills the hollow.
double wallThickness(const ShapeOptions& options, const char* shape, double radius, double mostRatio) {
  if (options.wall > mostRatio)
    throw Error(ErrorCode::Usage,
                fmt::format("wall: {} of the radius leaves no hollow in a {}", options.wall, shape),
                fmt::format("wall must be at most {} for this shape", mostRatio));
  return options.wall * radius;
}

/// Turns a vessel's profile; chords stay well within the wall.
void addVessel(const Profile& profile, double wall, const ShapeOptions& options, SurfaceBuilder& builder) {
  RevolveOptions revolved;
  revolved.spacing = spacingFor(profile.revolvedArea(), options);
  revolved.tolerance = 0.2 * wall;
  revolve(profile, revolved, builder);
}

}  // namespace

void buildBowl(const ShapeOptions& options, SurfaceBuilder& builder) {
  const double radius = 0.08, height = 2 * radius * options.bowlDepth;
  const double wall = wallThickness(options, "bowl", radius, 0.3);
  const double foot = 0.45 * radius, lift = std::min(0.06 * radius, 0.2 * height);
  if (height < 2.5 * wall + lift)
    throw Error(ErrorCode::Usage,
                fmt::format("bowl_depth: {} is too shallow for its wall", options.bowlDepth),
                "make the bowl deeper or its wall thinner");
  Profile p(Vec2(0, lift));
  // A foot ring, the outside up to the lip, and the inside down to the axis.
  p.part("foot").lineTo(0.8 * foot, lift).lineTo(0.86 * foot, 0).lineTo(foot, 0);
  p.lineTo(1.06 * foot, lift);
  p.part("bowl").curveTo({0.86 * radius, lift + 0.02 * height}, {0.98 * radius, 0.55 * height},
                         {radius, height - 0.5 * wall});
  p.part("rim").arcTo(radius - wall, height - 0.5 * wall, kPi);
  const double floor = lift + wall;
  p.part("interior")
      .curveTo({0.98 * radius - wall, 0.55 * height + 0.3 * wall},
               {0.86 * radius - wall, floor + 0.02 * height}, {0.5 * foot, floor});
  p.lineTo(0, floor);
  addVessel(p, wall, options, builder);
}

void buildGoblet(const ShapeOptions& options, SurfaceBuilder& builder) {
  const double height = 0.2, radius = 0.042;
  const double wall = wallThickness(options, "goblet", radius, 0.25);
  const double footTop = 0.022, stemTop = footTop + options.stem * height, stem = 0.0045;
  const double knob = 0.0105, middle = 0.5 * (footTop + stemTop);
  const double knobHalf = std::min(0.011, 0.22 * (stemTop - footTop));
  Profile p(Vec2(0, 0.0015));
  p.part("foot").curveTo({0.02, 0.0015}, {0.03, 0}, {0.035, 0}).arcTo(0.035, 0.003, kPi);
  p.curveTo({0.018, 0.0045}, {0.0065, 0.007}, {stem, footTop});
  p.part("stem").curveTo({stem - 0.0006, footTop + 0.25 * (middle - footTop)},
                         {stem - 0.0006, middle - 1.6 * knobHalf}, {stem + 0.0008, middle - 1.1 * knobHalf});
  p.lineTo(0.0075, middle - 0.95 * knobHalf).lineTo(0.0075, middle - 0.75 * knobHalf);
  p.curveTo({knob + 0.0012, middle - 0.6 * knobHalf}, {knob + 0.0012, middle + 0.6 * knobHalf},
            {0.0075, middle + 0.75 * knobHalf});
  p.lineTo(0.0075, middle + 0.95 * knobHalf).lineTo(stem + 0.0008, middle + 1.1 * knobHalf);
  p.curveTo({stem - 0.0006, middle + 1.6 * knobHalf}, {stem - 0.0006, stemTop - 0.2 * (stemTop - middle)},
            {stem + 0.0015, stemTop});

  // The bowl closes in a little towards its lip.
  const double bowl = height - stemTop, lip = 0.9 * radius;
  p.part("bowl").curveTo({0.5 * radius, stemTop + 0.05 * bowl}, {0.86 * radius, stemTop + 0.1 * bowl},
                         {0.985 * radius, stemTop + 0.4 * bowl});
  p.curveTo({1.04 * radius, stemTop + 0.53 * bowl}, {0.95 * radius, stemTop + 0.8 * bowl},
            {lip, height - 0.5 * wall});
  p.part("rim").arcTo(lip - wall, height - 0.5 * wall, kPi);
  const double floor = stemTop + 0.06 * bowl + 1.2 * wall, inner = 0.985 * radius - wall;
  p.part("interior")
      .curveTo({0.95 * radius - wall, stemTop + 0.8 * bowl}, {1.04 * radius - wall, stemTop + 0.53 * bowl},
               {inner, stemTop + 0.4 * bowl + 0.4 * wall});
  p.curveTo({0.86 * radius - wall, floor + 0.09 * bowl}, {0.45 * inner, floor}, {0, floor});
  addVessel(p, wall, options, builder);
}

void buildPlate(const ShapeOptions& options, SurfaceBuilder& builder) {
  const double radius = 0.135, height = 0.025;
  const double wall = wallThickness(options, "plate", radius, 0.12);
  const double lift = 0.003, foot = 0.56 * radius, well = 0.6 * radius;
  Profile p(Vec2(0, lift));
  p.part("bottom").lineTo(foot - 0.004, lift).lineTo(foot - 0.0025, 0).lineTo(foot + 0.0025, 0);
  p.lineTo(foot + 0.004, lift);
  p.curveTo({0.68 * radius, lift}, {0.66 * radius, 0.55 * height}, {0.76 * radius, 0.62 * height});
  p.lineTo(radius, height);
  p.part("rim").arcTo(radius - 0.12 * wall, height + wall * 0.98, 0.9 * kPi);
  p.part("top").lineTo(0.76 * radius - 0.2 * wall, 0.62 * height + wall);
  p.curveTo({0.66 * radius - 0.35 * wall, 0.55 * height + wall}, {0.68 * radius - 0.6 * wall, lift + wall},
            {well - 0.3 * wall, lift + wall});
  p.lineTo(0, lift + wall);
  addVessel(p, wall, options, builder);
}

void buildVase(const ShapeOptions& options, SurfaceBuilder& builder) {
  const double height = 0.3, radius = 0.085;
  const double wall = wallThickness(options, "vase", radius, 0.2);
  const double rim = height - 0.5 * wall;
  // One outline, drawn up at its radius and down again a wall further in.
  const Vec2 base(0.045, 0.004), belly(radius, 0.135), neck(0.031, 0.248), lip(0.048, rim);
  const Vec2 c[6] = {{0.05, 0.03}, {radius, 0.08},  {radius, 0.185},
                     {0.033, 0.2}, {0.0295, 0.275}, {0.036, 0.292}};
  const Vec2 in(-wall, 0);
  Profile p(Vec2(0, 0));
  p.part("base").lineTo(base.x() - 0.003, 0).arcTo(base.x(), base.y(), 0.5 * kPi);
  p.part("body").curveTo(c[0], c[1], belly).curveTo(c[2], c[3], neck);
  p.part("neck").curveTo(c[4], c[5], lip);
  p.part("rim").arcTo(lip.x() - wall, rim, kPi);
  p.part("interior").curveTo(c[5] + in, c[4] + in, neck + in).curveTo(c[3] + in, c[2] + in, belly + in);
  const double floor = base.y() + 1.2 * wall;
  p.curveTo(c[1] + in, c[0] + in, Vec2(base.x() - wall - 0.001, floor)).lineTo(0, floor);
  addVessel(p, wall, options, builder);
}

void buildBottle(const ShapeOptions& options, SurfaceBuilder& builder) {
  const double height = 0.3, radius = 0.0375;
  const double wall = wallThickness(options, "bottle", radius, 0.25);
  const double neck = 0.0145, edge = 0.004, shoulder = 0.19, neckAt = 0.245;
  const double ring = height - 0.016, out = 0.0025;
  Profile p(Vec2(0, 0.012));
  // A punt below, body, shoulder, neck with a ring at its top, and the inside.
  p.part("bottom").curveTo({0.014, 0.012}, {0.022, 0}, {radius - 2.2 * edge, 0}).lineTo(radius - edge, 0);
  p.arcTo(radius, edge, 0.5 * kPi);
  p.part("body").lineTo(radius, shoulder);
  p.part("shoulder").curveTo({radius, shoulder + 0.03}, {neck, neckAt - 0.03}, {neck, neckAt});
  p.part("neck").lineTo(neck, ring).lineTo(neck + out, ring + 0.001).lineTo(neck + out, ring + 0.007);
  p.lineTo(neck, ring + 0.008).lineTo(neck, height - 0.5 * wall);
  p.part("rim").arcTo(neck - wall, height - 0.5 * wall, kPi);
  p.part("interior").lineTo(neck - wall, neckAt);
  p.curveTo({neck - wall, neckAt - 0.03}, {radius - wall, shoulder + 0.03 - 0.5 * wall},
            {radius - wall, shoulder});
  p.lineTo(radius - wall, edge + 1.6 * wall);
  p.arcTo(radius - wall - edge, 1.6 * wall, -0.5 * kPi);
  p.curveTo({0.019, 1.6 * wall}, {0.014, 0.012 + 1.4 * wall}, {0, 0.012 + 1.4 * wall});
  addVessel(p, wall, options, builder);
}

void buildDumbbell(const ShapeOptions& options, SurfaceBuilder& builder) {
  const double length = 0.3, ball = 0.06, bar = options.neck * ball;
  // Ball and bar are joined by a fillet: an arc tangent to both.
  const double fillet = 0.25 * ball,
               reach = std::sqrt(std::pow(ball + fillet, 2) - std::pow(bar + fillet, 2));
  const double turn = std::atan2(reach, bar + fillet);
  const double low = ball, high = length - ball;
  const Vec2 touch = ball / (ball + fillet) * Vec2(bar + fillet, reach);
  Profile p(Vec2(0, 0));
  p.part("left").arcTo(touch.x(), low + touch.y(), 0.5 * kPi + turn);
  p.part("bar")
      .arcTo(bar, low + reach, -turn)
      .lineTo(bar, high - reach)
      .arcTo(touch.x(), high - touch.y(), -turn);
  p.part("right").arcTo(0, length, 0.5 * kPi + turn);
  RevolveOptions revolved;
  revolved.spacing = spacingFor(p.revolvedArea(), options);
  revolve(p, revolved, builder);
  builder.movePoints([&](const Vec3& q) { return Vec3(q.y() - 0.5 * length, ball - q.x(), q.z()); });
}

namespace {

/// Radius of a square over that of its inscribed circle.
double squareFactor(double angle) {
  return 1.0 / std::max(std::abs(std::sin(angle)), std::abs(std::cos(angle)));
}

/// Depth of a round flute, 0 to 1: circular scoops with narrow fillets between.
double fluteProfile(double angle, int flutes) {
  const double phase = angle * flutes / (2.0 * kPi);
  const double x = 2.0 * std::abs(phase - std::round(phase)) / 0.86;  // 0 in the middle of a flute
  return x >= 1.0 ? 0.0 : std::sqrt(1.0 - x * x);
}

}  // namespace

void buildColumn(const ShapeOptions& options, SurfaceBuilder& builder) {
  const double height = 3.0, r = 0.5 * height / options.slenderness;
  const double base = 0.95 * r, top = height - 0.85 * r,
               upper = 0.84 * r;  // ends and upper radius of the shaft
  Profile p(Vec2(0, 0));
  // Square plinth, two tori with a scotia between.
  p.part("base").weight(1).lineTo(1.38 * r, 0).lineTo(1.38 * r, 0.32 * r);
  p.weight(0).lineTo(1.24 * r, 0.32 * r).arcTo(1.24 * r, 0.56 * r, kPi).lineTo(1.16 * r, 0.6 * r);
  p.arcTo(1.1 * r, 0.74 * r, -0.6 * kPi).lineTo(1.12 * r, 0.78 * r).arcTo(1.1 * r, 0.91 * r, 0.9 * kPi);
  p.lineTo(1.02 * r, base);
  // The shaft swells a little (entasis) and narrows upwards.
  p.part("shaft").curveTo({1.0 * r, base + 0.3 * (top - base)}, {0.96 * r, base + 0.6 * (top - base)},
                          {upper, top});
  // Astragal, necking, echinus and a square abacus.
  p.part("capital").lineTo(upper + 0.04 * r, top).arcTo(upper + 0.04 * r, top + 0.1 * r, kPi);
  p.lineTo(upper, top + 0.1 * r).lineTo(upper, top + 0.26 * r).lineTo(upper + 0.05 * r, top + 0.28 * r);
  p.curveTo({upper + 0.22 * r, top + 0.34 * r}, {1.2 * r, top + 0.42 * r}, {1.2 * r, top + 0.58 * r});
  p.weight(1).lineTo(1.24 * r, top + 0.58 * r).lineTo(1.24 * r, height).weight(0).lineTo(0, height);

  RevolveOptions revolved;
  revolved.spacing = spacingFor(p.revolvedArea(), options);
  // Every flute has equally many edges, and the corners of the squares are hit: a multiple of 8.
  const double wanted = 2.0 * kPi * r / revolved.spacing;
  const int unit = options.flutes > 0 ? std::lcm(4 * options.flutes, 8) : 8;
  const int least = options.flutes > 0 ? std::max(unit, 6 * options.flutes) : 24;
  revolved.segments =
      unit * std::max((least + unit - 1) / unit, static_cast<int>(std::lround(wanted / unit)));
  revolved.fullRadius = upper;
  const double shaftLow = base + 0.12 * r, shaftHigh = top - 0.1 * r;
  revolved.shape = [=, &options](const Vec2& q, double weight, double angle) {
    double factor = 1.0 + weight * (squareFactor(angle) - 1.0);
    if (options.flutes > 0 && q.y() > shaftLow && q.y() < shaftHigh) {
      // Flutes run out, rounded, over half their width.
      const double half = 0.43 * 2.0 * kPi * r / options.flutes;
      const double end = std::min({1.0, (q.y() - shaftLow) / half, (shaftHigh - q.y()) / half});
      factor -= options.fluteDepth * end * (2.0 - end) * fluteProfile(angle, options.flutes);
    }
    return factor;
  };
  revolve(p, revolved, builder);
}

}  // namespace hackle::detail
