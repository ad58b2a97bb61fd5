#include <hackle/meshing/cut/inner_edges.h>

#include <hackle/core/error.h>
#include <hackle/geometry/bvh.h>
#include <hackle/geometry/union_find.h>
#include <hackle/geometry/winding_number.h>

#include <fmt/format.h>

#include <memory>

namespace hackle {

namespace {

enum class Side : uint8_t { Unknown, Outside, Inside };

class InnerEdges {
 public:
  InnerEdges(const TriangleMesh& mesh, const InnerEdgesInput& input, Context& context)
      : mMesh(mesh),
        mInput(input),
        mContext(context),
        mUntouched(input.outside.size()),
        mSide(input.outside.size(), Side::Unknown) {}

  std::vector<InnerStretch> run() {
    joinUntouched();
    decideByCrossings();
    decideByWinding();
    std::vector<InnerStretch> stretches;
    for (size_t e = 0; e < mInput.edges.size(); ++e) addStretches(e, stretches);
    return stretches;
  }

 private:
  Side& side(int32_t node) { return mSide[mUntouched.find(node)]; }

  /// Nodes that an uncrossed edge joins are on one side.
  void joinUntouched() {
    const auto& crossings = mInput.crossings;
    mFirst.resize(mInput.edges.size() + 1);
    size_t c = 0;
    for (size_t e = 0; e < mInput.edges.size(); ++e) {
      mFirst[e] = c;
      while (c < crossings.size() && static_cast<size_t>(crossings[c].edge) == e) ++c;
      if (c == mFirst[e]) mUntouched.unite(mInput.edges[e].start, mInput.edges[e].end);
    }
    mFirst[mInput.edges.size()] = c;
    HACKLE_ASSERT(c == crossings.size());
  }

  void decideByCrossings() {
    const auto decide = [&](int32_t node, bool inside, int32_t triangle) {
      Side& known = side(node);
      const Side now = inside ? Side::Inside : Side::Outside;
      if (known != Side::Unknown && known != now) refuseCrossingSurface(mMesh, triangle);
      known = now;
    };
    for (size_t n = 0; n < mInput.outside.size(); ++n)
      if (mInput.outside[n]) side(static_cast<int32_t>(n)) = Side::Outside;
    for (size_t e = 0; e < mInput.edges.size(); ++e) {
      for (size_t k = mFirst[e]; k < mFirst[e + 1]; ++k) {
        const EdgeCrossing& crossing = mInput.crossings[k];
        if (k == mFirst[e]) decide(mInput.edges[e].start, crossing.leaves, crossing.triangle);
        if (k + 1 == mFirst[e + 1]) decide(mInput.edges[e].end, !crossing.leaves, crossing.triangle);
        if (k > mFirst[e] && crossing.leaves == mInput.crossings[k - 1].leaves)
          refuseCrossingSurface(mMesh, crossing.triangle);
      }
    }
  }

  /// Parts of the partition that the surface does not touch.
  void decideByWinding() {
    std::unique_ptr<TriangleBvh> bvh;
    std::unique_ptr<WindingNumber> winding;
    for (size_t n = 0; n < mInput.outside.size(); ++n) {
      const int32_t node = static_cast<int32_t>(n);
      if (side(node) != Side::Unknown) continue;
      if (!winding) {
        bvh = std::make_unique<TriangleBvh>(mMesh, mContext);
        winding = std::make_unique<WindingNumber>(*bvh, mContext);
      }
      side(node) = (*winding)(mInput.nodePosition(node)) > 0.5 ? Side::Inside : Side::Outside;
    }
  }

  void addStretches(size_t e, std::vector<InnerStretch>& stretches) {
    const PartitionEdge& edge = mInput.edges[e];
    const auto nodeVertex = [&](int32_t node) { return mInput.firstNodeVertex + node; };
    int32_t from = side(edge.start) == Side::Inside ? nodeVertex(edge.start) : -1;
    const auto finish = [&](int32_t to) { stretches.push_back({static_cast<int32_t>(e), from, to}); };
    for (size_t k = mFirst[e]; k < mFirst[e + 1]; ++k) {
      if (mInput.crossings[k].leaves)
        finish(mInput.crossings[k].vertex);
      else
        from = mInput.crossings[k].vertex;
    }
    if (side(edge.end) == Side::Inside) finish(nodeVertex(edge.end));
  }

  const TriangleMesh& mMesh;
  const InnerEdgesInput& mInput;
  Context& mContext;
  UnionFind mUntouched;  // nodes, joined by edges that the surface does not cross
  std::vector<Side> mSide;
  std::vector<size_t> mFirst;  // the first crossing of each edge
};

}  // namespace

std::vector<InnerStretch> innerStretches(const TriangleMesh& mesh, const InnerEdgesInput& input,
                                         Context& context) {
  return InnerEdges(mesh, input, context).run();
}

void refuseCrossingSurface(const TriangleMesh& mesh, int32_t triangle) {
  const Triangle& t = mesh.triangles[triangle];
  const Vec3& p = mesh.points[t[0]];
  throw Error(
      ErrorCode::BadInput,
      fmt::format("the surface crosses itself or is not closed near ({:.4g}, {:.4g}, {:.4g}), polygon {}",
                  p.x(), p.y(), p.z(), mesh.primitives[triangle]),
      "repair the surface first");
}

}  // namespace hackle
