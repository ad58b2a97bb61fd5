#include <hackle/fracture/modes/modes_state.h>

#include <hackle/core/archive.h>
#include <hackle/core/memo.h>
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
         static_cast<size_t>(cache.values.size()) * sizeof(double) + projector.bytes();
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
