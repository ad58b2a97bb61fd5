#include <hackle/bem/stress_intensity.h>
#include <hackle/core/pi.h>
#include <hackle/geometry/segment.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace hackle {

namespace {

constexpr int kRows = 3;
// Opening at the first nodes behind a front over the exact one, for Galerkin's method with linear elements of
// equal size: a property of the discretisation that does not fade with refinement (README.md, stress
// intensity).
constexpr double kNodeBias[kRows + 1] = {1, 1.0219, 0.9744, 0.9850};

constexpr double kLeastWeight = 0.6;     // of a row: one node nearly straight behind counts 1
constexpr double kMostCorrection = 0.5;  // of the first row's result, before the fit is not believed
constexpr double kLeastStep = 1.15;      // of the third row's distance over that of the second

constexpr double kOnFront = 1e-3;  // of an edge, from the front: where a front is folded onto its sheet

/// Crack sheets as a graph of nodes around their fronts.
class FrontFinder {
 public:
  FrontFinder(const BemSystem& system) : mSystem(system), mSurface(system.surface()) {
    mRow.assign(mSurface.nodeCount(), -1);
    for (const int32_t n : system.openedNodes()) mRow[n] = kRows + 1;
    findEdges();
    numberRows();
  }

  std::vector<FrontNode> nodes() const {
    std::vector<FrontNode> result;
    for (const auto& [node, edges] : mEdgesOf) {
      FrontNode f;
      f.node = node;
      Vec3 along = Vec3::Zero(), normal = Vec3::Zero();
      for (const size_t e : edges) {
        along += (point(mFront[e].b) - point(mFront[e].a)).normalized();
        normal += mSurface.normal(mFront[e].triangle);
      }
      f.normal = normal.normalized();
      f.outward = along.cross(f.normal).normalized();
      f.tangent = f.outward.cross(f.normal);
      result.push_back(f);
    }
    return result;
  }

  /// Opened nodes around a node of the front, up to this many edges away, with their rows.
  std::vector<int32_t> around(int32_t node, int steps) const {
    std::vector<int32_t> reached{node};
    for (size_t first = 0; steps > 0; --steps) {
      const size_t last = reached.size();
      for (; first < last; ++first)
        for (const BemCorner& c : mSurface.corners(static_cast<size_t>(reached[first])))
          for (const int32_t n : mSurface.triangle(static_cast<size_t>(c.triangle)))
            if (std::find(reached.begin(), reached.end(), n) == reached.end()) reached.push_back(n);
    }
    return reached;
  }

  /// 0 on fronts, 1 for opened nodes next to them and so on; -1 where nothing opens.
  int row(int32_t node) const { return mRow[node]; }

  /// Distance from the front edges that meet the given nodes.
  double distance(const Vec3& x, const std::vector<int32_t>& nodes) const {
    double nearest = std::numeric_limits<double>::infinity();
    for (const int32_t n : nodes) {
      const auto found = mEdgesOf.find(n);
      if (found == mEdgesOf.end()) continue;
      for (const size_t e : found->second)
        nearest = std::min(nearest, distanceToSegment(x, point(mFront[e].a), point(mFront[e].b)));
    }
    return nearest;
  }

  /// Nodes without an opened neighbour, at the tips of ears, get the mean of their neighbours on the front.
  void fillGaps(std::vector<FrontNode>& nodes, std::vector<char>& known) const {
    const auto numberOf = [&](int32_t node) {
      const auto at = std::lower_bound(nodes.begin(), nodes.end(), node,
                                       [](const FrontNode& f, int32_t n) { return f.node < n; });
      return static_cast<size_t>(at - nodes.begin());
    };
    for (bool again = true; again;) {
      again = false;
      std::vector<std::pair<size_t, Vec3>> found;
      for (size_t i = 0; i < nodes.size(); ++i) {
        if (known[i]) continue;
        Vec3 sum = Vec3::Zero();
        double count = 0;
        for (const size_t e : mEdgesOf.at(nodes[i].node)) {
          const size_t other = numberOf(mFront[e].a == nodes[i].node ? mFront[e].b : mFront[e].a);
          if (!known[other]) continue;
          sum += nodes[other].k;
          ++count;
        }
        if (count > 0) found.emplace_back(i, sum / count);
      }
      for (const auto& [i, k] : found) {
        nodes[i].k = k;
        known[i] = again = true;
      }
    }
  }

  const Vec3& point(int32_t node) const { return mSurface.point(static_cast<size_t>(node)); }

 private:
  struct FrontEdge {
    int32_t a, b;
    size_t triangle;
  };

