#include <hackle/fracture/piece_components.h>

#include <hackle/core/error.h>
#include <hackle/core/parallel.h>
#include <hackle/geometry/triangle_mesh.h>
#include <hackle/geometry/union_find.h>
#include <hackle/geometry/winding_number.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

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
    Vec3 moment = Vec3::Zero();  // volume times centre
  };

  std::vector<Solid> solids() {
    joinFaces();
    std::vector<int32_t> shellOf(mCount, -1);
    std::vector<Solid> shells;
    for (size_t f = 0; f < mCount; ++f) {
      int32_t& shell = shellOf[mShells.find(static_cast<int32_t>(f))];
      if (shell < 0) {
        shell = static_cast<int32_t>(shells.size());
        shells.emplace_back();
      }
      Solid& solid = shells[shell];
      solid.faces.push_back(static_cast<int32_t>(mBegin + f));
    }
    for (Solid& shell : shells) measure(shell);
    return withCavities(std::move(shells));
  }

 private:
  const Vec3& corner(const CutFace& face, int32_t k) const {
    return mCut.vertices[mCut.corners[face.first + k]].position;
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
        const int32_t a = mCut.corners[face.first + k];
        const int32_t b = mCut.corners[face.first + (k + 1) % face.count];
        edges.push_back({std::min(a, b), std::max(a, b), static_cast<int32_t>(f), a < b});
      }
    }
    std::sort(edges.begin(), edges.end(), [](const HalfEdge& l, const HalfEdge& r) {
      return std::tie(l.low, l.high, l.face, l.up) < std::tie(r.low, r.high, r.face, r.up);
    });
    const auto same = [](const HalfEdge& a, const HalfEdge& b) { return a.low == b.low && a.high == b.high; };
    for (size_t e = 0; e < edges.size(); e += 2) {
      const HalfEdge &a = edges[e], &b = edges[std::min(e + 1, edges.size() - 1)];
      const bool pair = e + 1 < edges.size() && same(a, b) && a.up != b.up;
      if (!pair || (e + 2 < edges.size() && same(a, edges[e + 2])))
        throw DegenerateCut(mCut.vertices[a.low].position);
      mShells.unite(a.face, b.face);
    }
  }

  /// Calls visit(a, b, c) for the triangles of a shell's faces; whole polygons, which need not be planar, are
  /// cut as they are everywhere else.
  template <class Visit>
  void forTriangles(const Solid& shell, const Visit& visit) const {
    std::vector<Vec3> corners;
    for (const int32_t f : shell.faces) {
      const CutFace& face = mCut.faces[f];
      corners.clear();
      for (int32_t k = 0; k < face.count; ++k) corners.push_back(corner(face, k));
      const auto at = [&](int32_t k) -> const Vec3& { return corners[k]; };
      const bool whole = face.primitive >= 0 && face.triangle < 0;
      if (whole && face.count > 3) {
        for (const Triangle& t : triangulatePolygon(corners)) visit(at(t[0]), at(t[1]), at(t[2]));
      } else {
        // Both sides of a face have the same fan, so that what rounding did to its plane cancels out.
        const auto first = mCut.corners.begin() + face.first;
        const int32_t low = static_cast<int32_t>(std::min_element(first, first + face.count) - first);
        for (int32_t k = 1; k + 1 < face.count; ++k)
          visit(at(low), at((low + k) % face.count), at((low + k + 1) % face.count));
      }
    }
  }

  void measure(Solid& solid) const {
    const Vec3 origin = corner(mCut.faces[solid.faces[0]], 0);
    double six = 0;
    Vec3 moment = Vec3::Zero();
    forTriangles(solid, [&](const Vec3& p, const Vec3& q, const Vec3& r) {
      const Vec3 a = p - origin, b = q - origin, c = r - origin;
      const double volume = a.dot(b.cross(c));
      six += volume;
      moment += volume * (a + b + c);
    });
    solid.volume = six / 6.0;
    solid.moment = moment / 24.0 + solid.volume * origin;
  }

  /// The triangles of a shell, by slabs across y.
  struct Slabs {
    Box3 box;
    std::vector<std::array<Vec3, 3>> triangles;
    std::vector<std::vector<int32_t>> slabs;

    size_t slabOf(double y) const {
      const double part = (y - box.min.y()) / std::max(box.max.y() - box.min.y(), 1e-300);
      return static_cast<size_t>(std::clamp(part, 0.0, 1.0) * static_cast<double>(slabs.size() - 1));
    }
  };

  Slabs slabsOf(const Solid& shell) const {
    Slabs result;
    forTriangles(shell, [&](const Vec3& a, const Vec3& b, const Vec3& c) {
      result.triangles.push_back({a, b, c});
      for (const Vec3& p : result.triangles.back()) result.box.add(p);
    });
    result.slabs.resize(1 + result.triangles.size() / 64);
    for (size_t t = 0; t < result.triangles.size(); ++t) {
      const auto& [a, b, c] = result.triangles[t];
      const auto [low, high] = std::minmax({a.y(), b.y(), c.y()});
      for (size_t s = result.slabOf(low); s <= result.slabOf(high); ++s)
        result.slabs[s].push_back(static_cast<int32_t>(t));
    }
    return result;
  }

  /// Whether a shell goes around a place: what crosses the ray from it along x, or the winding number where
  /// an edge is too near to the ray to tell.
  bool holds(const Solid& shell, const Slabs& slabs, const Vec3& p) const {
    if ((p.array() < slabs.box.min.array()).any() || (p.array() > slabs.box.max.array()).any()) return false;
    const double least = 1e-12 * slabs.box.size().squaredNorm();
    int crossings = 0;
    const auto cross = [&](const Vec3& a, const Vec3& b) {
      return (a.y() - p.y()) * (b.z() - p.z()) - (a.z() - p.z()) * (b.y() - p.y());
    };
    for (const int32_t t : slabs.slabs[slabs.slabOf(p.y())]) {
      const auto& [a, b, c] = slabs.triangles[t];
      if (std::max({a.x(), b.x(), c.x()}) < p.x()) continue;
      const auto [lowY, highY] = std::minmax({a.y(), b.y(), c.y()});
      const auto [lowZ, highZ] = std::minmax({a.z(), b.z(), c.z()});
      if (lowY > p.y() || highY < p.y() || lowZ > p.z() || highZ < p.z()) continue;
      const double u = cross(b, c), v = cross(c, a), w = cross(a, b);
      if (std::min({std::abs(u), std::abs(v), std::abs(w)}) < least) return windingNumber(shell, p) > 0.5;
      if ((u > 0) != (v > 0) || (v > 0) != (w > 0)) continue;
      const double ahead = (u * a.x() + v * b.x() + w * c.x()) / (u + v + w) - p.x();
      if (ahead * ahead < least) return windingNumber(shell, p) > 0.5;
      if (ahead > 0) crossings += u > 0 ? 1 : -1;
    }
    return crossings > 0;
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
    std::vector<Slabs> slabs;
    std::vector<size_t> bySize(outer.size());
    for (const Solid& shell : outer) slabs.push_back(slabsOf(shell));
    std::iota(bySize.begin(), bySize.end(), 0);
    std::stable_sort(bySize.begin(), bySize.end(),
                     [&](size_t a, size_t b) { return outer[a].volume < outer[b].volume; });
    for (const Solid& shell : shells) {
      if (!isCavity(shell)) continue;
      // The smallest shell around it.
      const CutFace& face = mCut.faces[shell.faces[0]];
      const Vec3 p = 0.53 * corner(face, 0) + 0.31 * corner(face, 1) + 0.16 * corner(face, 2);
      const auto found =
          std::find_if(bySize.begin(), bySize.end(), [&](size_t s) { return holds(outer[s], slabs[s], p); });
      const size_t around = found == bySize.end() ? outer.size() : *found;
      if (around == outer.size()) {
        solids.push_back(shell);  // in no shell: a fold of the input, kept as it is
        continue;
      }
      Solid& solid = solids[around];
      solid.faces.insert(solid.faces.end(), shell.faces.begin(), shell.faces.end());
      solid.volume += shell.volume;
      solid.moment += shell.moment;
    }
    for (Solid& solid : solids) std::sort(solid.faces.begin(), solid.faces.end());
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
      result.centres.push_back(solid.volume != 0 ? Vec3(solid.moment / solid.volume) : solid.moment);
    }
  }
  return result;
}

