#include <hackle/core/random.h>
#include <hackle/geometry/bvh.h>
#include <hackle/meshing/repair/repair_steps.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace hackle::detail {

namespace {

/// Disjoint sets whose members are turned the same way as their set's name or the other way.
class TurnedSets {
 public:
  explicit TurnedSets(size_t size) : mParent(size), mTurned(size, 0) {
    for (size_t i = 0; i < size; ++i) mParent[i] = static_cast<int32_t>(i);
  }
  /// The name of i's set; `turned` is whether i is turned relative to it.
  int32_t find(int32_t i, bool& turned) {
    int32_t root = i;
    turned = false;
    while (mParent[root] != root) {
      turned ^= mTurned[root] != 0;
      root = mParent[root];
    }
    for (bool rest = turned; mParent[i] != root && i != root;) {
      const int32_t up = mParent[i];
      const bool step = mTurned[i] != 0;
      mParent[i] = root;
      mTurned[i] = rest ? 1 : 0;
      rest ^= step;
      i = up;
    }
    return root;
  }
  /// False if the two are known to be turned otherwise.
  bool unite(int32_t a, int32_t b, bool turned) {
    bool ofA, ofB;
    a = find(a, ofA);
    b = find(b, ofB);
    if (a == b) return (ofA != ofB) == turned;
    if (a > b) std::swap(a, b);
    mParent[b] = a;
    mTurned[b] = (ofA != ofB) != turned ? 1 : 0;
    return true;
  }

 private:
  std::vector<int32_t> mParent;
  std::vector<uint8_t> mTurned;
};

bool isBalanced(Span<const EdgeUse> around) {
  return 2 * static_cast<size_t>(
                 std::count_if(around.begin(), around.end(), [](const EdgeUse& u) { return u.forward; })) ==
         around.size();
}

/// Faces joined by edges with two faces. `turn` makes each patch consistent, most of its faces as they are.
struct Patches {
  std::vector<int32_t> ofFace;  // named by the first face
  std::vector<uint8_t> turn;
  size_t conflicts = 0;  // edges at which that is not possible
  int32_t conflict = 0;  // point of the first one
};

Patches findPatches(const RepairMesh& mesh, const std::vector<EdgeUse>& uses) {
  const size_t count = mesh.faceCount();
  Patches patches{std::vector<int32_t>(count), std::vector<uint8_t>(count, 0)};
  TurnedSets sets(count);
  forEachEdge(uses, [&](Span<const EdgeUse> around) {
    if (around.size() != 2) return;
    if (sets.unite(around[0].face, around[1].face, around[0].forward == around[1].forward)) return;
    if (patches.conflicts++ == 0) patches.conflict = around[0].low;
  });
  std::vector<int64_t> votes(count, 0);
  for (size_t f = 0; f < count; ++f) {
    bool turned;
    patches.ofFace[f] = sets.find(static_cast<int32_t>(f), turned);
    patches.turn[f] = turned ? 1 : 0;
    if (mesh.face(f).count > 0) votes[patches.ofFace[f]] += turned ? -1 : 1;
  }
  for (size_t f = 0; f < count; ++f)
    if (votes[patches.ofFace[f]] < 0) patches.turn[f] ^= 1;
  return patches;
}

/// Whether a point is inside a surface that every ray leaves through an odd number of faces.
bool isInside(const TriangleBvh& bvh, const Vec3& from, const Vec3& direction, int32_t without) {
  bool odd = false;
  // A ray that comes close to an edge is doubtful: try others nearby.
  for (uint64_t attempt = 0; attempt < 16; ++attempt) {
    Random random(attempt, 1);
    Ray ray;
    ray.origin = from;
    ray.direction = direction.normalized() +
                    0.3 * Vec3(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1));
    bool doubtful = false;
    odd = false;
    for (const RayHit& hit : bvh.allHits(ray)) {
      if (hit.triangle == without) continue;
      odd = !odd;
      doubtful = doubtful || hit.barycentric.minCoeff() < 1e-6;
    }
    if (!doubtful) break;
  }
  return odd;
}

