#include "array_view.h"

#include <hackle/core/error.h>

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>

namespace hackle::python {

namespace {

/// Holds a shared pointer for numpy: the base object of an array.
py::capsule capsuleFor(std::shared_ptr<const void> owner) {
  using Owner = std::shared_ptr<const void>;
  return py::capsule(new Owner(std::move(owner)), [](void* held) { delete static_cast<Owner*>(held); });
}

}  // namespace

py::array arrayOver(const py::dtype& type, Shape shape, const void* data, std::shared_ptr<const void> owner,
                    bool writable) {
  py::array array(type, std::move(shape), Shape{}, data, capsuleFor(std::move(owner)));
  if (!writable) py::detail::array_proxy(array.ptr())->flags &= ~py::detail::npy_api::NPY_ARRAY_WRITEABLE_;
  return array;
}

py::array anyArray(py::handle object, const std::string& what) {
  py::array array = py::array::ensure(object);
  const char kind = array ? array.dtype().kind() : '?';
  if (!array || std::strchr("biufUSO", kind) == nullptr)
    throw Error(ErrorCode::Usage,
                fmt::format("{}: expected an array, got {}", what, Py_TYPE(object.ptr())->tp_name),
                "give a numpy array, or nested lists whose rows have equal lengths");
  return array;
}

std::vector<Vec3> pointsFrom(py::handle object, const std::string& what) {
  const py::array given = anyArray(object, what);
  const bool isEmpty = given.size() == 0;
  if (!isEmpty && std::strchr("iuf", given.dtype().kind()) == nullptr)
    throw Error(ErrorCode::Usage, fmt::format("{}: expected numbers, got {}", what, typeText(given)));
  if (!isEmpty && (given.ndim() != 2 || given.shape(1) != 3))
    throw Error(ErrorCode::Usage,
                fmt::format("{}: expected an array of shape (n, 3), got {}", what, shapeText(given)));
  const auto numbers = py::array_t<double, py::array::c_style | py::array::forcecast>::ensure(given);
  if (!numbers) throw py::error_already_set();
  static_assert(sizeof(Vec3) == 3 * sizeof(double), "a point is three doubles and nothing else");
  std::vector<Vec3> points(static_cast<size_t>(numbers.size()) / 3);
  if (!points.empty()) std::copy_n(numbers.data(), numbers.size(), points.front().data());
  return points;
}

void refuseAbove64Bits(const py::array& array, const std::string& what) {
  if (array.dtype().kind() != 'u' || array.dtype().itemsize() < 8 || array.size() == 0) return;
  const auto largest = py::cast<uint64_t>(array.attr("max")());
  if (largest > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
    throw Error(ErrorCode::Usage,
                fmt::format("{}: {} is too large for a 64-bit whole number", what, largest));
}

std::vector<int64_t> integersFrom(const py::array& array, const std::string& what) {
  if (array.size() == 0) return {};
  if (std::strchr("iu", array.dtype().kind()) == nullptr)
    throw Error(ErrorCode::Usage, fmt::format("{}: expected whole numbers, got {}", what, typeText(array)),
                "convert the array with astype(int)");
  refuseAbove64Bits(array, what);
  const auto numbers = py::array_t<int64_t, py::array::c_style | py::array::forcecast>::ensure(array);
  if (!numbers) throw py::error_already_set();
  return std::vector<int64_t>(numbers.data(), numbers.data() + numbers.size());
}

std::vector<int32_t> selectionFrom(py::handle object, size_t count, const std::string& what) {
  const py::array given = anyArray(object, what);
  std::vector<int32_t> chosen;
  if (given.dtype().kind() == 'b') {
    if (given.ndim() != 1 || static_cast<size_t>(given.size()) != count)
      throw Error(ErrorCode::Usage,
                  fmt::format("{}: a mask must have shape ({},), got {}", what, count, shapeText(given)));
    const auto mask = py::array_t<bool, py::array::c_style | py::array::forcecast>::ensure(given);
    for (size_t i = 0; i < count; ++i)
      if (mask.data()[i]) chosen.push_back(static_cast<int32_t>(i));
    return chosen;
  }
  for (const int64_t index : integersFrom(given, what)) {
    if (index < 0 || static_cast<size_t>(index) >= count)
      throw Error(ErrorCode::BadInput,
                  fmt::format("{}: {} is out of range, there are {}", what, index, count));
    chosen.push_back(static_cast<int32_t>(index));
  }
  return chosen;
}

std::string typeText(const py::array& array) { return py::cast<std::string>(array.dtype().attr("name")); }

std::string shapeText(const py::array& array) { return py::cast<std::string>(py::str(array.attr("shape"))); }

}  // namespace hackle::python
