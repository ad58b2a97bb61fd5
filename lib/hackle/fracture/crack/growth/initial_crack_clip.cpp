#include <hackle/core/error.h>
#include <hackle/fracture/crack/growth/fine_front.h>
#include <hackle/fracture/crack/growth/initial_crack.h>
#include <hackle/fracture/crack/growth/outline_mesh.h>
#include <hackle/fracture/crack/growth/split_surface.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace hackle {

namespace {

constexpr double kFineEdges = 0.4;   // edges: sheets inside whose mean edge is shorter are meshed again
constexpr double kSmallSheet = 0.3;  // longest edge over the root of the area
constexpr double kMouthEnd = 0.3;    // of an edge of the section: a crack ends at its node instead
constexpr double kFrontNode = 0.35;  // in edges, least distance of nodes of the front from the mouth
constexpr double kInSurface = 0.02;  // in edges, from the surface: a sheet along it lies in it
constexpr double kInflation = 1e-6;  // so that outlines that end on the surface reach out of it

using DirectedEdge = std::array<int32_t, 2>;

std::vector<Vec3> rimOf(const InitialSheet& sheet, const std::string& name) {
  std::vector<Vec3> rim = singleRim(sheet);
  if (rim.size() < 3)
    throw Error(ErrorCode::BadInput, name + " reaches out of the solid and its rim is not one loop",
                "give an open sheet without holes");
  return rim;
}

TriangleBvh treeOf(const SplitSurface& surface, Context& context) {
  return TriangleBvh(surface.points(), surface.triangles(), context);
}

/// One crack that reaches out of the body.
class SheetClip {
 public:
  SheetClip(SplitSurface& surface, const TriangleBvh& tree, const InitialSheet& sheet, std::string name,
            double edge, Context& context)
      : SheetClip(surface, tree, sheet, rimOf(sheet, name), name, edge, context) {}

  /// `spread` also splits triangles around those that the shape passes through.
  std::vector<InitialSheet> run(bool spread) {
    for (const DirectedEdge& e : mSurface.cut(mShape, touched(spread)))
      if (!mSection.emplace(e[0], e[1]).second) refuse();
    checkSection();
    followOutline();
    linkOutline();
    linkWholeSections();
    return sheets();
  }

 private:
  SheetClip(SplitSurface& surface, const TriangleBvh& tree, const InitialSheet& sheet,
            const std::vector<Vec3>& rim, const std::string& name, double edge, Context& context)
      : mSurface(surface), mTree(tree), mName(name), mEdge(edge), mShape(sheet, rim, name, context) {
    for (const Vec3& p : mShape.planar() ? rim : evenRim(rim, edge))
      mOutline.push_back((1 + kInflation) * mShape.project(p));
    if (mShape.planar()) mOutline = dividedOutline(mOutline, edge);
  }

  Vec2 flat(int32_t node) const { return mShape.project(mSurface.points()[node]); }
  /// Nodes of the outline have numbers below 0.
  Vec2 place(int32_t id) const { return id < 0 ? mOutline[-1 - id] : flat(id); }

  [[noreturn]] void refuse() const {
    throw Error(ErrorCode::BadInput, mName + " meets the surface of the solid in a way that cannot be cut",
                "move or turn it a little");
  }

  static double side(const Vec2& a, const Vec2& b, const Vec2& p) {
    return (b.x() - a.x()) * (p.y() - a.y()) - (b.y() - a.y()) * (p.x() - a.x());
  }
  /// Whether two segments cross. A point on the other's line counts as left of it.
  static bool meet(const Vec2& p, const Vec2& q, const Vec2& a, const Vec2& b) {
    return (side(p, q, a) >= 0) != (side(p, q, b) >= 0) && (side(a, b, p) >= 0) != (side(a, b, q) >= 0);
  }

