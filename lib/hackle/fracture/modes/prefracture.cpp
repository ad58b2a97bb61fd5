#include <hackle/fracture/modes/prefracture.h>

#include <hackle/core/error.h>
#include <hackle/core/parallel.h>
#include <hackle/fracture/gluing.h>
#include <hackle/geometry/bvh.h>
#include <hackle/geometry/mass_properties.h>
#include <hackle/meshing/cut/cutter.h>

#include <algorithm>
#include <cmath>

namespace hackle {

namespace {

/// The elements that a face of a part may pass through: there, something can be hit.
std::vector<uint8_t> elementsAtFaces(const TetLattice& lattice, const Geometry& parts, Context& context) {
  const TriangleBvh bvh(triangleMesh(parts, context), context);
  std::vector<uint8_t> wanted(lattice.tetrahedra.size(), 0);
  parallelFor(context, wanted.size(), 256, [&](size_t e) {
    Vec3 centre = Vec3::Zero();
    for (const int32_t p : lattice.tetrahedra[e]) centre += lattice.points[p] / 4;
    double radius = 0;
    for (const int32_t p : lattice.tetrahedra[e])
      radius = std::max(radius, (lattice.points[p] - centre).norm());
    wanted[e] = bvh.closestPoint(centre, radius).triangle >= 0 ? 1 : 0;
  });
  return wanted;
}

/// Which parts each piece of the lattice became, by volume.
PieceParts partsOfPieces(const FracturePieces& parts, size_t pieces) {
  std::vector<double> volumes(pieces, 0.0);
  std::vector<std::vector<int32_t>> lists(pieces);
  for (size_t p = 0; p < parts.cell.size(); ++p) {
    volumes[parts.cell[p]] += parts.volume[p];
    lists[parts.cell[p]].push_back(static_cast<int32_t>(p));
  }
  PieceParts result;
  for (size_t c = 0; c < pieces; ++c) {
    for (const int32_t p : lists[c]) {
      result.parts.push_back(p);
      result.fractions.push_back(parts.volume[p] / volumes[c]);
    }
    result.starts.push_back(static_cast<int32_t>(result.parts.size()));
  }
  return result;
}

/// Parts that meet along an edge may share a face of rounding size, or not: such a face holds nothing.
void dropEdgeContacts(FracturePieces& parts) {
  constexpr double kLeastArea = 1e-4;  // of the smaller part's volume to the power 2/3
  const auto isEdge = [&](const PieceContact& contact) {
    const double smaller = std::min(parts.volume[contact.a], parts.volume[contact.b]);
    return contact.area < kLeastArea * std::cbrt(smaller * smaller);
  };
  parts.contacts.erase(std::remove_if(parts.contacts.begin(), parts.contacts.end(), isEdge),
                       parts.contacts.end());
}

FracturePieces cutParts(const Solid& solid, const TetLattice& lattice, const ElementPieces& pieces,
                        const PrefractureOptions& options, Context& context) {
  LatticeScores scores;
  {
    const Context::Stage stage(context, "smooth", 0.1);
    scores = pieceScores(lattice.points, lattice.tetrahedra, pieces.pieceOf, pieces.count(),
                         options.smoothing, context);
  }
  Cut cut;
  {
    const Context::Stage stage(context, "cut", 0.3);
    cut = cutByLattice(solid.geometry, solid.mesh, lattice.points, lattice.tetrahedra, scores, context);
  }
  FracturePieces parts = piecesOfCut(solid, std::move(cut), options.cut, context);
  dropEdgeContacts(parts);
  return parts;
}

}  // namespace

Prefracture prefracture(const Solid& solid, const TetLattice& lattice, const LatticeModes& modes,
                        const PrefractureOptions& options, Context& context) {
  Prefracture result;
  result.pieces = elementPieces(modes.faces, modes.masses, modes.values, options.sigma, context);
  ModesCache& cache = result.cache;
  cache.parts = cutParts(solid, lattice, result.pieces, options, context);
  cache.twins = findTwins(cache.parts, context);

  // The lattice holds more than the solid: its masses shrink, and modes grow to stay orthonormal.
  const double latticeVolume = massProperties(lattice.points, lattice.tetrahedra, context).volume;
  cache.volume = solid.mass.volume;
  double latticeMass = 0;
  for (const double m : modes.masses) latticeMass += m;
  const double scale = cache.volume / latticeVolume;
  cache.density = latticeMass / latticeVolume;

  const PieceParts parts = partsOfPieces(cache.parts, result.pieces.count());
  cache.masses.assign(cache.parts.names.size(), 0.0);
  cache.values.resize(static_cast<Eigen::Index>(cache.masses.size()), modes.values.cols());
  for (size_t c = 0; c < result.pieces.count(); ++c)
    for (int32_t i = parts.starts[c]; i < parts.starts[c + 1]; ++i) {
      const int32_t p = parts.parts[i];
      cache.masses[p] = scale * result.pieces.masses[c] * parts.fractions[i];
      cache.values.row(p) = result.pieces.values.row(static_cast<Eigen::Index>(c)) / std::sqrt(scale);
    }
  cache.modes = modes.modes;
  cache.insideGroup = options.cut.pieces.insideGroup;
  cache.impulseLength = options.impulse.length;
  const Context::Stage stage(context, "impulses", 0.3);
  cache.shares =
      impulseShares(lattice.points, lattice.tetrahedra, modes.masses, result.pieces.pieceOf, parts,
                    elementsAtFaces(lattice, cache.parts.geometry, context), options.impulse, context);
  return result;
}

}  // namespace hackle
