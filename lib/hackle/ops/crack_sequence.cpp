#include <hackle/core/error.h>
#include <hackle/fracture/crack/crack_place.h>
#include <hackle/fracture/crack/pieces/crack_outputs.h>
#include <hackle/fracture/crack/pieces/crack_surfaces.h>
#include <hackle/io/file.h>
#include <hackle/ops/crack_sequence.h>
#include <hackle/ops/sequence_name.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

namespace hackle {

ParameterTable<CrackSequenceOptions> sequenceTable() {
  using O = CrackSequenceOptions;
  ParameterTable<O> table;
  table.add(&O::file, "sequence", "Sequence")
      .as(ParameterType::File)
      .help(
          "Files for slow motion, written while the run goes on; # in the name becomes the number, with "
          "body1, body2 before it if there are several bodies.");
  table.add(&O::of, "sequence_of", "Sequence Of")
      .menu({{"cracks", "Cracks"}, {"elements", "Elements"}, {"volumes", "Volumes"}})
      .help("What the files have: cracks and their fronts (group fronts), the mesh to solve on, or VDBs.");
  table.add(&O::by, "sequence_by", "Sequence By")
      .menu({{"step", "Step"}, {"sub_step", "Sub Step"}})
      .help("One file per step, or one each time that the fastest front can move by the fine resolution.");
  return table;
}

void checkSequence(const CrackSequenceOptions& options) {
  if (options.file.empty()) return;
  checkSequenceName(options.file);
  if (options.of != SequenceContent::Cracks && options.by == SequenceRate::SubStep)
    throw Error(ErrorCode::Usage, "only cracks can be shown by sub steps",
                "set sequence_by to step, or sequence_of to cracks");
}

std::string fileOfBody(const std::string& file, size_t body) {
  if (file.empty()) return file;
  size_t at = file.find_last_of('#');
  if (at != std::string::npos) {
    while (at > 0 && file[at - 1] == '#') --at;
    return fmt::format("{}body{}.{}", file.substr(0, at), body + 1, file.substr(at));
  }
  const std::filesystem::path path(file);
  return (path.parent_path() /
          fmt::format("{}.body{}{}", path.stem().string(), body + 1, path.extension().string()))
      .string();
}

CrackSequence::CrackSequence(const CrackSequenceOptions& options, const std::vector<CrackBody>& bodies)
    : mOptions(options), mBodies(bodies), mTimes(bodies.size(), 0.0) {}

void CrackSequence::begin(size_t body, const CrackSolver& solver) {
  mTimes[body] = solver.simulatedSeconds();
}

void CrackSequence::addStep(size_t body, const CrackSolver& solver, Context& context) {
  if (mOptions.file.empty()) return;
  const Context::Stage stage(context, "sequence");
  const double end = solver.simulatedSeconds();
  if (mOptions.by == SequenceRate::Step) {
    write(body, solver, solver.log().size(), end, context);
  } else if (solver.options().quasiStatic) {
    // Sub steps have no fixed duration: as many files per step.
    const size_t count =
        static_cast<size_t>(std::lround(mBodies[body].options.coarse / mBodies[body].options.fine));
    const double begin = mTimes[body];
    for (size_t k = 1; k <= count && end > begin; ++k)
      write(body, solver, (solver.log().size() - 1) * count + k,
            begin + static_cast<double>(k) / static_cast<double>(count) * (end - begin), context);
  } else {
    const double subStep = mBodies[body].options.fine / rayleighWaveSpeed(mBodies[body].material.elastic);
    const auto last = static_cast<size_t>(std::lround(end / subStep));
    for (size_t s = static_cast<size_t>(std::lround(mTimes[body] / subStep)) + 1; s <= last; ++s)
      write(body, solver, s, static_cast<double>(s) * subStep, context);
  }
  mTimes[body] = end;
}

void CrackSequence::write(size_t body, const CrackSolver& solver, size_t number, double time,
                          Context& context) {
  Geometry geometry;
  switch (mOptions.of) {
    case SequenceContent::Cracks: {
      CrackSurfaceOptions options;
      options.until = time;
      geometry = crackSurfaces(solver.records(), solver.surfaceTree(), options, context);
      const size_t sheets = geometry.primitiveCount();
      geometry.append(crackFrontsAt(solver.records(), solver.surfaceTree(), time, context).lines);
      std::vector<uint8_t>& bits = geometry.addGroup(Owner::Primitive, "fronts").bits.edit();
      std::fill(bits.begin() + static_cast<std::ptrdiff_t>(sheets), bits.end(), uint8_t{1});
      break;
    }
    case SequenceContent::Elements:
      geometry = crackElements(solver, context);
      break;
    case SequenceContent::Volumes:
      geometry = crackVolumes(mBodies[body].mesh.solid->mesh, solver.records(), mBodies[body].options.fine,
                              2.0, context);
      break;
  }
  moveBack(mBodies[body].origin, geometry, context);
  const std::string file = mBodies.size() > 1 ? fileOfBody(mOptions.file, body) : mOptions.file;
  writeGeometry(sequenceName(file, number), geometry, context);
  ++mFrames;
}

}  // namespace hackle
