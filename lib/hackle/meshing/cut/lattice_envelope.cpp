#include <hackle/meshing/cut/lattice_envelope.h>

#include <hackle/core/error.h>
#include <hackle/core/parallel.h>
#include <hackle/core/random.h>
#include <hackle/meshing/cut/exact_number.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>

namespace hackle {

namespace {

using Row = std::array<int64_t, 4>;  // values of a linear form at the corners of a tetrahedron

double signedVolume(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  return (b - a).dot((c - a).cross(d - a));
}

/// Cofactors of the last row: det(a, b, c, x) = sum of cofactor[k] * x[k].
template <class T>
std::array<T, 4> cofactors(const Row& a, const Row& b, const Row& c) {
  std::array<T, 4> result;
  for (size_t k = 0; k < 4; ++k) {
    T rows[3][3];
    size_t column = 0;
    for (size_t m = 0; m < 4; ++m) {
      if (m == k) continue;
      rows[0][column] = T(static_cast<double>(a[m]));
      rows[1][column] = T(static_cast<double>(b[m]));
      rows[2][column] = T(static_cast<double>(c[m]));
      ++column;
    }
    result[k] = determinant3(rows[0], rows[1], rows[2]);
    if (k % 2 == 0) result[k] = -result[k];
  }
  return result;
}

template <class T>
T product(const std::array<T, 4>& cofactor, const Row& row) {
  T sum = T(0);
  for (size_t k = 0; k < 4; ++k) sum = sum + cofactor[k] * T(static_cast<double>(row[k]));
  return sum;
}

constexpr Row kOnes{1, 1, 1, 1};

}  // namespace

/// The regions of a tetrahedron, each clipped from it by the planes where its label ties with another. Planes
/// are named by that label, or -1 - k for the tetrahedron's face against corner k.
class TetrahedronEnvelope {
 public:
  using Vertex = std::array<int32_t, 3>;  // planes, counter-clockwise seen from outside

  TetrahedronEnvelope(const LatticeEnvelope& lattice, const Tetrahedron& corners)
      : mLattice(lattice), mCorners(corners) {
    const Vec3 p[4] = {at(0), at(1), at(2), at(3)};
    if (signedVolume(p[0], p[1], p[2], p[3]) < 0) std::swap(mCorners[2], mCorners[3]);
    findCandidates();
  }

  const std::vector<int32_t>& candidates() const { return mCandidates; }

  /// Vertices of the region of a label; none if it has no room.
  std::vector<Vertex> region(int32_t label) const {
    std::vector<Vertex> vertices{{-2, -4, -3}, {-1, -3, -4}, {-1, -4, -2}, {-1, -2, -3}}, kept;
    std::vector<int> side;
    for (const int32_t other : mCandidates) {
      if (other == label) continue;
      side.resize(vertices.size());
      size_t cut = 0;
      for (size_t v = 0; v < vertices.size(); ++v) {
        side[v] = sideOf(label, vertices[v], other);
        cut += side[v] < 0 ? 1 : 0;
      }
      if (cut == 0) continue;
      if (cut == vertices.size()) return {};
      kept.clear();
      for (size_t v = 0; v < vertices.size(); ++v)
        if (side[v] > 0) kept.push_back(vertices[v]);
      const size_t stay = kept.size();
      for (size_t v = 0; v < vertices.size(); ++v) {
        if (side[v] > 0) continue;
        for (size_t c = 0; c < 3; ++c) {
          const int32_t a = vertices[v][c], b = vertices[v][(c + 1) % 3];
          if (hasEdge(kept, stay, b, a)) kept.push_back({a, b, other});
        }
      }
      vertices.swap(kept);
    }
    return vertices;
  }

  /// The corners of the region's facet on a plane, counter-clockwise seen from outside.
  static std::vector<Vertex> facet(const std::vector<Vertex>& vertices, int32_t plane) {
    std::vector<Vertex> corners;
    for (Vertex v : vertices) {
      while (v[0] != plane && (v[1] == plane || v[2] == plane))
        std::rotate(v.begin(), v.begin() + 1, v.end());
      if (v[0] == plane) corners.push_back(v);
    }
    // (plane, b, c) is followed by (plane, c, ...).
    for (size_t k = 0; k + 1 < corners.size(); ++k) {
      const auto next = std::find_if(corners.begin() + static_cast<std::ptrdiff_t>(k) + 1, corners.end(),
                                     [&](const Vertex& v) { return v[1] == corners[k][2]; });
      HACKLE_ASSERT(next != corners.end());
      std::iter_swap(corners.begin() + static_cast<std::ptrdiff_t>(k) + 1, next);
    }
    return corners;
  }

