#include <hackle/meshing/cut/cut_cleanup.h>

#include <hackle/core/parallel.h>
#include <hackle/geometry/union_find.h>

#include <algorithm>
#include <array>
#include <tuple>

namespace hackle {

namespace {

class VertexJoiner {
 public:
  VertexJoiner(Cut& cut, Span<const Edge> edges)
      : mCut(cut), mEdges(edges), mClusters(cut.vertices.size()), mSize(cut.vertices.size(), 1) {}

  void run() {
    findClusters();
    keepApart();
    while (dissolveDoubledEdges()) {
    }
    rewriteFaces();
  }

 private:
  Span<const int32_t> cornersOf(const CutFace& f) const {
    return Span<const int32_t>(mCut.corners.data() + f.first, static_cast<size_t>(f.count));
  }
  bool isJoined(int32_t v) { return mSize[mClusters.find(v)] > 1; }

  /// Joins the ends of edges without length.
  void findClusters() {
    for (const Edge& edge : mEdges) mClusters.unite(edge[0], edge[1]);
    std::fill(mSize.begin(), mSize.end(), 0);
    std::vector<int32_t> points(mSize.size(), 0);
    for (size_t v = 0; v < mSize.size(); ++v) {
      const size_t root = static_cast<size_t>(mClusters.find(static_cast<int32_t>(v)));
      ++mSize[root];
      points[root] += mCut.vertices[v].point >= 0 ? 1 : 0;
    }
    // Points of the surface itself are the input's business.
    for (size_t v = 0; v < mSize.size(); ++v)
      if (points[v] > 1) mSize[v] = 1;
  }

  struct Part {
    int32_t cluster, cell, a, b;  // a vertex (a = b), an edge (a < b), or a face (a = -1, b its number)
    auto key() const { return std::tie(cluster, cell, a, b); }
  };

  /// Dissolves clusters that are not simply connected on some cell.
  void keepApart() {
    std::vector<Part> parts;
    for (size_t n = 0; n < mCut.faces.size(); ++n) {
      const CutFace& f = mCut.faces[n];
      const Span<const int32_t> corners = cornersOf(f);
      size_t runs = 0;
      int32_t last = -1;
      for (size_t k = 0; k < corners.size(); ++k) {
        const int32_t v = corners[k], w = corners[(k + 1) % corners.size()];
        if (!isJoined(v)) continue;
        const int32_t cluster = mClusters.find(v);
        parts.push_back({cluster, f.cell, v, v});
        if (mClusters.find(w) == cluster)
          parts.push_back({cluster, f.cell, std::min(v, w), std::max(v, w)});
        else
          mRuns.push_back({cluster, static_cast<int32_t>(n)});
        last = cluster;
        ++runs;
      }
      const bool whole =
          runs == corners.size() &&
          std::all_of(corners.begin(), corners.end(), [&](int32_t v) { return mClusters.find(v) == last; });
      if (whole) parts.push_back({last, f.cell, -1, static_cast<int32_t>(n)});
    }
    // A face that comes back to a cluster.
    std::sort(mRuns.begin(), mRuns.end());
    for (size_t r = 1; r < mRuns.size(); ++r)
      if (mRuns[r] == mRuns[r - 1]) mSize[mRuns[r][0]] = 1;
    // Vertices - edges + faces of each cluster on each cell must be one.
    std::sort(parts.begin(), parts.end(), [](const Part& l, const Part& r) { return l.key() < r.key(); });
    parts.erase(std::unique(parts.begin(), parts.end(),
                            [](const Part& l, const Part& r) { return l.key() == r.key(); }),
                parts.end());
    for (size_t begin = 0; begin < parts.size();) {
      size_t end = begin;
      int euler = 0;
      for (; end < parts.size() && parts[end].cluster == parts[begin].cluster &&
             parts[end].cell == parts[begin].cell;
           ++end)
        euler += parts[end].a == parts[end].b || parts[end].a < 0 ? 1 : -1;
      if (euler != 1) mSize[parts[begin].cluster] = 1;
      begin = end;
    }
  }

  /// A face with joined vertices, and what each corner was before; fewer than three corners if it has no
  /// area.
  void joinedFace(const CutFace& f, std::vector<int32_t>& ids, std::vector<int32_t>& sources) {
    ids.clear();
    sources.clear();
    for (const int32_t v : cornersOf(f)) {
      const int32_t id = isJoined(v) ? mClusters.find(v) : v;
      if (!ids.empty() && ids.back() == id) continue;
      ids.push_back(id);
      sources.push_back(v);
    }
    while (ids.size() > 1 && ids.back() == ids.front()) {
      ids.pop_back();
      sources.pop_back();
    }
  }