  void findEdges() {
    std::map<Edge, std::pair<int, FrontEdge>> edges;
    const size_t first = mSystem.body().triangleCount();
    for (size_t t = first; t < mSurface.triangleCount(); ++t)
      for (size_t k = 0; k < 3; ++k) {
        const int32_t a = mSurface.triangle(t)[k], b = mSurface.triangle(t)[(k + 1) % 3];
        auto& entry = edges[{std::min(a, b), std::max(a, b)}];
        ++entry.first;
        entry.second = {a, b, t};
      }
    for (const auto& [key, entry] : edges) {
      const FrontEdge& e = entry.second;
      if (entry.first != 1 || mRow[e.a] > 0 || mRow[e.b] > 0 || mSystem.crackOnto()[e.triangle - first] >= 0)
        continue;
      mEdgesOf[e.a].push_back(mFront.size());
      mEdgesOf[e.b].push_back(mFront.size());
      mFront.push_back(e);
    }
  }

  void numberRows() {
    for (const auto& [node, edges] : mEdgesOf) mRow[node] = 0;
    for (int row = 0; row < kRows; ++row)
      for (const int32_t n : mSystem.openedNodes()) {
        int& mine = mRow[n];
        if (mine <= row) continue;
        for (const BemCorner& c : mSurface.corners(static_cast<size_t>(n)))
          for (const int32_t other : mSurface.triangle(static_cast<size_t>(c.triangle)))
            if (mRow[other] == row) mine = row + 1;
      }
  }

  const BemSystem& mSystem;
  const BemSurface& mSurface;
  std::vector<int> mRow;
  std::vector<FrontEdge> mFront;
  std::map<int32_t, std::vector<size_t>> mEdgesOf;
};

/// Means over one row of nodes near a place of the front.
struct RowMean {
  double weight = 0, distance = 0;
  Vec3 k = Vec3::Zero();
};

class Extraction {
 public:
  Extraction(const FrontFinder& finder, const BemSystem& system, const BemSolution& solution)
      : mFinder(finder), mSolution(solution) {
    const double mu = shearModulus(system.material()), nu = system.material().poisson;
    const double common = mu * std::sqrt(kPi / 2) / 2;
    mFactor = Vec3(common / (1 - nu), common / (1 - nu), common);
  }

  /// Means of the factors that single nodes would give, for rows 1 to kRows; nodes count less the farther
  /// they are along the front.
  std::array<RowMean, kRows + 1> rows(const FrontNode& f) const {
    const std::vector<int32_t> near = mFinder.around(f.node, kRows + 1);
    std::array<RowMean, kRows + 1> rows;
    double size = std::numeric_limits<double>::infinity(), largest = 0;
    for (const int32_t n : near) {
      if (mFinder.row(n) != 1) continue;
      const double away = (mFinder.point(n) - mFinder.point(f.node)).norm();
      if (away > 0) size = std::min(size, away);
      largest = std::max(largest, away);
    }
    for (const int32_t n : near) {
      const int row = mFinder.row(n);
      if (row < 1 || row > kRows) continue;
      const Vec3 offset = mFinder.point(n) - mFinder.point(f.node);
      const double d = mFinder.distance(mFinder.point(n), near), side = offset.dot(f.tangent) / size;
      if (!(d > kOnFront * largest)) continue;
      const double weight = std::exp(-side * side / (row * row));
      const Vec3 w = mSolution.opening(static_cast<size_t>(n));
      const Vec3 parts(w.dot(f.normal), w.dot(f.outward), w.dot(f.tangent));
      RowMean& mean = rows[row];
      mean.weight += weight;
      mean.distance += weight * d;
      mean.k += weight * mFactor.cwiseProduct(parts) / std::sqrt(d);
    }
    for (RowMean& mean : rows)
      if (mean.weight > 0) {
        mean.distance /= mean.weight;
        mean.k /= mean.weight;
      }
    return rows;
  }

 private:
  const FrontFinder& mFinder;
  const BemSolution& mSolution;
  Vec3 mFactor;
};

}  // namespace

std::vector<FrontNode> stressIntensity(const BemSystem& system, const BemSolution& solution,
                                       SifMethod method) {
  const FrontFinder finder(system);
  const Extraction extraction(finder, system, solution);
  std::vector<FrontNode> nodes = finder.nodes();
  std::vector<char> known;
  for (FrontNode& f : nodes) {
    const auto rows = extraction.rows(f);
    f.k = rows[1].k;
    known.push_back(rows[1].weight > 0);
    const bool deep = rows[2].weight > kLeastWeight && rows[3].weight > kLeastWeight &&
                      rows[3].distance > kLeastStep * rows[2].distance;
    if (method == SifMethod::Correlation || !deep) continue;
    // The line through the second and third row, at the front.
    const Vec3 second = rows[2].k / kNodeBias[2], third = rows[3].k / kNodeBias[3];
    const Vec3 fit = second - (third - second) * rows[2].distance / (rows[3].distance - rows[2].distance);
    if ((fit - f.k).norm() < kMostCorrection * f.k.norm()) f.k = fit;
  }
  finder.fillGaps(nodes, known);
  return nodes;
}

}  // namespace hackle