/// Turns whole patches that meet at edges of more than two faces by where the inside is, where their
/// orientations do not fit together. All edges must be even.
void orientPatchesByParity(RepairRun& run, Patches& patches) {
  RepairMesh& mesh = run.mesh;
  const TriangleMesh triangles = mesh.triangles();
  const TriangleBvh bvh(triangles, run.context);
  std::vector<int32_t> largest(mesh.faceCount(), -1);  // triangle, by patch
  std::vector<double> area(mesh.faceCount(), 0.0);
  std::vector<Vec3> normals(triangles.triangles.size());
  for (size_t t = 0; t < triangles.triangles.size(); ++t) {
    const Triangle& p = triangles.triangles[t];
    normals[t] = (mesh.position(p[1]) - mesh.position(p[0])).cross(mesh.position(p[2]) - mesh.position(p[0]));
    const size_t patch = static_cast<size_t>(patches.ofFace[triangles.primitives[t]]);
    if (normals[t].norm() <= area[patch]) continue;
    area[patch] = normals[t].norm();
    largest[patch] = static_cast<int32_t>(t);
  }
  std::vector<uint8_t> wrong(mesh.faceCount(), 0);
  for (size_t patch = 0; patch < mesh.faceCount(); ++patch) {
    if (largest[patch] < 0) continue;
    const size_t t = static_cast<size_t>(largest[patch]);
    const Triangle& p = triangles.triangles[t];
    const Vec3 middle = (mesh.position(p[0]) + mesh.position(p[1]) + mesh.position(p[2])) / 3.0;
    const bool turned = patches.turn[triangles.primitives[t]] != 0;
    const bool insideInFront = isInside(bvh, middle, normals[t], largest[patch]);
    wrong[patch] = insideInFront != turned ? 1 : 0;
  }
  for (size_t f = 0; f < mesh.faceCount(); ++f) patches.turn[f] ^= wrong[patches.ofFace[f]];
}

/// Parts with edges of more than two faces that are inside out as a whole are turned, so that wedges between
/// faces are seen from the right side.
void turnPartsOutwards(RepairRun& run, const std::vector<EdgeUse>& uses) {
  RepairMesh& mesh = run.mesh;
  UnionFind parts(mesh.faceCount());
  forEachEdge(uses, [&](Span<const EdgeUse> around) {
    for (const EdgeUse& u : around) parts.unite(around[0].face, u.face);
  });
  std::vector<uint8_t> concerned(mesh.faceCount(), 0);
  bool any = false;
  forEachEdge(uses, [&](Span<const EdgeUse> around) {
    if (around.size() <= 2) return;
    concerned[parts.find(around[0].face)] = 1;
    any = true;
  });
  if (!any) return;
  const TriangleMesh triangles = mesh.triangles();
  std::vector<double> volume(mesh.faceCount(), 0.0);
  std::vector<int32_t> originOf(mesh.faceCount(), -1);
  for (size_t t = 0; t < triangles.triangles.size(); ++t) {
    const Triangle& p = triangles.triangles[t];
    const size_t part = static_cast<size_t>(parts.find(triangles.primitives[t]));
    if (originOf[part] < 0) originOf[part] = p[0];
    const Vec3& o = mesh.position(originOf[part]);
    volume[part] += (mesh.position(p[0]) - o).dot((mesh.position(p[1]) - o).cross(mesh.position(p[2]) - o));
  }
  for (size_t f = 0; f < mesh.faceCount(); ++f) {
    const size_t part = static_cast<size_t>(parts.find(static_cast<int32_t>(f)));
    if (mesh.face(f).count > 0 && concerned[part] && volume[part] < 0) mesh.reverse(f);
  }
}

/// A face at an edge, by its angle about it. Walking by ascending angle, a face whose half-edge runs forward
/// ends a wedge of solid and one that runs backward begins it.
struct Blade {
  double angle = 0;  // radians
  EdgeUse use;
};

/// Faces nearer to each other than this (radians) are at one angle.
constexpr double kSameAngle = 1e-9;

