#include <hackle/core/error.h>
#include <hackle/fracture/crack/fine_front.h>
#include <hackle/fracture/crack/initial_crack.h>
#include <hackle/fracture/crack/outline_mesh.h>
#include <hackle/fracture/crack/split_surface.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace hackle {

namespace {

constexpr double kFlat = 1e-3;       // of a sheet's size, how far planar ones may be off
constexpr double kMouthEnd = 0.3;    // of an edge of the section: a crack ends at its node instead
constexpr double kFrontNode = 0.35;  // in edges, least distance of nodes of the front from the mouth
constexpr double kInflation = 1e-6;  // so that outlines that end on the surface reach out of it

using DirectedEdge = std::array<int32_t, 2>;

/// The rim of a sheet if it is one loop.
std::vector<Vec3> rimOf(const InitialSheet& sheet, const std::string& name) {
  std::set<DirectedEdge> edges;
  for (const Triangle& t : sheet.triangles)
    for (size_t k = 0; k < 3; ++k) edges.insert({t[k], t[(k + 1) % 3]});
  std::map<int32_t, int32_t> next;
  for (const DirectedEdge& e : edges)
    if (!edges.count({e[1], e[0]})) next[e[0]] = e[1];
  std::vector<Vec3> rim;
  if (next.empty()) throw Error(ErrorCode::BadInput, name + " has no rim", "give an open sheet");
  const int32_t start = next.begin()->first;
  for (int32_t n = start; rim.size() <= next.size();) {
    rim.push_back(sheet.points[static_cast<size_t>(n)]);
    const auto found = next.find(n);
    if (found == next.end() || found->second == start) break;
    n = found->second;
  }
  if (rim.size() != next.size())
    throw Error(ErrorCode::BadInput, name + " reaches out of the solid and has more than one rim",
                "give a sheet without holes");
  return rim;
}

TriangleBvh treeOf(const SplitSurface& surface, Context& context) {
  return TriangleBvh(surface.points(), surface.triangles(), context);
}

/// One planar crack that reaches out of the body.
class PlanarClip {
 public:
  PlanarClip(SplitSurface& surface, const TriangleBvh& tree, const std::vector<Vec3>& rim, std::string name,
             double edge)
      : mSurface(surface), mTree(tree), mName(std::move(name)), mEdge(edge) {
    Vec3 normal = Vec3::Zero(), middle = Vec3::Zero();
    for (size_t i = 0; i < rim.size(); ++i) {
      normal += (rim[i] - rim[0]).cross(rim[(i + 1) % rim.size()] - rim[0]);
      middle += rim[i] / static_cast<double>(rim.size());
    }
    mPlane.origin = middle;
    mPlane.normal = normal.normalized();
    mPlane.u = (rim[0] - middle - (rim[0] - middle).dot(mPlane.normal) * mPlane.normal).normalized();
    mPlane.v = mPlane.normal.cross(mPlane.u);
    double size = 0, off = 0;
    std::vector<Vec2> outline;
    for (const Vec3& p : rim) {
      outline.push_back((1 + kInflation) * mPlane.flat(p));
      size = std::max(size, (p - middle).norm());
      off = std::max(off, std::abs(mPlane.height(p)));
    }
    if (!(off <= kFlat * size))
      throw Error(ErrorCode::BadInput, mName + " reaches out of the solid and is not planar",
                  "give a planar one, or one that ends inside");
    mOutline = dividedOutline(outline, edge);
  }

  std::vector<InitialSheet> run() {
    mSection = mSurface.cut(mPlane, touched());
    for (const DirectedEdge& e : mSection) mLive.insert(e);
    walkOutline();
    addMouths();
    return sheets();
  }

 private:
  Vec2 flat(int32_t node) const { return mPlane.flat(mSurface.points()[static_cast<size_t>(node)]); }
  /// Nodes of the outline have numbers below 0.
  Vec2 place(int32_t id) const { return id < 0 ? mOutline[static_cast<size_t>(-1 - id)] : flat(id); }
  Vec3 solid(const Vec2& p) const { return mPlane.origin + p.x() * mPlane.u + p.y() * mPlane.v; }

