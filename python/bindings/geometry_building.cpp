// Geometry from arrays.
#include "bindings.h"

#include <fmt/format.h>

namespace hackle::python {

namespace {

/// Primitives as Geometry::addPrimitives takes them.
struct Corners {
  std::vector<int32_t> counts;
  std::vector<int32_t> points;
};

int32_t checkedIndex(int64_t index, size_t primitive, size_t pointCount, const char* noun) {
  if (index >= 0 && static_cast<size_t>(index) < pointCount) return static_cast<int32_t>(index);
  throw Error(ErrorCode::BadInput,
              fmt::format("{} {} uses point {}, but there are {} points", noun, primitive, index, pointCount),
              "point indices count from 0");
}

void addPrimitive(Corners& corners, const int64_t* points, size_t count, size_t pointCount, const char* noun,
                  size_t fewest) {
  const size_t primitive = corners.counts.size();
  if (count < fewest)
    throw Error(ErrorCode::BadInput,
                fmt::format("{} {} has {} corners, it needs at least {}", noun, primitive, count, fewest));
  for (size_t c = 0; c < count; ++c)
    corners.points.push_back(checkedIndex(points[c], primitive, pointCount, noun));
  corners.counts.push_back(static_cast<int32_t>(count));
}

/// From flat indices and the number of corners of each primitive.
Corners cornersFromCounts(py::handle flat, py::handle counts, size_t pointCount, const char* noun,
                          size_t fewest) {
  const std::vector<int64_t> points = integersFrom(anyArray(flat, "polygons"), "polygons");
  Corners corners;
  size_t next = 0;
  for (const int64_t count : integersFrom(anyArray(counts, "counts"), "counts")) {
    if (count < 0 || next + static_cast<size_t>(count) > points.size())
      throw Error(
          ErrorCode::Usage,
          fmt::format("counts: they ask for more corners than the {} that polygons has", points.size()));
    addPrimitive(corners, points.data() + next, static_cast<size_t>(count), pointCount, noun, fewest);
    next += static_cast<size_t>(count);
  }
  if (next != points.size())
    throw Error(ErrorCode::Usage,
                fmt::format("counts: they add up to {}, but polygons has {} corners", next, points.size()));
  return corners;
}

/// From an (m, k) array or a sequence of sequences of indices.
Corners cornersFrom(py::handle object, size_t pointCount, const char* noun, size_t fewest) {
  Corners corners;
  // Lists of lists of different lengths are no array; numpy is not asked about them.
  if (py::isinstance<py::list>(object) || py::isinstance<py::tuple>(object)) {
    for (const py::handle item : object) {
      const std::string what = fmt::format("{} {}", noun, corners.counts.size());
      const std::vector<int64_t> points = integersFrom(anyArray(item, what), what);
      addPrimitive(corners, points.data(), points.size(), pointCount, noun, fewest);
    }
    return corners;
  }
  const py::array given = anyArray(object, "polygons");
  if (given.size() == 0) return corners;
  if (given.ndim() != 2)
    throw Error(ErrorCode::Usage,
                fmt::format("polygons: expected an array of shape (m, corners), got {}", shapeText(given)),
                "for flat indices give counts, the number of corners of each polygon");
  const std::vector<int64_t> points = integersFrom(given, "polygons");
  const size_t width = static_cast<size_t>(given.shape(1));
  corners.points.reserve(points.size());
  for (size_t first = 0; first < points.size(); first += width)
    addPrimitive(corners, points.data() + first, width, pointCount, noun, fewest);
  return corners;
}

Geometry geometryWithPoints(py::handle object) {
  Geometry geometry;
  std::vector<Vec3> points = pointsFrom(object, "points");
  geometry.addPoints(points.size());
  geometry.editPositions() = std::move(points);
  return geometry;
}

GeometryObject fromArrays(const py::object& points, const py::object& polygons, const py::object& counts,
                          bool closed) {
  Geometry geometry = geometryWithPoints(points);
  const char* noun = closed ? "polygon" : "polyline";
  const size_t fewest = closed ? 3 : 2;
  Corners corners;
  if (!polygons.is_none())
    corners = counts.is_none() ? cornersFrom(polygons, geometry.pointCount(), noun, fewest)
                               : cornersFromCounts(polygons, counts, geometry.pointCount(), noun, fewest);
  geometry.addPrimitives(closed ? PrimitiveType::Polygon : PrimitiveType::Polyline, corners.counts,
                         corners.points);
  return GeometryObject(std::move(geometry));
}

GeometryObject fromTetrahedra(const py::object& points, const py::object& tetrahedra) {
  Geometry geometry = geometryWithPoints(points);
  Corners corners = cornersFrom(tetrahedra, geometry.pointCount(), "tetrahedron", 4);
  for (size_t t = 0; t < corners.counts.size(); ++t) {
    if (corners.counts[t] != 4)
      throw Error(ErrorCode::BadInput,
                  fmt::format("tetrahedron {} has {} corners, it needs 4", t, corners.counts[t]));
    int32_t* c = &corners.points[4 * t];
    const auto at = [&](int i) { return geometry.position(static_cast<size_t>(c[i])); };
    if ((at(1) - at(0)).dot((at(2) - at(0)).cross(at(3) - at(0))) < 0) std::swap(c[2], c[3]);
  }
  geometry.addPrimitives(PrimitiveType::Tetrahedron, corners.counts, corners.points);
  return GeometryObject(std::move(geometry));
}

GeometryObject fromPacked(const py::sequence& geometries, const py::object& positions) {
  const std::vector<Vec3> places = pointsFrom(positions, "positions");
  if (places.size() != py::len(geometries))
    throw Error(ErrorCode::Usage, fmt::format("positions: there are {} of them for {} geometries",
                                              places.size(), py::len(geometries)));
  Geometry geometry;
  for (const Vec3& place : places) {
    const py::object content = geometries[geometry.primitiveCount()];
    PackedPrimitive packed;
    packed.source = std::make_shared<const Geometry>(content.cast<const GeometryObject&>().share());
    geometry.addPacked(std::move(packed), place);
  }
  return GeometryObject(std::move(geometry));
}

}  // namespace

void bindBuilding(GeometryClass& geometry) {
  geometry
      .def_static(
          "from_arrays", &fromArrays, py::arg("points"), py::arg("polygons") = py::none(), py::kw_only(),
          py::arg("counts") = py::none(), py::arg("closed") = true,
          "Geometry from points (n, 3) and polygons, counter-clockwise seen from outside: an (m, corners)\n"
          "array of point indices, a list of lists of them, or flat indices with `counts`, the number of\n"
          "corners of each. closed=False makes polylines. The arrays are copied.")
      .def_static("from_tets", &fromTetrahedra, py::arg("points"), py::arg("tets"),
                  "Geometry from points (n, 3) and tetrahedra (m, 4). Those that are inside out are turned.")
      .def_static(
          "from_packed", &fromPacked, py::arg("geometries"), py::arg("positions"),
          "One packed primitive per geometry, its origin at a position of (n, 3): bodies as Houdini's\n"
          "simulations have them.");
}

}  // namespace hackle::python
