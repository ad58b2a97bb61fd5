#include <hackle/core/error.h>
#include <hackle/core/parallel.h>
#include <hackle/fracture/modes/element_graph.h>
#include <hackle/geometry/union_find.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace hackle {

namespace {

void checkPaint(Span<const double> values, size_t elements, const char* name) {
  if (values.empty()) return;
  if (values.size() != elements)
    throw Error(ErrorCode::BadInput,
                fmt::format("{} is given for {} of {} tetrahedra", name, values.size(), elements),
                "give one value for each tetrahedron");
  for (size_t t = 0; t < elements; ++t)
    if (!(values[t] > 0) || !std::isfinite(values[t]))
      throw Error(ErrorCode::BadInput, fmt::format("{} of tetrahedron {} is {}", name, t, values[t]),
                  "paint positive, finite values");
}

struct HalfFace {
  std::array<int32_t, 3> corners;  // ascending
  int32_t element;
};

/// Every face of every tetrahedron, equal ones beside each other.
std::vector<HalfFace> sortedHalfFaces(Span<const Tetrahedron> tetrahedra, Context& context) {
  std::vector<HalfFace> halves(4 * tetrahedra.size());
  parallelFor(context, tetrahedra.size(), 4096, [&](size_t t) {
    for (size_t f = 0; f < 4; ++f) {
      HalfFace& half = halves[4 * t + f];
      half.element = static_cast<int32_t>(t);
      for (size_t k = 0; k < 3; ++k) half.corners[k] = tetrahedra[t][(f + 1 + k) % 4];
      std::sort(half.corners.begin(), half.corners.end());
    }
  });
  parallelStableSort(context, halves,
                     [](const HalfFace& a, const HalfFace& b) { return a.corners < b.corners; });
  return halves;
}

struct Face {
  std::array<int32_t, 2> elements;
  double area;
};

std::vector<Face> innerFaces(Span<const Vec3> points, Span<const Tetrahedron> tetrahedra, Context& context) {
  const std::vector<HalfFace> halves = sortedHalfFaces(tetrahedra, context);
  std::vector<Face> faces;
  for (size_t h = 0; h + 1 < halves.size(); ++h) {
    if (halves[h].corners != halves[h + 1].corners) continue;
    if (h + 2 < halves.size() && halves[h + 2].corners == halves[h].corners)
      throw Error(ErrorCode::BadInput,
                  fmt::format("tetrahedra {}, {} and {} share a face", halves[h].element,
                              halves[h + 1].element, halves[h + 2].element),
                  "remove overlapping tetrahedra");
    const auto& c = halves[h].corners;
    const Vec3 a = points[c[1]] - points[c[0]], b = points[c[2]] - points[c[0]];
    faces.push_back({{halves[h].element, halves[h + 1].element}, 0.5 * a.cross(b).norm()});
    ++h;
  }
  std::sort(faces.begin(), faces.end(), [](const Face& a, const Face& b) { return a.elements < b.elements; });
  return faces;
}

}  // namespace

ElementGraph elementGraph(Span<const Vec3> points, Span<const Tetrahedron> tetrahedra,
                          const ElementPaint& paint, Context& context) {
  const size_t n = tetrahedra.size();
  checkPaint(paint.density, n, "density");
  checkPaint(paint.toughness, n, "toughness");
  for (int axis = 0; axis < 3 && !paint.axisToughness.empty(); ++axis) {
    std::vector<double> values(paint.axisToughness.size());
    for (size_t t = 0; t < values.size(); ++t) values[t] = paint.axisToughness[t][axis];
    checkPaint(values, n, "toughness per axis");
  }

  ElementGraph graph;
  graph.masses.resize(n);
  graph.volumes.resize(n);
  for (size_t t = 0; t < n; ++t) {
    const auto& [a, b, c, d] = tetrahedra[t];
    const Vec3 p = points[a];
    graph.volumes[t] = std::abs((points[b] - p).cross(points[c] - p).dot(points[d] - p)) / 6;
    if (!(graph.volumes[t] > 0) || !std::isfinite(graph.volumes[t]))
      throw Error(ErrorCode::BadInput, fmt::format("tetrahedron {} has no volume", t),
                  "remove flat tetrahedra");
    graph.masses[t] = graph.volumes[t] * (paint.density.empty() ? 1000.0 : paint.density[t]);
  }
  const std::vector<Face> faces = innerFaces(points, tetrahedra, context);
  graph.faces.resize(faces.size());
  graph.areas.resize(faces.size());
  const Eigen::Index axes = paint.axisToughness.empty() ? 1 : 3;
  graph.costs.resize(static_cast<Eigen::Index>(faces.size()), axes);
  const auto toughness = [&](int32_t t, Eigen::Index axis) {
    return (paint.toughness.empty() ? 1.0 : paint.toughness[t]) *
           (axes == 1 ? 1.0 : paint.axisToughness[t][axis]);
  };
  for (size_t f = 0; f < faces.size(); ++f) {
    graph.faces[f] = faces[f].elements;
    graph.areas[f] = faces[f].area;
    for (Eigen::Index axis = 0; axis < axes; ++axis)
      graph.costs(static_cast<Eigen::Index>(f), axis) =
          faces[f].area * 0.5 *
          (toughness(faces[f].elements[0], axis) + toughness(faces[f].elements[1], axis));
  }
  return graph;
}

size_t elementParts(const ElementGraph& graph, std::vector<int32_t>* partOf) {
  UnionFind sets(graph.size());
  for (const auto& [a, b] : graph.faces) sets.unite(a, b);
  std::vector<int32_t> number(graph.size(), -1);
  int32_t parts = 0;
  for (size_t e = 0; e < graph.size(); ++e)
    if (const int32_t root = sets.find(static_cast<int32_t>(e)); number[root] < 0) number[root] = parts++;
  if (partOf) {
    partOf->resize(graph.size());
    for (size_t e = 0; e < graph.size(); ++e) (*partOf)[e] = number[sets.find(static_cast<int32_t>(e))];
  }
  return static_cast<size_t>(parts);
}

}  // namespace hackle
