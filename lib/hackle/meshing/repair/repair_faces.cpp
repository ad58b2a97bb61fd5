#include <hackle/meshing/repair/repair_steps.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace hackle::detail {

namespace {

/// Height of a triangle over its longest side, relative to that side, below which it has no area.
constexpr double kFlat = 1e-9;

/// The corners without repetitions and spikes, as a cycle.
std::vector<RepairCorner> withoutSpikes(Span<const RepairCorner> corners) {
  std::vector<RepairCorner> kept;
  const auto tidyEnd = [&] {
    while (true) {
      const size_t n = kept.size();
      if (n >= 2 && kept[n - 1].point == kept[n - 2].point)
        kept.pop_back();
      else if (n >= 3 && kept[n - 1].point == kept[n - 3].point)
        kept.resize(n - 2);
      else
        break;
    }
  };
  for (const RepairCorner& c : corners) {
    kept.push_back(c);
    tidyEnd();
  }
  // Where the cycle closes: compare the end with the start.
  size_t start = 0;
  while (kept.size() - start >= 2) {
    const size_t n = kept.size();
    if (kept[n - 1].point == kept[start].point) {
      kept.pop_back();
    } else if (n - start >= 3 && kept[n - 2].point == kept[start].point) {
      kept.resize(n - 2);
    } else if (n - start >= 3 && kept[n - 1].point == kept[start + 1].point) {
      start += 1;
      kept.pop_back();
    } else {
      break;
    }
  }
  kept.erase(kept.begin(), kept.begin() + static_cast<std::ptrdiff_t>(start));
  return kept;
}

/// The smallest of the cycle's rotations: equal for equal cycles.
std::vector<int32_t> smallestRotation(const std::vector<int32_t>& cycle) {
  const int32_t least = *std::min_element(cycle.begin(), cycle.end());
  std::vector<int32_t> best;
  for (size_t i = 0; i < cycle.size(); ++i) {
    if (cycle[i] != least) continue;
    std::vector<int32_t> turned(cycle.begin() + static_cast<std::ptrdiff_t>(i), cycle.end());
    turned.insert(turned.end(), cycle.begin(), cycle.begin() + static_cast<std::ptrdiff_t>(i));
    if (best.empty() || turned < best) best = std::move(turned);
  }
  return best;
}

/// A face as its points, whichever way it is turned.
struct FaceKey {
  int32_t name = 0;
  std::vector<int32_t> points;
  bool reversed = false;
  int32_t face = 0;

  bool sameFace(const FaceKey& o) const { return name == o.name && points == o.points; }
  bool operator<(const FaceKey& o) const {
    if (name != o.name) return name < o.name;
    return points != o.points ? points < o.points : face < o.face;
  }
};

FaceKey keyOf(const RepairMesh& mesh, size_t f) {
  FaceKey key;
  key.name = mesh.nameOf(f);
  key.face = static_cast<int32_t>(f);
  std::vector<int32_t> points = mesh.facePoints(f);
  key.points = smallestRotation(points);
  std::reverse(points.begin(), points.end());
  std::vector<int32_t> back = smallestRotation(points);
  key.reversed = back < key.points;
  if (key.reversed) key.points = std::move(back);
  return key;
}

/// Corner of a triangle opposite its longest side; -1 if the triangle has a height.
int middleCorner(const RepairMesh& mesh, size_t f) {
  const Span<const RepairCorner> c = mesh.corners(f);
  double longest = 0;
  int opposite = 0;
  for (size_t i = 0; i < 3; ++i) {
    const double length = (mesh.position(c[(i + 2) % 3].point) - mesh.position(c[(i + 1) % 3].point)).norm();
    if (length <= longest) continue;
    longest = length;
    opposite = static_cast<int>(i);
  }
  return mesh.areaVector(f).norm() <= kFlat * longest * longest ? opposite : -1;
}

/// Part of the way from a to b at which p lies.
double fractionAlong(const Vec3& a, const Vec3& b, const Vec3& p) {
  const double squared = (b - a).squaredNorm();
  return squared > 0 ? std::clamp((p - a).dot(b - a) / squared, 0.0, 1.0) : 0.5;
}

/// Gives the triangle's middle corner to `other`, which has its longest side.
bool absorb(RepairRun& run, size_t sliver, int middle, const EdgeUse& use) {
  RepairMesh& mesh = run.mesh;
  const int32_t point = mesh.corners(sliver)[middle].point;
  const size_t other = static_cast<size_t>(use.face);
  std::vector<RepairCorner> corners;
  const int32_t first = mesh.face(other).first;
  for (int32_t k = 0; k < mesh.face(other).count; ++k) {
    const RepairCorner& from = mesh.corner(first + k);
    if (from.point == point) return false;
    corners.push_back(from);
    if (first + k != use.corner) continue;
    const RepairCorner& to = mesh.corner(mesh.nextCorner(use.corner));
    const double t = fractionAlong(mesh.position(from.point), mesh.position(to.point), mesh.position(point));
    corners.push_back({point, Mixture::between(from.vertex, to.vertex, t)});
  }
  run.note(RepairAction::DropDegenerateFaces, sliver);
  mesh.removeFace(sliver);
  mesh.setCorners(other, corners);
  return true;
}

}  // namespace

