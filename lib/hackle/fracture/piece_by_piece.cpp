#include <hackle/core/random.h>
#include <hackle/fracture/piece_by_piece.h>
#include <hackle/fracture/refracture.h>

#include <fmt/format.h>

#include <algorithm>

namespace hackle {

namespace {

/// The load case of each piece: its own impacts, moved onto the surface, its own seed and its share of the
/// budget.
std::vector<LoadCase> loadsOfPieces(const FracturePieces& pieces, const LoadCase& load, size_t chosen,
                                    Context& context) {
  LoadCase shared = load;
  shared.impacts.clear();
  if (load.maxPieces) shared.maxPieces = std::max<size_t>(1, *load.maxPieces / std::max<size_t>(1, chosen));
  std::vector<LoadCase> loads(pieces.names.size(), shared);
  for (size_t p = 0; p < loads.size(); ++p) loads[p].seed = load.seed ^ mixBits(p + 1);
  if (load.impacts.empty()) return loads;
  const TriangleMesh mesh = triangleMesh(pieces.geometry, context);
  const TriangleBvh surface(mesh, context);
  for (const Impact& impact : impactsOnSurface(load.impacts, surface)) {
    const size_t hit = static_cast<size_t>(surface.closestPoint(impact.position).triangle);
    loads[pieces.primitivePiece[mesh.primitives[hit]]].impacts.push_back(impact);
  }
  return loads;
}

/// Gives pieces other names, and their faces too.
void rename(FracturePieces& pieces, std::vector<std::string> names) {
  Attribute* attribute = pieces.geometry.findAttribute(Owner::Primitive, "name");
  HACKLE_ASSERT(attribute && "pieces have names");
  attribute->assignStrings({names, pieces.primitivePiece});
  pieces.names = std::move(names);
}

}  // namespace

FractureResult fracturePieces(const FractureEngine& engine, const Geometry& geometry,
                              const std::vector<uint8_t>& chosen, const LoadCase& load,
                              const PieceOptions& cut, Context& context) {
  const FracturePieces parents = piecesOf(geometry, context);
  HACKLE_ASSERT(chosen.size() == parents.names.size() && "one flag per piece");
  const size_t asked = static_cast<size_t>(std::count(chosen.begin(), chosen.end(), uint8_t(1)));
  const std::vector<LoadCase> loads = loadsOfPieces(parents, load, asked, context);

  FractureResult result;
  size_t broken = 0;
  std::optional<Held> firstHeld;
  const auto breaker = [&](const Geometry& piece, size_t index, const std::string& prefix) {
    const std::string& name = parents.names[index];
    if (!chosen[index]) return wholePiece(piece, name, context);
    const SolidPtr solid = solidOf(piece, context);
    const EngineStatePtr state = engine.prepare(solid, context);
    FractureResult own = engine.fracture(*solid, *state, loads[index], context);
    if (own.held || own.pieces.names.size() < 2) {
      if (!firstHeld) firstHeld = own.held;
      return wholePiece(piece, name, context);
    }
    ++broken;
    result.area += own.area;
    if (own.energy) result.energy = result.energy.value_or(0) + *own.energy;
    // The engine's names are its prefix and a number, with further numbers where it breaks in levels.
    std::vector<std::string> names;
    for (const std::string& of : own.pieces.names) names.push_back(prefix + of.substr(cut.prefix.size()));
    rename(own.pieces, std::move(names));
    return std::move(own.pieces);
  };
  result.pieces = breakEach(parents, breaker, cut.insideGroup, context);
  addDepth(result.pieces.geometry, geometry, cut.insideGroup, context);
  result.states.resize(result.pieces.names.size());
  if (broken == 0)
    result.held = firstHeld.value_or(Held{HeldBy::Resolution, std::nullopt, "no piece breaks"});
  result.report.set("broken", broken);
  return result;
}

}  // namespace hackle