std::vector<Blade> sortedBlades(const RepairMesh& mesh, Span<const EdgeUse> around) {
  const Vec3 axis = (mesh.position(around[0].high) - mesh.position(around[0].low)).normalized();
  Eigen::Index least = 0;
  axis.cwiseAbs().minCoeff(&least);
  const Vec3 u = axis.cross(Vec3::Unit(least)).normalized(), v = axis.cross(u);
  std::vector<Blade> blades;
  for (const EdgeUse& use : around) {
    // The face lies to the left of its half-edge.
    const Vec3 left = mesh.areaVector(static_cast<size_t>(use.face)).cross(use.forward ? axis : Vec3(-axis));
    blades.push_back({std::atan2(left.dot(v), left.dot(u)), use});
  }
  const auto before = [](const Blade& a, const Blade& b) {
    return a.angle != b.angle ? a.angle < b.angle : a.use.corner < b.use.corner;
  };
  std::sort(blades.begin(), blades.end(), before);
  // Begin behind the largest gap, so that faces at one angle stay together.
  constexpr double kTurn = 6.283185307179586;
  size_t start = 0;
  double widest = blades[0].angle + kTurn - blades.back().angle;
  for (size_t i = 1; i < blades.size(); ++i) {
    if (blades[i].angle - blades[i - 1].angle <= widest) continue;
    widest = blades[i].angle - blades[i - 1].angle;
    start = i;
  }
  for (size_t i = 0; i < start; ++i) blades[i].angle += kTurn;
  std::rotate(blades.begin(), blades.begin() + static_cast<std::ptrdiff_t>(start), blades.end());
  // At one angle wedges end before others begin: solids with a common face are two solids.
  for (size_t begin = 0, end = 1; begin < blades.size(); begin = end++) {
    while (end < blades.size() && blades[end].angle - blades[end - 1].angle < kSameAngle) ++end;
    std::stable_sort(blades.begin() + static_cast<std::ptrdiff_t>(begin),
                     blades.begin() + static_cast<std::ptrdiff_t>(end),
                     [](const Blade& a, const Blade& b) { return a.use.forward > b.use.forward; });
  }
  return blades;
}

/// The two sides of each patch, put together where they face the same space: a cell is the set of sides
/// around it. Side 2 p + 1 is the one that the normals of patch p point to, once its faces are turned.
struct Cells {
  UnionFind sides;
  bool certain = true;  // no two faces at one angle around an edge
};

Cells findCells(const RepairMesh& mesh, const std::vector<EdgeUse>& uses, const Patches& patches) {
  Cells cells{UnionFind(2 * mesh.faceCount())};
  // The side of a face at an edge that is seen from larger angles, or else from smaller ones.
  const auto sideOf = [&](const EdgeUse& use, bool fromLarger) {
    const size_t f = static_cast<size_t>(use.face);
    return 2 * patches.ofFace[f] + ((use.forward != (patches.turn[f] != 0)) == fromLarger ? 1 : 0);
  };
  forEachEdge(uses, [&](Span<const EdgeUse> around) {
    if (around.size() == 1) cells.sides.unite(sideOf(around[0], true), sideOf(around[0], false));
    if (around.size() <= 2) return;
    const std::vector<Blade> blades = sortedBlades(mesh, around);
    for (size_t i = 0; i < blades.size(); ++i) {
      const bool last = i + 1 == blades.size();
      cells.sides.unite(sideOf(blades[i].use, true), sideOf(blades[last ? 0 : i + 1].use, false));
      if (!last && blades[i + 1].angle - blades[i].angle < kSameAngle) cells.certain = false;
    }
  });
  return cells;
}