void mendCorners(RepairRun& run) {
  RepairMesh& mesh = run.mesh;
  for (size_t f = 0; f < mesh.faceCount(); ++f) {
    const Span<const RepairCorner> corners = mesh.corners(f);
    const size_t n = corners.size();
    bool clean = true;
    for (size_t i = 0; i < n && clean; ++i)
      clean =
          corners[i].point != corners[(i + 1) % n].point && corners[i].point != corners[(i + 2) % n].point;
    if (clean) continue;
    const std::vector<RepairCorner> kept = withoutSpikes(corners);
    run.note(kept.size() < 3 ? RepairAction::DropDegenerateFaces : RepairAction::MendCorners, f);
    if (kept.size() < 3)
      mesh.removeFace(f);
    else
      mesh.setCorners(f, kept);
  }
}

void collapseEmptyEdges(RepairRun& run) {
  RepairMesh& mesh = run.mesh;
  UnionFind sets(mesh.pointCount());
  int32_t first = -1;
  for (size_t f = 0; f < mesh.faceCount(); ++f) {
    const Span<const RepairCorner> corners = mesh.corners(f);
    for (size_t i = 0; i < corners.size(); ++i) {
      const int32_t a = corners[i].point, b = corners[(i + 1) % corners.size()].point;
      if (a == b || mesh.position(a) != mesh.position(b)) continue;
      sets.unite(a, b);
      if (first < 0) first = a;
    }
  }
  if (first < 0) return;
  run.note(RepairAction::WeldPoints, mesh.joinPoints(sets), mesh.position(first));
  mendCorners(run);
}

void dropDuplicateFaces(RepairRun& run) {
  RepairMesh& mesh = run.mesh;
  std::vector<FaceKey> keys;
  for (size_t f = 0; f < mesh.faceCount(); ++f)
    if (mesh.face(f).count > 0) keys.push_back(keyOf(mesh, f));
  std::sort(keys.begin(), keys.end());
  std::vector<int32_t> repeated;
  for (size_t begin = 0, end = 0; begin < keys.size(); begin = end) {
    while (end < keys.size() && keys[end].sameFace(keys[begin])) ++end;
    RepairFace& kept = mesh.face(static_cast<size_t>(keys[begin].face));
    for (size_t k = begin + 1; k < end; ++k) {
      const size_t f = static_cast<size_t>(keys[k].face);
      kept.twoSided = kept.twoSided || mesh.face(f).twoSided || keys[k].reversed != keys[begin].reversed;
      repeated.push_back(keys[k].face);
    }
  }
  std::sort(repeated.begin(), repeated.end());
  for (const int32_t f : repeated) {
    run.note(RepairAction::DropDuplicateFaces, static_cast<size_t>(f));
    mesh.removeFace(static_cast<size_t>(f));
  }
}