  /// Triangles that the shape passes through.
  std::vector<char> touched(bool spread) const {
    std::vector<char> result(mSurface.triangles().size(), 0);
    for (size_t t = 0; t < result.size(); ++t) {
      std::vector<Vec2> ends;
      for (size_t k = 0; k < 3; ++k) {
        const Vec3& a = mSurface.points()[mSurface.triangles()[t][k]];
        const Vec3& b = mSurface.points()[mSurface.triangles()[t][(k + 1) % 3]];
        const double h = mShape.height(a), g = mShape.height(b);
        if (h == 0) ends.push_back(mShape.project(a));
        if (h * g < 0) ends.push_back(mShape.project(a + mShape.crossing(a, b) * (b - a)));
      }
      if (ends.size() < 2) continue;
      result[t] = insideOutline(mOutline, 0.5 * (ends[0] + ends[1])) || insideOutline(mOutline, ends[0]) ||
                  insideOutline(mOutline, ends[1]);
      for (size_t i = 0; i < mOutline.size() && !result[t]; ++i)
        result[t] = meet(mOutline[i], mOutline[(i + 1) % mOutline.size()], ends[0], ends[1]);
    }
    if (!spread) return result;
    std::vector<char> near(mSurface.points().size(), 0);
    for (size_t t = 0; t < result.size(); ++t)
      for (size_t k = 0; k < 3 && result[t]; ++k) near[mSurface.triangles()[t][k]] = 1;
    for (size_t t = 0; t < result.size(); ++t)
      for (const int32_t n : mSurface.triangles()[t]) result[t] = result[t] || near[n];
    return result;
  }

  /// Nodes that moved may have carried the section into triangles that were not touched.
  void checkSection() const {
    std::set<int32_t> from, to;
    for (const auto& [a, b] : mSection) {
      from.insert(a);
      to.insert(b);
    }
    std::vector<int32_t> ends;
    std::set_symmetric_difference(from.begin(), from.end(), to.begin(), to.end(), std::back_inserter(ends));
    for (const int32_t end : ends)
      if (insideOutline(mOutline, flat(end))) refuse();
  }

  /// Where the outline goes into the body or out of it.
  struct Crossing {
    int32_t node;  // of the surface
    size_t edge;   // of the outline
    bool in;
  };

  /// Finds all crossings in the order of the outline; edges of the section are split there unless a node is
  /// close. Which way they go follows from the section's direction, so that ways in and out alternate.
  void followOutline() {
    for (size_t i = 0; i < mOutline.size(); ++i) {
      const Vec2 &p = mOutline[i], &q = mOutline[(i + 1) % mOutline.size()];
      std::multimap<double, Crossing> found;
      const std::map<int32_t, int32_t> section = mSection;
      for (const auto& [from, to] : section) {
        const Vec2 a = flat(from), b = flat(to);
        if (!meet(p, q, a, b)) continue;
        const double before = side(p, q, a), t = before / (before - side(p, q, b));
        int32_t node = t < 0.5 ? from : to;
        if (std::min(t, 1 - t) >= kMouthEnd) {
          node = mSurface.splitEdge(from, to, t);
          mSection[from] = node;
          mSection[node] = to;
        }
        found.insert({(a + t * (b - a) - p).dot(q - p), {node, i, side(a, b, q) >= 0}});
      }
      for (const auto& [along, crossing] : found) mCrossings.push_back(crossing);
    }
    dropShortWays();
  }

  /// Nodes of the outline after a crossing until the next.
  size_t nodesAfter(size_t crossing) const {
    const bool last = crossing + 1 == mCrossings.size();
    const size_t from = mCrossings[crossing].edge, to = mCrossings[last ? 0 : crossing + 1].edge;
    return last ? to + mOutline.size() - from : to - from;
  }

  /// What goes in and soon out at one node is too small to be kept.
  void dropShortWays() {
    if (mCrossings.size() % 2 != 0) refuse();
    for (size_t i = 0; i < mCrossings.size();) {
      const size_t j = (i + 1) % mCrossings.size();
      if (mCrossings[i].in == mCrossings[j].in) refuse();
      if (mCrossings[i].node != mCrossings[j].node || !mCrossings[i].in || nodesAfter(i) > 2) {
        ++i;
        continue;
      }
      mCrossings.erase(mCrossings.begin() + static_cast<std::ptrdiff_t>(std::max(i, j)));
      mCrossings.erase(mCrossings.begin() + static_cast<std::ptrdiff_t>(std::min(i, j)));
      i = 0;
    }
  }

  void link(int32_t from, int32_t to) {
    if (from != to && !mNext.emplace(from, to).second) refuse();
  }

