#include <hackle/fracture/glue/glue_engine.h>

#include <hackle/core/archive.h>
#include <hackle/core/memo.h>
#include <hackle/fracture/refracture.h>
#include <hackle/geometry/piece_names.h>
#include <hackle/geometry/union_find.h>

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace hackle {

namespace {

// Primitive attribute that keeps the names of glued pieces when bodies get names of their own.
constexpr const char* kPiece = "glue_piece";

class GlueState final : public EngineState {
 public:
  explicit GlueState(FracturePieces given) : parts(std::move(given)) {}
  size_t bytes() const override {
    return bytesOf(parts.contacts) + parts.geometry.vertexCount() * 16 + parts.geometry.pointCount() * 64;
  }
  FracturePieces parts;  // with contacts; names are those of the file
};

/// Impulse (N s) on each bond: hops from the pieces that were hit.
std::vector<double> bondImpulses(const FracturePieces& parts, const std::vector<double>& onPiece,
                                 double share) {
  std::vector<std::vector<size_t>> bondsOf(parts.names.size());
  for (size_t c = 0; c < parts.contacts.size(); ++c) {
    bondsOf[parts.contacts[c].a].push_back(c);
    bondsOf[parts.contacts[c].b].push_back(c);
  }
  std::vector<double> onBond(parts.contacts.size(), 0);
  for (size_t start = 0; start < onPiece.size(); ++start) {
    if (!(onPiece[start] > 0)) continue;
    std::vector<uint8_t> seen(parts.names.size(), 0), passed(onBond.size(), 0);
    std::vector<size_t> ring{start};
    seen[start] = 1;
    for (double impulse = onPiece[start]; !ring.empty() && impulse > 0; impulse *= share) {
      std::vector<size_t> next;
      for (const size_t piece : ring)
        for (const size_t c : bondsOf[piece]) {
          if (passed[c]) continue;
          passed[c] = 1;
          onBond[c] += impulse;
          const PieceContact& contact = parts.contacts[c];
          const auto other =
              static_cast<size_t>(static_cast<size_t>(contact.a) == piece ? contact.b : contact.a);
          if (seen[other]) continue;
          seen[other] = 1;
          next.push_back(other);
        }
      ring = std::move(next);
      if (impulse < 1e-6 * onPiece[start]) break;
    }
  }
  return onBond;
}

/// Impulses (N s) on pieces: each impact acts on the piece whose surface is nearest.
std::vector<double> pieceImpulses(const Solid& solid, const FracturePieces& parts,
                                  const std::vector<Impact>& impacts) {
  std::vector<double> onPiece(parts.names.size(), 0);
  for (const Impact& impact : impacts) {
    const ClosestPoint at = solid.bvh.closestPoint(impact.position);
    if (at.triangle >= 0) onPiece[parts.primitivePiece[solid.mesh.primitives[at.triangle]]] += impact.impulse;
  }
  return onPiece;
}

/// What the impulses do to the bonds.
struct BrokenBonds {
  std::vector<uint8_t> broken;
  size_t bodies = 0;    // that the pieces are connected to
  double factor = 0.0;  // impulses this many times as large break the first bond; infinite if none is loaded
};

/// Bonds whose impulse exceeds their strength break. If that gives more bodies than `most`, those that are
/// overloaded least hold.
BrokenBonds breakBonds(const FracturePieces& parts, const std::vector<double>& onBond, double strength,
                       size_t most) {
  BrokenBonds result;
  result.broken.assign(onBond.size(), 0);
  result.factor = std::numeric_limits<double>::infinity();
  result.bodies = parts.names.size();
  UnionFind sets(parts.names.size());
  const auto hold = [&](size_t c) {
    const PieceContact& contact = parts.contacts[c];
    if (sets.find(contact.a) != sets.find(contact.b)) --result.bodies;
    sets.unite(contact.a, contact.b);
  };
  std::vector<std::pair<double, size_t>> overloaded;
  for (size_t c = 0; c < onBond.size(); ++c) {
    const double needed = strength * parts.contacts[c].area;
    if (onBond[c] > 0) result.factor = std::min(result.factor, needed / onBond[c]);
    if (onBond[c] > needed) {
      result.broken[c] = 1;
      overloaded.emplace_back(onBond[c] / needed, c);
    } else {
      hold(c);
    }
  }
  std::sort(overloaded.begin(), overloaded.end());
  for (size_t k = 0; k < overloaded.size() && result.bodies > most; ++k) {
    result.broken[overloaded[k].second] = 0;
    hold(overloaded[k].second);
  }
  return result;
}

/// Pieces that are still connected, as one each.
FracturePieces joined(const FracturePieces& parts, const std::vector<uint8_t>& broken) {
  UnionFind sets(parts.names.size());
  for (size_t c = 0; c < parts.contacts.size(); ++c)
    if (!broken[c]) sets.unite(parts.contacts[c].a, parts.contacts[c].b);
  FracturePieces result;
  result.geometry = parts.geometry;
  std::vector<int32_t> number(parts.names.size(), -1);
  for (size_t p = 0; p < parts.names.size(); ++p) {
    const int32_t root = sets.find(static_cast<int32_t>(p));
    if (number[root] < 0) {
      number[root] = static_cast<int32_t>(result.names.size());
      result.names.push_back(fmt::format("piece{}", result.names.size()));
      result.cell.push_back(number[root]);
      result.volume.push_back(0);
      result.centre.push_back(Vec3::Zero());
    }
    number[p] = number[root];
    result.volume[number[p]] += parts.volume[p];
    result.centre[number[p]] += parts.volume[p] * parts.centre[p];
  }
  for (size_t i = 0; i < result.names.size(); ++i) result.centre[i] /= result.volume[i];
  for (const int32_t p : parts.primitivePiece) result.primitivePiece.push_back(number[p]);
  result.primitiveSource = parts.primitiveSource;
  for (const PieceContact& contact : parts.contacts) {
    PieceContact c = contact;
    c.a = number[contact.a];
    c.b = number[contact.b];
    if (c.a == c.b) continue;
    if (c.a > c.b) std::swap(c.a, c.b), c.normal = -c.normal;
    result.contacts.push_back(c);
  }
  return result;
}

Held heldBy(const FracturePieces& parts, const BrokenBonds& bonds, const LoadCase& load) {
  if (parts.names.size() < 2) return {HeldBy::Limit, {}, "the body is one piece: there is no glue to break"};
  if (std::isinf(bonds.factor))
    return {HeldBy::NoLoad, {}, "the body stays whole: no impulse acts on it; give an impulse above 0"};
  if (bonds.factor < 1)
    return {HeldBy::Limit,
            {},
            fmt::format("the body stays whole: at most {} pieces are allowed", load.maxPieces.value_or(1))};
  return {HeldBy::Strength, bonds.factor,
          fmt::format("the body stays whole: impulses {:.3g} times as large would break the glue; lower its "
                      "strength",
                      bonds.factor)};
}

}  // namespace

EngineStatePtr GlueEngine::prepare(const SolidPtr& solid, Context& context) const {
  // Pieces by the names that they had in the file.
  Geometry geometry = solid->geometry;
  if (const Attribute* kept = geometry.findAttribute(Owner::Primitive, kPiece)) {
    Attribute names = *kept;
    names.rename("name");
    geometry.addAttribute(Owner::Primitive, std::move(names));
  }
  if (!hasPieceNames(geometry))
    throw Error(ErrorCode::BadInput, "a glued body needs pieces", "give it a primitive attribute name");
  Attribute names = *geometry.findAttribute(Owner::Primitive, "name");
  names.rename(kPiece);
  geometry.addAttribute(Owner::Primitive, std::move(names));

  // Faces that lie on each other are bonds, whatever group they are in.
  Group& all = geometry.addGroup(Owner::Primitive, kPiece);
  all.bits.edit().assign(geometry.primitiveCount(), 1);
  const PieceBreaker whole = [&](const Geometry& piece, size_t, const std::string& prefix) {
    FracturePieces one = piecesOf(piece, context);
    for (size_t p = 0; p < one.names.size(); ++p) one.names[p] = fmt::format("{}{}", prefix, p);
    return one;
  };
  FracturePieces parts = breakEach(piecesOf(geometry, context), whole, kPiece, context);
  parts.geometry.removeGroup(Owner::Primitive, kPiece);
  if (!parts.geometry.findAttribute(Owner::Point, "depth"))
    addDepth(parts.geometry, solid->geometry, "inside", context);
  return std::make_shared<GlueState>(std::move(parts));
}

bool GlueEngine::mayBreak(const Solid& solid, const EngineState& state, const LoadCase& load) const {
  const FracturePieces& parts = stateAs<GlueState>(state).parts;
  if (parts.names.size() < 2 || load.impacts.empty()) return false;
  const std::vector<double> onBond =
      bondImpulses(parts, pieceImpulses(solid, parts, load.impacts), mOptions.propagation);
  for (size_t c = 0; c < onBond.size(); ++c)
    if (onBond[c] > mOptions.strength * parts.contacts[c].area) return true;
  return false;
}

FractureResult GlueEngine::fracture(const Solid& solid, const EngineState& state, const LoadCase& load,
                                    Context& context) const {
  const FracturePieces& parts = stateAs<GlueState>(state).parts;
  context.checkCancel();
  const std::vector<Impact> impacts = impactsOnSurface(load.impacts, solid.bvh);
  const std::vector<double> onBond =
      bondImpulses(parts, pieceImpulses(solid, parts, impacts), mOptions.propagation);
  const BrokenBonds bonds =
      breakBonds(parts, onBond, mOptions.strength, load.maxPieces.value_or(parts.names.size()));
  FractureResult result;
  result.pieces = joined(parts, bonds.broken);
  for (const PieceContact& contact : result.pieces.contacts) result.area += contact.area;
  result.states.resize(result.pieces.names.size());
  result.report.set("bonds", onBond.size());
  result.report.set("broken", static_cast<size_t>(std::count(bonds.broken.begin(), bonds.broken.end(), 1)));
  if (result.pieces.names.size() < 2) result.held = heldBy(parts, bonds, load);
  return result;
}

/// The state follows from the solid alone.
std::string GlueEngine::save(const EngineState& state) const {
  const FracturePieces& parts = stateAs<GlueState>(state).parts;
  ArchiveWriter archive("glue", 1);
  const int64_t counts[] = {static_cast<int64_t>(parts.names.size()),
                            static_cast<int64_t>(parts.contacts.size())};
  archive.add("counts", Span<const int64_t>(counts, 2));
  return archive.finish();
}

EngineStatePtr GlueEngine::load(const SolidPtr& solid, std::string_view bytes, Context& context) const {
  const ArchiveReader archive(bytes, "glue", 1);
  const std::vector<int64_t> counts = archive.int64s("counts");
  EngineStatePtr state = prepare(solid, context);
  const FracturePieces& parts = stateAs<GlueState>(*state).parts;
  if (counts.size() != 2 || counts[0] != static_cast<int64_t>(parts.names.size()) ||
      counts[1] != static_cast<int64_t>(parts.contacts.size()))
    throw Error(ErrorCode::BadInput, "the state is of another solid");
  return state;
}

}  // namespace hackle
