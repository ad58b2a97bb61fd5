#include <hackle/geometry/winding_number.h>
#include <hackle/meshing/repair/repair_steps.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <tuple>

namespace hackle::detail {

namespace {

/// A connected closed surface.
struct Shell {
  std::vector<int32_t> faces;
  std::vector<Triangle> triangles;
  Box3 box;
  double volume = 0, area = 0;
  double triangleVolume = 0;  // volume, but from the triangles
  int32_t name = 0;
  bool outward = true;  // as the input had it
  bool certain = true;  // the input's faces agreed about that
  bool dropped = false;
  std::vector<size_t> around;  // the shells that it lies in
  std::unique_ptr<TriangleBvh> bvh;
  std::unique_ptr<WindingNumber> winding;
};

/// Shells by their first faces.
std::vector<Shell> findShells(const RepairMesh& mesh) {
  UnionFind joined(mesh.pointCount());
  for (size_t f = 0; f < mesh.faceCount(); ++f)
    for (const RepairCorner& c : mesh.corners(f)) joined.unite(mesh.corners(f)[0].point, c.point);
  std::vector<Shell> shells;
  std::vector<int32_t> shellOf(mesh.pointCount(), -1);
  const auto shellAt = [&](int32_t point) -> int32_t& { return shellOf[joined.find(point)]; };
  for (size_t f = 0; f < mesh.faceCount(); ++f) {
    if (mesh.face(f).count == 0) continue;
    int32_t& shell = shellAt(mesh.corners(f)[0].point);
    if (shell < 0) {
      shell = static_cast<int32_t>(shells.size());
      shells.emplace_back().name = mesh.nameOf(f);
    }
    shells[shell].faces.push_back(static_cast<int32_t>(f));
    for (const RepairCorner& c : mesh.corners(f)) shells[shell].box.add(mesh.position(c.point));
  }
  const TriangleMesh triangles = mesh.triangles();
  for (const Triangle& t : triangles.triangles) {
    Shell& shell = shells[shellAt(t[0])];
    shell.triangles.push_back(t);
    const Vec3 &a = mesh.position(t[0]), &b = mesh.position(t[1]), &c = mesh.position(t[2]);
    shell.area += 0.5 * (b - a).cross(c - a).norm();
    const Vec3 o = shell.box.centre();
    shell.triangleVolume += (a - o).dot((b - o).cross(c - o)) / 6.0;
  }
  // The triangles of a crooked polygon can be others once it is turned over; its fan is not.
  for (Shell& shell : shells)
    for (const int32_t f : shell.faces) {
      const Vec3& corner = mesh.position(mesh.corners(static_cast<size_t>(f))[0].point);
      shell.volume += (corner - shell.box.centre()).dot(mesh.areaVector(static_cast<size_t>(f))) / 6.0;
    }
  return shells;
}

void reverseShell(RepairMesh& mesh, Shell& shell) {
  for (const int32_t f : shell.faces) mesh.reverse(static_cast<size_t>(f));
  for (Triangle& t : shell.triangles) std::swap(t[1], t[2]);
  shell.volume = -shell.volume;
}

void dropShell(RepairRun& run, Shell& shell, RepairAction action) {
  run.note(action, static_cast<size_t>(shell.faces[0]));
  for (const int32_t f : shell.faces) run.mesh.removeFace(static_cast<size_t>(f));
  shell.dropped = true;
}

/// Turns all shells outwards and remembers how they were.
void turnOutwards(RepairRun& run, std::vector<Shell>& shells) {
  constexpr double kFlat = 1e-12, kMajority = 0.75;
  for (Shell& shell : shells) {
    // Crumpled polygons that enclose a volume or its opposite, depending on how they are cut, have none.
    const bool agreed = (shell.volume > 0) == (shell.triangleVolume > 0);
    if (!agreed || std::abs(shell.volume) <= kFlat * std::pow(shell.area, 1.5)) {
      dropShell(run, shell, RepairAction::DropFlatShells);
      continue;
    }
    size_t reversed = 0;
    for (const int32_t f : shell.faces) reversed += run.mesh.face(static_cast<size_t>(f)).reversed;
    const double part = static_cast<double>(reversed) / static_cast<double>(shell.faces.size());
    shell.outward = (shell.volume > 0) == (part < 0.5);
    shell.certain = std::max(part, 1 - part) >= kMajority;
    if (shell.volume < 0) reverseShell(run.mesh, shell);
  }
}

/// Drops shells whose faces all lie exactly on those of an earlier one.
void dropCopies(RepairRun& run, std::vector<Shell>& shells) {
  const RepairMesh& mesh = run.mesh;
  using Place = std::tuple<double, double, double>;
  const auto placesOf = [&](const Shell& shell) {
    std::vector<std::array<Place, 3>> places;
    for (const Triangle& t : shell.triangles) {
      std::array<Place, 3> corners;
      for (size_t i = 0; i < 3; ++i) {
        const Vec3& p = mesh.position(t[i]);
        corners[i] = {p.x(), p.y(), p.z()};
      }
      std::sort(corners.begin(), corners.end());
      places.push_back(corners);
    }
    std::sort(places.begin(), places.end());
    return places;
  };
  const auto key = [](const Shell& s) {
    return std::make_tuple(s.name, s.triangles.size(), s.box.min.x(), s.box.min.y(), s.box.min.z(),
                           s.box.max.x(), s.box.max.y(), s.box.max.z());
  };
  std::vector<size_t> order;
  for (size_t i = 0; i < shells.size(); ++i)
    if (!shells[i].dropped) order.push_back(i);
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return key(shells[a]) < key(shells[b]); });
  for (size_t i = 1; i < order.size(); ++i) {
    if (key(shells[order[i]]) != key(shells[order[i - 1]])) continue;
    if (placesOf(shells[order[i]]) != placesOf(shells[order[i - 1]])) continue;
    dropShell(run, shells[order[i]], RepairAction::DropRepeatedShells);
    order[i] = order[i - 1];
  }
}

