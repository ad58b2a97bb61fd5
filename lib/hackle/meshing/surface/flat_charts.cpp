#include <hackle/linalg/elimination_order.h>
#include <hackle/linalg/sparse_cholesky.h>
#include <hackle/meshing/surface/flat_charts.h>

#include <algorithm>
#include <cmath>
#include <queue>
#include <tuple>

namespace hackle {

namespace {

double cross2(const Vec2& a, const Vec2& b) { return a.x() * b.y() - a.y() * b.x(); }

double signedArea(const Vec2& a, const Vec2& b, const Vec2& c) { return 0.5 * cross2(b - a, c - a); }

double shapeArea(const std::array<Vec2, 3>& s) { return signedArea(s[0], s[1], s[2]); }

/// Cotangent weights of the edges opposite to each corner, kept positive and bounded: an isometry stays the
/// minimum, and slivers do no harm.
std::array<double, 3> edgeWeights(const std::array<Vec2, 3>& shape) {
  constexpr double kLeast = 0.02, kMost = 20;
  const double twice = std::max(2 * shapeArea(shape), 1e-300);
  std::array<double, 3> weights;
  for (size_t k = 0; k < 3; ++k) {
    const Vec2 a = shape[(k + 1) % 3] - shape[k], b = shape[(k + 2) % 3] - shape[k];
    weights[k] = std::clamp(0.5 * a.dot(b) / twice, kLeast, kMost);
  }
  return weights;
}

/// The triangles across the edges of each; -1 at the border. Edge k is opposite to corner k.
std::vector<std::array<int32_t, 3>> trianglesAcross(const ChartSurface& surface) {
  struct Side {
    int32_t low, high, triangle, edge;
  };
  std::vector<Side> sides;
  sides.reserve(3 * surface.triangles.size());
  for (size_t t = 0; t < surface.triangles.size(); ++t)
    for (int32_t k = 0; k < 3; ++k) {
      const int32_t a = surface.triangles[t][(k + 1) % 3], b = surface.triangles[t][(k + 2) % 3];
      sides.push_back({std::min(a, b), std::max(a, b), static_cast<int32_t>(t), k});
    }
  std::sort(sides.begin(), sides.end(), [](const Side& a, const Side& b) {
    return std::tie(a.low, a.high, a.triangle, a.edge) < std::tie(b.low, b.high, b.triangle, b.edge);
  });
  std::vector<std::array<int32_t, 3>> across(surface.triangles.size(), {-1, -1, -1});
  for (size_t s = 0; s + 1 < sides.size(); ++s) {
    const Side &a = sides[s], &b = sides[s + 1];
    if (a.low != b.low || a.high != b.high) continue;
    across[a.triangle][a.edge] = b.triangle;
    across[b.triangle][b.edge] = a.triangle;
    ++s;
  }
  return across;
}

/// Places triangle corners by shapes while it walks over a surface.
class Unroller {
 public:
  explicit Unroller(const ChartSurface& surface)
      : mSurface(surface), mAcross(trianglesAcross(surface)), mLayout(surface.points, Vec2::Zero()) {}

  std::vector<Vec2> run() {
    std::vector<uint8_t> placed(mSurface.points, 0), queued(mSurface.triangles.size(), 0);
    if (mSurface.triangles.empty()) return mLayout;
    const int32_t first = middle();
    for (size_t k = 0; k < 3; ++k) {
      mLayout[mSurface.triangles[first][k]] = mSurface.shapes[first][k];
      placed[mSurface.triangles[first][k]] = 1;
    }
    const Vec2 centre =
        (mSurface.shapes[first][0] + mSurface.shapes[first][1] + mSurface.shapes[first][2]) / 3;
    using Entry = std::pair<double, int32_t>;  // distance in the layout, triangle
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> front;
    const auto spread = [&](int32_t t) {
      queued[t] = 1;
      for (size_t k = 0; k < 3; ++k) {
        const int32_t other = mAcross[t][k];
        if (other < 0 || queued[other]) continue;
        queued[other] = 1;
        const Triangle& c = mSurface.triangles[t];
        const Vec2 middleOfEdge = 0.5 * (mLayout[c[(k + 1) % 3]] + mLayout[c[(k + 2) % 3]]);
        front.emplace((middleOfEdge - centre).norm(), other);
      }
    };
    spread(first);
    while (!front.empty()) {
      const int32_t t = front.top().second;
      front.pop();
      for (size_t k = 0; k < 3; ++k)
        if (!placed[mSurface.triangles[t][k]]) {
          place(t, k);
          placed[mSurface.triangles[t][k]] = 1;
        }
      spread(t);
    }
    return mLayout;
  }