  /// What a vertex of a region is named by: the lattice's points whose simplex holds it, ascending (-1 where
  /// fewer), and the labels that tie there.
  struct NodeKey {
    std::array<int32_t, 4> points{-1, -1, -1, -1};
    std::array<int32_t, 4> labels{-1, -1, -1, -1};
    bool operator<(const NodeKey& o) const { return std::tie(points, labels) < std::tie(o.points, o.labels); }
    bool operator==(const NodeKey& o) const { return points == o.points && labels == o.labels; }
  };

  NodeKey keyOf(int32_t label, const Vertex& vertex) const {
    NodeKey key;
    std::array<bool, 4> on{true, true, true, true};
    size_t labels = 0;
    key.labels[labels++] = label;
    for (const int32_t plane : vertex) {
      if (plane < 0)
        on[-1 - plane] = false;
      else
        key.labels[labels++] = plane;
    }
    size_t points = 0;
    for (size_t k = 0; k < 4; ++k)
      if (on[k]) key.points[points++] = mCorners[k];
    std::sort(key.points.begin(), key.points.begin() + static_cast<std::ptrdiff_t>(points));
    std::sort(key.labels.begin(), key.labels.begin() + static_cast<std::ptrdiff_t>(labels));
    return key;
  }

 private:
  const Vec3& at(size_t k) const { return mLattice.mPoints[mCorners[k]]; }

  /// Scores of a candidate at the corners.
  const Row& scoresOf(int32_t label) const {
    size_t k = 0;
    while (mCandidates[k] != label) ++k;
    return mScores[k];
  }

  Row row(int32_t label, int32_t plane) const {
    Row r{0, 0, 0, 0};
    if (plane < 0) {
      r[-1 - plane] = 1;
      return r;
    }
    const Row &own = scoresOf(label), &other = scoresOf(plane);
    for (size_t k = 0; k < 4; ++k) r[k] = own[k] - other[k];
    return r;
  }

  /// Sign of s_label - s_other at a vertex of the label's region, with scores s_i + e_i, e_0 >> e_1 >> ... >
  /// 0.
  int sideOf(int32_t label, const Vertex& v, int32_t other) const {
    if (const int side = sideOnEdge(label, v, other)) return side;
    const Row rows[4] = {row(label, v[0]), row(label, v[1]), row(label, v[2]), row(label, other)};
    {
      const auto c = cofactors<Bounded>(rows[0], rows[1], rows[2]);
      const int top = product(c, rows[3]).sign(), bottom = product(c, kOnes).sign();
      if (std::abs(top) == 1 && std::abs(bottom) == 1) return top * bottom;
    }
    return exactSide(label, v, other, rows);
  }

  /// The same where the vertex is a corner or on an edge of the tetrahedron, which most are; 0 if it is not,
  /// or for ties.
  int sideOnEdge(int32_t label, const Vertex& v, int32_t other) const {
    bool on[4] = {true, true, true, true};
    int32_t tie = -1;
    for (const int32_t plane : v) {
      if (plane < 0)
        on[-1 - plane] = false;
      else if (tie < 0)
        tie = plane;
      else
        return 0;
    }
    size_t ends[2], count = 0;
    for (size_t k = 0; k < 4; ++k)
      if (on[k]) ends[count++] = k;
    const Row &own = scoresOf(label), &against = scoresOf(other);
    const auto sign = [](auto x) { return (x > 0) - (x < 0); };
    if (tie < 0) return sign(own[ends[0]] - against[ends[0]]);
    // Where a (own - tied) vanishes between the ends: differences have 53 bits, products 106.
    const Row& tied = scoresOf(tie);
    const int64_t a0 = own[ends[0]] - tied[ends[0]], a1 = own[ends[1]] - tied[ends[1]];
    const int64_t b0 = own[ends[0]] - against[ends[0]], b1 = own[ends[1]] - against[ends[1]];
    const __int128 value = static_cast<__int128>(a1) * b0 - static_cast<__int128>(a0) * b1;
    return sign(value) * sign(a1 - a0);
  }

