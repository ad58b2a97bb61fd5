#include <hackle/render/camera.h>

#include <hackle/core/error.h>

#include <algorithm>
#include <cmath>

namespace hackle {

namespace {

constexpr double kRadians = 0.017453292519943295;
constexpr double kMargin = 0.07;  // of the cell, kept free on each side

struct Axes {
  Vec3 right, up, forward;
};

Axes axesFromAngles(double azimuth, double elevation) {
  const double sa = std::sin(azimuth * kRadians), ca = std::cos(azimuth * kRadians);
  const double se = std::sin(elevation * kRadians), ce = std::cos(elevation * kRadians);
  return {{ca, 0, -sa}, {-sa * se, ce, -ca * se}, {-sa * ce, -se, -ca * ce}};
}

Axes axesFromTarget(const Vec3& position, const Vec3& target) {
  const Vec3 toTarget = target - position;
  if (!(toTarget.norm() > 0))
    throw Error(ErrorCode::Usage, "the camera's position and target are the same point", "move one of them");
  const Vec3 forward = toTarget.normalized();
  const Vec3 above = std::abs(forward.y()) < 0.9999 ? Vec3(0, 1, 0) : Vec3(0, 0, forward.y() > 0 ? 1 : -1);
  const Vec3 right = forward.cross(above).normalized();
  return {right, right.cross(forward), forward};
}

void setAxes(Camera& camera, const Axes& axes) {
  camera.right = axes.right.cast<float>();
  camera.up = axes.up.cast<float>();
  camera.forward = axes.forward.cast<float>();
}

/// Width and height of the points as seen along the axes of any view, without perspective.
Vec2 seenExtent(const std::vector<Vec3f>& points, const std::vector<Axes>& axes) {
  Vec2 extent(1e-6, 1e-6);
  for (const Axes& a : axes) {
    Box3 box;
    for (const Vec3f& point : points) {
      const Vec3 p = point.cast<double>();
      box.add(Vec3(p.dot(a.right), p.dot(a.up), 0));
    }
    extent = extent.cwiseMax(box.size().head<2>());
  }
  return extent;
}

/// Columns of a sheet: those that show things of that extent largest.
int sheetColumns(int views, int width, int height, const Vec2& extent) {
  int best = 1;
  double bestScale = 0;
  for (int columns = 1; columns <= views; ++columns) {
    const int rows = (views + columns - 1) / columns;
    const double scale = std::min(width / (columns * extent.x()), height / (rows * extent.y()));
    if (scale > bestScale) bestScale = scale, best = columns;
  }
  return best;
}

/// Where the camera must be so that all points fit the safe part, for fixed axes: with slopes s = x / z, a
/// point is inside while |x - cx| <= tx (z - cz), which is linear in (cx / tx, cz); the same for y.
struct Fit {
  double x = 0, y = 0, z = 0;  // of the eye, along right, up and forward
};

Fit fitPoints(const std::vector<Vec3f>& points, const Axes& axes, double slopeX, double slopeY) {
  const double kNone = -std::numeric_limits<double>::infinity();
  double right = kNone, left = kNone, top = kNone, bottom = kNone;
  for (const Vec3f& point : points) {
    const Vec3 p = point.cast<double>();
    const double x = p.dot(axes.right) / slopeX, y = p.dot(axes.up) / slopeY, z = p.dot(axes.forward);
    right = std::max(right, x - z);
    left = std::max(left, -x - z);
    top = std::max(top, y - z);
    bottom = std::max(bottom, -y - z);
  }
  return {slopeX * (right - left) / 2, slopeY * (top - bottom) / 2,
          std::min(-(right + left) / 2, -(top + bottom) / 2)};
}

/// The drawn points; a lone point gets some room around it.
std::vector<Vec3f> framedPoints(const Drawable& drawable) {
  std::vector<Vec3f> points;
  for (const int32_t p : drawable.usedPoints()) points.push_back(drawable.points[p]);
  Vec3f low = points.front(), high = low;
  for (const Vec3f& p : points) low = low.cwiseMin(p), high = high.cwiseMax(p);
  if ((high - low).norm() < 1e-6f)
    for (int corner = 0; corner < 8; ++corner)
      points.emplace_back(
          low + Vec3f(corner & 1 ? 0.5f : -0.5f, corner & 2 ? 0.5f : -0.5f, corner & 4 ? 0.5f : -0.5f));
  return points;
}

std::vector<View> makeCells(const RenderOptions& options, const Vec2& extent, int reservedRight,
                            int reservedTop) {
  const int columns =
      sheetColumns(options.views, options.width - reservedRight, options.height - reservedTop, extent);
  const int rows = (options.views + columns - 1) / columns;
  std::vector<View> views(static_cast<size_t>(options.views));
  for (int i = 0; i < options.views; ++i) {
    const int column = i % columns, row = i / columns;
    const int usable = options.width - reservedRight;
    View& view = views[i];
    // Reserved strips belong to the cells beside them, so that the floor runs on below text.
    const int x0 = usable * column / columns;
    const int x1 = usable * (column + 1) / columns;
    const int y0 = reservedTop + (options.height - reservedTop) * row / rows;
    const int y1 = reservedTop + (options.height - reservedTop) * (row + 1) / rows;
    const int marginX = static_cast<int>(std::lround(kMargin * (x1 - x0)));
    const int marginY = static_cast<int>(std::lround(kMargin * (y1 - y0)));
    view.safe = {x0 + marginX, y0 + marginY, std::max(1, x1 - x0 - 2 * marginX),
                 std::max(1, y1 - y0 - 2 * marginY)};
    const int left = x0, top = row == 0 ? 0 : y0;
    const int right = column == columns - 1 ? options.width : x1;
    view.cell = {left, top, right - left, y1 - top};
  }
  return views;
}

/// Puts the cameras where the options say, turned about the target from view to view.
void placeExplicitly(std::vector<View>& views, const Drawable& drawable, const RenderOptions& options) {
  for (size_t i = 0; i < views.size(); ++i) {
    const double turn = 360.0 * static_cast<double>(i) / options.views * kRadians;
    const Eigen::AngleAxisd rotation(turn, Vec3::UnitY());
    const Vec3 position = options.target + rotation * (options.position - options.target);
    setAxes(views[i].camera, axesFromTarget(position, options.target));
    views[i].camera.eye = drawable.toUnit(position);
  }
}

/// Moves each camera back along its axis until the points fit, all to one distance.
void frame(std::vector<View>& views, const std::vector<Vec3f>& points, const std::vector<Axes>& axes,
           double zoom) {
  std::vector<Fit> fits;
  double nearest = std::numeric_limits<double>::infinity();
  for (size_t i = 0; i < views.size(); ++i) {
    // Zoom narrows the view without moving the camera: the fit is made for zoom 1.
    const double pixels = views[i].camera.pixelsPerSlope / zoom;
    const PixelRect& safe = views[i].safe;
    fits.push_back(fitPoints(points, axes[i], 0.5 * safe.width / pixels, 0.5 * safe.height / pixels));
    nearest = std::min(nearest, fits.back().z);
  }
  for (size_t i = 0; i < views.size(); ++i) {
    setAxes(views[i].camera, axes[i]);
    views[i].camera.eye =
        (fits[i].x * axes[i].right + fits[i].y * axes[i].up + nearest * axes[i].forward).cast<float>();
  }
}

}  // namespace

std::vector<View> makeViews(const Drawable& drawable, const RenderOptions& options, int reservedRight,
                            int reservedTop) {
  const std::vector<Vec3f> points = framedPoints(drawable);
  std::vector<Axes> axes;
  for (int i = 0; i < options.views; ++i)
    axes.push_back(axesFromAngles(options.azimuth + 360.0 * i / options.views, options.elevation));
  std::vector<View> views = makeCells(options, seenExtent(points, axes), reservedRight, reservedTop);
  for (View& view : views) {
    view.camera.principal = {static_cast<float>(view.safe.x) + 0.5f * static_cast<float>(view.safe.width),
                             static_cast<float>(view.safe.y) + 0.5f * static_cast<float>(view.safe.height)};
    const double halfSlope = std::tan(0.5 * options.fieldOfView * kRadians);
    view.camera.pixelsPerSlope = static_cast<float>(0.5 * view.cell.height / halfSlope * options.zoom);
  }

  if (options.camera == CameraMode::Explicit)
    placeExplicitly(views, drawable, options);
  else
    frame(views, points, axes, options.zoom);
  return views;
}

}  // namespace hackle
