#include <hackle/fracture/modes/modes_state.h>

#include <hackle/core/archive.h>
#include <hackle/core/memo.h>
#include <hackle/core/parallel.h>
#include <hackle/fracture/convex_parts.h>
#include <hackle/fracture/modes/modes_restriction.h>
#include <hackle/fracture/piece_lists.h>
#include <hackle/geometry/geometry_archive.h>
#include <hackle/geometry/geometry_key.h>

#include <fmt/format.h>

#include <cmath>

namespace hackle {

namespace {

std::string modesId(const ModesCache& cache) {
  const auto view = [](const double* data, size_t count) {
    return std::string_view(reinterpret_cast<const char*>(data), count * sizeof(double));
  };
  uint64_t sum =
      checksum64(view(cache.values.data(), static_cast<size_t>(cache.values.size())), cache.fingerprint);
  sum = checksum64(view(cache.parts.volume.data(), cache.parts.volume.size()), sum);
  return fmt::format("{:016x}", sum);
}

size_t bytesOf(const FracturePieces& pieces) {
  return hackle::bytesOf(pieces.geometry) + hackle::bytesOf(pieces.primitivePiece) +
         hackle::bytesOf(pieces.primitiveSource) + hackle::bytesOf(pieces.pointVertex) +
         hackle::bytesOf(pieces.names) + hackle::bytesOf(pieces.cell) + hackle::bytesOf(pieces.volume) +
         hackle::bytesOf(pieces.centre) + hackle::bytesOf(pieces.contacts);
}

/// Few hulls of few corners: pieces have several parts, and get at most 16 hulls of them.
ConvexPartOptions partHulls() {
  ConvexPartOptions options;
  options.maxParts = 4;
  options.maxCorners = 24;
  return options;
}

size_t bytesOfHulls(const ModesCache& cache) {
  size_t sum = 0;
  for (const auto& hulls : cache.hulls)
    for (const std::vector<Vec3>& hull : hulls) sum += hackle::bytesOf(hull);
  return sum;
}

size_t bytesOf(const ImpulseShares& shares) {
  return hackle::bytesOf(shares.points) + hackle::bytesOf(shares.tetrahedra) +
         hackle::bytesOf(shares.starts) + hackle::bytesOf(shares.parts) + hackle::bytesOf(shares.shares);
}

}  // namespace

ModesState::ModesState(ModesCache modes, Context& context)
    : cache(std::move(modes)), projector(cache, context), id(modesId(cache)) {}

size_t ModesState::bytes() const {
  return sizeof(ModesState) + bytesOf(cache.parts) + bytesOf(cache.shares) + hackle::bytesOf(cache.twins) +
         hackle::bytesOf(cache.masses) + hackle::bytesOf(cache.modes) +
         static_cast<size_t>(cache.values.size()) * sizeof(double) + projector.bytes() + bytesOfHulls(cache);
}

const ModesState& ModesPieceState::modes() const {
  std::call_once(mOnce, [&] {
    Context quiet;
    mMade = std::make_shared<const ModesState>(restrictedModes(mBody->cache, mParts, quiet), quiet);
  });
  return *mMade;
}

size_t ModesPieceState::bytes() const { return sizeof(*this) + hackle::bytesOf(mParts); }

const ModesState& modesOf(const EngineState& state) {
  const auto* piece = dynamic_cast<const ModesPieceState*>(&state);
  return piece ? piece->modes() : stateAs<ModesState>(state);
}

ModesStatePtr withHulls(const ModesStatePtr& state, Context& context) {
  if (!state->cache.hulls.empty()) return state;
  MemoKey key("modes.hulls");
  key.add(state->id);
  addToKey(key, state->cache.parts.geometry);
  return remembered<ModesState>(context, key, [&] {
    const Context::Stage stage(context, "hulls", 0.1);
    ModesCache cache = state->cache;
    const std::vector<std::vector<int32_t>> primitives = primitivesOfPieces(cache.parts);
    cache.hulls.resize(primitives.size());
    parallelFor(context, primitives.size(), 1, [&](size_t p) {
      Context own;  // stages belong to the thread that opens them
      own.setThreads(1);
      own.setCancelPoll([&] { return context.cancelled(); });
      const TriangleMesh mesh = triangleMesh(cache.parts.geometry.extract(primitives[p]));
      for (const ConvexHull& hull :
           convexParts(mesh.points.span(), mesh.triangles.span(), partHulls(), own).hulls)
        cache.hulls[p].push_back(hull.points);
    });
    return std::make_shared<const ModesState>(std::move(cache), context);
  });
}

ModesStatePtr readModesState(std::string_view bytes, Context& context) {
  return std::make_shared<const ModesState>(readModes(bytes, context), context);
}

bool areModesOf(const ModesCache& cache, const Geometry& surface, double volume) {
  if (cache.fingerprint != 0) return geometryFingerprint(surface) == cache.fingerprint;
  constexpr double kSame = 1e-5;  // of the size; files may keep single precision
  const Box3 mine = cache.parts.geometry.bounds(), theirs = surface.bounds();
  const double off = std::max((mine.min - theirs.min).norm(), (mine.max - theirs.max).norm());
  return std::abs(volume - cache.volume) <= kSame * cache.volume && off <= kSame * mine.diagonal();
}

}  // namespace hackle
