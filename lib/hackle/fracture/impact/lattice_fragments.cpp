#include <hackle/fracture/impact/lattice_fragments.h>

#include <hackle/fracture/impact/pair_table.h>
#include <hackle/geometry/union_find.h>
#include <hackle/meshing/surface/surface_distance.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace hackle {

namespace {

/// The crack that separates the ends of an edge, and their heights above it.
struct EdgeCut {
  int32_t crack;
  double low, high;  // of the end of lower and of higher number
};

using EdgeCuts = PairTable<EdgeCut>;

EdgeCuts edgeCuts(const ModalBody& body, const CrackSet& cracks) {
  EdgeCuts edges;
  for (const CrackCut& cut : cracks.cuts) {
    const Tetrahedron& corners = body.tetrahedra()[cut.tetrahedron];
    for (size_t e = 0; e < 6; ++e) {
      if (!(cut.edges >> e & 1)) continue;
      size_t a = static_cast<size_t>(kTetEdges[e][0]), b = static_cast<size_t>(kTetEdges[e][1]);
      if (corners[a] > corners[b]) std::swap(a, b);
      const EdgeCut* known = edges.find(corners[a], corners[b]);
      // Of several cracks the first.
      if (!known || cut.crack < known->crack)
        edges.set(corners[a], corners[b], {cut.crack, cut.heights[a], cut.heights[b]});
    }
  }
  return edges;
}

const EdgeCut* cutBetween(const EdgeCuts& edges, int32_t a, int32_t b) {
  return edges.find(std::min(a, b), std::max(a, b));
}

}  // namespace

size_t LatticeFragments::countAbove(double share) const {
  double whole = 0;
  for (const double v : volumes) whole += v;
  return static_cast<size_t>(
      std::count_if(volumes.begin(), volumes.end(), [&](double v) { return v >= share * whole; }));
}

LatticeFragments fragmentsOf(const ModalBody& body, const CrackSet& cracks) {
  const EdgeCuts edges = edgeCuts(body, cracks);
  const size_t points = body.points().size();
  UnionFind sets(points);
  std::vector<uint8_t> filled(points, 0);
  for (const Edge& edge : body.solidEdges()) {
    filled[edge[0]] = filled[edge[1]] = 1;
    if (!edges.find(edge[0], edge[1])) sets.unite(edge[0], edge[1]);
  }
  LatticeFragments result;
  result.labels.assign(points, -1);
  std::vector<int32_t> number(points, -1);
  int32_t count = 0;
  for (size_t p = 0; p < points; ++p) {
    if (!filled[p]) continue;
    int32_t& mine = number[sets.find(static_cast<int32_t>(p))];
    if (mine < 0) mine = count++;
    result.labels[p] = mine;
  }
  // Points that touch no solid take the label of a neighbour; it does not matter which.
  for (bool changed = true; changed;) {
    changed = false;
    for (const Tetrahedron& t : body.tetrahedra()) {
      int32_t any = -1;
      for (const int32_t p : t) any = std::max(any, result.labels[p]);
      for (const int32_t p : t)
        if (result.labels[p] < 0 && any >= 0) {
          result.labels[p] = any;
          changed = true;
        }
    }
  }
  result.volumes.assign(static_cast<size_t>(count), 0.0);
  for (size_t t = 0; t < body.tetrahedra().size(); ++t)
    for (const int32_t p : body.tetrahedra()[t])
      result.volumes[result.labels[p]] += 0.25 * body.parts()[t].share * body.tetShape(t).volume;
  for (const CrackCut& cut : cracks.cuts) {
    const Tetrahedron& corners = body.tetrahedra()[cut.tetrahedron];
    bool opens = false;
    for (size_t e = 0; e < 6; ++e)
      opens = opens || ((cut.edges >> e & 1) &&
                        result.labels[corners[kTetEdges[e][0]]] != result.labels[corners[kTetEdges[e][1]]]);
    result.opens.push_back(opens);
  }
  return result;
}

LatticeScores fragmentScores(const ModalBody& body, const CrackSet& cracks,
                             const LatticeFragments& fragments) {
  const EdgeCuts edges = edgeCuts(body, cracks);
  const double least = 1e-3 * body.cellSize();
  struct Entry {
    int32_t point, label;
    double score;
  };
  std::vector<Entry> entries;
  const auto add = [&](int32_t mine, int32_t other) {
    const int32_t label = fragments.labels[other];
    if (label == fragments.labels[mine]) return;
    const EdgeCut* cut = cutBetween(edges, mine, other);
    // Without a cut the edge is outside the solid: halfway.
    const double height = cut ? std::abs(mine < other ? cut->low : cut->high) : 0.5 * body.cellSize();
    entries.push_back({mine, label, -std::max(height, least)});
  };
  for (const Tetrahedron& t : body.tetrahedra()) {
    const int32_t first = fragments.labels[t[0]];
    if (first == fragments.labels[t[1]] && first == fragments.labels[t[2]] && first == fragments.labels[t[3]])
      continue;
    for (const int32_t mine : t)
      for (const int32_t other : t)
        if (mine != other) add(mine, other);
  }
  // The nearest crack towards each label.
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    if (a.point != b.point) return a.point < b.point;
    return a.label != b.label ? a.label < b.label : a.score > b.score;
  });
  LatticeScores scores;
  scores.missing = -4 * body.cellSize();
  size_t next = 0;
  for (size_t p = 0; p < body.points().size(); ++p) {
    const int32_t own = fragments.labels[p];
    bool ownDone = false;
    int32_t last = -1;
    for (; next < entries.size() && entries[next].point == static_cast<int32_t>(p); ++next) {
      const Entry& entry = entries[next];
      if (entry.label == last) continue;
      if (!ownDone && own < entry.label) {
        scores.add(own, 0);
        ownDone = true;
      }
      scores.add(entry.label, std::max(entry.score, 0.9 * scores.missing));
      last = entry.label;
    }
    if (!ownDone) scores.add(own, 0);
    scores.finishPoint();
  }
  return scores;
}