  /// Two edges of a cell that would become one have something between them: their ends stay as they were.
  bool dissolveDoubledEdges() {
    std::vector<std::array<int32_t, 3>> edges;  // cell, low, high
    std::vector<int32_t> ids, sources;
    for (const CutFace& f : mCut.faces) {
      joinedFace(f, ids, sources);
      for (size_t k = 0; k < ids.size() && ids.size() >= 3; ++k) {
        const auto [low, high] = std::minmax(ids[k], ids[(k + 1) % ids.size()]);
        if (isJoined(low) || isJoined(high)) edges.push_back({f.cell, low, high});
      }
    }
    std::sort(edges.begin(), edges.end());
    bool dissolved = false;
    for (size_t e = 2; e < edges.size(); ++e) {
      if (edges[e] != edges[e - 2]) continue;
      for (const int32_t end : {edges[e][1], edges[e][2]})
        if (isJoined(end)) {
          mSize[mClusters.find(end)] = 1;
          dissolved = true;
        }
    }
    return dissolved;
  }

  void rewriteFaces() {
    std::vector<CutFace> faces;
    std::vector<int32_t> corners, origins, ids, sources;
    for (CutFace f : mCut.faces) {
      joinedFace(f, ids, sources);
      if (ids.size() < 3) continue;
      f.first = static_cast<int32_t>(corners.size());
      f.count = static_cast<int32_t>(ids.size());
      corners.insert(corners.end(), ids.begin(), ids.end());
      origins.insert(origins.end(), sources.begin(), sources.end());
      faces.push_back(f);
    }
    mCut.faces = std::move(faces);
    mCut.corners = std::move(corners);
    mCut.origins = std::move(origins);
  }

  Cut& mCut;
  Span<const Edge> mEdges;     // without length
  UnionFind mClusters;         // named by their lowest vertex: a point of the surface, if it has one
  std::vector<int32_t> mSize;  // of the cluster, at its name; 1 once it is dissolved
  std::vector<std::array<int32_t, 2>> mRuns;
};

constexpr size_t kChunk = 4096;  // faces

/// Of all corners of faces.
Box3 boundsOf(const Cut& cut, Context& context) {
  return parallelReduce(
      context, cut.faces.size(), kChunk, Box3(),
      [&](size_t begin, size_t end) {
        Box3 box;
        for (size_t f = begin; f < end; ++f)
          for (int32_t k = 0; k < cut.faces[f].count; ++k)
            box.add(cut.vertices[cut.corners[cut.faces[f].first + k]].position);
        return box;
      },
      [](Box3 all, const Box3& part) {
        all.add(part);
        return all;
      });
}

/// Edges of faces that are not longer than `tolerance` along any axis, each once, in the order of the faces.
std::vector<Edge> edgesWithoutLength(const Cut& cut, double tolerance, Context& context) {
  std::vector<std::vector<Edge>> chunks((cut.faces.size() + kChunk - 1) / kChunk);
  parallelRanges(context, cut.faces.size(), kChunk, [&](size_t begin, size_t end) {
    for (size_t f = begin; f < end; ++f) {
      const CutFace& face = cut.faces[f];
      for (int32_t k = 0; k < face.count; ++k) {
        const int32_t a = cut.corners[face.first + k], b = cut.corners[face.first + (k + 1) % face.count];
        if (a > b) continue;  // comes again from the other side
        const Vec3 d = cut.vertices[a].position - cut.vertices[b].position;
        if (!(d.cwiseAbs().maxCoeff() > tolerance)) chunks[begin / kChunk].push_back({a, b});
      }
    }
  });
  std::vector<Edge> edges;
  for (const std::vector<Edge>& chunk : chunks) edges.insert(edges.end(), chunk.begin(), chunk.end());
  return edges;
}

}  // namespace

void joinCoincidentVertices(Cut& cut, Context& context) {
  constexpr double kCoincident = 1e-13;  // of the diagonal
  const double tolerance = kCoincident * boundsOf(cut, context).diagonal();
  const std::vector<Edge> edges = edgesWithoutLength(cut, tolerance, context);
  if (!edges.empty()) VertexJoiner(cut, edges).run();
}

}  // namespace hackle
