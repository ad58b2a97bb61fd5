#include <hackle/meshing/surface/convex_parts.h>

#include <hackle/geometry/union_find.h>

#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>

namespace hackle {

namespace {

// A split has to save this share of a part's excess, or the part stays as it is.
constexpr double kLeastGain = 0.05;
// Vertices of a part that are looked at to find its deepest concavity, and to weigh planes.
constexpr size_t kDepthSamples = 2000, kPlaneSamples = 160;

struct Plane {
  Vec3 normal = Vec3::UnitX();
  double offset = 0;  // normal . x
  double distance(const Vec3& p) const { return normal.dot(p) - offset; }
};

/// A closed surface in the sense of signed areas: caps of cuts are fans that may overlap themselves.
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
  part.hullVolume = signedVolume(part.hull.points, part.hull.triangles);
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

/// About how much the hulls of both sides of a plane take.
double splitVolume(const std::vector<Vec3>& samples, const Plane& plane) {
  std::vector<Vec3> sides[2];
  for (const Vec3& p : samples) sides[plane.distance(p) >= 0 ? 1 : 0].push_back(p);
  double sum = 0;
  for (const std::vector<Vec3>& side : sides) {
    const ConvexHull hull = convexHull(side);
    sum += signedVolume(hull.points, hull.triangles);
  }
  return sum;
}

/// The plane through the deepest concavity that saves most, among the part's own axes and the world's.
Plane bestPlane(const Part& part) {
  const Vec3 through = deepestPoint(part);
  const std::vector<Vec3> samples = everySo(part.points, kPlaneSamples);
  Vec3 mean = Vec3::Zero();
  for (const Vec3& p : samples) mean += p / static_cast<double>(samples.size());
  Mat3 spread = Mat3::Zero();
  for (const Vec3& p : samples) spread += (p - mean) * (p - mean).transpose();
  const Mat3 axes = Eigen::SelfAdjointEigenSolver<Mat3>(spread).eigenvectors();
  const Vec3 normals[] = {axes.col(0), axes.col(1), axes.col(2), Vec3::UnitX(), Vec3::UnitY(), Vec3::UnitZ()};
  Plane best;
  double least = std::numeric_limits<double>::infinity();
  for (const Vec3& normal : normals) {
    const Plane plane{normal, normal.dot(through)};
    const double volume = splitVolume(samples, plane);
    if (volume < least) least = volume, best = plane;
  }
  return best;
}

/// One side of a surface that a plane cuts.
class Side {
 public:
  Side(const Part& part, const std::vector<double>& distances, bool above)
      : mPart(part), mDistances(distances), mAbove(above), mVertices(part.points.size(), -1) {}

  void add(const Triangle& t) {
    int32_t polygon[4], leaves = -1, enters = -1;
    size_t count = 0;
    for (size_t k = 0; k < 3; ++k) {
      const int32_t a = t[k], b = t[(k + 1) % 3];
      if (inside(a)) polygon[count++] = vertex(a);
      if (inside(a) == inside(b)) continue;
      const int32_t at = polygon[count++] = crossing(a, b);
      (inside(a) ? leaves : enters) = at;
    }
    for (size_t k = 2; k < count; ++k) mTriangles.push_back({polygon[0], polygon[k - 1], polygon[k]});
    // Along the cut, the polygon runs from where it leaves the side to where it enters it again.
    if (leaves >= 0) mEdges.push_back({leaves, enters});
  }

  /// Connected parts with their caps.
  std::vector<Part> parts() {
    UnionFind sets(mPoints.size());
    for (const Triangle& t : mTriangles) sets.unite(t[0], t[1]), sets.unite(t[0], t[2]);
    std::map<int32_t, Part> found;
    std::vector<int32_t> number(mPoints.size(), -1);
    const auto place = [&](Part& part, int32_t p) {
      if (number[p] < 0) {
        number[p] = static_cast<int32_t>(part.points.size());
        part.points.push_back(mPoints[p]);
      }
      return number[p];
    };
    for (const Triangle& t : mTriangles) {
      Part& part = found[sets.find(t[0])];
      part.triangles.push_back({place(part, t[0]), place(part, t[1]), place(part, t[2])});
    }
    std::map<int32_t, std::vector<Edge>> rims;
    for (const Edge& e : mEdges) rims[sets.find(e[0])].push_back(e);
    for (const auto& [set, edges] : rims) {
      const auto at = found.find(set);
      if (at == found.end()) continue;
      cap(at->second, edges, number);
    }
    std::vector<Part> result;
    for (auto& [set, part] : found) result.push_back(std::move(part));
    return result;
  }