/// Volume of each cell, by its name; that of the space around everything is negative.
std::vector<double> cellVolumes(const RepairMesh& mesh, const Patches& patches, Cells& cells) {
  std::vector<double> volumes(2 * mesh.faceCount(), 0.0);
  const TriangleMesh triangles = mesh.triangles();
  const Vec3 o = triangles.triangles.empty() ? Vec3(Vec3::Zero()) : mesh.position(triangles.triangles[0][0]);
  for (size_t t = 0; t < triangles.triangles.size(); ++t) {
    const Triangle& p = triangles.triangles[t];
    const size_t f = static_cast<size_t>(triangles.primitives[t]);
    const double cone =
        (mesh.position(p[0]) - o).dot((mesh.position(p[1]) - o).cross(mesh.position(p[2]) - o)) / 6.0;
    const double behind = patches.turn[f] ? -cone : cone;
    volumes[cells.sides.find(2 * patches.ofFace[f])] += behind;
    volumes[cells.sides.find(2 * patches.ofFace[f] + 1)] -= behind;
  }
  return volumes;
}

/// Pairs each beginning of a wedge with the next end, among the blades that have no partner yet.
template <class Wanted>
void pairWedges(const std::vector<Blade>& blades, const Wanted& wanted, std::vector<int32_t>& partners) {
  std::vector<int32_t> begun;
  for (int turn = 0; turn < 2; ++turn)
    for (const Blade& blade : blades) {
      int32_t& partner = partners[blade.use.corner];
      if (partner >= 0 || !wanted(blade.use)) continue;
      if (!blade.use.forward) {
        if (turn == 0) begun.push_back(blade.use.corner);
      } else if (!begun.empty()) {
        partner = begun.back();
        partners[begun.back()] = blade.use.corner;
        begun.pop_back();
      }
    }
}

}  // namespace

void dropInnerFaces(RepairRun& run) {
  RepairMesh& mesh = run.mesh;
  const std::vector<EdgeUse> uses = mesh.edgeUses();
  bool odd = false;
  forEachEdge(
      uses, [&](Span<const EdgeUse> around) { odd = odd || (around.size() > 2 && around.size() % 2 == 1); });
  if (!odd) return;
  const Patches patches = findPatches(mesh, uses);
  Cells cells = findCells(mesh, uses, patches);
  if (patches.conflicts > 0 || !cells.certain) return;
  const std::vector<double> volumes = cellVolumes(mesh, patches, cells);
  // Cells of no volume lie around sheets: they decide nothing.
  const double least = 1e-12 * std::pow(run.diagonal, 3.0);
  const auto isSolid = [&](int32_t side) { return volumes[cells.sides.find(side)] > least; };
  for (size_t f = 0; f < mesh.faceCount(); ++f) {
    if (mesh.face(f).count == 0) continue;
    if (!isSolid(2 * patches.ofFace[f]) || !isSolid(2 * patches.ofFace[f] + 1)) continue;
    run.note(RepairAction::DropInnerFaces, f);
    mesh.removeFace(f);
  }
}

void orientFaces(RepairRun& run) {
  RepairMesh& mesh = run.mesh;
  std::vector<EdgeUse> uses = mesh.edgeUses();
  if (!run.options.orient) {
    size_t wrong = 0;
    Vec3 place = Vec3::Zero();
    forEachEdge(uses, [&](Span<const EdgeUse> around) {
      if (around.size() % 2 == 1 || isBalanced(around)) return;
      if (wrong++ == 0) place = mesh.position(around[0].low);
    });
    if (wrong > 0)
      run.refuse(fmt::format("neighbouring faces disagree about outside at {} edges around {}", wrong,
                             placeText(place)),
                 "let repair turn them (orient)");
    return;
  }
  Patches patches = findPatches(mesh, uses);
  if (patches.conflicts > 0)
    run.refuse(
        fmt::format("the surface has only one side (a Moebius strip or Klein bottle), seen at {} edges "
                    "around {}",
                    patches.conflicts, placeText(mesh.position(patches.conflict))),
        "cut it open there, or rebuild the surface (resurface)");
  const auto isTurned = [&](const EdgeUse& u) { return patches.turn[u.face] != 0; };
  bool allEven = true, allBalanced = true;
  forEachEdge(uses, [&](Span<const EdgeUse> around) {
    if (around.size() % 2 == 1) allEven = false;
    if (around.size() <= 2) return;
    std::vector<EdgeUse> turned(around.begin(), around.end());
    for (EdgeUse& u : turned) u.forward = u.forward != isTurned(u);
    allBalanced = allBalanced && isBalanced(turned);
  });
  if (!allBalanced && allEven) orientPatchesByParity(run, patches);
  for (size_t f = 0; f < mesh.faceCount(); ++f)
    if (mesh.face(f).count > 0 && patches.turn[f]) mesh.reverse(f);
  uses = mesh.edgeUses();
  turnPartsOutwards(run, uses);
}

