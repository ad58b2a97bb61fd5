#include <hackle/fracture/sheet/sheet_remesh.h>

#include <algorithm>
#include <cmath>
#include <queue>
#include <tuple>

namespace hackle {

namespace {

double cotangent(const Vec3& a, const Vec3& b) { return a.dot(b) / std::max(a.cross(b).norm(), 1e-300); }

class Remesher {
 public:
  Remesher(SheetMesh& mesh, std::vector<double>& sizes, std::vector<uint8_t>& keep,
           const SheetRemeshOptions& options)
      : mMesh(mesh), mSizes(sizes), mKeep(keep), mOptions(options) {}

  SheetRemeshResult run() {
    SheetRemeshResult result;
    for (int pass = 0; pass < mOptions.passes; ++pass) {
      const size_t splits = splitLong(), collapses = collapseShort(), flips = flipAll();
      result.splits += splits;
      result.collapses += collapses;
      result.flips += flips;
      if (mOptions.smooth) smooth();
      if (splits + collapses == 0) break;
    }
    if (result.changed()) {
      // Faces below a certain number are alive and vertices keep their order, so equal input gives equal
      // meshes.
      mMesh.compact(&result.vertexMap);
    }
    return result;
  }

 private:
  int32_t faceTotal() const { return static_cast<int32_t>(mMesh.faceCount()); }
  bool canonical(int32_t corner) const {  // one of the two corners of an edge
    const int32_t other = mMesh.acrossOf(corner);
    return other < 0 || corner < other;
  }
  double ratio(int32_t corner) const {
    const int32_t a = mMesh.cornerVertex(SheetMesh::next(corner)),
                  b = mMesh.cornerVertex(SheetMesh::previous(corner));
    return mMesh.restLength(corner) /
           std::min(0.5 * (mSizes[a] + mSizes[b]), 1.5 * std::min(mSizes[a], mSizes[b]));
  }
  /// Corners whose edges pass the test, most urgent first.
  template <class Test>
  std::vector<int32_t> sorted(const Test& test, bool longestFirst) const {
    std::vector<std::tuple<double, int32_t>> list;
    for (int32_t f = 0; f < faceTotal(); ++f) {
      if (mMesh.dead(f)) continue;
      for (int32_t c = 3 * f; c < 3 * f + 3; ++c)
        if (canonical(c)) {
          const double r = ratio(c);
          if (test(r)) list.emplace_back(longestFirst ? -r : r, c);
        }
    }
    std::sort(list.begin(), list.end());
    std::vector<int32_t> corners;
    for (const auto& item : list) corners.push_back(std::get<1>(item));
    return corners;
  }

  size_t splitLong() {
    size_t count = 0;
    for (int round = 0; round < 20; ++round) {
      const std::vector<int32_t> list = sorted([&](double r) { return r > mOptions.longest; }, true);
      size_t done = 0;
      std::vector<uint8_t> touched(mMesh.faceCount(), 0);
      const auto isTouched = [&](int32_t f) {  // new faces count as touched
        return f >= static_cast<int32_t>(touched.size()) || touched[f];
      };
      for (const int32_t c : list) {
        const int32_t other = mMesh.acrossOf(c);
        if (isTouched(c / 3) || (other >= 0 && isTouched(other / 3))) continue;
        // The longest edge of both faces is split first: triangles keep their angles.
        if (!longestOfFaces(c)) continue;
        touched[c / 3] = 1;
        if (other >= 0) touched[other / 3] = 1;
        split(c);
        ++done;
      }
      count += done;
      if (done == 0) break;
    }
    return count;
  }

  bool longestOfFaces(int32_t corner) const {
    const double length = mMesh.restLength(corner) * (1 + 1e-9);
    for (const int32_t c : {corner, mMesh.acrossOf(corner)})
      if (c >= 0)
        for (const int32_t e : {SheetMesh::next(c), SheetMesh::previous(c)})
          if (mMesh.restLength(e) > length && ratio(e) > mOptions.longest) return false;
    return true;
  }

