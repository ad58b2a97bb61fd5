#include <hackle/fracture/piece_components.h>

#include <hackle/core/error.h>
#include <hackle/core/parallel.h>
#include <hackle/geometry/union_find.h>
#include <hackle/geometry/winding_number.h>

#include <algorithm>
#include <array>

namespace hackle {

namespace {

/// The faces [begin, end) of one cell.
class CellFaces {
 public:
  CellFaces(const Cut& cut, size_t begin, size_t end)
      : mCut(cut), mBegin(begin), mCount(end - begin), mShells(end - begin) {}

  /// Faces of each solid, and its volume.
  struct Solid {
    std::vector<int32_t> faces;
    double volume = 0.0;
  };

  std::vector<Solid> solids() {
    joinFaces();
    std::vector<int32_t> shellOf(mCount, -1);
    std::vector<Solid> shells;
    for (size_t f = 0; f < mCount; ++f) {
      int32_t& shell = shellOf[static_cast<size_t>(mShells.find(static_cast<int32_t>(f)))];
      if (shell < 0) {
        shell = static_cast<int32_t>(shells.size());
        shells.emplace_back();
      }
      Solid& solid = shells[static_cast<size_t>(shell)];
      solid.faces.push_back(static_cast<int32_t>(mBegin + f));
    }
    for (Solid& shell : shells) shell.volume = volume(shell);
    return withCavities(std::move(shells));
  }

 private:
  const Vec3& corner(const CutFace& face, int32_t k) const {
    return mCut.vertices[static_cast<size_t>(mCut.corners[static_cast<size_t>(face.first + k)])].position;
  }

  void joinFaces() {
    struct HalfEdge {
      int32_t low, high, face;
      bool up;
    };
    std::vector<HalfEdge> edges;
    for (size_t f = 0; f < mCount; ++f) {
      const CutFace& face = mCut.faces[mBegin + f];
      for (int32_t k = 0; k < face.count; ++k) {
        const int32_t a = mCut.corners[static_cast<size_t>(face.first + k)];
        const int32_t b = mCut.corners[static_cast<size_t>(face.first + (k + 1) % face.count)];
        edges.push_back({std::min(a, b), std::max(a, b), static_cast<int32_t>(f), a < b});
      }
    }
    std::sort(edges.begin(), edges.end(), [](const HalfEdge& l, const HalfEdge& r) {
      return std::tie(l.low, l.high, l.face, l.up) < std::tie(r.low, r.high, r.face, r.up);
    });
    HACKLE_ASSERT(edges.size() % 2 == 0);
    for (size_t e = 0; e < edges.size(); e += 2) {
      const HalfEdge &a = edges[e], &b = edges[e + 1];
      HACKLE_ASSERT(a.low == b.low && a.high == b.high && a.up != b.up);
      HACKLE_ASSERT(e + 2 == edges.size() || edges[e + 2].low != a.low || edges[e + 2].high != a.high);
      mShells.unite(a.face, b.face);
    }
  }

  /// Calls visit(a, b, c) for the triangles of a shell's faces; whole polygons, which need not be planar, are
  /// cut as they are everywhere else.
  template <class Visit>
  void forTriangles(const Solid& shell, const Visit& visit) const {
    std::vector<Vec3> corners;
    for (const int32_t f : shell.faces) {
      const CutFace& face = mCut.faces[static_cast<size_t>(f)];
      corners.clear();
      for (int32_t k = 0; k < face.count; ++k) corners.push_back(corner(face, k));
      const auto at = [&](int32_t k) -> const Vec3& { return corners[static_cast<size_t>(k)]; };
      const bool whole = face.primitive >= 0 && face.triangle < 0;
      if (whole && face.count > 3) {
        for (const Triangle& t : triangulatePolygon(corners)) visit(at(t[0]), at(t[1]), at(t[2]));
      } else {
        for (int32_t k = 1; k + 1 < face.count; ++k) visit(at(0), at(k), at(k + 1));
      }
    }
  }

  double volume(const Solid& solid) const {
    const Vec3 origin = corner(mCut.faces[static_cast<size_t>(solid.faces[0])], 0);
    double sum = 0;
    forTriangles(solid, [&](const Vec3& a, const Vec3& b, const Vec3& c) {
      sum += (a - origin).dot((b - origin).cross(c - origin));
    });
    return sum / 6.0;
  }

  double windingNumber(const Solid& shell, const Vec3& p) const {
    std::vector<Vec3> corners;
    std::vector<Triangle> triangles;
    forTriangles(shell, [&](const Vec3& a, const Vec3& b, const Vec3& c) {
      const int32_t first = static_cast<int32_t>(corners.size());
      corners.insert(corners.end(), {a, b, c});
      triangles.push_back({first, first + 1, first + 2});
    });
    return windingNumberExact(corners, triangles, p);
  }

  std::vector<Solid> withCavities(std::vector<Solid> shells) const {
    const auto isCavity = [](const Solid& s) { return s.volume < 0; };
    if (shells.size() == 1 || std::none_of(shells.begin(), shells.end(), isCavity)) return shells;
    std::vector<Solid> solids;
    std::copy_if(shells.begin(), shells.end(), std::back_inserter(solids),
                 [&](const Solid& s) { return !isCavity(s); });
    if (solids.empty()) return shells;
    const std::vector<Solid> outer = solids;
    for (const Solid& shell : shells) {
      if (!isCavity(shell)) continue;
      // The smallest shell around it.
      const Vec3 p = corner(mCut.faces[static_cast<size_t>(shell.faces[0])], 0);
      size_t around = outer.size();
      for (size_t s = 0; s < outer.size(); ++s)
        if ((around == outer.size() || outer[s].volume < outer[around].volume) &&
            windingNumber(outer[s], p) > 0.5)
          around = s;
      if (around == outer.size()) {
        solids.push_back(shell);  // in no shell: a fold of the input, kept as it is
        continue;
      }
      Solid& solid = solids[around];
      solid.faces.insert(solid.faces.end(), shell.faces.begin(), shell.faces.end());
      std::sort(solid.faces.begin(), solid.faces.end());
      solid.volume += shell.volume;
    }
    return solids;
  }

  const Cut& mCut;
  size_t mBegin, mCount;
  UnionFind mShells;  // faces of the cell, joined where they share an edge
};

}  // namespace

PieceFaces connectPieces(const Cut& cut, Context& context) {
  std::vector<size_t> begins;
  for (size_t f = 0; f < cut.faces.size(); ++f)
    if (f == 0 || cut.faces[f].cell != cut.faces[f - 1].cell) begins.push_back(f);
  begins.push_back(cut.faces.size());
  std::vector<std::vector<CellFaces::Solid>> solids(begins.size() - 1);
  parallelFor(context, solids.size(), 4,
              [&](size_t c) { solids[c] = CellFaces(cut, begins[c], begins[c + 1]).solids(); });

  PieceFaces result;
  for (const auto& cell : solids) {
    for (const CellFaces::Solid& solid : cell) {
      result.faces.insert(result.faces.end(), solid.faces.begin(), solid.faces.end());
      result.starts.push_back(static_cast<int32_t>(result.faces.size()));
      result.volumes.push_back(solid.volume);
    }
  }
  return result;
}

}  // namespace hackle
