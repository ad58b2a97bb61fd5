// The parts of the module _hackle; module.cpp puts them together. The package around it, python/hackle, is
// what people import.
#pragma once

#include "geometry_object.h"
#include "python_value.h"

#include <hackle/ops/operator.h>

#include <pybind11/pybind11.h>

namespace hackle::python {

using GeometryClass = pybind11::class_<GeometryObject>;

void bindGeometry(GeometryClass& geometry);    // counts, topology, copies, whole-geometry edits
void bindBuilding(GeometryClass& geometry);    // from arrays
void bindAttributes(GeometryClass& geometry);  // attributes and groups
void bindFiles(pybind11::module_& module, GeometryClass& geometry);
void bindImage(pybind11::module_& module);
void bindBlob(pybind11::module_& module);
void bindRegistry(pybind11::module_& module);
void bindSimulation(pybind11::module_& module);

/// Error(Usage) if there is no owner of that name.
Owner ownerFrom(const std::string& name);

}  // namespace hackle::python
