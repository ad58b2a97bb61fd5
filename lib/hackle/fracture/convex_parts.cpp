#include <hackle/fracture/convex_parts.h>

#include <hackle/core/error.h>
#include <hackle/fracture/piece_components.h>
#include <hackle/geometry/triangle_mesh.h>
#include <hackle/meshing/cut/cutter.h>

#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>
#include <limits>

namespace hackle {

namespace {

// Vertices of a part that are looked at to find its deepest concavity, and to weigh planes.
constexpr size_t kDepthSamples = 2000, kPlaneSamples = 160, kCrossedTriangles = 3000;

// Another plane has to save this much more to be taken.
constexpr double kWorthIt = 0.98;

struct Plane {
  Vec3 normal = Vec3::UnitX();
  double offset = 0;  // normal . x
  double distance(const Vec3& p) const { return normal.dot(p) - offset; }
};

struct Part {
  std::vector<Vec3> points;
  std::vector<Triangle> triangles;
  ConvexHull hull;
  double volume = 0, hullVolume = 0;
  bool final = false;

  double excess() const { return std::max(0.0, hullVolume - volume); }
};

double signedVolume(Span<const Vec3> points, Span<const Triangle> triangles) {
  if (triangles.empty()) return 0;
  const Vec3 origin = points[triangles[0][0]];
  double sum = 0;
  for (const Triangle& t : triangles)
    sum += (points[t[0]] - origin).dot((points[t[1]] - origin).cross(points[t[2]] - origin));
  return sum / 6;
}

void measure(Part& part) {
  part.hull = convexHull(part.points);
  part.volume = signedVolume(part.points, part.triangles);
  part.hullVolume = hullVolume(part.hull);
}

std::vector<Vec3> everySo(const std::vector<Vec3>& points, size_t count) {
  if (points.size() <= count) return points;
  std::vector<Vec3> result;
  for (size_t i = 0; i < count; ++i) result.push_back(points[i * points.size() / count]);
  return result;
}

std::vector<Plane> facesOf(const ConvexHull& hull) {
  std::vector<Plane> faces;
  for (const Triangle& t : hull.triangles) {
    const Vec3 area = (hull.points[t[1]] - hull.points[t[0]]).cross(hull.points[t[2]] - hull.points[t[0]]);
    if (area.norm() == 0) continue;
    const Vec3 normal = area.normalized();
    faces.push_back({normal, normal.dot(hull.points[t[0]])});
  }
  return faces;
}

/// The vertex that lies deepest below the hull.
Vec3 deepestPoint(const Part& part) {
  const std::vector<Plane> faces = facesOf(thinnedHull(part.hull, 48));
  Vec3 deepest = part.points[0];
  double greatest = -1;
  for (const Vec3& p : everySo(part.points, kDepthSamples)) {
    double depth = std::numeric_limits<double>::infinity();
    for (const Plane& face : faces) depth = std::min(depth, -face.distance(p));
    if (depth > greatest) greatest = depth, deepest = p;
  }
  return deepest;
}

/// Where edges of the surface cross the plane: some of them.
std::vector<Vec3> crossings(const Part& part, const Plane& plane) {
  std::vector<Vec3> places;
  const size_t stride = std::max<size_t>(1, part.triangles.size() / kCrossedTriangles);
  for (size_t i = 0; i < part.triangles.size(); i += stride)
    for (size_t k = 0; k < 3; ++k) {
      const Vec3& a = part.points[part.triangles[i][k]];
      const Vec3& b = part.points[part.triangles[i][(k + 1) % 3]];
      const double da = plane.distance(a), db = plane.distance(b);
      if ((da >= 0) != (db >= 0)) places.push_back(a + (da / (da - db)) * (b - a));
    }
  return everySo(places, kPlaneSamples / 2);
}

/// About how much the hulls of both sides of a plane take.
double splitVolume(const Part& part, const std::vector<Vec3>& samples, const Plane& plane) {
  const std::vector<Vec3> rim = crossings(part, plane);
  std::vector<Vec3> sides[2] = {rim, rim};
  for (const Vec3& p : samples) sides[plane.distance(p) >= 0 ? 1 : 0].push_back(p);
  double sum = 0;
  for (const std::vector<Vec3>& side : sides) {
    sum += hullVolume(convexHull(side));
  }
  return sum;
}

/// The plane that saves most through the deepest concavity, among the part's own axes and the world's. Rings
/// and shells save nothing by any first cut; later ones do.
Plane bestPlane(const Part& part) {
  const Vec3 through = deepestPoint(part);
  const std::vector<Vec3> samples = everySo(part.points, kPlaneSamples);
  Vec3 mean = Vec3::Zero();
  for (const Vec3& p : samples) mean += p / static_cast<double>(samples.size());
  Mat3 spread = Mat3::Zero();
  for (const Vec3& p : samples) spread += (p - mean) * (p - mean).transpose();
  const Mat3 axes = Eigen::SelfAdjointEigenSolver<Mat3>(spread).eigenvectors();
  // Across the longest axis first: where no cut saves anything yet, that one makes compact parts.
  const Vec3 normals[] = {axes.col(2), axes.col(1), Vec3::UnitX(), Vec3::UnitZ(), Vec3::UnitY(), axes.col(0)};
  Plane best;
  double least = std::numeric_limits<double>::infinity();
  for (const Vec3& normal : normals) {
    const Plane plane{normal, normal.dot(through)};
    const double volume = splitVolume(part, samples, plane);
    if (volume < kWorthIt * least) least = volume, best = plane;
  }
  return best;
}

/// A piece of a cut, as triangles.
Part partOf(const Cut& cut, const PieceFaces& pieces, size_t piece) {
  Part part;
  std::vector<int32_t> number(cut.vertices.size(), -1);
  for (int32_t i = pieces.starts[piece]; i < pieces.starts[piece + 1]; ++i) {
    const CutFace& face = cut.faces[pieces.faces[i]];
    std::vector<Vec3> places;
    std::vector<int32_t> indices;
    for (int32_t c = face.first; c < face.first + face.count; ++c) {
      const int32_t v = cut.corners[c];
      if (number[v] < 0) {
        number[v] = static_cast<int32_t>(part.points.size());
        part.points.push_back(cut.vertices[v].position);
      }
      indices.push_back(number[v]);
      places.push_back(cut.vertices[v].position);
    }
    for (const Triangle& t : triangulatePolygon(places))
      part.triangles.push_back({indices[t[0]], indices[t[1]], indices[t[2]]});
  }
  measure(part);
  return part;
}

/// The connected parts on both sides of a plane, by the exact cutter: caps and cavities come out right. Empty
/// where it refuses the surface.
std::vector<Part> splitPart(const Part& part, const Plane& plane, double leastVolume, Context& context) {
  Geometry solid;
  solid.addPoints(part.points.size());
  solid.editPositions() = part.points;
  std::vector<int32_t> corners;
  for (const Triangle& t : part.triangles) corners.insert(corners.end(), t.begin(), t.end());
  solid.addPrimitives(PrimitiveType::Polygon, part.triangles.size(), 3, corners);
  // The plane between two sites.
  const Box3 box = solid.bounds();
  const Vec3 foot = box.centre() - plane.distance(box.centre()) * plane.normal;
  const double step = 0.25 * box.diagonal();
  const std::vector<Vec3> sites{foot - step * plane.normal, foot + step * plane.normal};
  std::vector<Part> result;
  try {
    const Cut cut = cutByVoronoi(solid, triangleMesh(solid), sites, context);
    const PieceFaces pieces = connectPieces(cut, context);
    for (size_t p = 0; p < pieces.count(); ++p) {
      Part piece = partOf(cut, pieces, p);
      if (piece.volume > leastVolume && !piece.hull.empty()) result.push_back(std::move(piece));
    }
  } catch (const Error& e) {
    if (e.code() != ErrorCode::BadInput && e.code() != ErrorCode::Failed) throw;
    return {};
  }
  return result;
}

}  // namespace

double hullVolume(const ConvexHull& hull) { return signedVolume(hull.points, hull.triangles); }

std::vector<Vec3> farthestPoints(Span<const Vec3> points, int count) {
  std::vector<uint8_t> kept(points.size(), points.size() <= static_cast<size_t>(count) ? 1 : 0);
  for (int i = 0; i < count && kept.size() > static_cast<size_t>(count); ++i) {
    // Directions on a spiral around the sphere, all about as far apart.
    const double y = 1 - 2 * (i + 0.5) / count, angle = 2.399963229728653 * i;
    const double r = std::sqrt(1 - y * y);
    const Vec3 direction(r * std::cos(angle), y, r * std::sin(angle));
    size_t farthest = 0;
    double most = direction.dot(points[0]);
    for (size_t p = 1; p < points.size(); ++p)
      if (const double reach = direction.dot(points[p]); reach > most) most = reach, farthest = p;
    kept[farthest] = 1;
  }
  std::vector<Vec3> result;
  for (size_t p = 0; p < points.size(); ++p)
    if (kept[p]) result.push_back(points[p]);
  return result;
}

ConvexHull thinnedHull(const ConvexHull& hull, int corners) {
  if (hull.empty() || hull.points.size() <= static_cast<size_t>(corners)) return hull;
  const ConvexHull thin = convexHull(farthestPoints(hull.points, corners));
  return thin.empty() ? hull : thin;
}

ConvexParts convexParts(Span<const Vec3> points, Span<const Triangle> triangles,
                        const ConvexPartOptions& options, Context& context) {
  // Start with the whole surface.
  std::vector<Part> parts(1);
  parts[0].points.assign(points.begin(), points.end());
  parts[0].triangles.assign(triangles.begin(), triangles.end());
  measure(parts[0]);
  const double whole = parts[0].volume;
  if (parts[0].hull.empty() || !(whole > 0)) return {};

  // Split the part with the most to gain until it is enough.
  while (parts.size() < static_cast<size_t>(options.maxParts)) {
    context.checkCancel();
    double excess = 0;
    Part* worst = nullptr;
    for (Part& part : parts) {
      excess += part.excess();
      if (!part.final && (!worst || part.excess() > worst->excess())) worst = &part;
    }
    if (!worst || excess <= options.tolerance * whole) break;
    std::vector<Part> halves = splitPart(*worst, bestPlane(*worst), 1e-6 * whole, context);
    if (halves.size() < 2) {
      worst->final = true;
      continue;
    }
    *worst = std::move(halves[0]);
    for (size_t i = 1; i < halves.size(); ++i) parts.push_back(std::move(halves[i]));
  }
  ConvexParts result;
  double hulls = 0;
  for (const Part& part : parts) {
    hulls += part.hullVolume;
    result.hulls.push_back(thinnedHull(part.hull, options.maxCorners));
  }
  result.excess = hulls / whole - 1;
  return result;
}

}  // namespace hackle