  void split(int32_t corner) {
    const int32_t a = mMesh.cornerVertex(SheetMesh::next(corner)),
                  b = mMesh.cornerVertex(SheetMesh::previous(corner));
    const int32_t face = corner / 3;
    const bool border = mMesh.acrossOf(corner) < 0;
    const int32_t m = mMesh.splitEdge(corner, 0.5);
    mSizes.push_back(0.5 * (mSizes[a] + mSizes[b]));
    mKeep.push_back(border ? 0 : (mKeep[a] & mKeep[b] & 2));
    if (!mOptions.project || border) return;
    // The new vertex goes back to the curved rest shape, and by as much in the world.
    const Vec3 shift = mOptions.project(mMesh.rest[m]) - mMesh.rest[m];
    const double along = shift.dot(mMesh.restNormal(face));
    const Vec3 world = along * mMesh.normal(face);
    mMesh.rest[m] += shift;
    for (std::vector<Vec3>* values : {&mMesh.x, &mMesh.xBefore, &mMesh.inertial, &mMesh.coast})
      (*values)[m] += world;
  }

  bool alike(int32_t f, int32_t g) const {
    const SheetHistory &a = mMesh.history[f], &b = mMesh.history[g];
    const double h = a.thickness;
    return (a.stretch - b.stretch).norm() < mOptions.historyTolerance &&
           (a.curvature - b.curvature).norm() * h < mOptions.historyTolerance &&
           std::abs(b.thickness / h - 1) < mOptions.historyTolerance;
  }

  size_t flipAll() {
    size_t count = 0;
    for (int round = 0; round < 6; ++round) {
      size_t done = 0;
      for (int32_t f = 0; f < faceTotal(); ++f)
        for (int32_t k = 0; k < 3 && !mMesh.dead(f); ++k)
          if (shouldFlip(3 * f + k)) {
            withMomentum({3 * f + k, mMesh.across[f][k]}, [&] { mMesh.flipEdge(3 * f + k); });
            ++done;
          }
      count += done;
      if (done == 0) break;
    }
    return count;
  }

  bool shouldFlip(int32_t corner) const {
    const int32_t other = mMesh.acrossOf(corner);
    if (other < 0 || other < corner || mMesh.kind[mMesh.edgeOf(corner)] != SheetEdgeKind::Inner) return false;
    for (const int32_t c : {corner, other, SheetMesh::next(corner), SheetMesh::previous(corner)})
      if (mKeep[mMesh.cornerVertex(c)] & kTouched) return false;
    const Vec3 &o = mMesh.rest[mMesh.cornerVertex(corner)], &p = mMesh.rest[mMesh.cornerVertex(other)];
    const Vec3 &a = mMesh.rest[mMesh.cornerVertex(SheetMesh::next(corner))],
               &b = mMesh.rest[mMesh.cornerVertex(SheetMesh::previous(corner))];
    if (cotangent(a - o, b - o) + cotangent(a - p, b - p) > -0.02) return false;
    const Vec3 n = mMesh.restNormal(corner / 3);
    if (n.dot(mMesh.restNormal(other / 3)) < 0.9 || !alike(corner / 3, other / 3)) return false;
    // Both new faces must stand upright, at rest and now.
    if ((a - o).cross(p - o).dot(n) <= 0 || (b - p).cross(o - p).dot(n) <= 0) return false;
    const Vec3 w = mMesh.normal(corner / 3) + mMesh.normal(other / 3);
    const auto at = [&](int32_t c) -> const Vec3& { return mMesh.x[mMesh.cornerVertex(c)]; };
    const Vec3 &xo = at(corner), &xp = at(other), &xa = at(SheetMesh::next(corner)),
               &xb = at(SheetMesh::previous(corner));
    return (xa - xo).cross(xp - xo).dot(w) > 0 && (xb - xp).cross(xo - xp).dot(w) > 0;
  }

  size_t collapseShort() {
    size_t count = 0;
    for (const int32_t c : sorted([&](double r) { return r < mOptions.shortest; }, false)) {
      if (mMesh.dead(c / 3) || !(ratio(c) < mOptions.shortest)) continue;
      if (canCollapse(c)) {
        collapse(c);
        ++count;
      } else if (const int32_t other = mMesh.acrossOf(c); other >= 0 && canCollapse(other)) {
        collapse(other);
        ++count;
      }
    }
    return count;
  }

  void collapse(int32_t corner) {
    std::vector<int32_t> around = mMesh.fan(SheetMesh::next(corner));
    withMomentum(around, [&] { mMesh.collapseEdge(corner); });
  }

