#include "python_value.h"

#include <hackle/core/error.h>

#include <fmt/format.h>
#include <pybind11/numpy.h>

namespace hackle::python {

namespace py = pybind11;

namespace {

Value integerFrom(py::handle object, const std::string& what) {
  int overflow = 0;
  const long long number = PyLong_AsLongLongAndOverflow(object.ptr(), &overflow);
  if (overflow != 0)
    throw Error(ErrorCode::Usage, fmt::format("{}: {} is too large for a 64-bit whole number", what,
                                              py::cast<std::string>(py::str(object))));
  if (number == -1 && PyErr_Occurred() != nullptr) throw py::error_already_set();
  return static_cast<int64_t>(number);
}

std::string keyFrom(py::handle key, const std::string& what) {
  if (py::isinstance<py::str>(key)) return textTo(key);
  throw Error(ErrorCode::Usage,
              fmt::format("{}: names must be text, got {}", what, py::cast<std::string>(py::repr(key))));
}

Value::List listFrom(py::handle sequence, const std::string& what) {
  Value::List list;
  size_t index = 0;
  for (const py::handle item : sequence)
    list.push_back(valueFrom(item, fmt::format("{}[{}]", what, index++)));
  return list;
}

}  // namespace

Value valueFrom(py::handle object, const std::string& what) {
  if (object.is_none()) return {};
  if (py::isinstance<py::bool_>(object)) return object.ptr() == Py_True;
  if (py::isinstance<py::int_>(object)) return integerFrom(object, what);
  if (py::isinstance<py::float_>(object)) return PyFloat_AS_DOUBLE(object.ptr());
  if (py::isinstance<py::str>(object)) return textTo(object);
  if (py::isinstance<py::list>(object) || py::isinstance<py::tuple>(object)) return listFrom(object, what);
  if (py::isinstance<py::dict>(object)) {
    Value::Map map;
    for (const auto& [key, item] : py::reinterpret_borrow<py::dict>(object)) {
      const std::string name = keyFrom(key, what);
      map.emplace_back(name, valueFrom(item, what + "." + name));
    }
    return map;
  }
  // Numpy arrays and scalars know their Python form; so do paths.
  if (py::hasattr(object, "tolist")) return valueFrom(object.attr("tolist")(), what);
  if (py::hasattr(object, "__fspath__"))
    return py::cast<std::string>(py::module_::import("os").attr("fsencode")(object));
  if (PyIndex_Check(object.ptr()) != 0)
    return integerFrom(py::reinterpret_steal<py::object>(PyNumber_Index(object.ptr())), what);
  throw Error(ErrorCode::Usage,
              fmt::format("{}: a value of type {} is not understood", what, Py_TYPE(object.ptr())->tp_name),
              "give numbers, text, lists, numpy arrays or dictionaries");
}

Value::Map mapFrom(const py::dict& dict) {
  Value::Map map;
  for (const auto& [key, item] : dict) {
    const std::string name = keyFrom(key, "parameters");
    map.emplace_back(name, valueFrom(item, name));
  }
  return map;
}

py::str textFrom(const std::string& text) {
  PyObject* decoded =
      PyUnicode_DecodeUTF8(text.data(), static_cast<py::ssize_t>(text.size()), "surrogateescape");
  if (decoded == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::str>(decoded);
}

std::string textTo(py::handle object) {
  const auto bytes =
      py::reinterpret_steal<py::bytes>(PyUnicode_AsEncodedString(object.ptr(), "utf-8", "surrogateescape"));
  if (!bytes) throw py::error_already_set();
  return bytes;
}

py::object objectFrom(const Value& value) {
  if (value.isBool()) return py::bool_(value.asBool());
  if (value.isInt()) return py::int_(value.asInt());
  if (value.isFloat()) return py::float_(value.asNumber());
  if (value.isString()) return textFrom(value.asString());
  if (value.isList()) {
    py::list list;
    for (const Value& item : value.asList()) list.append(objectFrom(item));
    return std::move(list);
  }
  if (value.isMap()) {
    py::dict dict;
    for (const auto& [name, item] : value.asMap()) dict[py::str(name)] = objectFrom(item);
    return std::move(dict);
  }
  return py::none();
}

}  // namespace hackle::python
