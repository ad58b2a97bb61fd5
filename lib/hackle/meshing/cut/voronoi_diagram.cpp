#include <hackle/meshing/cut/voronoi_diagram.h>

#include <hackle/core/error.h>
#include <hackle/core/parallel.h>
#include <hackle/meshing/cut/site_tree.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace hackle {

namespace {

/// Clips the box by one bisector after the other.
class CellBuilder {
 public:
  CellBuilder(const ScorePredicates& predicates, int32_t site) : mPredicates(predicates), mSite(site) {
    // The box: a corner of sides (sx, sy, sz) is (x, y, z) or (x, z, y), counter-clockwise from outside.
    const int32_t first = static_cast<int32_t>(predicates.siteCount());
    for (int corner = 0; corner < 8; ++corner) {
      const int32_t x = first + (corner & 1), y = first + 2 + ((corner >> 1) & 1),
                    z = first + 4 + ((corner >> 2) & 1);
      const bool even = ((corner & 1) + ((corner >> 1) & 1) + ((corner >> 2) & 1)) % 2 == 1;
      if (even)
        mVertices.push_back(makeVertex({x, y, z}));
      else
        mVertices.push_back(makeVertex({x, z, y}));
    }
  }

  /// True if the plane cut something off.
  bool clip(int32_t plane) {
    mKnown.push_back(plane);
    size_t cut = 0;
    const ScorePredicates::Form form = mPredicates.planeForm(mSite, plane);
    mSide.resize(mVertices.size());
    for (size_t v = 0; v < mVertices.size(); ++v) {
      mSide[v] = ScorePredicates::sign(mVertices[v].form, form);
      const auto& [a, b, c] = mVertices[v].planes;
      if (mSide[v] == 2) mSide[v] = mPredicates.atVertex(mSite, a, b, c, plane);
      if (mSide[v] < 0) ++cut;
    }
    if (cut == 0) return false;
    HACKLE_ASSERT(cut < mVertices.size());

    // Edges between a vertex that goes and one that stays get a new vertex.
    mKept.clear();
    for (size_t v = 0; v < mVertices.size(); ++v)
      if (mSide[v] > 0) mKept.push_back(mVertices[v]);
    const size_t kept = mKept.size();
    const auto staysAcross = [&](int32_t a, int32_t b) {
      for (size_t k = 0; k < kept; ++k) {
        const auto& w = mKept[k].planes;
        for (size_t c = 0; c < 3; ++c)
          if (w[c] == b && w[(c + 1) % 3] == a) return true;
      }
      return false;
    };
    for (size_t v = 0; v < mVertices.size(); ++v) {
      if (mSide[v] > 0) continue;
      for (size_t c = 0; c < 3; ++c) {
        const int32_t a = mVertices[v].planes[c], b = mVertices[v].planes[(c + 1) % 3];
        if (staysAcross(a, b)) mKept.push_back(makeVertex({a, b, plane}));
      }
    }
    mVertices.swap(mKept);
    mRadius = -1;
    return true;
  }

  /// Clips by every site that is nearer to a vertex than the cell's own, found by looking around each vertex:
  /// a few sites, however far the cell reaches. False if the place of a vertex is too uncertain for that.
  bool settle(const SiteTree& tree, const Vec3& position) {
    for (;;) {
      const auto open =
          std::find_if(mVertices.begin(), mVertices.end(), [](const Vertex& v) { return !v.settled; });
      if (open == mVertices.end()) return true;
      if (!std::isfinite(open->squaredDistance)) return false;
      const int32_t nearer = unknownSiteNear(tree, position, *open);
      if (nearer < 0)
        open->settled = true;
      else
        clip(nearer);
    }
  }

  /// Bound on the squared distance from the site to the vertices.
  double squaredRadius() {
    if (mRadius >= 0) return mRadius;
    for (const Vertex& vertex : mVertices) mRadius = std::max(mRadius, vertex.squaredDistance);
    return mRadius;
  }

  VoronoiCell finish() {
    VoronoiCell cell;
    for (const Vertex& vertex : mVertices) {
      cell.vertices.push_back(vertex.planes);
      cell.neighbours.insert(cell.neighbours.end(), vertex.planes.begin(), vertex.planes.end());
    }
    std::sort(cell.neighbours.begin(), cell.neighbours.end());
    cell.neighbours.erase(std::unique(cell.neighbours.begin(), cell.neighbours.end()), cell.neighbours.end());
    return cell;
  }

