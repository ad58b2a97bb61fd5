#include "bindings.h"

#include <hackle/core/error.h>
#include <hackle/core/version.h>

using namespace hackle;
using namespace hackle::python;

namespace {

/// Errors become the exception classes of hackle._errors.
void translateError(std::exception_ptr pointer) {
  try {
    if (pointer) std::rethrow_exception(pointer);
  } catch (const Error& error) {
    const py::object make = py::module_::import("hackle._errors").attr("make_error");
    const py::object raised =
        make(errorCodeName(error.code()), textFrom(error.what()), textFrom(error.remedy()));
    PyErr_SetObject(py::type::handle_of(raised).ptr(), raised.ptr());
  }
}

}  // namespace

PYBIND11_MODULE(_hackle, module) {
  module.attr("__version__") = version();
  py::register_exception_translator(translateError);
  GeometryClass geometry(
      module, "Geometry",
      "Points, vertices, primitives, attributes and groups, as a Houdini detail has them.\n\n"
      "Copies are cheap: they share memory until one of them is edited.");
  bindGeometry(geometry);
  bindBuilding(geometry);
  bindAttributes(geometry);
  bindImage(module);
  bindBlob(module);
  bindFiles(module, geometry);
  bindRegistry(module);
#ifndef HACKLE_WITHOUT_SIM
  bindSimulation(module);
#endif
}
