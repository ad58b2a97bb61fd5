// Attributes and groups of hackle.Geometry.
#include "bindings.h"

#include <hackle/ops/parameter.h>

#include <fmt/format.h>
#include <pybind11/stl.h>

#include <unordered_map>

namespace hackle::python {

namespace {

[[noreturn]] void throwMissing(Owner owner, const char* kind, const std::string& name,
                               const std::vector<std::string>& known) {
  const std::string nearest = nearestName(name, known);
  std::string remedy = fmt::format("there are no {} {}s", ownerName(owner), kind);
  if (!nearest.empty())
    remedy = fmt::format("did you mean {}?", nearest);
  else if (!known.empty())
    remedy = fmt::format("the {} {}s are {}", ownerName(owner), kind, fmt::join(known, ", "));
  throw Error(ErrorCode::Usage, fmt::format("there is no {} {} {}", ownerName(owner), kind, name), remedy);
}

// Attributes --------------------------------------------------------------------------------------------

std::vector<std::string> attributeNames(const Geometry& geometry, Owner owner) {
  std::vector<std::string> names;
  if (owner == Owner::Point) names.push_back("P");
  for (const Attribute& a : geometry.attributes(owner)) names.push_back(a.name());
  return names;
}

bool isPoints(Owner owner, const std::string& name) { return owner == Owner::Point && name == "P"; }

const Attribute& attributeOf(const Geometry& geometry, Owner owner, const std::string& name) {
  if (const Attribute* attribute = geometry.findAttribute(owner, name)) return *attribute;
  throwMissing(owner, "attribute", name, attributeNames(geometry, owner));
}

/// Every value of a text attribute as a str; equal ones are one object.
py::array textArray(const Attribute& attribute) {
  std::vector<py::object> table;
  for (const std::string& text : attribute.strings().table) table.push_back(textFrom(text));
  const py::str empty("");
  py::array array(py::dtype("O"), attributeShape(attribute));
  auto** slots = static_cast<PyObject**>(array.mutable_data());
  for (const int32_t index : attribute.strings().indices) {
    const bool known = index >= 0 && static_cast<size_t>(index) < table.size();
    PyObject* text = known ? table[index].ptr() : empty.ptr();
    Py_INCREF(text);
    Py_XSETREF(*slots, text);
    ++slots;
  }
  return array;
}

py::object attributeView(const GeometryObject& self, const std::string& name, const std::string& ownerText) {
  const Owner owner = ownerFrom(ownerText);
  if (isPoints(owner, name)) return self.points();
  const Attribute& attribute = attributeOf(self.read(), owner, name);
  if (attribute.isString()) return textArray(attribute);
  return attribute.visitNumbers([&](auto span) -> py::object {
    using T = std::remove_const_t<std::remove_reference_t<decltype(span[0])>>;
    return viewOf<T>(attribute.array<T>(), attributeShape(attribute));
  });
}

py::array attributeToEdit(GeometryObject& self, const std::string& name, const std::string& ownerText) {
  const Owner owner = ownerFrom(ownerText);
  if (isPoints(owner, name)) return self.editPoints();
  if (attributeOf(self.read(), owner, name).isString())
    throw Error(ErrorCode::Usage, fmt::format("{} is text and has no memory to write to", name),
                "change a copy of the array and give it to set_attribute");
  return self.editAttribute(owner, name);
}

py::tuple stringTable(const GeometryObject& self, const std::string& name, const std::string& ownerText) {
  const Attribute& attribute = attributeOf(self.read(), ownerFrom(ownerText), name);
  if (!attribute.isString()) throw Error(ErrorCode::Usage, fmt::format("{} is not text", name));
  py::list table;
  for (const std::string& text : attribute.strings().table) table.append(textFrom(text));
  return py::make_tuple(table, viewOf<int32_t>(attribute.strings().indices, attributeShape(attribute)));
}

py::dict attributeInfo(const GeometryObject& self, const std::string& name, const std::string& ownerText) {
  using namespace py::literals;
  const Owner owner = ownerFrom(ownerText);
  if (isPoints(owner, name))
    return py::dict("name"_a = "P", "owner"_a = "point", "storage"_a = "float64", "size"_a = 3,
                    "qualifier"_a = "point");
  const Attribute& a = attributeOf(self.read(), owner, name);
  return py::dict("name"_a = textFrom(a.name()), "owner"_a = ownerName(owner),
                  "storage"_a = storageName(a.storage()), "size"_a = a.tupleSize(),
                  "qualifier"_a = textFrom(a.qualifier));
}

// Setting attributes ------------------------------------------------------------------------------------

Storage storageFor(const py::array& values, const std::string& name) {
  const py::dtype type = values.dtype();
  switch (type.kind()) {
    case 'f':
      return type.itemsize() <= 4 ? Storage::Float32 : Storage::Float64;
    case 'b':
      return Storage::Int32;
    case 'i':
      return type.itemsize() <= 4 ? Storage::Int32 : Storage::Int64;
    case 'u':
      return type.itemsize() <= 2 ? Storage::Int32 : Storage::Int64;
    case 'U':
    case 'O':
      return Storage::String;
    default:
      throw Error(ErrorCode::Usage,
                  fmt::format("attribute {}: values of type {} cannot be stored", name, typeText(values)),
                  "attributes are float32, float64, int32, int64 or text");
  }
}

/// Components of one element: what the array's shape says for `count` elements.
int tupleSizeOf(const py::array& values, size_t count, Owner owner, const std::string& name) {
  const auto rows = [&](py::ssize_t n) { return static_cast<size_t>(n) == count; };
  if (owner == Owner::Detail && values.ndim() <= 1 && values.size() > 0)
    return static_cast<int>(values.size());
  if (values.ndim() == 1 && rows(values.shape(0))) return 1;
  if (values.ndim() == 2 && rows(values.shape(0)) && values.shape(1) > 0)
    return static_cast<int>(values.shape(1));
  throw Error(ErrorCode::Usage,
              fmt::format("attribute {}: expected an array of shape ({},) or ({}, size), got {}", name, count,
                          count, shapeText(values)),
              fmt::format("a {} attribute has one row for each of the {} elements", ownerName(owner), count));
}

template <class T>
void assignNumbers(Attribute& attribute, const py::array& values) {
  refuseAbove64Bits(values, "attribute " + attribute.name());
  const auto numbers = py::array_t<T, py::array::c_style | py::array::forcecast>::ensure(values);
  if (!numbers) throw py::error_already_set();
  attribute.assign(CowArray<T>(std::vector<T>(numbers.data(), numbers.data() + numbers.size())));
}

void assignText(Attribute& attribute, const py::array& values) {
  std::vector<std::string> table;
  std::vector<int32_t> indices;
  std::unordered_map<std::string, int32_t> known;
  for (const py::handle item : values.attr("ravel")()) {
    if (!py::isinstance<py::str>(item))
      throw Error(ErrorCode::Usage,
                  fmt::format("attribute {}: element {} is of type {}, not text", attribute.name(),
                              indices.size(), Py_TYPE(item.ptr())->tp_name));
    const std::string text = textTo(item);
    if (text.empty()) {
      indices.push_back(-1);
      continue;
    }
    const auto [place, isNew] = known.emplace(text, static_cast<int32_t>(table.size()));
    if (isNew) table.push_back(text);
    indices.push_back(place->second);
  }
  attribute.assignStrings({std::move(table), std::move(indices)});
}

/// What names mean by custom, as in Houdini.
Qualifier customaryQualifier(const std::string& name, int tupleSize) {
  if (tupleSize == 4 && name == "orient") return "quaternion";
  if (tupleSize != 3) return {};
  if (name == "N") return "normal";
  if (name == "v" || name == "up" || name == "w" || name == "force") return "vector";
  if (name == "Cd") return "color";
  if (name == "uv") return "texturecoord";
  if (name == "rest") return "point";
  return {};
}

void setAttribute(GeometryObject& self, const std::string& name, const py::object& given,
                  const std::string& ownerText, const std::optional<std::string>& qualifier) {
  const Owner owner = ownerFrom(ownerText);
  if (name.empty()) throw Error(ErrorCode::Usage, "an attribute needs a name");
  if (isPoints(owner, name)) return self.setPoints(given);
  const py::array values = anyArray(given, "attribute " + name);
  const Storage storage = storageFor(values, name);
  const size_t count = self.read().elementCount(owner);
  const int size = tupleSizeOf(values, count, owner, name);
  Attribute attribute(name, storage, size);
  const Attribute* old = self.read().findAttribute(owner, name);
  if (qualifier)
    attribute.qualifier = *qualifier;
  else
    attribute.qualifier = old && old->tupleSize() == size ? old->qualifier : customaryQualifier(name, size);
  switch (storage) {
    case Storage::Float32:
      assignNumbers<float>(attribute, values);
      break;
    case Storage::Float64:
      assignNumbers<double>(attribute, values);
      break;
    case Storage::Int32:
      assignNumbers<int32_t>(attribute, values);
      break;
    case Storage::Int64:
      assignNumbers<int64_t>(attribute, values);
      break;
    case Storage::String:
      assignText(attribute, values);
      break;
  }
  self.edit().addAttribute(owner, std::move(attribute));
}

void removeAttribute(GeometryObject& self, const std::string& name, const std::string& ownerText) {
  const Owner owner = ownerFrom(ownerText);
  if (isPoints(owner, name))
    throw Error(ErrorCode::Usage, "the points have to have positions: P cannot be removed");
  attributeOf(self.read(), owner, name);
  self.edit().removeAttribute(owner, name);
}

// Groups ------------------------------------------------------------------------------------------------

std::vector<std::string> groupNames(const Geometry& geometry, Owner owner) {
  std::vector<std::string> names;
  for (const Group& g : geometry.groups(owner)) names.push_back(g.name);
  return names;
}

const Group& groupOf(const Geometry& geometry, Owner owner, const std::string& name) {
  if (const Group* group = geometry.findGroup(owner, name)) return *group;
  throwMissing(owner, "group", name, groupNames(geometry, owner));
}

py::array groupView(const GeometryObject& self, const std::string& name, const std::string& ownerText) {
  const Group& group = groupOf(self.read(), ownerFrom(ownerText), name);
  return viewOf<bool>(group.bits, {static_cast<py::ssize_t>(group.bits.size())});
}

py::object groupOrder(const GeometryObject& self, const std::string& name, const std::string& ownerText) {
  const Group& group = groupOf(self.read(), ownerFrom(ownerText), name);
  if (group.order.empty()) return py::none();
  return viewOf<int32_t>(group.order, {static_cast<py::ssize_t>(group.order.size())});
}

void setGroup(GeometryObject& self, const std::string& name, const py::object& members,
              const std::string& ownerText) {
  const Owner owner = ownerFrom(ownerText);
  if (name.empty() || owner == Owner::Detail)
    throw Error(ErrorCode::Usage, name.empty() ? "a group needs a name" : "the detail has no groups");
  const size_t count = self.read().elementCount(owner);
  std::vector<uint8_t> bits(count, 0);
  for (const int32_t member : selectionFrom(members, count, "group " + name)) bits[member] = 1;
  Group& group = self.edit().addGroup(owner, name);
  group.bits = std::move(bits);
  group.order = {};
}

void removeGroup(GeometryObject& self, const std::string& name, const std::string& ownerText) {
  const Owner owner = ownerFrom(ownerText);
  groupOf(self.read(), owner, name);
  self.edit().removeGroup(owner, name);
}

py::array edgeGroup(const GeometryObject& self, const std::string& name) {
  std::vector<std::string> names;
  for (const EdgeGroup& group : self.read().edgeGroups()) {
    if (group.name == name)
      return viewOf<int32_t>(group.edges, {static_cast<py::ssize_t>(group.edges.size()), 2});
    names.push_back(group.name);
  }
  throw Error(ErrorCode::Usage, fmt::format("there is no edge group {}", name),
              names.empty() ? "there are no edge groups"
                            : fmt::format("the edge groups are {}", fmt::join(names, ", ")));
}

py::list textList(const std::vector<std::string>& names) {
  py::list list;
  for (const std::string& name : names) list.append(textFrom(name));
  return list;
}

void bindGroups(GeometryClass& geometry) {
  geometry
      .def(
          "groups",
          [](const GeometryObject& g, const std::string& owner) {
            return textList(groupNames(g.read(), ownerFrom(owner)));
          },
          py::arg("owner") = "primitive", "Names of the groups.")
      .def("group", &groupView, py::arg("name"), py::arg("owner") = "primitive",
           "A group as a read-only view of bools, one an element.")
      .def("group_order", &groupOrder, py::arg("name"), py::arg("owner") = "primitive",
           "The members of an ordered group in their order, int32; None if the group has no order.")
      .def("set_group", &setGroup, py::arg("name"), py::arg("members"), py::arg("owner") = "primitive",
           "Makes or replaces a group: a mask of bools, or the indices of its members.")
      .def("remove_group", &removeGroup, py::arg("name"), py::arg("owner") = "primitive", "Removes a group.")
      .def(
          "edge_groups",
          [](const GeometryObject& g) {
            py::list names;
            for (const EdgeGroup& group : g.read().edgeGroups()) names.append(textFrom(group.name));
            return names;
          },
          "Names of the edge groups.")
      .def("edge_group", &edgeGroup, py::arg("name"), "The edges of a group, (n, 2) point indices.");
}

}  // namespace

Owner ownerFrom(const std::string& name) {
  std::vector<std::string> names;
  for (int o = 0; o < kOwnerCount; ++o) {
    names.push_back(ownerName(static_cast<Owner>(o)));
    if (names.back() == name) return static_cast<Owner>(o);
  }
  throw Error(ErrorCode::Usage, fmt::format("there is no owner {}", name),
              fmt::format("attributes and groups belong to {}", fmt::join(names, ", ")));
}

void bindAttributes(GeometryClass& geometry) {
  geometry
      .def(
          "attributes",
          [](const GeometryObject& g, const std::string& owner) {
            return textList(attributeNames(g.read(), ownerFrom(owner)));
          },
          py::arg("owner") = "point", "Names of the attributes.")
      .def("attribute", &attributeView, py::arg("name"), py::arg("owner") = "point",
           "The values: numbers as a read-only view, (n,) or (n, size); text as an array of str objects.")
      .def("edit_attribute", &attributeToEdit, py::arg("name"), py::arg("owner") = "point",
           "The numbers to write to, in place. Copies of this geometry never see the changes.")
      .def("set_attribute", &setAttribute, py::arg("name"), py::arg("values"), py::arg("owner") = "point",
           py::kw_only(), py::arg("qualifier") = py::none(),
           "Makes or replaces an attribute: numbers or text, (n,) or (n, size). Floats and integers keep "
           "their\n"
           "size (others become the next larger of 32 and 64 bits). `qualifier` says how tuples are "
           "transformed:\n"
           "\"point\", \"vector\", \"normal\", \"color\", ...; by default what it was, or what the name "
           "means in\n"
           "Houdini.")
      .def("remove_attribute", &removeAttribute, py::arg("name"), py::arg("owner") = "point",
           "Removes an attribute.")
      .def("attribute_info", &attributeInfo, py::arg("name"), py::arg("owner") = "point",
           "Name, owner, storage, size and qualifier of an attribute.")
      .def("string_table", &stringTable, py::arg("name"), py::arg("owner") = "point",
           "A text attribute as (table, indices), without making n objects: element i is table[indices[i]], "
           "or\n"
           "the empty string for index -1.");
  bindGroups(geometry);
}

}  // namespace hackle::python