namespace {

/// The piece on either side of each pair of inside faces: of the side that comes first in the cut, and of the
/// other. A side that is in no piece is -1.
struct PairSides {
  int32_t piece[2] = {-1, -1};
  int32_t face = -1;
};

std::vector<PairSides> sidesOfPairs(const Cut& cut, const PieceFaces& pieces) {
  std::vector<PairSides> pairs;
  for (size_t p = 0; p < pieces.count(); ++p) {
    for (int32_t k = pieces.starts[p]; k < pieces.starts[p + 1]; ++k) {
      const int32_t f = pieces.faces[k];
      const int32_t pair = cut.faces[f].pair;
      if (pair < 0) continue;
      if (static_cast<size_t>(pair) >= pairs.size()) pairs.resize(static_cast<size_t>(pair) + 1);
      PairSides& sides = pairs[pair];
      if (sides.face < 0) sides.face = f;
      sides.piece[sides.face == f ? 0 : 1] = static_cast<int32_t>(p);
    }
  }
  return pairs;
}

/// Neighbours of pieces while they are joined, smallest first.
class PieceJoiner {
 public:
  PieceJoiner(const PieceFaces& pieces, const std::vector<PieceContact>& contacts)
      : mSets(pieces.count()), mVolume(pieces.volumes), mShared(pieces.count()) {
    for (const PieceContact& c : contacts) {
      mShared[c.a].emplace_back(c.b, c.area);
      mShared[c.b].emplace_back(c.a, c.area);
    }
  }