  int exactSide(int32_t label, const Vertex& v, int32_t other, const Row (&rows)[4]) const {
    const auto c = cofactors<ExactInt>(rows[0], rows[1], rows[2]);
    const ExactInt below = product(c, kOnes);
    HACKLE_ASSERT(below.sign() != 0);
    const int top = product(c, rows[3]).sign();
    if (top != 0) return top * below.sign();
    // Each row of a tie (label, j) gains e_label - e_j in every column.
    std::vector<std::pair<int32_t, ExactInt>> terms;
    ExactInt ofLabel = 0;
    for (size_t r = 0; r < 4; ++r) {
      const int32_t plane = r < 3 ? v[r] : other;
      if (plane < 0) continue;
      const auto with = [&](size_t k) -> const Row& { return k == r ? kOnes : rows[k]; };
      const ExactInt coefficient = product(cofactors<ExactInt>(with(0), with(1), with(2)), with(3));
      ofLabel += coefficient;
      terms.emplace_back(plane, -coefficient);
    }
    terms.emplace_back(label, ofLabel);
    std::sort(terms.begin(), terms.end());
    for (const auto& [site, coefficient] : terms)
      if (coefficient.sign() != 0) return coefficient.sign() * below.sign();
    HACKLE_ASSERT(!"the perturbation leaves a tie");
  }

  static bool hasEdge(const std::vector<Vertex>& vertices, size_t count, int32_t a, int32_t b) {
    for (size_t v = 0; v < count; ++v)
      for (size_t c = 0; c < 3; ++c)
        if (vertices[v][c] == a && vertices[v][(c + 1) % 3] == b) return true;
    return false;
  }

  /// Labels that no winner of a corner beats at all corners.
  void findCandidates() {
    std::vector<int32_t> labels;
    for (const int32_t p : mCorners) {
      const size_t q = static_cast<size_t>(p);
      labels.insert(labels.end(), mLattice.mLabels.begin() + mLattice.mStarts[q],
                    mLattice.mLabels.begin() + mLattice.mStarts[q + 1]);
    }
    std::sort(labels.begin(), labels.end());
    labels.erase(std::unique(labels.begin(), labels.end()), labels.end());
    const auto beats = [&](int32_t winner, int32_t label) {
      return std::all_of(mCorners.begin(), mCorners.end(), [&](int32_t p) {
        const int64_t a = mLattice.score(p, winner), b = mLattice.score(p, label);
        return a != b ? a > b : winner < label;
      });
    };
    for (const int32_t label : labels) {
      const bool beaten = std::any_of(mCorners.begin(), mCorners.end(), [&](int32_t p) {
        const int32_t winner = mLattice.mWinner[p];
        return winner != label && beats(winner, label);
      });
      if (!beaten) mCandidates.push_back(label);
    }
    for (const int32_t label : mCandidates) {
      Row& scores = mScores.emplace_back();
      for (size_t k = 0; k < 4; ++k) scores[k] = mLattice.score(mCorners[k], label);
    }
  }