  /// Parts of the outline in the body, and those of the section that lead from their ends to others' begins.
  void linkOutline() {
    const size_t count = mOutline.size(), crossings = mCrossings.size();
    const auto id = [&](size_t i) { return -1 - static_cast<int32_t>(i % count); };
    if (mCrossings.empty() && insideSurface(mTree, mShape.lift(mOutline[0])))
      for (size_t i = 0; i < count; ++i) link(id(i), id(i + 1));
    std::set<int32_t> begins;
    for (const Crossing& c : mCrossings)
      if (c.in) begins.insert(c.node);
    for (size_t k = 0; k < crossings; ++k) {
      const Crossing &from = mCrossings[k], &to = mCrossings[(k + 1) % crossings];
      if (from.in) {
        int32_t last = from.node;
        for (size_t i = 1; i <= nodesAfter(k); ++i) {
          link(last, id(from.edge + i));
          last = id(from.edge + i);
        }
        link(last, to.node);
      } else {
        int32_t at = from.node;
        mVisited.insert(at);
        while (!begins.count(at)) {
          const auto next = mSection.find(at);
          if (next == mSection.end()) refuse();
          link(at, next->second);
          at = next->second;
          mVisited.insert(at);
        }
      }
    }
  }

  /// Sections of the body that the outline does not cross, if they are inside of it.
  void linkWholeSections() {
    for (const auto& [begin, second] : mSection) {
      if (mVisited.count(begin)) continue;
      std::vector<int32_t> loop;
      for (int32_t at = begin; mVisited.insert(at).second;) {
        loop.push_back(at);
        const auto next = mSection.find(at);
        if (next == mSection.end()) break;
        at = next->second;
      }
      const auto last = mSection.find(loop.back());
      if (last == mSection.end() || last->second != begin) continue;
      const auto inside = std::count_if(loop.begin(), loop.end(),
                                        [&](int32_t n) { return insideOutline(mOutline, flat(n)); });
      if (2 * static_cast<size_t>(inside) < loop.size()) continue;
      for (size_t i = 0; i < loop.size(); ++i) link(loop[i], loop[(i + 1) % loop.size()]);
    }
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
        if (at == mNext.end() && to != loop.front()) refuse();
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
      sheet.points.push_back(i < loop.size() && loop[i] >= 0 ? mSurface.points()[loop[i]]
                                                             : mShape.lift(mesh.points[i]));
    sheet.triangles = mesh.triangles;
    return sheet;
  }

  SplitSurface& mSurface;
  const TriangleBvh& mTree;
  std::string mName;
  double mEdge;
  CutShape mShape;
  std::vector<Vec2> mOutline;
  std::map<int32_t, int32_t> mSection;  // edges of the surface on the shape, the body to their left
  std::vector<Crossing> mCrossings;
  std::set<int32_t> mVisited;        // nodes of the section
  std::map<int32_t, int32_t> mNext;  // edges of the clipped sheet's rims
};

/// A bent sheet of many small triangles with edges of the length that is asked for.
InitialSheet coarsened(const InitialSheet& sheet, const std::string& name, double edge, Context& context) {
  double sum = 0, area = 0;
  for (const Triangle& t : sheet.triangles) {
    const auto side = [&](size_t k) -> Vec3 { return sheet.points[t[(k + 1) % 3]] - sheet.points[t[k]]; };
    for (size_t k = 0; k < 3; ++k) sum += side(k).norm();
    area += 0.5 * side(0).cross(side(1)).norm();
  }
  // Small sheets keep some triangles.
  edge = std::min(edge, kSmallSheet * std::sqrt(area));
  if (sum > kFineEdges * edge * 3 * static_cast<double>(sheet.triangles.size())) return sheet;
  try {
    const std::vector<Vec3> rim = rimOf(sheet, name);
    const CutShape shape(sheet, rim, name, context);
    if (shape.planar()) return sheet;
    std::vector<Vec2> outline;
    for (const Vec3& p : evenRim(rim, edge)) outline.push_back(shape.project(p));
    const OutlineMesh mesh = meshOutline(outline, edge);
    InitialSheet result;
    for (const Vec2& p : mesh.points) result.points.push_back(shape.lift(p));
    result.triangles = mesh.triangles;
    return result;
  } catch (const Error& e) {
    if (e.code() != ErrorCode::BadInput) throw;
    return sheet;  // holes, or bent too far: as it is
  }
}

/// Whether a part of the sheet as large as a triangle lies along the surface.
bool liesIn(const SplitSurface& surface, const TriangleBvh& tree, const InitialSheet& sheet, double edge) {
  constexpr double kAlong = 0.999;  // cosine between normals
  const auto areaVector = [](Span<const Vec3> points, const Triangle& t) {
    const Vec3& a = points[t[0]];
    const Vec3 u = points[t[1]] - a, v = points[t[2]] - a;
    return Vec3(0.5 * u.cross(v));
  };
  double area = 0;
  for (const Triangle& t : sheet.triangles) {
    Vec3 middle = Vec3::Zero();
    for (const int32_t p : t) middle += sheet.points[p] / 3;
    const int32_t nearest = tree.closestPoint(middle, kInSurface * edge).triangle;
    if (nearest < 0) continue;
    const Vec3 here = areaVector(sheet.points, t),
               there = areaVector(surface.points(), surface.triangles()[nearest]);
    if (std::abs(here.dot(there)) > kAlong * here.norm() * there.norm()) area += here.norm();
  }
  return area > 0.4 * edge * edge;
}

}  // namespace

