#include "bindings.h"

#include <hackle/geometry/triangle_mesh.h>

#include <fmt/format.h>

#include <algorithm>

namespace hackle::python {

namespace {

/// Computes without the GIL. `compute` works on copies: other Python threads may edit the originals
/// meanwhile.
template <class Compute>
auto withoutGil(const Compute& compute) {
  const py::gil_scoped_release release;
  return compute();
}

std::string plural(size_t count, const std::string& noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string primitiveCounts(const Geometry& geometry) {
  std::vector<std::string> parts;
  for (int t = 0; t <= static_cast<int>(PrimitiveType::Packed); ++t) {
    const PrimitiveType type = static_cast<PrimitiveType>(t);
    const size_t count = geometry.countOf(type);
    if (count == 0) continue;
    parts.push_back(type == PrimitiveType::Tetrahedron
                        ? fmt::format("{} tetrahedr{}", count, count == 1 ? "on" : "a")
                    : type == PrimitiveType::Packed ? fmt::format("{} packed", count)
                                                    : plural(count, primitiveTypeName(type)));
  }
  return parts.empty() ? "no primitives" : fmt::format("{}", fmt::join(parts, ", "));
}

/// "<hackle.Geometry: 8 points, 6 polygons; point P Cd[3]; primitive name; group primitive:inside>"
std::string geometryRepr(const Geometry& geometry) {
  std::string text = fmt::format("<hackle.Geometry: {}, {}", plural(geometry.pointCount(), "point"),
                                 primitiveCounts(geometry));
  std::string groups;
  for (int o = 0; o < kOwnerCount; ++o) {
    const Owner owner = static_cast<Owner>(o);
    std::string names = owner == Owner::Point ? " P" : "";
    for (const Attribute& a : geometry.attributes(owner))
      names += a.tupleSize() == 1 ? " " + a.name() : fmt::format(" {}[{}]", a.name(), a.tupleSize());
    if (!names.empty()) text += fmt::format("; {}{}", ownerName(owner), names);
    for (const Group& g : geometry.groups(owner)) groups += fmt::format(" {}:{}", ownerName(owner), g.name);
  }
  return text + (groups.empty() ? "" : "; groups" + groups) + ">";
}

py::object boundsOf(const GeometryObject& self) {
  const Box3 box = self.read().bounds();
  if (box.empty()) return py::none();
  py::array_t<double> corners({2, 3});
  std::copy_n(box.min.data(), 3, corners.mutable_data());
  std::copy_n(box.max.data(), 3, corners.mutable_data() + 3);
  return std::move(corners);
}

template <size_t N>
py::array cornersView(const CowArray<std::array<int32_t, N>>& elements) {
  return viewOf<int32_t>(elements, {static_cast<py::ssize_t>(elements.size()), N});
}

py::object triangles(const GeometryObject& self, bool returnPrimitives) {
  const Geometry geometry = self.share();
  const TriangleMesh mesh = withoutGil([&] { return triangleMesh(geometry); });
  py::array corners = cornersView(mesh.triangles);
  if (!returnPrimitives) return std::move(corners);
  const Shape shape{static_cast<py::ssize_t>(mesh.primitives.size())};
  return py::make_tuple(corners, viewOf<int32_t>(mesh.primitives, shape));
}

py::array tetrahedra(const GeometryObject& self) {
  const Geometry geometry = self.share();
  return cornersView(withoutGil([&] { return tetrahedronMesh(geometry); }).tetrahedra);
}

py::list volumes(const GeometryObject& self) {
  const auto numbers = [](const Vec3& v) { return py::make_tuple(v.x(), v.y(), v.z()); };
  py::list list;
  const Geometry& geometry = self.read();
  for (size_t p = 0; p < geometry.primitiveCount(); ++p) {
    if (geometry.primitiveType(p) != PrimitiveType::Volume) continue;
    const VolumeGrid& grid = *geometry.volume(p);
    py::dict entry;
    entry["primitive"] = p;
    entry["name"] = textFrom(grid.name());
    entry["value_type"] = grid.valueType();
    entry["grid_class"] = grid.gridClass();
    entry["active_voxels"] = grid.activeVoxelCount();
    entry["voxel_size"] = numbers(grid.voxelSize());
    const Box3 box = grid.bounds();
    entry["bounds"] =
        box.empty() ? py::object(py::none()) : py::object(py::make_tuple(numbers(box.min), numbers(box.max)));
    list.append(entry);
  }
  return list;
}

void bindTopology(GeometryClass& geometry) {
  const auto viewShape = [](const auto& array) { return Shape{static_cast<py::ssize_t>(array.size())}; };
  geometry
      .def_property_readonly(
          "point_count", [](const GeometryObject& g) { return g.read().pointCount(); }, "Number of points.")
      .def_property_readonly(
          "vertex_count", [](const GeometryObject& g) { return g.read().vertexCount(); },
          "Number of vertices: corners of primitives.")
      .def_property_readonly(
          "primitive_count", [](const GeometryObject& g) { return g.read().primitiveCount(); },
          "Number of primitives.")
      .def_property_readonly(
          "vertex_points",
          [=](const GeometryObject& g) {
            return viewOf<int32_t>(g.read().vertexPoints(), viewShape(g.read().vertexPoints()));
          },
          "The point of every vertex: read-only view, int32.")
      .def_property_readonly(
          "vertex_starts",
          [=](const GeometryObject& g) {
            return viewOf<int32_t>(g.read().vertexStarts(), viewShape(g.read().vertexStarts()));
          },
          "Primitive i has the vertices vertex_starts[i] to vertex_starts[i + 1]: read-only view, int32, one "
          "more\n"
          "than there are primitives.")
      .def_property_readonly(
          "primitive_types",
          [=](const GeometryObject& g) {
            return viewOf<uint8_t>(g.read().primitiveTypes(), viewShape(g.read().primitiveTypes()));
          },
          "The hackle.PrimitiveType of every primitive: read-only view, uint8.")
      .def("triangles", &triangles, py::arg("return_primitives") = false,
           "The polygons as triangles: (m, 3) point indices; with return_primitives also the polygon that "
           "each\n"
           "triangle is part of.")
      .def("tetrahedra", &tetrahedra, "The tetrahedra: (m, 4) point indices.")
      .def("volumes", &volumes, "A dict for every volume primitive: what it is, not its voxels.")
      .def_property_readonly(
          "bounds", &boundsOf,
          "Lowest and highest corner, (2, 3), of points and volumes; None if there is neither.");
}

}  // namespace

void bindGeometry(GeometryClass& geometry) {
  bindTopology(geometry);
  const auto copy = [](const GeometryObject& g) { return GeometryObject(g.share()); };
  geometry.def(py::init<>(), "Geometry without any points.")
      .def("copy", copy, "A copy; shares memory with this one until either is edited.")
      .def("__copy__", copy)
      .def(
          "__deepcopy__", [=](const GeometryObject& g, const py::dict&) { return copy(g); }, py::arg("memo"))
      .def("__repr__", [](const GeometryObject& g) { return textFrom(geometryRepr(g.read())); })
      .def_property(
          "points", &GeometryObject::points, &GeometryObject::setPoints,
          "Positions (n, 3), float64. Reading gives a read-only view without a copy, a snapshot: it stays as "
          "it is\n"
          "when the geometry is edited later. Assigning an array of the same shape moves all points.")
      .def("edit_points", &GeometryObject::editPoints,
           "Positions (n, 3) to write to, in place. Copies of this geometry never see the changes.")
      .def(
          "append", [](GeometryObject& g, const GeometryObject& other) { g.edit().append(other.share()); },
          py::arg("other"), "Adds another geometry; attributes and groups of either are kept.")
      .def(
          "extract",
          [](const GeometryObject& g, const py::object& primitives, bool keepPoints) {
            const std::vector<int32_t> chosen =
                selectionFrom(primitives, g.read().primitiveCount(), "primitives");
            const Geometry source = g.share();
            return GeometryObject(withoutGil([&] { return source.extract(chosen, keepPoints); }));
          },
          py::arg("primitives"), py::arg("keep_points") = false,
          "The chosen primitives (indices in the order wanted, or a mask of bools) with the points they use, "
          "or\n"
          "with all points.")
      .def(
          "unpacked",
          [](const GeometryObject& g) {
            const Geometry source = g.share();
            return GeometryObject(withoutGil([&] { return unpacked(source); }));
          },
          "Packed primitives replaced by the geometry in them.")
      .def(
          "flip", [](GeometryObject& g) { g.edit().flipWinding(); },
          "Turns every polygon and tetrahedron over.");
}

}  // namespace hackle::python