  const LatticeEnvelope& mLattice;
  Tetrahedron mCorners;
  std::vector<int32_t> mCandidates;
  std::vector<Row> mScores;  // of the candidates
};

LatticeScores withoutTies(const LatticeScores& scores, uint64_t seed) {
  double largest = std::abs(scores.missing);
  for (const double value : scores.values) largest = std::max(largest, std::abs(value));
  LatticeScores result = scores;
  for (size_t p = 0; p + 1 < scores.starts.size(); ++p)
    for (size_t k = static_cast<size_t>(scores.starts[p]); k < static_cast<size_t>(scores.starts[p + 1]);
         ++k) {
      Random random(mixBits(seed + p), static_cast<uint64_t>(scores.labels[k]));
      result.values[k] += std::ldexp(largest, -34) * random.uniform(-1, 1);
    }
  return result;
}

LatticeEnvelope::LatticeEnvelope(Span<const Vec3> points, Span<const Tetrahedron> tetrahedra,
                                 const LatticeScores& scores, Context& context)
    : mPoints(points), mTetrahedra(tetrahedra), mStarts(scores.starts), mLabels(scores.labels) {
  HACKLE_ASSERT(scores.starts.size() == points.size() + 1 && scores.labels.size() == scores.values.size());
  double largest = std::abs(scores.missing);
  for (const double value : scores.values) largest = std::max(largest, std::abs(value));
  if (!std::isfinite(largest)) throw Error(ErrorCode::BadInput, "a score of the lattice is not finite");
  int exponent = 0;
  std::frexp(largest, &exponent);
  constexpr int kBits = 51;
  const auto whole = [&](double value) {
    return static_cast<int64_t>(std::llround(std::ldexp(value, kBits - exponent)));
  };
  mMissing = whole(scores.missing);
  mScores.reserve(scores.values.size());
  for (const double value : scores.values) mScores.push_back(whole(value));

  mWinner.resize(points.size());
  for (size_t p = 0; p < points.size(); ++p) {
    if (mStarts[p] == mStarts[p + 1])
      throw Error(ErrorCode::BadInput, fmt::format("point {} of the lattice has no labels", p));
    // Ties go to the lower label, which comes first.
    const auto first = mScores.begin() + mStarts[p], last = mScores.begin() + mStarts[p + 1];
    mWinner[p] = mLabels[std::max_element(first, last) - mScores.begin()];
  }
  parallelFor(context, tetrahedra.size(), 4096, [&](size_t t) {
    const auto& [a, b, c, d] = tetrahedra[t];
    const auto at = [&](int32_t p) -> const Vec3& { return mPoints[p]; };
    if (signedVolume(at(a), at(b), at(c), at(d)) == 0.0)
      throw Error(ErrorCode::BadInput, fmt::format("tetrahedron {} of the lattice has no volume", t));
  });
}

int64_t LatticeEnvelope::score(int32_t point, int32_t label) const {
  const auto first = mLabels.begin() + mStarts[point], last = mLabels.begin() + mStarts[point + 1];
  const auto found = std::lower_bound(first, last, label);
  return found != last && *found == label ? mScores[found - mLabels.begin()] : mMissing;
}

namespace {

using NodeKey = TetrahedronEnvelope::NodeKey;

struct NamedFacet {
  int32_t back, front;
  int32_t chunk, first, count;
};

/// The facet of a tetrahedron whose corners, in positive order, belong to one of two labels each: a triangle
/// around a single corner, or a quad. Edges go from `back` to `front`; the front sees them counter-clockwise.
size_t twoLabelFacet(const std::array<bool, 4>& isFront, std::array<std::array<size_t, 2>, 4>& edges) {
  constexpr size_t kOthers[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
  size_t fronts = 0;
  for (const bool f : isFront) fronts += f ? 1 : 0;
  if (fronts != 2) {
    const bool frontIsAlone = fronts == 1;
    const size_t alone =
        static_cast<size_t>(std::find(isFront.begin(), isFront.end(), frontIsAlone) - isFront.begin());
    for (size_t k = 0; k < 3; ++k) {
      const size_t other = kOthers[alone][frontIsAlone ? 2 - k : k];
      edges[k] = frontIsAlone ? std::array<size_t, 2>{other, alone} : std::array<size_t, 2>{alone, other};
    }
    return 3;
  }
  std::array<size_t, 4> order;
  size_t a = 0, c = 2;
  for (size_t k = 0; k < 4; ++k) order[isFront[k] ? c++ : a++] = k;
  size_t inversions = 0;
  for (size_t i = 0; i < 4; ++i)
    for (size_t j = i + 1; j < 4; ++j) inversions += order[i] > order[j] ? 1 : 0;
  if (inversions % 2) std::swap(order[2], order[3]);
  edges = {{{order[0], order[2]}, {order[0], order[3]}, {order[1], order[3]}, {order[1], order[2]}}};
  return 4;
}

/// Weights of the lattice points of a node, from the score differences there: null vector of the ties.
template <class Score>
Vec3 nodePosition(const NodeKey& key, Span<const Vec3> points, const Score& score) {
  std::array<double, 4> weight{0, 0, 0, 0};
  const size_t count =
      static_cast<size_t>(std::find(key.points.begin(), key.points.end(), -1) - key.points.begin());
  const auto tie = [&](size_t label, size_t k) {
    return static_cast<double>(score(key.points[k], key.labels[0]) - score(key.points[k], key.labels[label]));
  };
  if (count == 2) {
    weight = {-tie(1, 1), tie(1, 0), 0, 0};
  } else if (count == 3) {
    const Vec3 a(tie(1, 0), tie(1, 1), tie(1, 2)), b(tie(2, 0), tie(2, 1), tie(2, 2));
    const Vec3 c = a.cross(b);
    weight = {c[0], c[1], c[2], 0};
  } else {
    Row rows[3];
    for (size_t r = 0; r < 3; ++r)
      for (size_t k = 0; k < 4; ++k)
        rows[r][k] = score(key.points[k], key.labels[0]) - score(key.points[k], key.labels[r + 1]);
    const auto c = cofactors<Bounded>(rows[0], rows[1], rows[2]);
    for (size_t k = 0; k < 4; ++k) weight[k] = c[k].value;
  }
  double total = 0;
  for (const double w : weight) total += w;
  Vec3 position = Vec3::Zero();
  double sum = 0;
  for (size_t k = 0; k < count; ++k) {
    // Rounding may leave a weight slightly negative, or nothing at all where everything ties.
    const double w = total != 0 ? std::max(weight[k] / total, 0.0) : 1.0;
    position += w * points[key.points[k]];
    sum += w;
  }
  return position / sum;
}

}  // namespace

/// Facets of some tetrahedra, and the nodes at their corners.
struct LatticeEnvelope::FacetChunk {
  int32_t number = 0;  // of the chunk
  std::vector<NamedFacet> facets;
  std::vector<int32_t> corners;  // indices of keys
  std::vector<NodeKey> keys;

