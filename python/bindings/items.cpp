#include "items.h"

#include <hackle/io/bytes.h>
#include <hackle/io/file.h>
#include <hackle/io/png.h>

#include <fmt/format.h>
#include <pybind11/stl/filesystem.h>

namespace hackle::python {

namespace {

Image imageFrom(const py::object& object) {
  const py::array given = anyArray(object, "pixels");
  if (given.ndim() != 3 || given.shape(2) != 3 || given.dtype().kind() != 'u' ||
      given.dtype().itemsize() != 1)
    throw Error(ErrorCode::Usage,
                fmt::format("pixels: expected uint8 of shape (height, width, 3), got {} of shape {}",
                            typeText(given), shapeText(given)));
  const auto pixels = py::array_t<uint8_t, py::array::c_style>::ensure(given);
  if (!pixels) throw py::error_already_set();
  return {static_cast<int>(given.shape(1)), static_cast<int>(given.shape(0)),
          std::vector<uint8_t>(pixels.data(), pixels.data() + pixels.size())};
}

std::string_view viewOfBytes(const Blob& blob) {
  return {reinterpret_cast<const char*>(blob.bytes.data()), blob.bytes.size()};
}

Blob blobFrom(std::string kind, const py::bytes& bytes) {
  const std::string_view view = bytes;
  return {std::move(kind), std::vector<uint8_t>(view.begin(), view.end())};
}

}  // namespace

void bindImage(py::module_& module) {
  py::class_<Image>(module, "Image", "A picture: 8-bit RGB, rows from the top.")
      .def(py::init(&imageFrom), py::arg("pixels"), "From uint8 (height, width, 3); copied.")
      .def_property_readonly(
          "width", [](const Image& i) { return i.width; }, "In pixels.")
      .def_property_readonly(
          "height", [](const Image& i) { return i.height; }, "In pixels.")
      .def_property_readonly(
          "pixels",
          [](const Image& i) {
            return viewOf<uint8_t>(i.rgb, {i.height, i.width, 3});
          },
          "Read-only view, uint8 (height, width, 3).")
      .def(
          "save",
          [](const Image& i, const std::filesystem::path& path) {
            const py::gil_scoped_release release;
            Context context;
            writeImage(path, i, context);
          },
          py::arg("path"), "Writes a .png file.")
      .def("_repr_png_", [](const Image& i) { return py::bytes(encodePng(i)); })  // notebooks show it
      .def("__repr__",
           [](const Image& i) { return fmt::format("<hackle.Image: {} x {} pixels>", i.width, i.height); })
      .def(py::pickle([](const py::object& image) { return py::make_tuple(image.attr("pixels")); },
                      [](const py::tuple& state) { return imageFrom(state[0]); }));
}

void bindBlob(py::module_& module) {
  py::class_<Blob>(module, "Blob",
                   "Data that is neither geometry nor a picture, such as a precomputed basis.")
      .def(py::init(&blobFrom), py::arg("kind"), py::arg("data"))
      .def_property_readonly(
          "kind", [](const Blob& b) { return b.kind; }, "Its file extension.")
      .def_property_readonly(
          "data", [](const Blob& b) { return py::bytes(viewOfBytes(b)); }, "The bytes.")
      .def_static(
          "load",
          [](const std::filesystem::path& path) {
            const FileBytes file(path);
            std::string kind = path.extension().string();
            return Blob{kind.empty() ? kind : kind.substr(1),
                        std::vector<uint8_t>(file.bytes().begin(), file.bytes().end())};
          },
          py::arg("path"), "Reads a file; its extension is the kind.")
      .def(
          "save",
          [](const Blob& b, const std::filesystem::path& path) {
            AtomicFile file(path);
            file.write(viewOfBytes(b));
            file.commit();
          },
          py::arg("path"), "Writes the bytes.")
      .def("__len__", [](const Blob& b) { return b.bytes.size(); })
      .def("__repr__",
           [](const Blob& b) { return fmt::format("<hackle.Blob: {}, {} bytes>", b.kind, b.bytes.size()); })
      .def(py::pickle([](const Blob& b) { return py::make_tuple(b.kind, py::bytes(viewOfBytes(b))); },
                      [](const py::tuple& state) {
                        return blobFrom(py::cast<std::string>(state[0]), py::cast<py::bytes>(state[1]));
                      }));
}

Item itemFrom(py::handle object, const std::string& what) {
  if (object.is_none()) return {};
  if (py::isinstance<GeometryObject>(object)) return py::cast<const GeometryObject&>(object).share();
  if (py::isinstance<Image>(object)) return py::cast<const Image&>(object);
  if (py::isinstance<Blob>(object)) return py::cast<const Blob&>(object);
  const bool isPath = py::isinstance<py::str>(object) || py::hasattr(object, "__fspath__");
  throw Error(
      ErrorCode::Usage,
      fmt::format("{} must be a hackle.Geometry, not {}", what, Py_TYPE(object.ptr())->tp_name),
      isPath ? "read the file first: hackle.read(path)" : "Geometry.from_arrays makes one from arrays");
}

py::object objectFrom(Item item) {
  if (auto* geometry = std::get_if<Geometry>(&item)) return py::cast(GeometryObject(std::move(*geometry)));
  if (auto* image = std::get_if<Image>(&item)) return py::cast(std::move(*image));
  if (auto* blob = std::get_if<Blob>(&item)) return py::cast(std::move(*blob));
  return py::none();
}

}  // namespace hackle::python