  /// Where the segment p q meets a b, as parts of both.
  static bool meet(const Vec2& p, const Vec2& q, const Vec2& a, const Vec2& b, double& s, double& t) {
    const Vec2 d = q - p, e = b - a, f = a - p;
    const double det = d.x() * e.y() - d.y() * e.x();
    if (det == 0) return false;
    s = (f.x() * e.y() - f.y() * e.x()) / det;
    t = (f.x() * d.y() - f.y() * d.x()) / det;
    return s >= 0 && s < 1 && t >= 0 && t <= 1;
  }

  /// Triangles that the shape passes through.
  std::vector<char> touched() const {
    std::vector<char> result(mSurface.triangles().size(), 0);
    for (size_t t = 0; t < result.size(); ++t) {
      std::vector<Vec2> ends;
      for (size_t k = 0; k < 3; ++k) {
        const Vec3& a = mSurface.points()[static_cast<size_t>(mSurface.triangles()[t][k])];
        const Vec3& b = mSurface.points()[static_cast<size_t>(mSurface.triangles()[t][(k + 1) % 3])];
        const double h = mPlane.height(a), g = mPlane.height(b);
        if (h == 0) ends.push_back(mPlane.flat(a));
        if (h * g < 0) ends.push_back(mPlane.flat(a + h / (h - g) * (b - a)));
      }
      if (ends.size() < 2) continue;
      result[t] = insideOutline(mOutline, 0.5 * (ends[0] + ends[1])) || insideOutline(mOutline, ends[0]) ||
                  insideOutline(mOutline, ends[1]);
      double s = 0, at = 0;
      for (size_t i = 0; i < mOutline.size() && !result[t]; ++i)
        result[t] = meet(mOutline[i], mOutline[(i + 1) % mOutline.size()], ends[0], ends[1], s, at);
    }
    return result;
  }

  /// Nodes of the surface at which an edge of the outline crosses it, in order.
  std::vector<int32_t> crossings(const Vec2& p, const Vec2& q) {
    std::map<double, int32_t> found;
    const std::set<DirectedEdge> live = mLive;
    for (const DirectedEdge& e : live) {
      double s = 0, t = 0;
      if (!meet(p, q, flat(e[0]), flat(e[1]), s, t)) continue;
      if (t < kMouthEnd) {
        found[s] = e[0];
      } else if (t > 1 - kMouthEnd) {
        found[s] = e[1];
      } else {
        const int32_t node = mSurface.splitEdge(e[0], e[1], t);
        mLive.erase(e);
        mLive.insert({e[0], node});
        mLive.insert({node, e[1]});
        found[s] = node;
      }
    }
    std::vector<int32_t> nodes;
    for (const auto& [s, node] : found)
      if (nodes.empty() || nodes.back() != node) nodes.push_back(node);
    return nodes;
  }

  void link(int32_t from, int32_t to) {
    if (from == to) return;
    if (!mNext.emplace(from, to).second)
      throw Error(ErrorCode::BadInput, mName + " meets the surface of the solid in a way that cannot be cut",
                  "move or turn it a little");
  }

  void walkOutline() {
    const size_t count = mOutline.size();
    std::vector<int32_t> ids;
    std::vector<Vec2> exact;  // before crossings moved to nodes
    for (size_t i = 0; i < count; ++i) {
      ids.push_back(-1 - static_cast<int32_t>(i));
      exact.push_back(mOutline[i]);
      for (const int32_t node : crossings(mOutline[i], mOutline[(i + 1) % count])) {
        ids.push_back(node);
        exact.push_back(flat(node));
      }
    }
    for (size_t i = 0; i < ids.size(); ++i) {
      const size_t j = (i + 1) % ids.size();
      if (insideSurface(mTree, solid(0.5 * (exact[i] + exact[j])))) link(ids[i], ids[j]);
    }
  }