  void addCorner(const NodeKey& key) {
    corners.push_back(static_cast<int32_t>(keys.size()));
    keys.push_back(key);
  }
  /// Makes a facet of all corners from `first` on; none if there are none.
  void finishFacet(int32_t back, int32_t front, size_t first) {
    if (corners.size() > first)
      facets.push_back(
          {back, front, number, static_cast<int32_t>(first), static_cast<int32_t>(corners.size() - first)});
  }
  /// Each key once, ascending.
  void sortKeys() {
    std::vector<int32_t> order(keys.size()), name(keys.size());
    std::iota(order.begin(), order.end(), 0);
    const auto key = [&](int32_t k) -> const NodeKey& { return keys[k]; };
    std::sort(order.begin(), order.end(), [&](int32_t a, int32_t b) { return key(a) < key(b); });
    std::vector<NodeKey> once;
    for (const int32_t k : order) {
      if (once.empty() || !(once.back() == key(k))) once.push_back(key(k));
      name[k] = static_cast<int32_t>(once.size()) - 1;
    }
    keys = std::move(once);
    for (int32_t& corner : corners) corner = name[corner];
  }
};

/// True if the tetrahedron has two labels in all, as most have; they come in ascending order.
bool LatticeEnvelope::hasTwoLabels(const Tetrahedron& corners, std::array<int32_t, 2>& labels) const {
  size_t count = 0;
  for (const int32_t p : corners)
    for (int32_t k = mStarts[p]; k < mStarts[p + 1]; ++k) {
      const int32_t label = mLabels[k];
      if (std::find(labels.begin(), labels.begin() + count, label) != labels.begin() + count) continue;
      if (count == 2 || mScores[k] <= mMissing) return false;
      labels[count++] = label;
    }
  if (labels[0] > labels[1]) std::swap(labels[0], labels[1]);
  return count == 2;
}

void LatticeEnvelope::addTwoLabelFacet(Tetrahedron c, const std::array<int32_t, 2>& labels,
                                       FacetChunk& chunk) const {
  const auto at = [&](size_t k) -> const Vec3& { return mPoints[c[k]]; };
  if (signedVolume(at(0), at(1), at(2), at(3)) < 0) std::swap(c[2], c[3]);
  std::array<bool, 4> isFront;
  for (size_t k = 0; k < 4; ++k) isFront[k] = mWinner[c[k]] == labels[1];
  std::array<std::array<size_t, 2>, 4> edges;
  const size_t count = twoLabelFacet(isFront, edges), first = chunk.corners.size();
  for (size_t k = 0; k < count; ++k) {
    NodeKey key;
    key.points[0] = std::min(c[edges[k][0]], c[edges[k][1]]);
    key.points[1] = std::max(c[edges[k][0]], c[edges[k][1]]);
    key.labels[0] = labels[0];
    key.labels[1] = labels[1];
    chunk.addCorner(key);
  }
  chunk.finishFacet(labels[0], labels[1], first);
}

/// The facets inside one tetrahedron; none if all of it belongs to one label.
void LatticeEnvelope::addFacets(const Tetrahedron& corners, FacetChunk& chunk) const {
  const int32_t winner = mWinner[corners[0]];
  if (std::all_of(corners.begin(), corners.end(), [&](int32_t p) { return mWinner[p] == winner; })) return;
  std::array<int32_t, 2> labels{};
  if (hasTwoLabels(corners, labels)) return addTwoLabelFacet(corners, labels, chunk);
  const TetrahedronEnvelope envelope(*this, corners);
  for (const int32_t back : envelope.candidates()) {
    const auto region = envelope.region(back);
    for (const int32_t front : envelope.candidates()) {
      if (front <= back) continue;
      const size_t first = chunk.corners.size();
      for (const auto& vertex : TetrahedronEnvelope::facet(region, front))
        chunk.addCorner(envelope.keyOf(back, vertex));
      chunk.finishFacet(back, front, first);
    }
  }
}

LabelComplex LatticeEnvelope::facets(Context& context) const {
  // Find the facets of tetrahedra in chunks, each with nodes of its own.
  constexpr size_t kChunk = 1024;
  std::vector<FacetChunk> chunks((mTetrahedra.size() + kChunk - 1) / kChunk);
  parallelRanges(context, mTetrahedra.size(), kChunk, [&](size_t begin, size_t end) {
    FacetChunk& chunk = chunks[begin / kChunk];
    chunk.number = static_cast<int32_t>(begin / kChunk);
    for (size_t t = begin; t < end; ++t) addFacets(mTetrahedra[t], chunk);
    chunk.sortKeys();
  });
  return joined(chunks, context);
}

/// The facets of all chunks by their labels, with every node once.
LabelComplex LatticeEnvelope::joined(const std::vector<FacetChunk>& chunks, Context& context) const {
  // Sort facets by their labels, and number the nodes of all chunks together.
  std::vector<NamedFacet> named;
  std::vector<NodeKey> keys;
  for (const FacetChunk& chunk : chunks) {
    named.insert(named.end(), chunk.facets.begin(), chunk.facets.end());
    keys.insert(keys.end(), chunk.keys.begin(), chunk.keys.end());
  }
  parallelStableSort(context, named, [](const NamedFacet& a, const NamedFacet& b) {
    return std::tie(a.back, a.front) < std::tie(b.back, b.front);
  });
  parallelStableSort(context, keys, std::less<NodeKey>());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  std::vector<std::vector<int32_t>> nodeOf(chunks.size());  // of the keys of each chunk
  parallelFor(context, chunks.size(), 4, [&](size_t c) {
    for (const NodeKey& key : chunks[c].keys)
      nodeOf[c].push_back(
          static_cast<int32_t>(std::lower_bound(keys.begin(), keys.end(), key) - keys.begin()));
  });

  // Place the nodes, and name the corners of facets by them.
  LabelComplex complex;
  complex.nodes.resize(keys.size());
  parallelFor(context, keys.size(), 1024, [&](size_t n) {
    complex.nodes[n] =
        nodePosition(keys[n], mPoints, [&](int32_t point, int32_t label) { return score(point, label); });
  });
  for (const NamedFacet& facet : named) {
    const int32_t first = static_cast<int32_t>(complex.corners.size());
    const size_t chunk = static_cast<size_t>(facet.chunk);
    for (int32_t k = 0; k < facet.count; ++k)
      complex.corners.push_back(nodeOf[chunk][chunks[chunk].corners[facet.first + k]]);
    complex.facets.push_back({facet.back, facet.front, first, facet.count});
  }
  return complex;
}

int32_t LatticeEnvelope::labelAt(const Vec3& position) const {
  const auto at = [&](int32_t p) -> const Vec3& { return mPoints[p]; };
  for (const Tetrahedron& t : mTetrahedra) {
    // Barycentric coordinates, where the box does not rule the tetrahedron out.
    const Vec3 &a = at(t[0]), &b = at(t[1]), &c = at(t[2]), &d = at(t[3]);
    if ((position.array() < a.cwiseMin(b).cwiseMin(c.cwiseMin(d)).array()).any() ||
        (position.array() > a.cwiseMax(b).cwiseMax(c.cwiseMax(d)).array()).any())
      continue;
    const double volume = signedVolume(a, b, c, d);
    const std::array<double, 4> weight{
        signedVolume(position, b, c, d) / volume, signedVolume(a, position, c, d) / volume,
        signedVolume(a, b, position, d) / volume, signedVolume(a, b, c, position) / volume};
    if (*std::min_element(weight.begin(), weight.end()) < -1e-12) continue;
    const TetrahedronEnvelope envelope(*this, t);
    int32_t best = -1;
    double highest = -std::numeric_limits<double>::infinity();
    for (const int32_t label : envelope.candidates()) {
      double value = 0;
      for (size_t k = 0; k < 4; ++k) value += weight[k] * static_cast<double>(score(t[k], label));
      if (value <= highest) continue;
      highest = value;
      best = label;
    }
    return best;
  }
  size_t nearest = 0;
  for (size_t p = 1; p < mPoints.size(); ++p)
    if ((mPoints[p] - position).squaredNorm() < (mPoints[nearest] - position).squaredNorm()) nearest = p;
  return mWinner[nearest];
}

}  // namespace hackle
