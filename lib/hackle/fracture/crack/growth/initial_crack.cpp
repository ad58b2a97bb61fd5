#include <hackle/core/error.h>
#include <hackle/core/pi.h>
#include <hackle/fracture/crack/growth/initial_crack.h>
#include <hackle/fracture/crack/growth/outline_mesh.h>
#include <hackle/geometry/topology.h>
#include <hackle/geometry/triangle_mesh.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

namespace hackle {

namespace {

constexpr size_t kMostPoints = 2000;  // of an outline

struct PlaneAxes {
  Vec3 u, v;
};

PlaneAxes axesOf(const Vec3& normal, const Vec3& along) {
  if (normal.isZero() || !normal.allFinite())
    throw Error(ErrorCode::Usage, "an initial crack has no normal", "give one, such as 0,1,0");
  const Vec3 n = normal.normalized();
  Vec3 u = along - along.dot(n) * n;
  u = u.norm() > 1e-9 * along.norm() ? Vec3(u.normalized()) : Vec3(n.unitOrthogonal());
  return {u, n.cross(u)};
}

void checkSizes(double halfAlong, double halfAcross, double edge) {
  if (!(halfAlong > 0) || !(halfAcross > 0) || !std::isfinite(halfAlong) || !std::isfinite(halfAcross))
    throw Error(ErrorCode::Usage, "an initial crack has no size", "give one above 0");
  if (!(edge > 0)) throw Error(ErrorCode::Usage, "edges of an initial crack have no length");
}

InitialSheet meshed(const std::vector<Vec2>& outline, const Vec3& origin, const PlaneAxes& axes,
                    double edge) {
  const OutlineMesh mesh = meshOutline(outline, edge);
  InitialSheet sheet;
  for (const Vec2& p : mesh.points) sheet.points.push_back(origin + p.x() * axes.u + p.y() * axes.v);
  sheet.triangles = mesh.triangles;
  return sheet;
}

/// A flat sheet is meshed anew from its outline, others stay as they are.
InitialSheet remeshed(InitialSheet sheet, double edge) {
  const std::vector<Vec3> outline = singleRim(sheet);
  if (outline.size() < 3) return sheet;
  Vec3 normal = Vec3::Zero(), middle = Vec3::Zero();
  for (const Vec3& p : outline) middle += p / static_cast<double>(outline.size());
  for (size_t i = 0; i < outline.size(); ++i)
    normal += (outline[i] - middle).cross(outline[(i + 1) % outline.size()] - middle);
  if (normal.isZero()) return sheet;
  normal.normalize();
  for (const Vec3& p : sheet.points)
    if (std::abs((p - middle).dot(normal)) > 0.02 * edge) return sheet;
  return polygonCrack(outline, edge);
}

}  // namespace

InitialSheet ellipseCrack(const Vec3& centre, const Vec3& normal, const Vec3& along, double halfAlong,
                          double halfAcross, double edge) {
  checkSizes(halfAlong, halfAcross, edge);
  const PlaneAxes axes = axesOf(normal, along);
  // Ramanujan's perimeter.
  const double sum = halfAlong + halfAcross,
               root = std::sqrt((3 * halfAlong + halfAcross) * (halfAlong + 3 * halfAcross));
  const double perimeter = kPi * (3 * sum - root);
  const size_t count =
      std::clamp<size_t>(static_cast<size_t>(std::lround(perimeter / edge)), size_t{6}, kMostPoints);
  std::vector<Vec2> outline;
  for (size_t k = 0; k < count; ++k) {
    const double a = 2 * kPi * static_cast<double>(k) / static_cast<double>(count);
    outline.emplace_back(halfAlong * std::cos(a), halfAcross * std::sin(a));
  }
  return meshed(outline, centre, axes, edge);
}

InitialSheet rectangleCrack(const Vec3& centre, const Vec3& normal, const Vec3& along, double halfAlong,
                            double halfAcross, double edge) {
  checkSizes(halfAlong, halfAcross, edge);
  const PlaneAxes axes = axesOf(normal, along);
  const std::vector<Vec2> corners = {
      {-halfAlong, -halfAcross}, {halfAlong, -halfAcross}, {halfAlong, halfAcross}, {-halfAlong, halfAcross}};
  return meshed(dividedOutline(corners, edge), centre, axes, edge);
}

InitialSheet polygonCrack(Span<const Vec3> outline, double edge) {
  checkSizes(1, 1, edge);
  Vec3 normal = Vec3::Zero();
  for (size_t i = 0; i < outline.size(); ++i)
    normal += (outline[i] - outline[0]).cross(outline[(i + 1) % outline.size()] - outline[0]);
  if (outline.size() < 3 || normal.isZero())
    throw Error(ErrorCode::Usage, "the outline of an initial crack encloses no area",
                "give three corners or more in order");
  const PlaneAxes axes = axesOf(normal, outline[1] - outline[0]);
  std::vector<Vec2> corners;
  for (const Vec3& p : outline)
    corners.emplace_back((p - outline[0]).dot(axes.u), (p - outline[0]).dot(axes.v));
  return meshed(dividedOutline(corners, edge), outline[0], axes, edge);
}

std::vector<Vec3> singleRim(const InitialSheet& sheet) {
  std::set<std::array<int32_t, 2>> edges;
  for (const Triangle& t : sheet.triangles)
    for (size_t k = 0; k < 3; ++k) edges.insert({t[k], t[(k + 1) % 3]});
  std::map<int32_t, int32_t> next;
  for (const auto& [a, b] : edges)
    if (!edges.count({b, a}) && !next.emplace(a, b).second) return {};
  std::vector<Vec3> rim;
  for (auto at = next.begin(); at != next.end() && rim.size() < next.size(); at = next.find(at->second)) {
    rim.push_back(sheet.points[at->first]);
    if (at->second == next.begin()->first && rim.size() == next.size()) return rim;
  }
  return {};
}

InitialSheet sheetOf(const InitialCrack& crack, size_t number, double edge) {
  const std::string name = fmt::format("initial crack {}", number);
  if (crack.normal.isZero())
    throw Error(ErrorCode::Usage, name + " has no normal", "give one, such as 0,1,0");
  const double across = crack.shape == InitialShape::Disc ? crack.radius : crack.across;
  if (!(crack.radius > 0) || !(across > 0))
    throw Error(ErrorCode::Usage, name + " has no size", "give a radius (and across) above 0");
  // Smaller ones than the mesh's edges get a mesh of their own size.
  const double length = std::min(edge, std::min(crack.radius, across));
  if (crack.shape == InitialShape::Rectangle)
    return rectangleCrack(crack.at, crack.normal, crack.along, crack.radius, across, length);
  return ellipseCrack(crack.at, crack.normal, crack.along, crack.radius, across, length);
}

std::vector<InitialSheet> sheetsOf(const Geometry& geometry, double edge) {
  std::vector<InitialSheet> sheets;
  const Components components = findComponents(geometry);
  const TriangleMesh mesh = triangleMesh(geometry);
  if (mesh.triangles.empty())
    throw Error(ErrorCode::BadInput, "there are no polygons on the input of sheets",
                "give open surfaces, one for each crack");
  sheets.resize(components.count);
  std::vector<int32_t> number(mesh.points.size(), -1);
  for (size_t t = 0; t < mesh.triangles.size(); ++t) {
    InitialSheet& sheet = sheets[components.ofPrimitive[mesh.primitives[t]]];
    Triangle corners = mesh.triangles[t];
    for (int32_t& c : corners) {
      int32_t& n = number[c];
      if (n < 0) {
        n = static_cast<int32_t>(sheet.points.size());
        sheet.points.push_back(mesh.points[c]);
      }
      c = n;
    }
    sheet.triangles.push_back(corners);
  }
  sheets.erase(
      std::remove_if(sheets.begin(), sheets.end(), [](const auto& s) { return s.triangles.empty(); }),
      sheets.end());
  for (InitialSheet& sheet : sheets) sheet = remeshed(std::move(sheet), edge);
  return sheets;
}

double areaOf(const InitialSheet& sheet) {
  double area = 0;
  for (const Triangle& t : sheet.triangles) {
    const Vec3& a = sheet.points[t[0]];
    area += 0.5 * (sheet.points[t[1]] - a).cross(sheet.points[t[2]] - a).norm();
  }
  return area;
}

}  // namespace hackle