  /// The piece that each one becomes a part of.
  std::vector<int32_t> join(double minVolume) {
    std::set<std::pair<double, int32_t>> small;
    for (size_t p = 0; p < mVolume.size(); ++p)
      if (mVolume[p] < minVolume) small.emplace(mVolume[p], static_cast<int32_t>(p));
    while (!small.empty()) {
      const int32_t piece = small.begin()->second;
      small.erase(small.begin());
      const int32_t neighbour = largestNeighbour(piece);
      if (neighbour < 0) continue;
      small.erase({mVolume[neighbour], neighbour});
      const double volume = mVolume[piece] + mVolume[neighbour];
      mSets.unite(piece, neighbour);
      const int32_t joined = mSets.find(piece);
      auto& list = mShared[joined];
      const auto& other = mShared[joined == piece ? neighbour : piece];
      list.insert(list.end(), other.begin(), other.end());
      mVolume[joined] = volume;
      if (volume < minVolume) small.emplace(volume, joined);
    }
    std::vector<int32_t> roots;
    for (size_t p = 0; p < mVolume.size(); ++p) roots.push_back(mSets.find(static_cast<int32_t>(p)));
    return roots;
  }

 private:
  int32_t largestNeighbour(int32_t piece) {
    std::map<int32_t, double> areas;
    for (const auto& [other, area] : mShared[piece])
      if (mSets.find(other) != piece) areas[mSets.find(other)] += area;
    int32_t best = -1;
    for (const auto& [other, area] : areas)
      if (best < 0 || area > areas[best]) best = other;
    return best;
  }