 private:
  struct Vertex {
    std::array<int32_t, 3> planes;
    ScorePredicates::Form form;
    double squaredDistance;  // from the site, or infinite where rounding has eaten the digits
    Vec3 offset;             // from the site
    double error;            // of the offset
    bool settled = false;    // no other site is nearer to it
  };

  /// A site that may be nearer to the vertex than the cell's own and has not been tried; -1 if there is none.
  int32_t unknownSiteNear(const SiteTree& tree, const Vec3& position, const Vertex& vertex) {
    const Vec3 x = position + vertex.offset;
    const double rounding = 2 * vertex.error + 1e-15 * (x.norm() + position.norm());
    const double reach = std::sqrt(vertex.squaredDistance) * (1 + 1e-9) + rounding;
    for (size_t count = 8;; count *= 4) {
      tree.nearest(x, count, mNear, mNearSquared);
      for (size_t s = 0; s < mNear.size(); ++s) {
        if (mNearSquared[s] > reach * reach) return -1;
        const int32_t site = static_cast<int32_t>(mNear[s]);
        if (site != mSite && std::find(mKnown.begin(), mKnown.end(), site) == mKnown.end()) return site;
      }
      if (mNear.size() < count) return -1;
    }
  }

  Vertex makeVertex(const std::array<int32_t, 3>& planes) const {
    Vertex vertex{planes, mPredicates.vertexForm(mSite, planes[0], planes[1], planes[2]), 0.0, Vec3::Zero(),
                  0.0};
    const Bounded& bottom = vertex.form[3];
    double& error = vertex.error;
    for (size_t c = 0; c < 3; ++c) {
      const double d = vertex.form[c].value / bottom.value;
      vertex.offset[c] = d;
      vertex.squaredDistance += d * d;
      error = std::max(error, (vertex.form[c].error + std::abs(d) * bottom.error) / std::abs(bottom.value));
    }
    const bool certain = error * error < 1e-10 * vertex.squaredDistance;
    if (!certain) vertex.squaredDistance = std::numeric_limits<double>::infinity();
    return vertex;
  }

  const ScorePredicates& mPredicates;
  int32_t mSite;
  std::vector<Vertex> mVertices, mKept;
  std::vector<int> mSide;
  std::vector<int32_t> mKnown;  // sites that have been tried
  std::vector<uint32_t> mNear;
  std::vector<double> mNearSquared;
  double mRadius = -1;
};

VoronoiCell buildCell(const ScorePredicates& predicates, Span<const Vec3> sites, const SiteTree& tree,
                      int32_t site) {
  CellBuilder builder(predicates, site);
  const Vec3& position = sites[site];
  // Nearest sites first, in growing batches, until the next one is too far to reach the cell: more than twice
  // as far as the farthest vertex (with room for rounding). Equally far sites may come in another order in
  // the next batch. Cells at the border reach far: they are settled vertex by vertex.
  constexpr size_t kFirstBatch = 32;
  std::vector<uint32_t> ids, tied;
  std::vector<double> squared;
  double reached = -1;
  for (size_t batch = kFirstBatch;; batch *= 2) {
    tree.nearest(position, batch, ids, squared);
    for (size_t s = 0; s < ids.size(); ++s) {
      if (squared[s] < reached || static_cast<int32_t>(ids[s]) == site) continue;
      if (squared[s] == reached && std::find(tied.begin(), tied.end(), ids[s]) != tied.end()) continue;
      if (squared[s] > 4.0001 * builder.squaredRadius()) return builder.finish();
      builder.clip(static_cast<int32_t>(ids[s]));
      if (squared[s] > reached) tied.clear();
      tied.push_back(ids[s]);
      reached = squared[s];
    }
    if (ids.size() == sites.size()) return builder.finish();
    if (batch > kFirstBatch && builder.settle(tree, position)) return builder.finish();
  }
}

}  // namespace

std::vector<VoronoiCell> voronoiDiagram(const ScorePredicates& predicates, Span<const Vec3> sites,
                                        const Box3& box, Context& context) {
  for (const Vec3& p : sites)
    HACKLE_ASSERT((p.array() > box.min.array()).all() && (p.array() < box.max.array()).all());
  const SiteTree tree(sites);
  std::vector<VoronoiCell> cells(sites.size());
  parallelFor(context, sites.size(), 16,
              [&](size_t i) { cells[i] = buildCell(predicates, sites, tree, static_cast<int32_t>(i)); });
  return cells;
}

}  // namespace hackle
