#include <hackle/core/error.h>
#include <hackle/fracture/crack/growth/initial_crack.h>
#include <hackle/geometry/bvh.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace hackle {

namespace {

Vec3 areaVector(const InitialSheet& sheet, const Triangle& t) {
  return 0.5 * (sheet.points[t[1]] - sheet.points[t[0]]).cross(sheet.points[t[2]] - sheet.points[t[0]]);
}

/// m^2 of a sheet that lies along another one.
double areaAlong(const InitialSheet& sheet, const InitialSheet& other, const TriangleBvh& tree,
                 double reach) {
  constexpr double kParallel = 0.95;  // cosine
  double area = 0;
  for (const Triangle& t : sheet.triangles) {
    const Vec3 middle = (sheet.points[t[0]] + sheet.points[t[1]] + sheet.points[t[2]]) / 3;
    const int32_t nearest = tree.closestPoint(middle, reach).triangle;
    if (nearest < 0) continue;
    const Vec3 here = areaVector(sheet, t), there = areaVector(other, other.triangles[nearest]);
    if (std::abs(here.dot(there)) > kParallel * here.norm() * there.norm()) area += here.norm();
  }
  return area;
}

bool edgesPass(const InitialSheet& sheet, const TriangleBvh& tree) {
  constexpr double kInside = 1e-6;  // of an edge: touching with an end is no crossing
  for (const Triangle& t : sheet.triangles)
    for (size_t k = 0; k < 3; ++k) {
      const Vec3& a = sheet.points[t[k]];
      if (tree.anyHit({a, sheet.points[t[(k + 1) % 3]] - a, kInside, 1 - kInside})) return true;
    }
  return false;
}

}  // namespace

SheetMeeting meetingOf(const InitialSheet& a, const InitialSheet& b, double edge, Context& context) {
  constexpr double kReach = 0.05;  // of an edge: nearer than that sheets are in one place
  const TriangleBvh first(a.points, a.triangles, context), second(b.points, b.triangles, context);
  const double along =
      std::max(areaAlong(a, b, second, kReach * edge), areaAlong(b, a, first, kReach * edge));
  if (along > 0.1 * std::min(areaOf(a), areaOf(b))) return SheetMeeting::Along;
  return edgesPass(a, second) || edgesPass(b, first) ? SheetMeeting::Across : SheetMeeting::Apart;
}

void checkSheetsApart(Span<const InitialSheet> sheets, double edge, Context& context) {
  for (size_t i = 0; i < sheets.size(); ++i)
    for (size_t j = i + 1; j < sheets.size(); ++j) {
      if (sheets[i].number == sheets[j].number && sheets[i].number != 0) continue;  // of one crack
      if (meetingOf(sheets[i], sheets[j], edge, context) != SheetMeeting::Along) continue;
      throw Error(
          ErrorCode::BadInput,
          fmt::format("initial cracks {} and {} are in the same place", sheets[i].number, sheets[j].number),
          fmt::format("leave one of them out, or move them apart by {:.3g} m or more", 0.1 * edge));
    }
}

}  // namespace hackle
