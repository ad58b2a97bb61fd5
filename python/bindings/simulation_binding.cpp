// hackle.Simulation: a scene, frame by frame, with its bodies and events at hand.
#include "bindings.h"
#include "watched_run.h"

#include <hackle/ops/scene_file.h>
#include <hackle/sim/cache.h>
#include <hackle/sim/frame.h>

#include <pybind11/eigen.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <filesystem>
#include <optional>

namespace hackle::python {

namespace {

using namespace py::literals;

py::dict bodyDict(const SimBody& body) {
  const RigidMotion& motion = body.coupling.motion;
  py::dict entry;
  entry["name"] = textFrom(body.coupling.name);
  entry["position"] = motion.position;
  entry["rotation"] = motion.rotation;
  entry["velocity"] = motion.velocity;
  entry["spin"] = motion.spin;
  entry["mass"] = body.coupling.dynamic ? body.coupling.mass.mass : 0.0;
  entry["pivot"] = body.coupling.mass.centre;
  entry["event"] = body.event;
  entry["active"] = body.coupling.dynamic && !body.held;
  entry["awake"] = body.awake;
  entry["breakable"] = body.coupling.engine != nullptr;
  return entry;
}

/// Runs a scene and, if there is a folder, writes its cache.
class SimulationObject {
 public:
  SimulationObject(const std::string& scene, const std::optional<std::filesystem::path>& folder, bool resume,
                   int threads)
      : mThreads(threads) {
    Context context;
    context.setThreads(threads);
    runWithWarnings(context, py::none(), 1, [&] {
      // A scene is a file's name, or the text itself, which has lines.
      const bool isText = scene.find('\n') != std::string::npos;
      SceneFile file = isText ? readScene(scene, "scene", ".", context) : readSceneFile(scene, context);
      mSimulation = std::make_unique<Simulation>(std::move(file.scene), context);
      if (!folder) return;
      mCache = std::make_unique<SimCache>(*folder, file.output);
      mWritten = resume && mCache->resume(*mSimulation, context);
      if (!mWritten) mCache->startAnew(*mSimulation, context);
    });
  }

  /// The first call gives the frame of the start.
  SimulationObject& next() {
    if (mBegun && mSimulation->done()) throw py::stop_iteration();
    Context context;
    context.setThreads(mThreads);
    runWithWarnings(context, py::none(), 1, [&] {
      if (mBegun) mSimulation->advance(context);
      if (mCache && (mBegun || !mWritten)) mCache->addFrame(*mSimulation, context);
      mBegun = true;
      if (mCache && mSimulation->done()) mCache->finish(*mSimulation, context);
    });
    return *this;
  }

  const Simulation& simulation() const { return *mSimulation; }

  py::list bodies() const {
    py::list list;
    for (const auto& [id, body] : mSimulation->bodies()) list.append(bodyDict(body));
    return list;
  }
  py::list events() const {
    const py::object loads = py::module_::import("json").attr("loads");
    py::list list;
    for (const SimEvent& event : mSimulation->events()) list.append(loads(textFrom(event.toJson())));
    return list;
  }
  GeometryObject points() const { return GeometryObject(framePoints(*mSimulation)); }
  GeometryObject geometry() const {
    Context context;
    return GeometryObject(bakedFrame(*mSimulation, context));
  }
  GeometryObject body(const std::string& name) const {
    for (const auto& [id, body] : mSimulation->bodies())
      if (body.coupling.name == name) return GeometryObject(body.coupling.geometry);
    throw Error(ErrorCode::Usage, "there is no body " + name, "bodies lists those of this frame");
  }

 private:
  int mThreads;
  std::unique_ptr<Simulation> mSimulation;
  std::unique_ptr<SimCache> mCache;
  bool mBegun = false, mWritten = false;
};

}  // namespace

void bindSimulation(py::module_& module) {
  using Class = SimulationObject;
  py::class_<Class>(
      module, "Simulation",
      "A scene of rigid bodies that collide and break, frame by frame:\n\n"
      "    for frame in hackle.Simulation(\"scene.toml\", \"out\"):\n"
      "        print(frame.frame, len(frame.bodies), frame.events)\n\n"
      "`scene` is the name of a TOML file or its text. With a folder, the cache is written as the "
      "operator sim does.")
      .def(py::init<const std::string&, const std::optional<std::filesystem::path>&, bool, int>(), "scene"_a,
           "folder"_a = py::none(), py::kw_only(), "resume"_a = false, "threads"_a = 0)
      .def("__iter__", [](py::object self) { return self; })
      .def("__next__", &Class::next, py::return_value_policy::reference_internal)
      .def_property_readonly("frame", [](const Class& s) { return s.simulation().frame(); })
      .def_property_readonly("frames", [](const Class& s) { return s.simulation().scene().frames; })
      .def_property_readonly("time", [](const Class& s) { return s.simulation().time(); })
      .def_property_readonly("bodies", &Class::bodies,
                             "One dict per body: name, position, velocity, mass, ...")
      .def_property_readonly("events", &Class::events,
                             "Bodies that were asked to break in this frame, as dicts.")
      .def("points", &Class::points, "One point per body, as frames of the cache have it.")
      .def("geometry", &Class::geometry, "Polygons of all bodies in place.")
      .def("body", &Class::body, "name"_a, "Polygons of a body in its rest frame.");
}

}  // namespace hackle::python