// Passage
// -----------------------------------------------------------------------------------------------------

CrackPassage::CrackPassage(const ModalBody& body, const CrackSet& cracks, const LatticeFragments& fragments)
    : mBody(body),
      mTimes(body.points().size(), 0),
      mStresses(body.points().size(), 0),
      mWeights(body.points().size(), 0) {
  for (size_t c = 0; c < cracks.cuts.size(); ++c) {
    if (!fragments.opens[c]) continue;
    const CrackCut& cut = cracks.cuts[c];
    for (const int32_t p : body.tetrahedra()[cut.tetrahedron]) {
      mTimes[p] += static_cast<float>(cut.time);
      mStresses[p] += cut.stress;
      mWeights[p] += 1;
    }
  }
}

CrackPassage::Value CrackPassage::at(const Vec3& x) const {
  const LatticePlace place = mBody.embedding().place(x);
  Value value;
  double time = 0, stress = 0, weight = 0;
  for (size_t k = 0; k < 4; ++k) {
    const int32_t p = place.points[k];
    if (!(mWeights[p] > 0)) continue;
    const double w = std::max(place.weights[k], 1e-6);
    time += w * static_cast<double>(mTimes[p] / mWeights[p]);
    stress += w * static_cast<double>(mStresses[p] / mWeights[p]);
    weight += w;
  }
  if (!(weight > 0)) return value;
  value.time = static_cast<float>(time / weight);
  value.stress = static_cast<float>(stress / weight);
  return value;
}

// Sheets
// ------------------------------------------------------------------------------------------------------

namespace {

/// Sheets with shared points.
class SheetBuilder {
 public:
  SheetBuilder(const ModalBody& body, const Solid& solid, Context& context)
      : mBody(body), mDistance(solid.mesh, context) {}

  void add(const CrackCut& cut, bool opens) {
    const Tetrahedron& corners = mBody.tetrahedra()[cut.tetrahedron];
    std::array<Vec3, 4> points;
    for (size_t k = 0; k < 4; ++k) points[k] = mBody.points()[corners[k]];
    const CutPolygon polygon = cutPolygon(points, cut.heights);
    std::vector<Vec3> outline(polygon.corners.begin(), polygon.corners.begin() + polygon.count);
    if (mBody.parts()[cut.tetrahedron].share < 1) outline = inside(outline);
    if (outline.size() < 3) return;
    const auto first = static_cast<int32_t>(mGeometry.pointCount());
    std::vector<int32_t> face(outline.size());
    for (const Vec3& p : outline) {
      mGeometry.addPoint(p);
      mTimes.push_back(static_cast<float>(cut.time));
      mStresses.push_back(cut.stress);
    }
    std::iota(face.begin(), face.end(), first);
    mGeometry.addPrimitives(PrimitiveType::Polygon, 1, static_cast<int>(face.size()), face);
    mCracks.push_back(cut.crack);
    mOpen.push_back(opens);
  }

  Geometry finish() {
    const auto floats = [&](const char* name, std::vector<float> values) {
      Attribute attribute(name, Storage::Float32, 1, values.size());
      attribute.edit<float>() = std::move(values);
      mGeometry.addAttribute(Owner::Point, std::move(attribute));
    };
    const auto ints = [&](const char* name, std::vector<int32_t> values) {
      Attribute attribute(name, Storage::Int32, 1, values.size());
      attribute.edit<int32_t>() = std::move(values);
      mGeometry.addAttribute(Owner::Primitive, std::move(attribute));
    };
    floats("crack_time", std::move(mTimes));
    floats("stress", std::move(mStresses));
    ints("crack", std::move(mCracks));
    ints("open", std::move(mOpen));
    return std::move(mGeometry);
  }

 private:
  /// The part of a polygon inside the solid, if its edges cross the surface once each.
  std::vector<Vec3> inside(const std::vector<Vec3>& outline) const {
    std::vector<uint8_t> within;
    for (const Vec3& p : outline) within.push_back(mDistance.inside(p));
    std::vector<Vec3> result;
    for (size_t k = 0; k < outline.size(); ++k) {
      const size_t next = (k + 1) % outline.size();
      if (within[k]) result.push_back(outline[k]);
      if (within[k] == within[next]) continue;
      const Vec3 &in = within[k] ? outline[k] : outline[next], &out = within[k] ? outline[next] : outline[k];
      result.push_back(in + mDistance.crossing(in, out) * (out - in));
    }
    return result;
  }

  const ModalBody& mBody;
  SurfaceDistance mDistance;
  Geometry mGeometry;
  std::vector<float> mTimes, mStresses;
  std::vector<int32_t> mCracks, mOpen;
};

}  // namespace

Geometry crackSheets(const ModalBody& body, const Solid& solid, const CrackSet& cracks,
                     const LatticeFragments& fragments, Context& context) {
  SheetBuilder builder(body, solid, context);
  for (size_t c = 0; c < cracks.cuts.size(); ++c) {
    if (c % 1024 == 0) context.checkCancel();
    // A ligament that separates nothing did not break.
    if (cracks.cuts[c].ligament && !fragments.opens[c]) continue;
    builder.add(cracks.cuts[c], fragments.opens[c] != 0);
  }
  return builder.finish();
}

}  // namespace hackle