 private:
  /// The triangle that is farthest from the border, in steps from triangle to triangle.
  int32_t middle() const {
    std::vector<int32_t> order;
    std::vector<uint8_t> seen(mSurface.triangles.size(), 0);
    for (size_t t = 0; t < seen.size(); ++t)
      if (mAcross[t][0] < 0 || mAcross[t][1] < 0 || mAcross[t][2] < 0) {
        seen[t] = 1;
        order.push_back(static_cast<int32_t>(t));
      }
    if (order.empty()) return 0;
    for (size_t i = 0; i < order.size(); ++i)
      for (const int32_t other : mAcross[order[i]])
        if (other >= 0 && !seen[other]) {
          seen[other] = 1;
          order.push_back(other);
        }
    return order.back();
  }

  /// Corner k of a triangle from the two others.
  void place(int32_t t, size_t k) {
    const std::array<Vec2, 3>& shape = mSurface.shapes[t];
    const Triangle& c = mSurface.triangles[t];
    const Vec2 &a = mLayout[c[(k + 1) % 3]], &b = mLayout[c[(k + 2) % 3]];
    const Vec2 edge = shape[(k + 2) % 3] - shape[(k + 1) % 3], to = shape[k] - shape[(k + 1) % 3];
    const double square = std::max(edge.squaredNorm(), 1e-300);
    const double along = edge.dot(to) / square, beside = cross2(edge, to) / square;
    const Vec2 d = b - a;
    mLayout[c[k]] = a + along * d + beside * Vec2(-d.y(), d.x());
  }