CrackedBody clipCracks(const BemSurface& body, const BoundaryData& data, Span<const InitialSheet> cracks,
                       double edge, Context& context) {
  SplitSurface surface(body, data);
  CrackedBody result;
  for (size_t c = 0; c < cracks.size(); ++c) {
    const size_t number = cracks[c].number ? cracks[c].number : c + 1;
    const std::string name = fmt::format("initial crack {}", number);
    const TriangleBvh tree = treeOf(surface, context);
    const auto inside = [&](const Vec3& p) { return insideSurface(tree, p); };
    if (cracks[c].triangles.empty())
      throw Error(ErrorCode::BadInput, name + " has no faces", "give a sheet of triangles");
    if (liesIn(surface, tree, cracks[c], edge))
      throw Error(ErrorCode::BadInput, name + " lies in the surface of the solid",
                  fmt::format("move it inside by {:.3g} m or more, or turn it", 2 * kInSurface * edge));
    if (std::all_of(cracks[c].points.begin(), cracks[c].points.end(), inside)) {
      result.cracks.push_back(coarsened(cracks[c], name, edge, context));
      result.cracks.back().number = number;
      continue;
    }
    std::vector<InitialSheet> sheets;
    for (const bool spread : {false, true}) {
      SplitSurface split = surface;
      try {
        sheets = SheetClip(split, tree, cracks[c], name, edge, context).run(spread);
        surface = std::move(split);
        break;
      } catch (const Error&) {
        if (spread) throw;
      }
    }
    if (sheets.empty())
      throw Error(ErrorCode::BadInput, name + " is outside of the solid",
                  "move it so that it reaches inside");
    for (InitialSheet& sheet : sheets) {
      sheet.number = number;
      result.cracks.push_back(std::move(sheet));
    }
  }
  result.body = BemSurface(surface.points(), surface.triangles());
  result.data = surface.data();
  result.source = surface.source();
  return result;
}

bool reachesInto(const BemSurface& body, const InitialSheet& crack, Context& context) {
  const TriangleBvh tree =
      treeOf(SplitSurface(body, BoundaryData(body.nodeCount(), body.triangleCount())), context);
  if (std::any_of(crack.points.begin(), crack.points.end(),
                  [&](const Vec3& p) { return insideSurface(tree, p); }))
    return true;
  const TriangleBvh sheet(crack.points, crack.triangles, context);
  for (size_t t = 0; t < body.triangleCount(); ++t)
    for (size_t k = 0; k < 3; ++k) {
      const Vec3& a = body.corner(t, k);
      if (sheet.anyHit({a, body.corner(t, (k + 1) % 3) - a, 0.0, 1.0})) return true;
    }
  for (const Triangle& t : crack.triangles)
    for (size_t k = 0; k < 3; ++k) {
      const Vec3& a = crack.points[t[k]];
      if (tree.anyHit({a, crack.points[t[(k + 1) % 3]] - a, 0.0, 1.0})) return true;
    }
  return false;
}

}  // namespace hackle