  /// May the start of the edge be pulled to its end?
  bool canCollapse(int32_t corner) const {
    const int32_t from = mMesh.cornerVertex(SheetMesh::next(corner)),
                  to = mMesh.cornerVertex(SheetMesh::previous(corner));
    if (mKeep[from] || mMesh.acrossOf(corner) < 0) return false;
    const std::vector<int32_t> around = mMesh.fan(SheetMesh::next(corner));
    const int32_t other = mMesh.acrossOf(corner);
    std::vector<int32_t> ring;
    for (const int32_t c : around) {
      if (mMesh.acrossOf(SheetMesh::next(c)) < 0 || mMesh.acrossOf(SheetMesh::previous(c)) < 0)
        return false;  // border
      if (mMesh.kind[mMesh.edgeOf(SheetMesh::next(c))] != SheetEdgeKind::Inner) return false;
      ring.push_back(mMesh.cornerVertex(SheetMesh::next(c)));
      if (!alike(c / 3, corner / 3) || (mKeep[ring.back()] & kTouched)) return false;
    }
    // Common neighbours must be the two apexes only.
    int common = 0;
    for (const int32_t c : mMesh.fan(SheetMesh::previous(corner)))
      for (const int32_t p :
           {mMesh.cornerVertex(SheetMesh::next(c)), mMesh.cornerVertex(SheetMesh::previous(c))})
        if (p != from && std::find(ring.begin(), ring.end(), p) != ring.end()) {
          const bool apex = p == mMesh.cornerVertex(corner) || p == mMesh.cornerVertex(other);
          if (!apex) return false;
          ++common;
        }
    if (common == 0) return false;
    for (const int32_t c : around) {
      const int32_t f = c / 3;
      if (f == corner / 3 || f == other / 3) continue;
      const Vec3 &p = mMesh.rest[mMesh.cornerVertex(SheetMesh::next(c))],
                 &q = mMesh.rest[mMesh.cornerVertex(SheetMesh::previous(c))], &t = mMesh.rest[to];
      const Vec3 n = (p - t).cross(q - t);
      const double longest = std::max({(p - t).squaredNorm(), (q - t).squaredNorm(), (q - p).squaredNorm()});
      if (n.dot(mMesh.restNormal(f)) < std::max(0.3 * longest, 0.95 * n.norm())) return false;
      const double size = 0.5 * (mSizes[to] + mSizes[mMesh.cornerVertex(SheetMesh::next(c))]);
      if ((p - t).norm() > 0.95 * mOptions.longest * size) return false;
      const Vec3 &xp = mMesh.x[mMesh.cornerVertex(SheetMesh::next(c))],
                 &xq = mMesh.x[mMesh.cornerVertex(SheetMesh::previous(c))], &xt = mMesh.x[to];
      const Vec3 m = (xp - xt).cross(xq - xt);
      if (m.dot(mMesh.normal(f)) < 0.9 * m.norm()) return false;
    }
    return true;
  }

  double volumeOf(int32_t f) const {
    return mMesh.history[f].thickness * mMesh.history[f].stretch.determinant() * mMesh.restArea(f);
  }
  double volumeAt(int32_t corner) const {
    double sum = 0;
    for (const int32_t c : mMesh.fan(corner)) sum += volumeOf(c / 3) / 3;
    return sum;
  }

  /// Runs a change of the faces of these corners; volume and momentum of the patch are afterwards what they
  /// were.
  template <class Change>
  void withMomentum(const std::vector<int32_t>& corners, const Change& change) {
    std::vector<int32_t> patch;
    for (const int32_t c : corners) patch.push_back(c / 3);
    const auto momentum = [&](const std::vector<Vec3>& velocity, double& volume) {
      Vec3 p = Vec3::Zero();
      volume = 0;
      for (const int32_t f : patch) {
        if (mMesh.dead(f)) continue;
        const double part = volumeOf(f);
        volume += part;
        for (const int32_t q : mMesh.faces[f]) p += part / 3 * velocity[q];
      }
      return p;
    };
    double before = 0, after = 0;
    const Vec3 p = momentum(mMesh.v, before), q = momentum(mMesh.vBefore, before);
    change();
    momentum(mMesh.v, after);
    if (after > 0 && after != before)  // rounding, and patches of curved rest shapes
      for (const int32_t f : patch)
        if (!mMesh.dead(f)) mMesh.history[f].thickness *= before / after;
    const Vec3 dp = p - momentum(mMesh.v, after), dq = q - momentum(mMesh.vBefore, after);
    double inertia = 0;
    std::vector<int32_t> vertices;
    for (const int32_t f : patch) {
      if (mMesh.dead(f)) continue;
      for (int32_t k = 0; k < 3; ++k)
        if (std::find(vertices.begin(), vertices.end(), mMesh.faces[f][k]) == vertices.end()) {
          vertices.push_back(mMesh.faces[f][k]);
          inertia += volumeAt(3 * f + k);
        }
    }
    for (const int32_t vertex : vertices) {
      mMesh.v[vertex] += dp / inertia;
      mMesh.vBefore[vertex] += dq / inertia;
    }
  }

