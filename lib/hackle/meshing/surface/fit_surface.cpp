#include <hackle/meshing/surface/fit_surface.h>

#include <hackle/core/parallel.h>
#include <hackle/geometry/bvh.h>

#include <algorithm>
#include <cmath>

namespace hackle {

namespace {

constexpr int kRounds = 3;
constexpr double kHold = 0.02;       // weight of |d|^2, in means of the diagonal
constexpr double kMost = 0.3;        // of an edge that a point may move in one round
constexpr double kPerTriangle = 12;  // samples of the fine surface per triangle of the coarse one, about

struct Sample {
  Vec3 place, normal;
  double weight;  // m^2
};

/// Points of the fine surface no farther apart than a quarter of a coarse edge; of very fine surfaces every
/// k-th triangle stands for k.
std::vector<Sample> samplesOf(const TriangleMesh& fine, size_t coarseTriangles) {
  double area = 0;
  for (const Triangle& t : fine.triangles) {
    const Vec3& a = fine.points[t[0]];
    area += 0.5 * (fine.points[t[1]] - a).cross(fine.points[t[2]] - a).norm();
  }
  const double most = area / (kPerTriangle * static_cast<double>(coarseTriangles));  // m^2 per sample
  std::vector<Sample> samples;
  double waiting = 0;
  for (const Triangle& t : fine.triangles) {
    const Vec3 &a = fine.points[t[0]], &b = fine.points[t[1]], &c = fine.points[t[2]];
    const Vec3 n = (b - a).cross(c - a);
    const double own = 0.5 * n.norm();
    if (!(own > 0)) continue;
    if (own < most) {
      waiting += own;
      if (waiting < most) continue;
      samples.push_back({(a + b + c) / 3, n / (2 * own), waiting});
      waiting = 0;
      continue;
    }
    // Centroids of k^2 equal parts.
    const int k = static_cast<int>(std::ceil(std::sqrt(own / most)));
    const double part = own / (k * k);
    for (int i = 0; i < k; ++i)
      for (int j = 0; j < 2 * (k - i) - 1; ++j) {
        const double u = (i + (j % 2 ? 2.0 : 1.0) / 3) / k, v = (j / 2 + (j % 2 ? 2.0 : 1.0) / 3) / k;
        samples.push_back({a + u * (b - a) + v * (c - a), n / (2 * own), part});
      }
  }
  return samples;
}

/// A row of the least-squares problem.
struct Row {
  Triangle points{-1, -1, -1};
  Vec3 weights = Vec3::Zero();
  double distance = 0;
};

std::vector<Vec3> pointNormals(const TriangleMesh& mesh) {
  std::vector<Vec3> normals(mesh.points.size(), Vec3::Zero());
  for (const Triangle& t : mesh.triangles) {
    const Vec3& a = mesh.points[t[0]];
    const Vec3 n = (mesh.points[t[1]] - a).cross(mesh.points[t[2]] - a);
    for (const int32_t p : t) normals[p] += n;
  }
  for (Vec3& n : normals) n = n.stableNormalized();
  return normals;
}

std::vector<Row> rowsOf(const TriangleMesh& coarse, const std::vector<Vec3>& normals,
                        const std::vector<Sample>& samples, Context& context) {
  const TriangleBvh bvh(coarse, context);
  std::vector<Row> rows(samples.size());
  parallelFor(context, samples.size(), 256, [&](size_t s) {
    const ClosestPoint at = bvh.closestPoint(samples[s].place);
    if (at.triangle < 0) return;
    const Triangle& t = coarse.triangles[at.triangle];
    const Vec3& a = coarse.points[t[0]];
    const Vec3 n = (coarse.points[t[1]] - a).cross(coarse.points[t[2]] - a).stableNormalized();
    if (n.dot(samples[s].normal) <= 0.3) return;  // another side of a wall or of an edge
    const double root = std::sqrt(samples[s].weight);
    rows[s].points = t;
    rows[s].distance = root * (samples[s].place - at.point).dot(n);
    for (size_t k = 0; k < 3; ++k) rows[s].weights[k] = root * at.barycentric[k] * normals[t[k]].dot(n);
  });
  return rows;
}

/// Conjugate gradients for (M^T M + hold I) d = M^T distance over the free points.
std::vector<double> offsets(const std::vector<Row>& rows, size_t points, Span<const uint8_t> fixed,
                            Context& context) {
  const auto scatter = [&](const auto& value) {
    std::vector<double> sum(points, 0.0);
    for (const Row& row : rows)
      for (size_t k = 0; k < 3 && row.points[0] >= 0; ++k) sum[row.points[k]] += row.weights[k] * value(row);
    for (size_t p = 0; p < points; ++p)
      if (fixed[p]) sum[p] = 0;
    return sum;
  };
  double diagonal = 0;
  for (const Row& row : rows) diagonal += row.weights.squaredNorm();
  const double hold = kHold * diagonal / static_cast<double>(points);
  const auto dot = [](const std::vector<double>& a, const std::vector<double>& b) {
    double sum = 0;
    for (size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
  };
  std::vector<double> x(points, 0.0), r = scatter([](const Row&row) { return row.distance; }), d = r;
  double rr = dot(r, r);
  const double enough = 1e-12 * rr;
  for (int i = 0; i < 200 && rr > enough && rr > 0; ++i) {
    context.checkCancel();
    std::vector<double> q = scatter([&](const Row& row) {
      return row.weights[0] * d[row.points[0]] + row.weights[1] * d[row.points[1]] +
             row.weights[2] * d[row.points[2]];
    });
    for (size_t p = 0; p < points; ++p) q[p] += hold * d[p];
    const double alpha = rr / dot(d, q);
    for (size_t p = 0; p < points; ++p) {
      x[p] += alpha * d[p];
      r[p] -= alpha * q[p];
    }
    const double next = dot(r, r);
    for (size_t p = 0; p < points; ++p) d[p] = r[p] + next / rr * d[p];
    rr = next;
  }
  return x;
}

/// Moves points, none so far that a triangle around it turns over.
void move(TriangleMesh& mesh, const std::vector<Vec3>& normals, std::vector<double> by) {
  std::vector<double> least(mesh.points.size(), std::numeric_limits<double>::infinity());
  for (const Triangle& t : mesh.triangles)
    for (size_t k = 0; k < 3; ++k) {
      const double edge = (mesh.points[t[(k + 1) % 3]] - mesh.points[t[k]]).norm();
      for (const int32_t p : {t[k], t[(k + 1) % 3]}) least[p] = std::min(least[p], edge);
    }
  for (size_t p = 0; p < by.size(); ++p) by[p] = std::clamp(by[p], -kMost * least[p], kMost * least[p]);
  const std::vector<Vec3> before(mesh.points.begin(), mesh.points.end());
  std::vector<Vec3>& points = mesh.points.edit();
  for (int round = 0; round < 4; ++round) {
    for (size_t p = 0; p < by.size(); ++p) points[p] = before[p] + by[p] * normals[p];
    bool good = true;
    for (const Triangle& t : mesh.triangles) {
      const auto area = [&](const std::vector<Vec3>& at) {
        return Vec3((at[t[1]] - at[t[0]]).cross(at[t[2]] - at[t[0]]));
      };
      const Vec3 old = area(before), now = area(points);
      if (now.dot(old) > 0.5 * now.norm() * old.norm()) continue;
      good = false;
      for (const int32_t p : t) by[p] *= 0.5;
    }
    if (good) return;
  }
  points = before;
}

}  // namespace

void fitSurface(TriangleMesh& coarse, Span<const uint8_t> fixed, const TriangleMesh& fine, Context& context) {
  const std::vector<Sample> samples = samplesOf(fine, coarse.triangles.size());
  for (int round = 0; round < kRounds; ++round) {
    const std::vector<Vec3> normals = pointNormals(coarse);
    const std::vector<Row> rows = rowsOf(coarse, normals, samples, context);
    move(coarse, normals, offsets(rows, coarse.points.size(), fixed, context));
  }
}

}  // namespace hackle
