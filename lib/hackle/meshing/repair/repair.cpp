#include <hackle/meshing/repair/repair.h>

#include <hackle/core/error.h>
#include <hackle/geometry/topology.h>
#include <hackle/meshing/repair/repair_steps.h>
#include <hackle/meshing/repair/resurface.h>
#include <hackle/meshing/surface/attribute_transfer.h>

#include <fmt/format.h>

#include <algorithm>

namespace hackle {

namespace {

/// How an action is reported: its name, and the sentence around the count, for one and for more.
struct ActionText {
  const char* name;
  const char* one;
  const char* many;
};

const ActionText& actionText(RepairAction action) {
  static const ActionText kTexts[] = {
      {"leave_out_primitives", "1 primitive that is no polygon is left out",
       "{} primitives that are no polygons are left out"},
      {"drop_unused_points", "1 point that no face uses is dropped",
       "{} points that no face uses are dropped"},
      {"weld_points", "1 point is joined to another at its place",
       "{} points are joined to others at their places"},
      {"move_attributes", "1 point attribute differed where points were joined and moved to vertices",
       "{} point attributes differed where points were joined and moved to vertices"},
      {"split_open_edges", "1 corner is added where a point lies on an open edge",
       "{} corners are added where points lie on open edges"},
      {"mend_corners", "1 face with repeated corners is mended", "{} faces with repeated corners are mended"},
      {"drop_degenerate_faces", "1 face without area is dropped", "{} faces without area are dropped"},
      {"drop_duplicate_faces", "1 face that repeats another is dropped",
       "{} faces that repeat others are dropped"},
      {"drop_walls", "1 face of a wall without thickness is dropped",
       "{} faces of walls without thickness are dropped"},
      {"drop_inner_faces", "1 face inside the solid is dropped", "{} faces inside the solid are dropped"},
      {"turn_faces", "1 face is turned over to agree with its neighbours",
       "{} faces are turned over to agree with their neighbours"},
      {"fill_holes", "1 hole is filled", "{} holes are filled"},
      {"split_points", "1 point is split where surfaces touch", "{} points are split where surfaces touch"},
      {"cut_faces", "1 face is cut into triangles because its diagonals coincide with other edges",
       "{} faces are cut into triangles because their diagonals coincide with other edges"},
      {"drop_flat_shells", "1 surface that encloses no volume is dropped",
       "{} surfaces that enclose no volume are dropped"},
      {"drop_repeated_shells", "1 surface that repeats another is dropped",
       "{} surfaces that repeat others are dropped"},
      {"turn_shells", "1 surface that is inside out is turned over",
       "{} surfaces that are inside out are turned over"},
      {"drop_nested_shells", "1 surface inside the solid is dropped",
       "{} surfaces inside the solid are dropped"},
      {"fill_cavities", "1 cavity is filled", "{} cavities are filled"},
      {"resurface", "the surface is made anew from a level set", "the surface is made anew from level sets"},
  };
  return kTexts[static_cast<size_t>(action)];
}

std::string messageOf(const RepairStep& step) {
  const ActionText& text = actionText(step.action);
  std::string message = step.count == 1 ? text.one : fmt::format(fmt::runtime(text.many), step.count);
  if (!step.detail.empty()) return message + ": " + step.detail;
  if (!step.primitives.empty()) {
    message += step.primitives.size() == 1 ? " (primitive " : " (primitives ";
    message += fmt::format("{}", fmt::join(step.primitives, ", "));
    return message + (step.count > step.primitives.size() ? ", ...)" : ")");
  }
  return step.places.empty() ? message : message + ", around " + detail::placeText(step.places[0]);
}

void checkFinite(const Geometry& input) {
  for (size_t p = 0; p < input.pointCount(); ++p) {
    const Vec3& x = input.position(p);
    if (!x.allFinite())
      throw Error(ErrorCode::BadInput, fmt::format("point {} is not finite: {}", p, detail::placeText(x)),
                  "delete it or give it a place");
  }
}

void takeStock(detail::RepairRun& run) {
  const Geometry& input = run.mesh.input();
  std::vector<uint8_t> used(input.pointCount(), 0);
  Box3 box;
  for (size_t f = 0; f < run.mesh.faceCount(); ++f)
    for (const detail::RepairCorner& c : run.mesh.corners(f)) {
      used[c.point] = 1;
      box.add(run.mesh.position(c.point));
    }
  run.diagonal = box.empty() ? 0 : box.diagonal();
  if (run.mesh.faceCount() < input.primitiveCount()) {
    RepairStep& step = run.step(RepairAction::LeaveOutPrimitives);
    step.count = input.primitiveCount() - run.mesh.faceCount();
  }
  for (size_t p = 0; p < used.size(); ++p)
    if (!used[p]) run.note(RepairAction::DropUnusedPoints, 1, input.position(p));
}

/// One round: everything but resurfacing.
void takeSteps(detail::RepairRun& run) {
  using namespace detail;
  Context& context = run.context;
  const double tolerance = run.options.weldTolerance * run.diagonal;
  mendCorners(run);
  collapseEmptyEdges(run);
  context.advance(0.1);
  dropDuplicateFaces(run);
  weldOpenEdges(run, 0.0);
  if (tolerance > 0 && hasOpenEdges(run)) {
    weldOpenEdges(run, tolerance);
    if (hasOpenEdges(run)) splitOpenEdges(run, tolerance);
  }
  context.advance(0.3);
  dropDuplicateFaces(run);
  dropWalls(run);
  absorbSlivers(run);
  dropInnerFaces(run);
  context.advance(0.5);
  if (run.mesh.liveFaceCount() == 0)
    run.refuse("the faces enclose no volume: none has an area", "give the surface a thickness first");
  orientFaces(run);
  if (!run.obstacles.empty()) return;
  std::vector<int32_t> partners = pairHalfEdges(run);
  fillHoles(run, partners);
  context.advance(0.7);
  if (!run.obstacles.empty()) return;
  splitPoints(run, partners);
  sortShells(run);
  cutSharedDiagonals(run);
  if (run.mesh.liveFaceCount() == 0)
    run.refuse("the surface encloses no volume", "give it a thickness first");
}

/// Rounds until nothing changes: what a step adds can be dirt to an earlier one, such as a filling with an
/// edge without length.
void takeRounds(detail::RepairRun& run) {
  constexpr int kRounds = 8;
  for (int round = 0; round < kRounds; ++round) {
    const auto changes = [&] {
      size_t count = 0;
      for (const RepairStep& step : run.steps)
        if (step.action != RepairAction::TurnFaces && step.action != RepairAction::TurnShells)
          count += step.count;
      return count;
    };
    const size_t before = changes();
    run.mesh.beginRound();
    takeSteps(run);
    bool turned = false;
    for (size_t f = 0; f < run.mesh.faceCount(); ++f)
      turned = turned || (run.mesh.face(f).count > 0 && run.mesh.face(f).reversed);
    if (!run.obstacles.empty()) return;
    if (changes() == before && !turned) {
      if (!run.options.allowCrossings) refuseCrossings(run);
      return;
    }
  }
  run.refuse(fmt::format("repair still finds changes to make after {} rounds", kRounds),
             "rebuild the surface (resurface)");
}

void checkSolid(const Geometry& solid, Context& context) {
  const Topology topology = analyseTopology(solid, context);
  HACKLE_ASSERT(topology.closed && topology.manifold && topology.oriented);
}

/// The repaired faces.
Geometry rebuilt(detail::RepairRun& run) {
  std::vector<std::string> moved;
  Geometry solid = run.mesh.geometry(moved);
  if (!moved.empty()) {
    RepairStep& step = run.step(RepairAction::MoveAttributes);
    step.count = moved.size();
    step.detail = fmt::format("{}", fmt::join(moved, ", "));
  }
  checkSolid(solid, run.context);
  return solid;
}

/// Parts that grew together on a new surface are one piece: names that tell them apart would name open
/// pieces.
void dropNamesOfOpenPieces(Geometry& solid, Context& context) {
  const Attribute* name = solid.findAttribute(Owner::Primitive, "name");
  if (!name || !name->isString()) return;
  const Components parts = findComponents(solid);
  std::vector<const std::string*> names(parts.count, nullptr);
  for (size_t p = 0; p < solid.primitiveCount(); ++p) {
    const std::string*& known = names[parts.ofPrimitive[p]];
    if (!known) known = &name->string(p);
    if (*known == name->string(p)) continue;
    context.warn("parts of different names grew together on the new surface: the attribute name is dropped");
    solid.removeAttribute(Owner::Primitive, "name");
    return;
  }
}

/// A new surface around what could not be repaired.
Geometry resurfaced(detail::RepairRun& run) {
  constexpr double kVoxelsAlongDiagonal = 150;
  const detail::RepairObstacle& obstacle = run.obstacles[0];
  if (!run.options.resurface || run.mesh.liveFaceCount() == 0)
    throw Error(ErrorCode::BadInput, obstacle.message, obstacle.remedy);
  const Context::Stage stage(run.context, "resurface");
  const double voxelSize = run.options.voxelSize.value_or(run.diagonal / kVoxelsAlongDiagonal);
  const Geometry& input = run.mesh.input();
  Geometry solid = resurface(run.mesh.triangles(), voxelSize, run.context);
  if (solid.primitiveCount() == 0)
    throw Error(
        ErrorCode::BadInput,
        fmt::format("{}, and a level set with voxels of {:.3g} finds no inside", obstacle.message, voxelSize),
        "give the surface a thickness of several voxels, or use smaller ones (voxel_size)");
  // Thin parts can come out crumpled: the new surface is smoothed there and looked at like any other.
  const size_t crossings = run.options.allowCrossings ? 0 : detail::smoothCrossings(solid, run.context);
  detail::RepairRun again{run.options, run.context, detail::RepairMesh(solid), run.diagonal, {}, {}};
  if (crossings > 0)
    again.refuse(fmt::format("{} pairs of triangles cross or touch", crossings), "");
  else
    takeRounds(again);
  if (!again.obstacles.empty())
    throw Error(ErrorCode::BadInput,
                fmt::format("{}; in the new surface {}", obstacle.message, again.obstacles[0].message),
                "try another voxel size (voxel_size)");
  if (!again.steps.empty()) solid = rebuilt(again);
  transferAttributes(input, solid, run.context);
  dropNamesOfOpenPieces(solid, run.context);
  solid.positionFileStorage = input.positionFileStorage;
  RepairStep& step = run.step(RepairAction::Resurface);
  step.count = 1;
  step.detail = fmt::format("voxels of {:.3g}, because of {}", voxelSize, obstacle.message);
  return solid;
}

}  // namespace

const char* repairActionName(RepairAction action) { return actionText(action).name; }

namespace detail {

std::string placeText(const Vec3& place) {
  return fmt::format("({:.4g}, {:.4g}, {:.4g})", place.x(), place.y(), place.z());
}

RepairStep& RepairRun::step(RepairAction action) {
  for (RepairStep& known : steps)
    if (known.action == action) return known;
  steps.emplace_back().action = action;
  return steps.back();
}

constexpr size_t kShown = 5;

void RepairRun::note(RepairAction action, size_t face) {
  RepairStep& known = step(action);
  ++known.count;
  if (known.primitives.size() >= kShown) return;
  known.primitives.push_back(mesh.face(face).primitive);
  known.places.push_back(mesh.middle(face));
}

void RepairRun::note(RepairAction action, size_t count, const Vec3& place) {
  RepairStep& known = step(action);
  known.count += count;
  if (known.places.size() < kShown) known.places.push_back(place);
}

void RepairRun::forget(RepairAction action) {
  steps.erase(std::remove_if(steps.begin(), steps.end(),
                             [&](const RepairStep& step) { return step.action == action; }),
              steps.end());
}

void RepairRun::refuse(std::string message, std::string remedy) {
  obstacles.push_back({std::move(message), std::move(remedy)});
}

}  // namespace detail

RepairResult repairSolid(const Geometry& input, const RepairOptions& options, Context& context) {
  checkFinite(input);
  detail::RepairRun run{options, context, detail::RepairMesh(input), 0, {}, {}};
  if (run.mesh.faceCount() == 0)
    throw Error(ErrorCode::BadInput, "the input has no polygons", "give a closed surface");
  takeStock(run);
  takeRounds(run);

  RepairResult result;
  if (!run.obstacles.empty())
    result.geometry = resurfaced(run);
  else if (run.steps.empty())
    result.geometry = input;
  else
    result.geometry = rebuilt(run);
  std::sort(run.steps.begin(), run.steps.end(),
            [](const RepairStep& a, const RepairStep& b) { return a.action < b.action; });
  for (RepairStep& step : run.steps) {
    step.message = messageOf(step);
    context.warn(step.message);
  }
  result.steps = std::move(run.steps);
  return result;
}

}  // namespace hackle