  const ChartSurface& mSurface;
  std::vector<std::array<int32_t, 3>> mAcross;
  std::vector<Vec2> mLayout;
};

/// The matrix of "as rigid as possible", the same in all rounds; its first point is held.
SparseMatrix rigidityMatrix(const ChartSurface& surface, const std::vector<std::array<double, 3>>& weights) {
  std::vector<Eigen::Triplet<double, int32_t>> entries;
  entries.reserve(9 * surface.triangles.size() + 1);
  for (size_t t = 0; t < surface.triangles.size(); ++t)
    for (size_t k = 0; k < 3; ++k) {
      const int32_t a = surface.triangles[t][(k + 1) % 3], b = surface.triangles[t][(k + 2) % 3];
      entries.emplace_back(a, a, weights[t][k]);
      entries.emplace_back(b, b, weights[t][k]);
      entries.emplace_back(std::max(a, b), std::min(a, b), -weights[t][k]);
    }
  entries.emplace_back(0, 0, 1.0);  // which makes the matrix definite
  const auto size = static_cast<Eigen::Index>(surface.points);
  SparseMatrix matrix(size, size);
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
}

/// Right side for the rotations that fit the layout best.
void rotatedEdges(const ChartSurface& surface, const std::vector<std::array<double, 3>>& weights,
                  const std::vector<Vec2>& layout, Eigen::MatrixXd& right) {
  right.setZero();
  for (size_t t = 0; t < surface.triangles.size(); ++t) {
    const Triangle& c = surface.triangles[t];
    std::array<Vec2, 3> edges;
    double cosine = 0, sine = 0;
    for (size_t k = 0; k < 3; ++k) {
      edges[k] = surface.shapes[t][(k + 2) % 3] - surface.shapes[t][(k + 1) % 3];
      const Vec2 now = layout[c[(k + 2) % 3]] - layout[c[(k + 1) % 3]];
      cosine += weights[t][k] * edges[k].dot(now);
      sine += weights[t][k] * cross2(edges[k], now);
    }
    const double length = std::hypot(cosine, sine);
    if (length > 0) {
      cosine /= length;
      sine /= length;
    } else {
      cosine = 1;
    }
    for (size_t k = 0; k < 3; ++k) {
      const Vec2 e = weights[t][k] * Vec2(cosine * edges[k].x() - sine * edges[k].y(),
                                          sine * edges[k].x() + cosine * edges[k].y());
      right.row(c[(k + 2) % 3]) += e;
      right.row(c[(k + 1) % 3]) -= e;
    }
  }
}

/// By place in the layout: a small part of the time of dissection by graph.
std::vector<int32_t> orderByPlace(const ChartSurface& surface, const std::vector<Vec2>& layout) {
  std::vector<Vec3> places;
  places.reserve(layout.size());
  for (const Vec2& p : layout) places.emplace_back(p.x(), p.y(), 0);
  std::vector<CoupledUnknowns> coupled;
  coupled.reserve(surface.triangles.size());
  for (const Triangle& t : surface.triangles) coupled.push_back({t[0], t[1], t[2], -1, -1, -1});
  return eliminationOrder(places, coupled);
}

void scaleToArea(const ChartSurface& surface, std::vector<Vec2>& layout) {
  double asked = 0, now = 0;
  for (size_t t = 0; t < surface.triangles.size(); ++t) {
    const Triangle& c = surface.triangles[t];
    asked += shapeArea(surface.shapes[t]);
    now += signedArea(layout[c[0]], layout[c[1]], layout[c[2]]);
  }
  if (!(asked > 0) || !(now > 0)) return;
  const double factor = std::sqrt(asked / now);
  for (Vec2& p : layout) p *= factor;
}

}  // namespace

std::vector<Vec2> unrolled(const ChartSurface& surface) { return Unroller(surface).run(); }

void relaxChart(const ChartSurface& surface, int rounds, std::vector<Vec2>& layout, Context& context) {
  if (surface.triangles.empty() || rounds <= 0) return;
  std::vector<std::array<double, 3>> weights;
  weights.reserve(surface.triangles.size());
  for (const auto& shape : surface.shapes) weights.push_back(edgeWeights(shape));
  const SparseMatrix matrix = rigidityMatrix(surface, weights);
  SparseCholesky solver;
  solver.analyse(matrix, orderByPlace(surface, layout), context);
  solver.factorise(matrix, context);
  Eigen::MatrixXd right(static_cast<Eigen::Index>(surface.points), 2);
  for (int round = 0; round < rounds; ++round) {
    rotatedEdges(surface, weights, layout, right);
    right.row(0) += layout[0];
    solver.solve(right, context);
    for (size_t p = 0; p < layout.size(); ++p) layout[p] = right.row(static_cast<Eigen::Index>(p));
  }
  scaleToArea(surface, layout);
}

std::vector<uint8_t> stretchedTriangles(const ChartSurface& surface, Span<const Vec2> layout, double limit) {
  std::vector<uint8_t> stretched(surface.triangles.size());
  for (size_t t = 0; t < surface.triangles.size(); ++t) {
    const Triangle& c = surface.triangles[t];
    const double asked = shapeArea(surface.shapes[t]);
    const double now = signedArea(layout[c[0]], layout[c[1]], layout[c[2]]);
    stretched[t] = !(now < limit * asked) || !(now * limit > asked);
  }
  return stretched;
}

double stretchedShare(const ChartSurface& surface, Span<const Vec2> layout, double limit) {
  const std::vector<uint8_t> stretched = stretchedTriangles(surface, layout, limit);
  double all = 0, bad = 0;
  for (size_t t = 0; t < surface.triangles.size(); ++t) {
    const double area = shapeArea(surface.shapes[t]);
    all += area;
    if (stretched[t]) bad += area;
  }
  return all > 0 ? bad / all : 0.0;
}

}  // namespace hackle
