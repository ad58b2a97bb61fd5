#include <hackle/core/error.h>
#include <hackle/core/parallel.h>
#include <hackle/fracture/crack/pieces/crack_pieces.h>
#include <hackle/fracture/crack/pieces/crumbs.h>
#include <hackle/fracture/crack/pieces/ligaments.h>
#include <hackle/meshing/cut/cutter.h>

#include <algorithm>
#include <cmath>

namespace hackle {

namespace {

constexpr double kHalfDiagonal = 0.8660254037844386;  // of a voxel: a wall this thick has no leaks
constexpr double kLeastLigament = 4.0;                // voxels
constexpr double kFar = 4.0;                          // voxels from cracks within which places belong to one

double voxelSizeOf(Span<const RecordedCrack> cracks) {
  if (cracks.empty()) throw Error(ErrorCode::Usage, "there are no cracks to cut along");
  return cracks[0].band->voxelSize();
}

std::vector<const SheetBand*> bandsOf(Span<const RecordedCrack> cracks) {
  std::vector<const SheetBand*> bands;
  for (const RecordedCrack& c : cracks) bands.push_back(c.band);
  return bands;
}

/// Beyond this box no voxel around a place is in the band.
Box3 boxOf(const SheetBand& band) {
  Box3 box;
  for (size_t t = 0; t < band.triangleCount(); ++t)
    for (const Vec3& p : band.triangle(t)) box.add(p);
  const Vec3 margin = Vec3::Constant(band.width() + 2 * band.voxelSize());
  if (box.empty()) return box;
  box.min -= margin;
  box.max += margin;
  return box;
}

bool holds(const Box3& box, const Vec3& p) {
  return (p.array() >= box.min.array()).all() && (p.array() <= box.max.array()).all();
}

/// Barycentric coordinates of the projection onto a triangle's plane, unless they are far beyond it.
Vec3 planeCoordinates(const std::array<Vec3, 3>& t, const Vec3& p, const Vec3& otherwise) {
  const Vec3 normal = (t[1] - t[0]).cross(t[2] - t[0]);
  const double scale = normal.squaredNorm();
  if (!(scale > 0)) return otherwise;
  Vec3 b;
  for (size_t k = 0; k < 3; ++k)
    b[k] = (t[(k + 2) % 3] - t[(k + 1) % 3]).cross(p - t[(k + 1) % 3]).dot(normal) / scale;
  return b.cwiseAbs().maxCoeff() < 3 ? b : otherwise;
}

}  // namespace

CrackPartition::CrackPartition(const TriangleBvh& body, Span<const RecordedCrack> cracks,
                               const CrackCutOptions& options, Context& context)
    : mCracks(cracks.begin(), cracks.end()), mVoxel(voxelSizeOf(cracks)) {
  for (const RecordedCrack& crack : mCracks) mBoxes.push_back(boxOf(*crack.band));
  findParts(body, options, context);
  if (!mSamples) return;
  CrackLatticeOptions latticeOptions;
  latticeOptions.voxelSize = mVoxel;
  latticeOptions.tolerance = options.tolerance;
  mLattice = std::make_unique<CrackLattice>(body, *mFragments, *mSamples, cracks, latticeOptions, context);
}

/// Samples stay unset if all is one part.
void CrackPartition::findParts(const TriangleBvh& body, const CrackCutOptions& options, Context& context) {
  const double wall = kHalfDiagonal + options.threshold;
  mFragments =
      std::make_unique<Fragments>(body, bandsOf(mCracks), FragmentOptions{mVoxel, wall * mVoxel}, context);
  BrokenLigaments broken;
  if (options.ligament >= kLeastLigament * mVoxel)
    broken = breakLigaments(*mFragments, bandsOf(mCracks), {options.ligament / mVoxel, wall}, context);
  mLigaments = broken.parts;
  if (mFragments->count() < 2) return;
  auto samples = std::make_unique<CrackSamples>(mCracks, *mFragments, mVoxel, wall * mVoxel,
                                                std::move(broken.samples), context);
  CrumbOptions crumbs;
  crumbs.smallest = std::max(options.minVolume, crumbVolume()) / (mVoxel * mVoxel * mVoxel);
  crumbs.wall = wall;
  crumbs.most = options.most;
  const std::vector<int32_t> names = joinCrumbs(*mFragments, *samples, crumbs);
  mCrumbs = mFragments->count();
  mFragments->rename(names);
  mCrumbs -= mFragments->count();
  samples->settle(names, context);
  if (mFragments->count() > 1 && samples->anyDivides()) mSamples = std::move(samples);
}

int32_t CrackPartition::partAt(const Vec3& p) const { return mLattice ? mLattice->partAt(p) : 0; }

Cut CrackPartition::cut(const Geometry& solid, const TriangleMesh& mesh, Context& context) const {
  const LatticeEnvelope envelope(mLattice->points, mLattice->tetrahedra, mLattice->scores, context);
  LabelComplex complex = envelope.facets(context);
  complex.joinFlat = false;  // times vary on flat cracks too
  return cutByComplex(
      solid, mesh, complex, [&](const Vec3& p) { return partAt(p); }, context);
}

CrackPartition::Passage CrackPartition::passageAt(const Vec3& p) const {
  // The nearest of the triangles that are nearest to the corners of the cell around p; of a sample farther
  // away.
  const Vec3 low = (p / mVoxel).array().floor();
  ClosestPoint best;
  int32_t crack = -1, triangle = -1;
  const auto consider = [&](int32_t c, int32_t t) {
    if (c == crack && t == triangle) return;
    const auto& corners = mCracks[c].band->triangle(static_cast<size_t>(t));
    const ClosestPoint closest = closestPointOnTriangle(p, corners[0], corners[1], corners[2]);
    if (closest.squaredDistance >= best.squaredDistance) return;
    best = closest;
    crack = c;
    triangle = t;
  };
  for (size_t c = 0; c < mCracks.size(); ++c) {
    if (!holds(mBoxes[c], p)) continue;
    for (int corner = 0; corner < 8; ++corner) {
      Voxel v;
      for (int k = 0; k < 3; ++k) v[k] = static_cast<int32_t>(low[k]) + (corner >> k & 1);
      const SheetBand::Entry entry = mCracks[c].band->at(v);
      if (entry.triangle >= 0) consider(static_cast<int32_t>(c), entry.triangle);
    }
  }
  if (crack < 0 && mSamples) {
    const int32_t sample = mSamples->nearest(p / mVoxel, CrackSamples::Which::Any, -1, kFar);
    if (sample >= 0) consider((*mSamples)[sample].crack, (*mSamples)[sample].triangle);
  }
  if (crack < 0) return {};
  const auto& times = mCracks[crack].times[triangle];
  // Linear in the triangle's plane also a little beyond its edges.
  const Vec3 b =
      planeCoordinates(mCracks[crack].band->triangle(static_cast<size_t>(triangle)), p, best.barycentric);
  double time = 0;
  for (int k = 0; k < 3; ++k) time += b[k] * static_cast<double>(times[k]);
  return {crack, static_cast<float>(time)};
}

void addCrackAttributes(FracturePieces& pieces, const CrackPartition& partition, const std::string& inside,
                        Context& context) {
  Geometry& geometry = pieces.geometry;
  // Pieces have points of their own; what neighbours share is asked for once.
  std::vector<int32_t> firsts, firstOf(geometry.pointCount());
  std::vector<int32_t> known;
  for (size_t i = 0; i < firstOf.size(); ++i) {
    firstOf[i] = static_cast<int32_t>(i);
    if (!pieces.pointVertex.empty()) {
      const size_t vertex = static_cast<size_t>(pieces.pointVertex[i]);
      if (vertex >= known.size()) known.resize(vertex + 1, -1);
      if (known[vertex] < 0) known[vertex] = static_cast<int32_t>(i);
      firstOf[i] = known[vertex];
    }
    if (firstOf[i] == static_cast<int32_t>(i)) firsts.push_back(firstOf[i]);
  }
  std::vector<CrackPartition::Passage> passages(geometry.pointCount());
  parallelFor(context, firsts.size(), 1024, [&](size_t k) {
    const size_t i = static_cast<size_t>(firsts[k]);
    passages[i] = partition.passageAt(geometry.position(i));
  });
  for (size_t i = 0; i < passages.size(); ++i) passages[i] = passages[firstOf[i]];
  std::vector<float> times(passages.size());
  for (size_t i = 0; i < times.size(); ++i) times[i] = passages[i].time;
  Attribute time("crack_time", Storage::Float32, 1, times.size());
  time.edit<float>() = std::move(times);
  geometry.addAttribute(Owner::Point, std::move(time));
  const Group* group = geometry.findGroup(Owner::Primitive, inside);
  std::vector<int32_t> cracks(geometry.primitiveCount(), -1);
  for (size_t f = 0; f < cracks.size(); ++f)
    if (group && group->bits[f])
      for (const int32_t p : geometry.corners(f)) cracks[f] = std::max(cracks[f], passages[p].crack);
  Attribute crack("crack", Storage::Int32, 1, cracks.size());
  crack.edit<int32_t>() = std::move(cracks);
  geometry.addAttribute(Owner::Primitive, std::move(crack));
}

}  // namespace hackle
