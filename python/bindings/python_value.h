// Values of parameters and reports, to and from Python.
#pragma once

#include <hackle/core/value.h>

#include <pybind11/pybind11.h>

#include <string>

namespace hackle::python {

/// Text to and from str. Bytes that are no UTF-8, as names in old files have them, survive the way through
/// Python (as in its own file names).
pybind11::str textFrom(const std::string& text);
std::string textTo(pybind11::handle object);

/// Numbers, bools, text, paths, lists, tuples, numpy arrays and scalars, and dicts with text keys.
/// Error(Usage) that names `what` for anything else.
Value valueFrom(pybind11::handle object, const std::string& what);

/// None, bool, int, float, str, list or dict.
pybind11::object objectFrom(const Value& value);

/// The same for a whole dict.
Value::Map mapFrom(const pybind11::dict& dict);

}  // namespace hackle::python
