// Reading and writing geometry files.
#include "bindings.h"
#include "watched_run.h"

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
  geometry.def(
      "save", &save, py::arg("path"), py::kw_only(), py::arg("threads") = 0, py::arg("progress") = py::none(),
      "Writes a file in the format of its extension, under a temporary name that is renamed at the end.");
}

}  // namespace hackle::python
