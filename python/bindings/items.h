// What goes through the ports of operators, as Python objects.
#pragma once

#include "bindings.h"

#include <hackle/ops/operator.h>

namespace hackle::python {

/// From hackle.Geometry, Image, Blob or None; Error(Usage) that names `what` for anything else.
Item itemFrom(pybind11::handle object, const std::string& what);

pybind11::object objectFrom(Item item);

}  // namespace hackle::python
