#include <hackle/core/parallel.h>
#include <hackle/geometry/piece_names.h>
#include <hackle/ops/catalogue.h>

#include <cmath>

namespace hackle {

namespace {

enum class Mode { Proportional, Equal };
enum class Centre { Bounds, Average, Position };
enum class Middle { Bounds, Area };

struct ExplodeOptions {
  double amount = 0.5;
  Mode mode = Mode::Proportional;
  Vec3 directions{1, 1, 1};
  Middle middle = Middle::Bounds;
  Centre centre = Centre::Bounds;
  Vec3 centrePosition{0, 0, 0};
};

/// Box of each piece: its points, and its volumes.
std::vector<Box3> pieceBoxes(const Geometry& geometry, const Pieces& pieces,
                             const std::vector<int32_t>& pieceOfPoint) {
  std::vector<Box3> boxes(pieces.count());
  for (size_t p = 0; p < geometry.pointCount(); ++p)
    if (pieceOfPoint[p] >= 0) boxes[pieceOfPoint[p]].add(geometry.position(p));
  for (size_t p = 0; p < geometry.primitiveCount(); ++p)
    if (geometry.primitiveType(p) == PrimitiveType::Volume && !geometry.volume(p)->bounds().empty())
      boxes[pieces.ofPrimitive[p]].add(geometry.volume(p)->bounds());
  return boxes;
}

/// Middle of each piece: of its box, or that of its faces' area if it has faces.
std::vector<Vec3> pieceMiddles(const Geometry& geometry, const Pieces& pieces, const std::vector<Box3>& boxes,
                               Middle middle) {
  std::vector<Vec3> middles(boxes.size(), Vec3::Zero());
  if (middle == Middle::Bounds) {
    for (size_t i = 0; i < boxes.size(); ++i)
      if (!boxes[i].empty()) middles[i] = boxes[i].centre();
    return middles;
  }
  std::vector<double> areas(boxes.size(), 0.0);
  for (size_t p = 0; p < geometry.primitiveCount(); ++p) {
    if (geometry.primitiveType(p) != PrimitiveType::Polygon) continue;
    const Span<const int32_t> corners = geometry.corners(p);
    const auto at = [&](size_t c) { return geometry.position(static_cast<size_t>(corners[c])); };
    Vec3 area = Vec3::Zero(), face = Vec3::Zero();
    for (size_t c = 0; c < corners.size(); ++c) face += at(c) / static_cast<double>(corners.size());
    for (size_t c = 2; c < corners.size(); ++c) area += 0.5 * (at(c - 1) - at(0)).cross(at(c) - at(0));
    const size_t piece = static_cast<size_t>(pieces.ofPrimitive[p]);
    middles[piece] += area.norm() * face;
    areas[piece] += area.norm();
  }
  for (size_t i = 0; i < boxes.size(); ++i)
    if (!boxes[i].empty())
      middles[i] = areas[i] > 0 && std::isfinite(areas[i]) ? Vec3(middles[i] / areas[i]) : boxes[i].centre();
  return middles;
}

/// How far each piece moves.
std::vector<Vec3> displacements(const std::vector<Box3>& boxes, const std::vector<Vec3>& middles,
                                const ExplodeOptions& options) {
  Box3 all;
  Vec3 sum = Vec3::Zero();
  size_t counted = 0;
  for (size_t i = 0; i < boxes.size(); ++i) {
    if (boxes[i].empty()) continue;
    all.add(boxes[i]);
    sum += middles[i];
    ++counted;
  }
  Vec3 centre = options.centrePosition;
  if (options.centre == Centre::Bounds && counted > 0) centre = all.centre();
  if (options.centre == Centre::Average && counted > 0) centre = sum / static_cast<double>(counted);

  std::vector<Vec3> moves(boxes.size(), Vec3::Zero());
  for (size_t i = 0; i < boxes.size(); ++i) {
    if (boxes[i].empty()) continue;
    Vec3 away = (middles[i] - centre).cwiseProduct(options.directions);
    // Half the diagonal is as far as the proportional mode moves the outermost pieces.
    if (options.mode == Mode::Equal && away.norm() > 0) away *= 0.5 * all.diagonal() / away.norm();
    moves[i] = options.amount * away;
  }
  return moves;
}

Outputs explode(const Inputs& inputs, const ExplodeOptions& options, Context& context) {
  Geometry geometry = inputs.geometry(0);
  const Pieces pieces = findPieces(geometry);
  const std::vector<int32_t> pieceOfPoint = splitPieces(geometry, pieces);
  const std::vector<Box3> boxes = pieceBoxes(geometry, pieces, pieceOfPoint);
  const std::vector<Vec3> moves =
      displacements(boxes, pieceMiddles(geometry, pieces, boxes, options.middle), options);

  std::vector<Vec3>& positions = geometry.editPositions();
  parallelFor(context, positions.size(), 1 << 15, [&](size_t p) {
    if (pieceOfPoint[p] >= 0) positions[p] += moves[pieceOfPoint[p]];
  });
  for (size_t p = 0; p < geometry.primitiveCount(); ++p)
    if (geometry.primitiveType(p) == PrimitiveType::Volume)
      geometry.setVolume(p, geometry.volume(p)->transformed(Mat3::Identity(), moves[pieces.ofPrimitive[p]]));
  Value result;
  result.set("pieces", pieces.count());
  result.set("by", hasPieceNames(geometry) ? "name" : "connection");
  result.set("points_split", geometry.pointCount() - inputs.geometry(0).pointCount());
  return Outputs({std::move(geometry)}, std::move(result));
}

}  // namespace

Operator explodeOperator() {
  Operator op;
  op.id = "explode";
  op.label = "Explode";
  op.summary = "Move pieces apart to see the faces between them";
  op.help =
      "Moves every piece away from a centre without changing its shape: the usual exploded view of a "
      "fractured object. Pieces are the sets of primitives with the same primitive attribute name; where "
      "there is none, what is connected by shared points. Points that several pieces share are split.\n\n"
      "In the proportional mode a piece moves by amount times its distance from the centre, so that amount 1 "
      "doubles all distances and gaps are even. In the equal mode all pieces move by amount times half the "
      "diagonal of the bounding box, which opens the middle of dense fractures.\n\n"
      "directions restricts or weighs the motion: 1 0 1 spreads pieces in the ground plane only.";
  op.category = "Geometry";
  op.examples = {"explode pieces.bgeo --amount 0.5 -o apart.bgeo"};
  op.inputs = {{"geometry", "Geometry", "Pieces, by name or by connection."}};
  op.outputs = {{"geometry", "Geometry", "The pieces, moved apart."}};
  ParameterTable<ExplodeOptions> table;
  using O = ExplodeOptions;
  table.add(&O::amount, "amount", "Amount")
      .unit("none")
      .soft(0, 2)
      .help("How far pieces move, relative to the size of the whole. 0 leaves them in place.");
  table.add(&O::mode, "mode", "Mode")
      .menu({{"proportional", "Proportional to Distance"}, {"equal", "Equal for All"}})
      .help("Whether pieces far from the centre move farther, or all pieces move equally far.");
  table.add(&O::directions, "directions", "Directions")
      .unit("none")
      .soft(-1, 1)
      .help("Factors for the motion along x, y and z; 0 keeps pieces from moving along that axis.");
  table.add(&O::middle, "middle", "Middle of Pieces")
      .menu({{"bounds", "Bounding Box"}, {"area", "Faces"}})
      .help(
          "What counts as the middle of a piece: that of its bounding box, or of the area of its faces, "
          "which tells pieces apart that interlock.");
  table.add(&O::centre, "centre", "Centre")
      .menu({{"bounds", "Bounding Box"}, {"average", "Average of Pieces"}, {"position", "Position"}})
      .help(
          "Where the pieces move away from: the middle of the bounding box, the average of the pieces' own "
          "middles, or centre_position (a point of impact, for instance).");
  table.add(&O::centrePosition, "centre_position", "Centre Position")
      .unit("m")
      .soft(-10, 10)
      .enabledWhen("centre", {"position"})
      .help("The centre, where it is given explicitly.");
  op.bind(table, explode);
  return op;
}

}  // namespace hackle
