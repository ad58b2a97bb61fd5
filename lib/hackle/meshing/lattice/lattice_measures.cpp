#include <hackle/core/parallel.h>
#include <hackle/meshing/lattice/lattice.h>

#include <algorithm>
#include <cmath>
#include <tuple>

namespace hackle {

namespace {

// Counter-clockwise seen from outside of a tetrahedron of positive volume.
constexpr size_t kFaces[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};

struct Face {
  Triangle key;  // points in rising order
  int32_t tetrahedron, side;
  bool operator<(const Face& o) const {
    return std::tie(key, tetrahedron, side) < std::tie(o.key, o.tetrahedron, o.side);
  }
};

struct Extremes {
  double cosMin = 1, cosMax = -1;  // cosines of the largest and the smallest angle
  double volume = 0, shape = 1;
};

Extremes measure(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  const Vec3 corners[4] = {a, b, c, d};
  Vec3 normals[4];
  double areas = 0;
  for (size_t f = 0; f < 4; ++f) {
    const Vec3& o = corners[kFaces[f][0]];
    const Vec3 n = (corners[kFaces[f][1]] - o).cross(corners[kFaces[f][2]] - o);
    areas += 0.5 * n.norm();
    normals[f] = n.normalized();
  }
  Extremes e;
  for (size_t f = 0; f < 4; ++f)
    for (size_t g = f + 1; g < 4; ++g) {
      const double cosine = -normals[f].dot(normals[g]);
      e.cosMin = std::min(e.cosMin, cosine);
      e.cosMax = std::max(e.cosMax, cosine);
    }
  const Vec3 u = b - a, v = c - a, w = d - a;
  const double six = u.dot(v.cross(w));
  e.volume = six / 6.0;
  // Circumradius: |u^2 (v x w) + v^2 (w x u) + w^2 (u x v)| / (12 V); inradius: 3 V / area.
  const double moment =
      (u.squaredNorm() * v.cross(w) + v.squaredNorm() * w.cross(u) + w.squaredNorm() * u.cross(v)).norm();
  e.shape = areas > 0 && moment > 0 ? 3.0 * (3.0 * e.volume / areas) * (2.0 * six / moment) : 0.0;
  if (six < 0) e.shape = -e.shape;
  return e;
}

}  // namespace

std::vector<Triangle> boundaryFaces(Span<const Tetrahedron> tetrahedra, Span<const uint8_t> candidate,
                                    Context& context) {
  constexpr size_t kGrain = 8192;
  std::vector<std::vector<Face>> parts(tetrahedra.size() / kGrain + 1);
  parallelRanges(context, tetrahedra.size(), kGrain, [&](size_t begin, size_t end) {
    for (size_t t = begin; t < end; ++t)
      for (size_t side = 0; side < 4; ++side) {
        Face face{{}, static_cast<int32_t>(t), static_cast<int32_t>(side)};
        bool wanted = true;
        for (size_t c = 0; c < 3; ++c) {
          face.key[c] = tetrahedra[t][kFaces[side][c]];
          wanted = wanted && (candidate.empty() || candidate[face.key[c]]);
        }
        if (!wanted) continue;
        std::sort(face.key.begin(), face.key.end());
        parts[begin / kGrain].push_back(face);
      }
  });
  std::vector<Face> faces;
  for (const std::vector<Face>& part : parts) faces.insert(faces.end(), part.begin(), part.end());
  parallelStableSort(context, faces, std::less<Face>());
  std::vector<Face> single;
  for (size_t i = 0; i < faces.size();) {
    size_t end = i + 1;
    while (end < faces.size() && faces[end].key == faces[i].key) ++end;
    if (end == i + 1) single.push_back(faces[i]);
    i = end;
  }
  std::sort(single.begin(), single.end(), [](const Face& a, const Face& b) {
    return std::tie(a.tetrahedron, a.side) < std::tie(b.tetrahedron, b.side);
  });
  std::vector<Triangle> result(single.size());
  for (size_t i = 0; i < single.size(); ++i)
    for (size_t c = 0; c < 3; ++c)
      result[i][c] = tetrahedra[single[i].tetrahedron][kFaces[single[i].side][c]];
  return result;
}

TetQuality tetQuality(Span<const Vec3> points, Span<const Tetrahedron> tetrahedra, Context& context) {
  if (tetrahedra.empty()) return {};
  const auto at = [&](int32_t p) -> const Vec3& { return points[p]; };
  const auto combine = [](Extremes a, const Extremes& b) {
    a.cosMin = std::min(a.cosMin, b.cosMin);
    a.cosMax = std::max(a.cosMax, b.cosMax);
    a.volume += b.volume;
    a.shape = std::min(a.shape, b.shape);
    return a;
  };
  const Extremes all = parallelReduce(
      context, tetrahedra.size(), 4096, Extremes(),
      [&](size_t begin, size_t end) {
        Extremes part;
        for (size_t i = begin; i < end; ++i) {
          const Tetrahedron& t = tetrahedra[i];
          part = combine(part, measure(at(t[0]), at(t[1]), at(t[2]), at(t[3])));
        }
        return part;
      },
      combine);
  const auto degrees = [](double cosine) {
    return std::acos(std::clamp(cosine, -1.0, 1.0)) * 57.29577951308232;
  };
  return {degrees(all.cosMax), degrees(all.cosMin), all.volume, all.shape};
}

}  // namespace hackle