void indexShell(const RepairMesh& mesh, Shell& shell, Context& context) {
  if (shell.bvh) return;
  std::vector<Vec3> points;
  std::vector<Triangle> triangles;
  for (const Triangle& t : shell.triangles) {
    const int32_t first = static_cast<int32_t>(points.size());
    for (const int32_t p : t) points.push_back(mesh.position(p));
    triangles.push_back({first, first + 1, first + 2});
  }
  shell.bvh = std::make_unique<TriangleBvh>(points, triangles, context);
  shell.winding = std::make_unique<WindingNumber>(*shell.bvh, context);
}

/// Whether an edge of one meets a face of the other.
bool edgesMeet(const RepairMesh& mesh, const Shell& edges, const Shell& faces) {
  for (const Triangle& t : edges.triangles)
    for (size_t i = 0; i < 3; ++i) {
      const Vec3 &a = mesh.position(t[i]), &b = mesh.position(t[(i + 1) % 3]);
      Box3 box;
      box.add(a);
      box.add(b);
      if ((box.max - faces.box.min).minCoeff() < 0 || (faces.box.max - box.min).minCoeff() < 0) continue;
      Ray ray;
      ray.origin = a;
      ray.direction = b - a;
      ray.tMax = 1;
      if (faces.bvh->anyHit(ray)) return true;
    }
  return false;
}

/// Whether `inner` lies in `outer` without touching it.
bool liesIn(const RepairMesh& mesh, Shell& inner, Shell& outer, Context& context) {
  const bool boxed =
      (inner.box.min - outer.box.min).minCoeff() >= 0 && (outer.box.max - inner.box.max).minCoeff() >= 0;
  if (!boxed || inner.name != outer.name) return false;
  indexShell(mesh, inner, context);
  indexShell(mesh, outer, context);
  if ((*outer.winding)(mesh.position(inner.triangles[0][0])) < 0.5) return false;
  return !edgesMeet(mesh, inner, outer) && !edgesMeet(mesh, outer, inner);
}

/// Decides shell by shell, from the outside in, by the number of times that the space outside and inside of
/// it lies in the solid.
void settleNesting(RepairRun& run, std::vector<Shell>& shells) {
  std::vector<size_t> order;
  for (size_t i = 0; i < shells.size(); ++i)
    if (!shells[i].dropped) order.push_back(i);
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return shells[a].around.size() < shells[b].around.size(); });
  std::vector<int> winding(shells.size(), 0);  // what the shell adds inside
  for (const size_t i : order) {
    Shell& shell = shells[i];
    int outside = 0;
    bool rootOutward = shell.outward;
    for (const size_t j : shell.around) {
      outside += winding[j];
      if (shells[j].around.empty()) rootOutward = shells[j].outward;
    }
    // A shell in the solid is a cavity if it is turned against the solid's outer shell.
    const bool cavity = outside >= 1 && (shell.outward != rootOutward || !shell.certain);
    if (outside >= 1 && !cavity) {
      winding[i] = 1;
      dropShell(run, shell, RepairAction::DropNestedShells);
    } else if (cavity && outside == 1 && !run.options.keepCavities) {
      dropShell(run, shell, RepairAction::FillCavities);
    } else if (cavity) {
      winding[i] = -1;
      if (outside > 1)
        dropShell(run, shell, RepairAction::DropNestedShells);
      else
        reverseShell(run.mesh, shell);
    } else {
      winding[i] = 1;
    }
  }
}

/// Reports what is turned over since the input: the shell, or some of its faces.
void noteTurns(RepairRun& run, const Shell& shell) {
  const auto isReversed = [&](int32_t f) {
    const RepairFace& face = run.mesh.face(static_cast<size_t>(f));
    return face.turned != face.reversed;
  };
  const size_t first = static_cast<size_t>(shell.faces[0]);
  if (std::none_of(shell.faces.begin(), shell.faces.end(), isReversed)) return;
  if (!run.options.orient) {
    run.refuse(fmt::format("the surface around {} is inside out", placeText(run.mesh.middle(first))),
               "let repair turn it over (orient)");
  } else if (std::all_of(shell.faces.begin(), shell.faces.end(), isReversed)) {
    run.note(RepairAction::TurnShells, first);
  } else {
    for (const int32_t f : shell.faces)
      if (isReversed(f)) run.note(RepairAction::TurnFaces, static_cast<size_t>(f));
  }
}

}  // namespace

void sortShells(RepairRun& run) {
  RepairMesh& mesh = run.mesh;
  std::vector<Shell> shells = findShells(mesh);
  turnOutwards(run, shells);
  dropCopies(run, shells);
  for (Shell& inner : shells)
    for (size_t j = 0; j < shells.size(); ++j) {
      run.context.checkCancel();
      if (&inner != &shells[j] && !inner.dropped && !shells[j].dropped &&
          liesIn(mesh, inner, shells[j], run.context))
        inner.around.push_back(j);
    }
  settleNesting(run, shells);

  run.forget(RepairAction::TurnFaces);
  run.forget(RepairAction::TurnShells);
  for (const Shell& shell : shells)
    if (!shell.dropped) noteTurns(run, shell);
}

}  // namespace hackle::detail