  UnionFind mSets;
  std::vector<double> mVolume;
  std::vector<std::vector<std::pair<int32_t, double>>> mShared;  // neighbours as they were, and the area
};

/// Where two pieces touch in one pair of faces: centre and normal times the area. a = b if they do not.
PieceContact contactOf(const Cut& cut, const PairSides& pair) {
  const auto [a, b] = pair.piece;
  if (a < 0 || b < 0 || a == b) return {};
  const CutFace& face = cut.faces[pair.face];
  const auto corner = [&](int32_t k) -> const Vec3& {
    return cut.vertices[cut.corners[face.first + k]].position;
  };
  // The face is a's: its normal points to b. Signed areas of a fan, as faces need not be convex.
  PieceContact contact{a, b};
  for (int32_t k = 1; k + 1 < face.count; ++k)
    contact.normal += 0.5 * (corner(k) - corner(0)).cross(corner(k + 1) - corner(0));
  contact.area = contact.normal.norm();
  if (contact.area > 0)
    for (int32_t k = 1; k + 1 < face.count; ++k)
      contact.centre += 0.5 * (corner(k) - corner(0)).cross(corner(k + 1) - corner(0)).dot(contact.normal) /
                        contact.area * (corner(0) + corner(k) + corner(k + 1)) / 3.0;
  if (a > b) {
    std::swap(contact.a, contact.b);
    contact.normal = -contact.normal;
  }
  return contact;
}

}  // namespace

std::vector<PieceContact> findContacts(const Cut& cut, const PieceFaces& pieces, Context& context) {
  const std::vector<PairSides> pairs = sidesOfPairs(cut, pieces);
  std::vector<PieceContact> parts(pairs.size());
  parallelFor(context, pairs.size(), 1024, [&](size_t p) { parts[p] = contactOf(cut, pairs[p]); });
  parts.erase(std::remove_if(parts.begin(), parts.end(), [](const PieceContact& c) { return c.a == c.b; }),
              parts.end());
  parallelStableSort(context, parts, [](const PieceContact& l, const PieceContact& r) {
    return std::tie(l.a, l.b) < std::tie(r.a, r.b);
  });
  // Add up the faces between the same two pieces.
  std::vector<PieceContact> result;
  for (size_t p = 0; p < parts.size();) {
    PieceContact sum{parts[p].a, parts[p].b};
    for (; p < parts.size() && parts[p].a == sum.a && parts[p].b == sum.b; ++p) {
      sum.area += parts[p].area;
      sum.centre += parts[p].centre;
      sum.normal += parts[p].normal;
    }
    if (!(sum.area > 0)) continue;
    sum.centre /= sum.area;
    if (sum.normal.norm() > 0) sum.normal.normalize();
    result.push_back(sum);
  }
  return result;
}

PieceFaces joinSmallPieces(const Cut& cut, PieceFaces pieces, double minVolume, Context& context) {
  const auto smallest = std::min_element(pieces.volumes.begin(), pieces.volumes.end());
  if (smallest == pieces.volumes.end() || *smallest >= minVolume) return pieces;
  const std::vector<int32_t> root = PieceJoiner(pieces, findContacts(cut, pieces, context)).join(minVolume);
  std::vector<uint8_t> inner;  // pairs of faces inside a joined piece
  for (const PairSides& pair : sidesOfPairs(cut, pieces)) {
    const auto [a, b] = pair.piece;
    inner.push_back(a >= 0 && b >= 0 && a != b && root[a] == root[b] ? 1 : 0);
  }
  std::vector<std::vector<int32_t>> members(pieces.count());
  for (size_t p = 0; p < root.size(); ++p) members[root[p]].push_back(static_cast<int32_t>(p));
  PieceFaces result;
  for (const std::vector<int32_t>& list : members) {
    if (list.empty()) continue;
    double volume = 0;
    Vec3 moment = Vec3::Zero();
    for (const int32_t p : list) {
      volume += pieces.volumes[p];
      moment += pieces.volumes[p] * pieces.centres[p];
      for (int32_t k = pieces.starts[p]; k < pieces.starts[p + 1]; ++k) {
        const int32_t f = pieces.faces[k];
        const int32_t pair = cut.faces[f].pair;
        if (pair < 0 || !inner[pair]) result.faces.push_back(f);
      }
    }
    result.starts.push_back(static_cast<int32_t>(result.faces.size()));
    result.volumes.push_back(volume);
    result.centres.push_back(volume != 0 ? Vec3(moment / volume) : pieces.centres[list[0]]);
  }
  return result;
}

}  // namespace hackle
