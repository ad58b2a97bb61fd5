// Numpy arrays on top of Hackle's storage, and Hackle's storage from numpy arrays.
#pragma once

#include <hackle/core/cow_array.h>
#include <hackle/geometry/vec.h>

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <memory>
#include <string>
#include <vector>

namespace hackle::python {

namespace py = pybind11;
using Shape = std::vector<py::ssize_t>;

/// An array over memory that `owner` keeps alive for as long as any view of the array lives. A read-only one
/// cannot be made writable from Python.
py::array arrayOver(const py::dtype& type, Shape shape, const void* data, std::shared_ptr<const void> owner,
                    bool writable);

/// A read-only view of a copy-on-write array as `Element`s, without copying. Editing the array later leaves
/// the view as it was: the view counts as an owner.
template <class Element, class T>
py::array viewOf(const CowArray<T>& array, Shape shape) {
  return arrayOver(py::dtype::of<Element>(), std::move(shape), array.data(), array.keepAlive(), false);
}

/// What numpy makes of any object; Error(Usage) that names `what` if it is not an array of numbers or text.
py::array anyArray(py::handle object, const std::string& what);

/// n rows of 3 numbers of any numeric type, contiguous or not. Error(Usage) for another shape.
std::vector<Vec3> pointsFrom(py::handle object, const std::string& what);

/// Whole numbers of any shape, flattened in row order; Error(Usage) if they are fractional or not numbers.
std::vector<int64_t> integersFrom(const py::array& array, const std::string& what);

/// Error(Usage) if an unsigned number is too large for int64.
void refuseAbove64Bits(const py::array& array, const std::string& what);

/// Elements out of `count`, from indices or a mask of bools. Error(Usage) for a mask of another size,
/// Error(BadInput) for an index out of range.
std::vector<int32_t> selectionFrom(py::handle object, size_t count, const std::string& what);

/// "float32" and "(8, 3)", for messages.
std::string typeText(const py::array& array);
std::string shapeText(const py::array& array);

}  // namespace hackle::python
