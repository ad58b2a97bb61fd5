// Reading and writing geometry files.
#include "bindings.h"
#include "watched_run.h"

#include <hackle/io/codec.h>
#include <hackle/io/file.h>

#include <pybind11/stl/filesystem.h>

namespace hackle::python {

namespace {

GeometryObject read(const std::filesystem::path& path, int threads, const py::object& progress) {
  Context context;
  context.setThreads(threads);
  Geometry geometry;
  runWithWarnings(context, progress, 1, [&] { geometry = readGeometry(path, context); });
  return GeometryObject(std::move(geometry));
}

void save(const GeometryObject& self, const std::filesystem::path& path, int threads,
          const py::object& progress) {
  Context context;
  context.setThreads(threads);
  const Geometry geometry = self.share();
  runWithWarnings(context, progress, 1, [&] { writeGeometry(path, geometry, context); });
}

/// The format that carries everything a geometry has.
const Codec& losslessCodec() {
  for (const Codec& codec : codecs())
    for (const std::string& extension : codec.format.extensions)
      if (extension == "bgeo") return codec;
  throw Error(ErrorCode::Internal, "no codec writes .bgeo");
}

/// Pickled: the bytes of a .bgeo file with all digits, and whether files are to have single-precision points.
py::tuple pickled(const GeometryObject& self) {
  Geometry geometry = self.share();
  const bool single = geometry.positionFileStorage == Storage::Float32;
  std::string bytes;
  {
    const py::gil_scoped_release release;
    Context context;
    geometry.positionFileStorage = Storage::Float64;
    bytes = losslessCodec().write(geometry, "bgeo", context);
  }
  return py::make_tuple(py::bytes(bytes), single);
}

GeometryObject unpickled(const py::tuple& state) {
  if (state.size() != 2) throw Error(ErrorCode::BadInput, "this is no pickled geometry");
  const auto bytes = py::cast<py::bytes>(state[0]);
  const std::string_view view = bytes;
  Geometry geometry;
  {
    const py::gil_scoped_release release;
    Context context;
    geometry = losslessCodec().read(view, {}, context);
  }
  geometry.positionFileStorage = py::cast<bool>(state[1]) ? Storage::Float32 : Storage::Float64;
  return GeometryObject(std::move(geometry));
}

py::list formats() {
  using namespace py::literals;
  py::list list;
  for (const FileFormat& format : fileFormats()) {
    py::list extensions;
    for (const std::string& extension : format.extensions) extensions.append(extension);
    list.append(py::dict("name"_a = format.name, "extensions"_a = extensions, "reads"_a = format.reads,
                         "writes"_a = format.writes));
  }
  return list;
}

}  // namespace

void bindFiles(py::module_& module, GeometryClass& geometry) {
  module.def("read", &read, py::arg("path"), py::kw_only(), py::arg("threads") = 0,
             py::arg("progress") = py::none(),
             "Reads geometry from a file of any format that hackle.formats() lists.");
  module.def("formats", &formats, "The file formats: name, extensions, reads, writes.");
  geometry.def(py::pickle(&pickled, &unpickled));
  geometry.def(
      "save", &save, py::arg("path"), py::kw_only(), py::arg("threads") = 0, py::arg("progress") = py::none(),
      "Writes a file in the format of its extension, under a temporary name that is renamed at the end.");
}

}  // namespace hackle::python