 private:
  bool inside(int32_t p) const { return (mDistances[p] >= 0) == mAbove; }
  int32_t vertex(int32_t p) {
    if (mVertices[p] < 0) {
      mVertices[p] = static_cast<int32_t>(mPoints.size());
      mPoints.push_back(mPart.points[p]);
    }
    return mVertices[p];
  }
  int32_t crossing(int32_t a, int32_t b) {
    if (a > b) std::swap(a, b);
    const int64_t key = static_cast<int64_t>(a) << 32 | b;
    const auto [at, isNew] = mCrossings.emplace(key, static_cast<int32_t>(mPoints.size()));
    if (isNew) {
      const double share = mDistances[a] / (mDistances[a] - mDistances[b]);
      mPoints.push_back((1 - share) * mPart.points[a] + share * mPart.points[b]);
    }
    return at->second;
  }
  void cap(Part& part, const std::vector<Edge>& edges, const std::vector<int32_t>& number) const {
    Vec3 middle = Vec3::Zero();
    for (const Edge& e : edges) middle += mPoints[e[0]] / static_cast<double>(edges.size());
    const auto centre = static_cast<int32_t>(part.points.size());
    part.points.push_back(middle);
    for (const Edge& e : edges) part.triangles.push_back({centre, number[e[1]], number[e[0]]});
  }

  const Part& mPart;
  const std::vector<double>& mDistances;
  bool mAbove;
  std::vector<Vec3> mPoints;
  std::vector<Triangle> mTriangles;
  std::vector<Edge> mEdges;
  std::vector<int32_t> mVertices;  // numbers of the part's points here, -1: not yet
  std::unordered_map<int64_t, int32_t> mCrossings;
};

Box3 boxOf(const std::vector<Vec3>& points) {
  Box3 box;
  for (const Vec3& p : points) box.add(p);
  return box;
}

/// Cavities (surfaces that are inside out) go into the smallest part whose box holds their middle.
std::vector<Part> withCavities(std::vector<Part> parts, double leastVolume) {
  std::vector<Part> solids, cavities;
  for (Part& part : parts) {
    measure(part);
    if (part.volume > leastVolume && !part.hull.empty())
      solids.push_back(std::move(part));
    else if (part.volume < -leastVolume)
      cavities.push_back(std::move(part));
  }
  for (const Part& cavity : cavities) {
    const Vec3 middle = boxOf(cavity.points).centre();
    Part* around = nullptr;
    for (Part& solid : solids) {
      const Box3 box = boxOf(solid.points);
      const bool holds = (middle - box.min).minCoeff() >= 0 && (box.max - middle).minCoeff() >= 0;
      if (holds && (!around || solid.hullVolume < around->hullVolume)) around = &solid;
    }
    if (!around) continue;
    const auto offset = static_cast<int32_t>(around->points.size());
    around->points.insert(around->points.end(), cavity.points.begin(), cavity.points.end());
    for (const Triangle& t : cavity.triangles)
      around->triangles.push_back({t[0] + offset, t[1] + offset, t[2] + offset});
    measure(*around);
  }
  return solids;
}

std::vector<Part> splitPart(const Part& part, const Plane& plane, double leastVolume) {
  std::vector<double> distances;
  for (const Vec3& p : part.points) distances.push_back(plane.distance(p));
  std::vector<Part> result;
  for (const bool above : {false, true}) {
    Side side(part, distances, above);
    for (const Triangle& t : part.triangles) side.add(t);
    for (Part& p : withCavities(side.parts(), leastVolume)) result.push_back(std::move(p));
  }
  return result;
}

}  // namespace

ConvexHull thinnedHull(const ConvexHull& hull, int corners) {
  if (hull.empty() || hull.points.size() <= static_cast<size_t>(corners)) return hull;
  std::vector<uint8_t> kept(hull.points.size(), 0);
  for (int i = 0; i < corners; ++i) {
    // Directions on a spiral around the sphere, all about as far apart.
    const double y = 1 - 2 * (i + 0.5) / corners, angle = 2.399963229728653 * i;
    const double r = std::sqrt(1 - y * y);
    const Vec3 direction(r * std::cos(angle), y, r * std::sin(angle));
    size_t farthest = 0;
    for (size_t p = 1; p < hull.points.size(); ++p)
      if (direction.dot(hull.points[p]) > direction.dot(hull.points[farthest])) farthest = p;
    kept[farthest] = 1;
  }
  std::vector<Vec3> points;
  for (size_t p = 0; p < hull.points.size(); ++p)
    if (kept[p]) points.push_back(hull.points[p]);
  const ConvexHull thin = convexHull(points);
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
    std::vector<Part> halves = splitPart(*worst, bestPlane(*worst), 1e-6 * whole);
    double after = 0;
    for (const Part& half : halves) after += half.excess();
    if (halves.size() < 2 || after > (1 - kLeastGain) * worst->excess()) {
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
