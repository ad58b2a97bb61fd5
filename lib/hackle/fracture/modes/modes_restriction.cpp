#include <hackle/fracture/modes/modes_restriction.h>

#include <algorithm>

namespace hackle {

namespace {

/// New numbers of what is kept, -1 for the rest.
std::vector<int32_t> numbered(Span<const int32_t> kept, size_t count) {
  std::vector<int32_t> number(count, -1);
  for (size_t i = 0; i < kept.size(); ++i) number[kept[i]] = static_cast<int32_t>(i);
  return number;
}

template <class T>
std::vector<T> chosen(const std::vector<T>& values, Span<const int32_t> kept) {
  std::vector<T> result;
  result.reserve(kept.size());
  for (const int32_t i : kept) result.push_back(values[i]);
  return result;
}

/// Faces, points and the other sides of faces.
void restrictFaces(const ModesCache& cache, Span<const int32_t> partNumber, ModesCache& result) {
  const FracturePieces& parts = cache.parts;
  std::vector<int32_t> faces;
  for (size_t f = 0; f < parts.primitivePiece.size(); ++f)
    if (partNumber[parts.primitivePiece[f]] >= 0) faces.push_back(static_cast<int32_t>(f));
  const std::vector<int32_t> faceNumber = numbered(faces, parts.primitivePiece.size());

  result.parts.geometry = parts.geometry.extract(faces);
  // Points come in the order in which faces use them first.
  std::vector<uint8_t> seen(parts.geometry.pointCount(), 0);
  int32_t outside = 0;
  for (const int32_t f : faces) {
    for (const int32_t p : parts.geometry.corners(f)) {
      if (!seen[p]) result.parts.pointVertex.push_back(parts.pointVertex[p]);
      seen[p] = 1;
    }
    const int32_t twin = cache.twins[f] < 0 ? -1 : faceNumber[cache.twins[f]];
    result.twins.push_back(twin);
    result.parts.primitivePiece.push_back(partNumber[parts.primitivePiece[f]]);
    result.parts.primitiveSource.push_back(twin < 0 ? outside++ : -1);
  }
}

void restrictParts(const ModesCache& cache, Span<const int32_t> kept, Span<const int32_t> partNumber,
                   ModesCache& result) {
  const FracturePieces& parts = cache.parts;
  result.parts.names = chosen(parts.names, kept);
  result.parts.cell = chosen(parts.cell, kept);
  result.parts.volume = chosen(parts.volume, kept);
  result.parts.centre = chosen(parts.centre, kept);
  for (PieceContact contact : parts.contacts) {
    contact.a = partNumber[contact.a];
    contact.b = partNumber[contact.b];
    if (contact.a >= 0 && contact.b >= 0) result.parts.contacts.push_back(contact);
  }
  for (const double volume : result.parts.volume) result.volume += volume;
  result.masses = chosen(cache.masses, kept);
  if (!cache.hulls.empty()) result.hulls = chosen(cache.hulls, kept);
  result.values.resize(static_cast<Eigen::Index>(kept.size()), cache.values.cols());
  for (size_t p = 0; p < kept.size(); ++p)
    result.values.row(static_cast<Eigen::Index>(p)) = cache.values.row(kept[p]);
}

/// Shares of the parts that are kept, in the tetrahedra where they have some.
ImpulseShares restrictedShares(const ImpulseShares& shares, Span<const int32_t> partNumber) {
  std::vector<uint8_t> reached(shares.points.size(), 0), used(shares.points.size(), 0);
  for (size_t p = 0; p < shares.points.size(); ++p)
    for (int32_t i = shares.starts[p]; i < shares.starts[p + 1] && !reached[p]; ++i)
      reached[p] = partNumber[shares.parts[i]] >= 0;
  ImpulseShares result;
  for (const Tetrahedron& t : shares.tetrahedra) {
    if (std::none_of(t.begin(), t.end(), [&](int32_t p) { return reached[p]; })) continue;
    for (const int32_t p : t) used[p] = 1;
    result.tetrahedra.push_back(t);
  }
  // A piece that no tetrahedron is near keeps one point, so that there is a nearest one.
  if (result.tetrahedra.empty()) used[0] = 1;
  std::vector<int32_t> number(shares.points.size(), -1);
  for (size_t p = 0; p < shares.points.size(); ++p) {
    if (!used[p]) continue;
    number[p] = static_cast<int32_t>(result.points.size());
    result.points.push_back(shares.points[p]);
    for (int32_t i = shares.starts[p]; i < shares.starts[p + 1]; ++i) {
      if (partNumber[shares.parts[i]] < 0) continue;
      result.parts.push_back(partNumber[shares.parts[i]]);
      result.shares.push_back(shares.shares[i]);
    }
    result.starts.push_back(static_cast<int32_t>(result.parts.size()));
  }
  for (Tetrahedron& t : result.tetrahedra)
    for (int32_t& p : t) p = number[p];
  return result;
}

}  // namespace

ModesCache restrictedModes(const ModesCache& cache, Span<const int32_t> parts, Context& context) {
  context.checkCancel();
  const std::vector<int32_t> partNumber = numbered(parts, cache.masses.size());
  ModesCache result;
  restrictFaces(cache, partNumber, result);
  restrictParts(cache, parts, partNumber, result);
  result.shares = restrictedShares(cache.shares, partNumber);
  result.modes = cache.modes;
  result.density = cache.density;
  result.impulseLength = cache.impulseLength;
  result.cellSize = cache.cellSize;
  result.insideGroup = cache.insideGroup;
  return result;
}

}  // namespace hackle
