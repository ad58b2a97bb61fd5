#include <hackle/meshing/surface/bisect_edges.h>

#include <algorithm>
#include <array>
#include <map>
#include <queue>

namespace hackle {

namespace {

using Edge = std::array<int32_t, 2>;  // directed

class Bisection {
 public:
  Bisection(const TriangleMesh& mesh, double longest)
      : mPoints(mesh.points.begin(), mesh.points.end()),
        mTriangles(mesh.triangles.begin(), mesh.triangles.end()),
        mLongest(longest) {
    for (size_t t = 0; t < mTriangles.size(); ++t) {
      mSource.push_back(static_cast<int32_t>(t));
      enter(t);
    }
  }

  size_t count() const { return mTriangles.size(); }

  /// False when no edge is too long any more.
  bool splitLongest() {
    while (!mQueue.empty()) {
      const Entry entry = mQueue.top();
      mQueue.pop();
      const auto left = mTriangleOf.find(entry.edge);
      if (left == mTriangleOf.end()) continue;  // it was split
      split(entry.edge);
      return true;
    }
    return false;
  }

  BisectedMesh result(const TriangleMesh& before) {
    BisectedMesh r;
    std::vector<int32_t> primitives;
    for (const int32_t s : mSource) primitives.push_back(before.primitives[s]);
    r.mesh.points = CowArray<Vec3>(std::move(mPoints));
    r.mesh.triangles = CowArray<Triangle>(std::move(mTriangles));
    r.mesh.primitives = CowArray<int32_t>(std::move(primitives));
    r.source = std::move(mSource);
    return r;
  }

 private:
  struct Entry {
    double length;
    Edge edge;  // from the lower to the higher number
    bool operator<(const Entry& o) const { return length != o.length ? length < o.length : o.edge < edge; }
  };

  void enter(size_t triangle) {
    const Triangle& c = mTriangles[triangle];
    for (size_t k = 0; k < 3; ++k) {
      const Edge edge{c[k], c[(k + 1) % 3]};
      mTriangleOf[edge] = static_cast<int32_t>(triangle);
      const double length = (mPoints[edge[0]] - mPoints[edge[1]]).norm();
      if (edge[0] < edge[1] && length > mLongest) mQueue.push({length, edge});
    }
  }

  void split(const Edge& edge) {
    const int32_t middle = static_cast<int32_t>(mPoints.size());
    mPoints.push_back(0.5 * (mPoints[edge[0]] + mPoints[edge[1]]));
    for (const Edge& side : {edge, Edge{edge[1], edge[0]}}) {
      const auto found = mTriangleOf.find(side);
      if (found == mTriangleOf.end()) continue;
      const size_t t = static_cast<size_t>(found->second);
      const Triangle c = mTriangles[t];
      size_t k = 0;
      while (c[k] != side[0]) ++k;
      const int32_t a = c[k], b = c[(k + 1) % 3], opposite = c[(k + 2) % 3];
      for (const Edge& old : {Edge{a, b}, Edge{b, opposite}, Edge{opposite, a}}) mTriangleOf.erase(old);
      mTriangles[t] = {a, middle, opposite};
      mTriangles.push_back({middle, b, opposite});
      mSource.push_back(mSource[t]);
      enter(t);
      enter(mTriangles.size() - 1);
    }
  }

  std::vector<Vec3> mPoints;
  std::vector<Triangle> mTriangles;
  std::vector<int32_t> mSource;
  double mLongest;
  std::map<Edge, int32_t> mTriangleOf;  // by directed edge
  std::priority_queue<Entry> mQueue;
};

}  // namespace

BisectedMesh bisectEdges(const TriangleMesh& mesh, double longest, size_t limit, Context& context) {
  Bisection bisection(mesh, longest);
  for (size_t i = 0; bisection.count() + 2 <= limit && bisection.splitLongest(); ++i)
    if (i % 256 == 0) context.checkCancel();
  return bisection.result(mesh);
}

}  // namespace hackle