  void addMouths() {
    for (const DirectedEdge& e : mLive)
      if (insideOutline(mOutline, 0.5 * (flat(e[0]) + flat(e[1])))) link(e[0], e[1]);
  }

  std::vector<InitialSheet> sheets() {
    std::vector<InitialSheet> result;
    while (!mNext.empty()) {
      std::vector<int32_t> loop;
      for (auto at = mNext.begin(); at != mNext.end();) {
        loop.push_back(at->first);
        const int32_t to = at->second;
        mNext.erase(at);
        at = mNext.find(to);
        if (at == mNext.end() && to != loop.front())
          throw Error(ErrorCode::BadInput,
                      mName + " meets the surface of the solid in a way that cannot be cut",
                      "move or turn it a little");
      }
      dropCloseNodes(loop);
      std::vector<Vec2> outline;
      for (const int32_t id : loop) outline.push_back(place(id));
      if (loop.size() < 3) continue;
      if (!(twiceArea(outline) > 0))
        throw Error(ErrorCode::BadInput, mName + " goes around a cavity of the solid",
                    "give a crack that does not");
      result.push_back(sheetOf(loop, outline));
    }
    return result;
  }

  /// Takes out nodes of the front next to the mouth, which would make small triangles.
  void dropCloseNodes(std::vector<int32_t>& loop) const {
    std::vector<int32_t> kept;
    for (size_t i = 0; i < loop.size(); ++i) {
      const int32_t before = loop[(i + loop.size() - 1) % loop.size()], after = loop[(i + 1) % loop.size()];
      bool close = false;
      for (const int32_t other : {before, after})
        close = close ||
                (loop[i] < 0 && other >= 0 && (place(loop[i]) - place(other)).norm() < kFrontNode * mEdge);
      if (!close) kept.push_back(loop[i]);
    }
    if (kept.size() >= 3) loop = std::move(kept);
  }

  InitialSheet sheetOf(const std::vector<int32_t>& loop, const std::vector<Vec2>& outline) const {
    const OutlineMesh mesh = meshOutline(outline, mEdge);
    InitialSheet sheet;
    for (size_t i = 0; i < mesh.points.size(); ++i)
      sheet.points.push_back(i < loop.size() && loop[i] >= 0 ? mSurface.points()[static_cast<size_t>(loop[i])]
                                                             : solid(mesh.points[i]));
    sheet.triangles = mesh.triangles;
    return sheet;
  }

  SplitSurface& mSurface;
  const TriangleBvh& mTree;
  std::string mName;
  double mEdge;
  CutPlane mPlane;
  std::vector<Vec2> mOutline;
  std::vector<DirectedEdge> mSection;
  std::set<DirectedEdge> mLive;  // edges of the section, as they are split
  std::map<int32_t, int32_t> mNext;
};

}  // namespace

CrackedBody clipCracks(const BemSurface& body, const BoundaryData& data, Span<const InitialSheet> cracks,
                       double edge, Context& context) {
  SplitSurface surface(body, data);
  CrackedBody result;
  for (size_t c = 0; c < cracks.size(); ++c) {
    const std::string name = fmt::format("initial crack {}", c + 1);
    const TriangleBvh tree = treeOf(surface, context);
    const auto inside = [&](const Vec3& p) { return insideSurface(tree, p); };
    if (cracks[c].triangles.empty())
      throw Error(ErrorCode::BadInput, name + " has no faces", "give a sheet of triangles");
    if (std::all_of(cracks[c].points.begin(), cracks[c].points.end(), inside)) {
      result.cracks.push_back(cracks[c]);
      continue;
    }
    PlanarClip clip(surface, tree, rimOf(cracks[c], name), name, edge);
    std::vector<InitialSheet> sheets = clip.run();
    if (sheets.empty())
      throw Error(ErrorCode::BadInput, name + " is outside of the solid",
                  "move it so that it reaches inside");
    std::move(sheets.begin(), sheets.end(), std::back_inserter(result.cracks));
  }
  result.body = BemSurface(surface.points(), surface.triangles());
  result.data = surface.data();
  result.source = surface.source();
  return result;
}

}  // namespace hackle
