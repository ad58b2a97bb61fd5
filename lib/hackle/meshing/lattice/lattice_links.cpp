#include <hackle/meshing/lattice/lattice_links.h>

#include <hackle/geometry/union_find.h>

#include <algorithm>
#include <array>

namespace hackle::detail {

VertexStars::VertexStars(Span<const Tetrahedron> tetrahedra, Span<const uint8_t> wanted)
    : mStarts(wanted.size() + 1, 0) {
  for (const Tetrahedron& t : tetrahedra)
    for (const int32_t v : t)
      if (wanted[v]) ++mStarts[v + 1];
  for (size_t v = 0; v < wanted.size(); ++v) mStarts[v + 1] += mStarts[v];
  mTetrahedra.resize(static_cast<size_t>(mStarts.back()));
  std::vector<int32_t> next(mStarts.begin(), mStarts.end() - 1);
  for (size_t i = 0; i < tetrahedra.size(); ++i)
    for (const int32_t v : tetrahedra[i])
      if (wanted[v]) mTetrahedra[next[v]++] = static_cast<int32_t>(i);
}

namespace {

/// A side of a triangle of the link: the sphere of triangles opposite to the vertex.
struct Side {
  int32_t low, high, triangle;
  bool operator<(const Side& o) const { return low != o.low ? low < o.low : high < o.high; }
};

class Link {
 public:
  Link(int32_t vertex, Span<const Tetrahedron> tetrahedra, const VertexStars& stars, Span<const int8_t> signs)
      : mSigns(signs) {
    for (const int32_t i : stars.of(vertex)) {
      const auto triangle = static_cast<int32_t>(mTriangles.size());
      Triangle& corners = mTriangles.emplace_back();
      size_t n = 0;
      for (const int32_t v : tetrahedra[i])
        if (v != vertex) corners[n++] = v;
      for (size_t c = 0; c < 3; ++c) {
        const auto [low, high] = std::minmax(corners[c], corners[(c + 1) % 3]);
        mSides.push_back({low, high, triangle});
      }
    }
    std::sort(mSides.begin(), mSides.end());
  }

  /// Parts of the whole link; with `around` not negative, of the triangles around that corner, joined by the
  /// sides there.
  bool oneDiscEach(int32_t around = -1) const {
    const auto count = static_cast<int32_t>(mTriangles.size());
    UnionFind parts(2 * mTriangles.size());  // the inside of triangle i is 2 i, the outside 2 i + 1
    for (size_t s = 0; s + 1 < mSides.size(); ++s) {
      const Side &a = mSides[s], &b = mSides[s + 1];
      if (a < b || (around >= 0 && a.low != around && a.high != around)) continue;
      const int low = sign(a.low), high = sign(a.high);
      const bool flat = low == 0 && high == 0;
      const bool insideA = hasInside(a.triangle), insideB = hasInside(b.triangle);
      if (low < 0 || high < 0 || (flat && insideA && insideB)) parts.unite(2 * a.triangle, 2 * b.triangle);
      if (low > 0 || high > 0 || (flat && !insideA && !insideB))
        parts.unite(2 * a.triangle + 1, 2 * b.triangle + 1);
    }
    int insides = 0, outsides = 0;
    for (int32_t i = 0; i < count; ++i) {
      if (around >= 0 && !contains(i, around)) continue;
      insides += hasInside(i) && parts.find(2 * i) == 2 * i;
      outsides += hasOutside(i) && parts.find(2 * i + 1) == 2 * i + 1;
    }
    return insides <= 1 && outsides <= 1;
  }

  bool isManifold() const {
    if (!oneDiscEach()) return false;
    std::vector<int32_t> onSurface;
    for (const Triangle& t : mTriangles)
      for (const int32_t v : t)
        if (sign(v) == 0 && std::find(onSurface.begin(), onSurface.end(), v) == onSurface.end())
          onSurface.push_back(v);
    return std::all_of(onSurface.begin(), onSurface.end(), [&](int32_t v) { return oneDiscEach(v); });
  }

 private:
  int sign(int32_t v) const { return mSigns[v]; }
  const Triangle& corners(int32_t i) const { return mTriangles[i]; }
  bool contains(int32_t i, int32_t v) const {
    const Triangle& t = corners(i);
    return t[0] == v || t[1] == v || t[2] == v;
  }
  bool hasInside(int32_t i) const {
    const Triangle& t = corners(i);
    return sign(t[0]) < 0 || sign(t[1]) < 0 || sign(t[2]) < 0;
  }
  /// What is not inside is outside, also a triangle whose corners are all on the surface.
  bool hasOutside(int32_t i) const {
    const Triangle& t = corners(i);
    return sign(t[0]) > 0 || sign(t[1]) > 0 || sign(t[2]) > 0 || !hasInside(i);
  }

  Span<const int8_t> mSigns;
  std::vector<Triangle> mTriangles;
  std::vector<Side> mSides;
};

}  // namespace

bool isManifoldAt(int32_t vertex, Span<const Tetrahedron> tetrahedra, const VertexStars& stars,
                  Span<const int8_t> signs) {
  return Link(vertex, tetrahedra, stars, signs).isManifold();
}

}  // namespace hackle::detail
