#include <hackle/ops/crack_results.h>

#include <hackle/core/error.h>
#include <hackle/fracture/crack/pieces/crack_outputs.h>
#include <hackle/fracture/crack/pieces/crack_surfaces.h>
#include <hackle/geometry/mass_properties.h>
#include <hackle/meshing/cut/cutter.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>

namespace hackle {

namespace {

/// Of several bodies the one that it is about.
void warn(const CrackSetup& setup, const std::string& text, Context& context) {
  context.warn(setup.name.empty() ? text : fmt::format("{}: {}", setup.name, text));
}

/// How far the body is from breaking, in words of the user.
std::string whyWhole(const CrackSetup& setup, size_t crumbs, const CrackOperatorOptions& options) {
  const CrackSolver& solver = *setup.solver;
  double stress = 0, intensity = 0, area = 0;
  size_t moved = 0;
  for (const CrackStep& step : solver.log()) {
    stress = std::max(stress, step.stress);
    intensity = std::max(intensity, step.intensity);
    area = step.area;
    moved += step.moved;
  }
  const double ratio = intensity / options.material.toughness;
  if (solver.log().empty()) return "no step was taken: the solid stays as it is; allow more steps";
  if (solver.cracks().empty() && options.cracks == 0)
    return "no crack is there and none may start: give an initial one, or allow new cracks";
  if (solver.cracks().empty() && stress <= 0)
    return "nothing breaks: the conditions put no stress on the solid; give a load or a displacement";
  if (solver.cracks().empty() && stress > 1)
    return fmt::format(
        "nothing breaks: the greatest stress is {:.3g} times the strength, but the solid is too thin there "
        "for a "
        "crack at a coarse resolution of {:.3g} m; give a smaller one",
        stress, setup.options.coarse);
  if (solver.cracks().empty())
    return fmt::format(
        "nothing breaks: the greatest stress is {:.3g} of the strength; loads and displacements {:.3g} times "
        "as large would start a crack",
        stress, 1.01 / stress);
  if (moved == 0)
    return fmt::format(
        "no crack grows: the greatest stress intensity is {:.3g} of the toughness (the greatest stress "
        "{:.3g} "
        "of the strength); the solid stays in one piece",
        ratio, stress);
  if (static_cast<int>(solver.log().size()) >= options.steps)
    return fmt::format(
        "no crack goes through after {} steps ({:.3g} m^2 cracked); allow more, or look at the output of "
        "cracks",
        options.steps, area);
  const double last = solver.log().back().intensity;
  if (last <= 0 && crumbs > 0)
    return fmt::format(
        "the cracks cut off nothing but {} too small to be a piece; lower smallest and min_volume, or raise "
        "the "
        "ratio",
        crumbs == 1 ? std::string("one part") : fmt::format("{} parts", crumbs));
  if (last <= 0)
    return fmt::format(
        "no crack goes through: all fronts have ended at the surface or at other cracks, {:.3g} m^2 in all; "
        "the "
        "solid stays in one piece",
        area);
  return fmt::format(
      "no crack goes through: they stop at {:.3g} m^2, with a stress intensity of {:.3g} of the toughness; "
      "the solid stays in one piece",
      area, last / options.material.toughness);
}

/// The solid along its cracks; nothing if none goes through, or all that come off are `crumbs`.
std::optional<FracturePieces> cutAlongCracks(const CrackSetup& setup, const CrackOperatorOptions& options,
                                             size_t& crumbs, Context& context) {
  const std::vector<RecordedCrack> records = setup.solver->records();
  if (records.empty()) return {};
  const SolveMesh& mesh = setup.mesh;
  const double volume = massProperties(mesh.mesh, context).volume;
  CutPieceOptions pieceOptions = options.output.cut;
  pieceOptions.pieces.minVolume = pieceOptions.minVolumeShare * volume;
  CrackCutOptions cutOptions;
  cutOptions.threshold = options.threshold;
  cutOptions.tolerance = options.tolerance;
  cutOptions.minVolume =
      std::max(pieceOptions.pieces.minVolume, std::pow(options.smallest * setup.options.coarse, 3));
  cutOptions.ligament = options.ligament * setup.options.coarse;
  const CrackPartition partition(setup.solver->surfaceTree(), records, cutOptions, context);
  if (partition.whole()) {
    crumbs = partition.crumbs();
    return {};
  }
  Cut cut = partition.cut(mesh.solid, mesh.mesh, context);
  pieceOptions.pieces.minVolume = std::max(cutOptions.minVolume, partition.crumbVolume());
  FracturePieces pieces =
      unfinishedPiecesOfCut(mesh.solid, mesh.mesh, volume, std::move(cut), pieceOptions, context);
  addCrackAttributes(pieces, partition, options.output.cut.pieces.insideGroup, context);
  return pieces;
}

FracturePieces piecesOf(const CrackSetup& setup, const CrackOperatorOptions& options, Context& context) {
  if (setup.solver) {
    size_t crumbs = 0;
    if (std::optional<FracturePieces> pieces = cutAlongCracks(setup, options, crumbs, context))
      return std::move(*pieces);
    warn(setup, whyWhole(setup, crumbs, options), context);
  }
  const SolveMesh& mesh = setup.mesh;
  const std::vector<Vec3> one{mesh.solid.bounds().centre()};
  CutPieceOptions whole = options.output.cut;
  whole.detail.size = 0;
  return unfinishedPiecesOfCut(mesh.solid, mesh.mesh, massProperties(mesh.mesh, context).volume,
                               cutByVoronoi(mesh.solid, mesh.mesh, one, context), whole, context);
}

/// Adds to the numbers of cracks; faces without a crack have -1, also where the attribute is not there yet.
void countCracksFrom(Geometry& geometry, size_t first) {
  Attribute* crack = geometry.findAttribute(Owner::Primitive, "crack");
  if (!crack) {
    Attribute none("crack", Storage::Int32, 1, geometry.primitiveCount());
    none.edit<int32_t>().assign(geometry.primitiveCount(), -1);
    geometry.addAttribute(Owner::Primitive, std::move(none));
    return;
  }
  for (int32_t& c : crack->edit<int32_t>())
    if (c >= 0) c += static_cast<int32_t>(first);
}

/// Level-set surfaces of the bodies that have cracks, named on.
Geometry levelSetSurfaces(const std::vector<CrackSetup>& bodies, const CrackOperatorOptions& options,
                          Context& context) {
  LevelSetSurfaceOptions surfaces;
  surfaces.threshold = options.threshold;
  surfaces.closeGaps = options.closeGaps;
  surfaces.displacement = options.addDisplacement;
  surfaces.opening = options.addOpening;
  surfaces.scale = options.displacementScale;
  std::vector<Geometry> parts;
  size_t cracks = 0;
  for (const CrackSetup& body : bodies) {
    if (!body.solver || body.solver->cracks().empty()) continue;
    parts.push_back(crackLevelSetSurfaces(*body.solver, body.mesh.mesh, surfaces, context));
    countCracksFrom(parts.back(), cracks);
    cracks += body.solver->cracks().size();
    surfaces.firstPiece += parts.back().findAttribute(Owner::Primitive, "name")->strings().table.size();
  }
  return merged(parts);
}

}  // namespace

FracturePieces crackedPieces(const std::vector<CrackSetup>& bodies, const CrackOperatorOptions& options,
                             Context& context) {
  if (bodies.size() == 1) return piecesOf(bodies[0], options, context);
  std::vector<FracturePieces> parts;
  std::vector<size_t> polygons;
  bool anyCut = false;
  for (const CrackSetup& body : bodies) {
    parts.push_back(piecesOf(body, options, context));
    polygons.push_back(body.mesh.solid.primitiveCount());
    anyCut = anyCut || parts.back().geometry.findAttribute(Owner::Primitive, "crack");
  }
  size_t cracks = 0;
  for (size_t b = 0; anyCut && b < bodies.size(); ++b) {
    countCracksFrom(parts[b].geometry, cracks);
    if (bodies[b].solver) cracks += bodies[b].solver->cracks().size();
  }
  return joinPieces(parts, polygons, options.output.cut.pieces.prefix);
}

void addFurtherOutputs(Outputs& outputs, const std::vector<CrackSetup>& bodies,
                       const CrackOperatorOptions& options, Context& context) {
  const Context::Stage stage(context, "outputs");
  std::vector<RecordedCrack> records;
  for (const CrackSetup& body : bodies)
    for (size_t i = 0; body.solver && i < body.solver->cracks().size(); ++i)
      records.push_back(body.solver->records()[i]);
  const auto add = [&](bool wanted, const auto& make) {
    outputs.items.push_back(wanted ? Item(make()) : Item());
  };
  const auto ofEach = [&](const std::function<Geometry(const CrackSolver&)>& make) {
    std::vector<Geometry> parts;
    size_t cracks = 0;
    for (const CrackSetup& body : bodies) {
      if (!body.solver) continue;
      parts.push_back(make(*body.solver));
      countCracksFrom(parts.back(), cracks);
      cracks += body.solver->cracks().size();
    }
    return parts.size() == 1 ? std::move(parts[0]) : merged(parts);
  };
  add(options.giveCracks, [&] {
    return ofEach(
        [&](const CrackSolver& s) { return crackSurfaces(s.records(), s.surfaceTree(), {}, context); });
  });
  add(options.giveElements,
      [&] { return ofEach([&](const CrackSolver& s) { return crackElements(s, context); }); });
  add(options.giveVolumes, [&] {
    std::vector<SolveMesh> meshes;
    for (const CrackSetup& body : bodies) meshes.push_back(body.mesh);
    return crackVolumes(joined(meshes).mesh, records, bodies[0].options.fine, 2.0, context);
  });
  add(options.giveSurfaces && !records.empty(), [&] { return levelSetSurfaces(bodies, options, context); });
}

}  // namespace hackle