  /// Pulls inner vertices to the middle of their faces; the world follows the rest shape.
  void smooth() {
    const std::vector<int32_t> corners = mMesh.cornerOfVertices();
    for (size_t p = 0; p < corners.size(); ++p) {
      if (corners[p] < 0 || mKeep[p] || mMesh.onBorder(corners[p])) continue;
      Vec3 sum = Vec3::Zero(), now = Vec3::Zero();
      double weight = 0;
      const std::vector<int32_t> around = mMesh.fan(corners[p]);
      for (const int32_t c : around) {
        const Triangle& t = mMesh.faces[c / 3];
        const double w = mMesh.restArea(c / 3);
        sum += w * (mMesh.rest[t[0]] + mMesh.rest[t[1]] + mMesh.rest[t[2]]) / 3;
        now += w * (mMesh.x[t[0]] + mMesh.x[t[1]] + mMesh.x[t[2]]) / 3;
        weight += w;
      }
      const Vec3 middle = sum / weight;
      Vec3 target = 0.5 * (mMesh.rest[p] + middle);
      Vec3 world = 0.5 * (mMesh.x[p] + now / weight);
      if (mOptions.project) {
        const Vec3 projected = mOptions.project(target);
        world += projected - target;
        target = projected;
      }
      bool upright = true;
      for (const int32_t c : around) {
        const Vec3 &a = mMesh.rest[mMesh.cornerVertex(SheetMesh::next(c))],
                   &b = mMesh.rest[mMesh.cornerVertex(SheetMesh::previous(c))];
        upright = upright &&
                  (a - target).cross(b - target).dot(mMesh.restNormal(c / 3)) > 0.3 * mMesh.restArea(c / 3);
      }
      if (!upright) continue;
      mMesh.rest[p] = target;
      for (std::vector<Vec3>* values : {&mMesh.x, &mMesh.xBefore, &mMesh.inertial, &mMesh.coast})
        (*values)[p] = world;
    }
  }

  SheetMesh& mMesh;
  std::vector<double>& mSizes;
  std::vector<uint8_t>& mKeep;
  const SheetRemeshOptions& mOptions;
};

}  // namespace

void gradeSizes(const SheetMesh& mesh, double grading, std::vector<double>& sizes) {
  std::vector<std::vector<std::pair<int32_t, double>>> neighbours(mesh.vertexCount());
  for (int32_t f = 0; f < static_cast<int32_t>(mesh.faceCount()); ++f) {
    if (mesh.dead(f)) continue;
    for (int32_t k = 0; k < 3; ++k) {
      const int32_t a = mesh.faces[f][k], b = mesh.faces[f][(k + 1) % 3];
      const double l = (mesh.rest[a] - mesh.rest[b]).norm();
      neighbours[a].emplace_back(b, l);
      neighbours[b].emplace_back(a, l);
    }
  }
  using Item = std::pair<double, int32_t>;
  std::priority_queue<Item, std::vector<Item>, std::greater<Item>> queue;
  for (size_t p = 0; p < sizes.size(); ++p) queue.emplace(sizes[p], static_cast<int32_t>(p));
  while (!queue.empty()) {
    const auto [size, p] = queue.top();
    queue.pop();
    if (size > sizes[p]) continue;
    for (const auto& [q, l] : neighbours[p])
      if (size + grading * l < sizes[q]) {
        sizes[q] = size + grading * l;
        queue.emplace(sizes[q], q);
      }
  }
}

SheetRemeshResult remesh(SheetMesh& mesh, std::vector<double> sizes, std::vector<uint8_t> keep,
                         const SheetRemeshOptions& options) {
  return Remesher(mesh, sizes, keep, options).run();
}

}  // namespace hackle