void dropWalls(RepairRun& run) {
  RepairMesh& mesh = run.mesh;
  // Join two-sided faces that share edges into patches; a patch stays if its edges are even with it.
  UnionFind patches(mesh.faceCount());
  const std::vector<EdgeUse> uses = mesh.edgeUses();
  const auto isTwoSided = [&](const EdgeUse& u) { return mesh.face(static_cast<size_t>(u.face)).twoSided; };
  forEachEdge(uses, [&](Span<const EdgeUse> around) {
    int32_t known = -1;
    for (const EdgeUse& u : around) {
      if (!isTwoSided(u)) continue;
      if (known >= 0) patches.unite(known, u.face);
      known = u.face;
    }
  });
  // Per patch: whether all edges are even with it or without it, and whether it ends at other faces only.
  std::vector<uint8_t> evenWith(mesh.faceCount(), 1), evenWithout(mesh.faceCount(), 1);
  std::vector<uint8_t> attached(mesh.faceCount(), 1);
  forEachEdge(uses, [&](Span<const EdgeUse> around) {
    const size_t inPatch = static_cast<size_t>(std::count_if(around.begin(), around.end(), isTwoSided));
    const size_t others = around.size() - inPatch;
    for (const EdgeUse& u : around) {
      if (!isTwoSided(u)) continue;
      const size_t patch = static_cast<size_t>(patches.find(u.face));
      if (around.size() % 2 == 1) evenWith[patch] = 0;
      if (others % 2 == 1) evenWithout[patch] = 0;
      if (inPatch == 1 && others == 0) attached[patch] = 0;
    }
  });
  size_t sheets = 0;
  Vec3 place = Vec3::Zero();
  for (size_t f = 0; f < mesh.faceCount(); ++f) {
    if (mesh.face(f).count == 0 || !mesh.face(f).twoSided) continue;
    const size_t patch = static_cast<size_t>(patches.find(static_cast<int32_t>(f)));
    mesh.face(f).twoSided = false;
    if (evenWith[patch] || !evenWithout[patch]) continue;
    if (attached[patch]) {
      run.note(RepairAction::DropWalls, f);
      mesh.removeFace(f);
    } else if (sheets++ == 0) {
      place = mesh.middle(f);
    }
  }
  if (sheets > 0)
    run.refuse(
        fmt::format("{} two-sided faces form a sheet without thickness around {}", sheets, placeText(place)),
        "give it a thickness, delete it, or rebuild the surface (resurface)");
}

void absorbSlivers(RepairRun& run) {
  RepairMesh& mesh = run.mesh;
  std::vector<int> middle(mesh.faceCount(), -1);
  const auto look = [&](size_t f) {
    return middle[f] = mesh.face(f).count == 3 ? middleCorner(mesh, f) : -1;
  };
  bool any = false;
  for (size_t f = 0; f < mesh.faceCount(); ++f) any = look(f) >= 0 || any;
  // Each round changes a face at most once, so that the table of edges stays true for it.
  while (any) {
    run.context.checkCancel();
    any = false;
    std::vector<uint8_t> touched(mesh.faceCount(), 0);
    forEachEdge(mesh.edgeUses(), [&](Span<const EdgeUse> around) {
      if (around.size() != 2 || around[0].face == around[1].face) return;
      for (size_t k = 0; k < 2; ++k) {
        const size_t f = static_cast<size_t>(around[k].face), other = static_cast<size_t>(around[1 - k].face);
        if (middle[f] < 0 || touched[f] || touched[other]) continue;
        const int32_t opposite = mesh.corners(f)[middle[f]].point;
        if (opposite == around[0].low || opposite == around[0].high) continue;
        if (!absorb(run, f, middle[f], around[1 - k])) continue;
        touched[f] = touched[other] = 1;
        middle[f] = middle[other] = -1;
        any = true;
      }
    });
  }
}

}  // namespace hackle::detail