std::vector<int32_t> pairHalfEdges(const RepairRun& run) {
  const RepairMesh& mesh = run.mesh;
  std::vector<int32_t> partners(mesh.cornerCount(), -1);
  forEachEdge(mesh.edgeUses(), [&](Span<const EdgeUse> around) {
    if (around.size() == 2) {
      if (around[0].forward == around[1].forward) return;
      partners[around[0].corner] = around[1].corner;
      partners[around[1].corner] = around[0].corner;
    } else if (around.size() > 2) {
      const std::vector<Blade> blades = sortedBlades(mesh, around);
      for (const EdgeUse& use : around) {
        const int32_t name = mesh.nameOf(static_cast<size_t>(use.face));
        pairWedges(
            blades, [&](const EdgeUse& u) { return mesh.nameOf(static_cast<size_t>(u.face)) == name; },
            partners);
      }
      pairWedges(
          blades, [](const EdgeUse&) { return true; }, partners);
    }
  });
  return partners;
}

void splitPoints(RepairRun& run, const std::vector<int32_t>& partners) {
  RepairMesh& mesh = run.mesh;
  UnionFind fans(mesh.cornerCount());
  for (size_t f = 0; f < mesh.faceCount(); ++f)
    for (int32_t c = mesh.face(f).first; c < mesh.face(f).first + mesh.face(f).count; ++c) {
      const int32_t partner = partners[c];
      if (partner < 0) continue;
      fans.unite(c, mesh.nextCorner(partner));
      fans.unite(mesh.nextCorner(c), partner);
    }
  // The first fan keeps the point, the others get copies.
  std::vector<int32_t> fanOf(mesh.pointCount(), -1), pointOf(mesh.cornerCount(), -1);
  for (size_t f = 0; f < mesh.faceCount(); ++f)
    for (int32_t c = mesh.face(f).first; c < mesh.face(f).first + mesh.face(f).count; ++c) {
      const int32_t point = mesh.corner(c).point, fan = fans.find(c);
      int32_t& known = fanOf[point];
      if (known < 0) known = fan;
      if (known == fan) continue;
      int32_t& copy = pointOf[fan];
      if (copy < 0) {
        copy = mesh.copyPoint(point);
        run.note(RepairAction::SplitPoints, 1, mesh.position(point));
      }
      mesh.movePoint(c, copy);
    }
  // Fans that meet on both ends of an edge still share it: all but the first pair get a corner of their own.
  std::vector<int32_t> added(mesh.cornerCount(), -1);  // the point behind a corner
  bool any = false;
  forEachEdge(mesh.edgeUses(), [&](Span<const EdgeUse> around) {
    if (around.size() <= 2) return;
    for (const EdgeUse& use : around) {
      const int32_t partner = partners[use.corner];
      if (use.corner > partner || use.corner == around[0].corner) continue;
      const int32_t point = mesh.addPointBetween(use.low, use.high);
      run.note(RepairAction::SplitPoints, 1, mesh.position(point));
      added[use.corner] = added[partner] = point;
      any = true;
    }
  });
  for (size_t f = 0; any && f < mesh.faceCount(); ++f) {
    std::vector<RepairCorner> corners;
    for (int32_t c = mesh.face(f).first; c < mesh.face(f).first + mesh.face(f).count; ++c) {
      corners.push_back(mesh.corner(c));
      const int32_t point = added[c];
      if (point >= 0)
        corners.push_back(
            {point, Mixture::between(mesh.corner(c).vertex, mesh.corner(mesh.nextCorner(c)).vertex, 0.5)});
    }
    if (corners.size() > static_cast<size_t>(mesh.face(f).count)) mesh.setCorners(f, corners);
  }
}

}  // namespace hackle::detail
