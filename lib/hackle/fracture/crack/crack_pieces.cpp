#include <hackle/core/error.h>
#include <hackle/core/parallel.h>
#include <hackle/core/random.h>
#include <hackle/fracture/crack/crack_pieces.h>
#include <hackle/meshing/cutter.h>

#include <algorithm>
#include <cmath>

namespace hackle {

namespace {

constexpr double kLeastScore = 1e-4;  // voxels
constexpr double kHalfDiagonal = 0.8660254037844386;

double voxelSizeOf(Span<const RecordedCrack> cracks) {
  if (cracks.empty()) throw Error(ErrorCode::Usage, "there are no cracks to cut along");
  return cracks[0].band->voxelSize();
}

std::vector<const SheetBand*> bandsOf(Span<const RecordedCrack> cracks) {
  std::vector<const SheetBand*> bands;
  for (const RecordedCrack& c : cracks) bands.push_back(c.band);
  return bands;
}

/// Barycentric coordinates of the projection onto a triangle's plane, unless they are far beyond it.
Vec3 planeCoordinates(const std::array<Vec3, 3>& t, const Vec3& p, const Vec3& otherwise) {
  const Vec3 normal = (t[1] - t[0]).cross(t[2] - t[0]);
  const double scale = normal.squaredNorm();
  if (!(scale > 0)) return otherwise;
  Vec3 b;
  for (size_t k = 0; k < 3; ++k)
    b[static_cast<Eigen::Index>(k)] =
        (t[(k + 2) % 3] - t[(k + 1) % 3]).cross(p - t[(k + 1) % 3]).dot(normal) / scale;
  return b.cwiseAbs().maxCoeff() < 3 ? b : otherwise;
}

Voxel moved(Voxel v, size_t axis, int32_t by) {
  v[axis] += by;
  return v;
}

}  // namespace

size_t CrackPartition::VoxelHash::operator()(const Voxel& v) const {
  uint64_t h = 0;
  for (const int32_t i : v) h = mixBits(h + static_cast<uint32_t>(i) + 0x9e3779b97f4a7c15ULL);
  return static_cast<size_t>(h);
}

CrackPartition::CrackPartition(const TriangleBvh& body, Span<const RecordedCrack> cracks,
                               const CrackCutOptions& options, Context& context)
    : mCracks(cracks.begin(), cracks.end()),
      mVoxel(voxelSizeOf(cracks)),
      mWall((kHalfDiagonal + options.threshold) * mVoxel),
      mFragments(body, bandsOf(cracks), {mVoxel, mWall}, context) {
  if (mFragments.count() < 2) return;
  collectNodes();
  findSides();
  spreadParts();
  completeCells(context);
  makeTetrahedra();
  makeScores();
}

int32_t CrackPartition::nodeAt(const Voxel& v) const {
  const auto found = mNodeOf.find(v);
  return found == mNodeOf.end() ? -1 : found->second;
}

void CrackPartition::collectNodes() {
  for (size_t c = 0; c < mCracks.size(); ++c)
    mCracks[c].band->forEach([&](const Voxel& voxel, const SheetBand::Entry& entry) {
      const auto [found, isNew] = mNodeOf.try_emplace(voxel, static_cast<int32_t>(mNodes.size()));
      if (isNew) mNodes.push_back({voxel, entry.distance, static_cast<int32_t>(c), entry.triangle, -1});
      Node& node = mNodes[static_cast<size_t>(found->second)];
      if (entry.distance < node.distance) {
        node.distance = entry.distance;
        node.crack = static_cast<int32_t>(c);
        node.triangle = entry.triangle;
      }
    });
}

void CrackPartition::findSides() {
  // Points in a wall: step off the sheet to the side that they are on, and ask there.
  for (Node& node : mNodes) {
    node.part = mFragments.at(node.voxel);
    if (node.part >= 0) continue;
    const auto& t = triangleOf(node);
    const Vec3 p = place(node.voxel);
    Vec3 normal = (t[1] - t[0]).cross(t[2] - t[0]);
    if (normal.isZero()) continue;
    normal.normalize();
    const Vec3 closest = closestPointOnTriangle(p, t[0], t[1], t[2]).point;
    if ((p - closest).dot(normal) < 0) normal = -normal;
    for (const double extra : {0.75, 1.5}) {
      const Vec3 q = (closest + (mWall + extra * mVoxel) * normal) / mVoxel;
      node.part =
          mFragments.at({static_cast<int32_t>(std::lround(q.x())), static_cast<int32_t>(std::lround(q.y())),
                         static_cast<int32_t>(std::lround(q.z()))});
      if (node.part >= 0) break;
    }
  }
}

bool CrackPartition::sameSide(const Node& node, const Vec3& p) const {
  const auto& t = triangleOf(node);
  const Vec3 normal = (t[1] - t[0]).cross(t[2] - t[0]);
  return normal.dot(place(node.voxel) - t[0]) * normal.dot(p - t[0]) >= 0;
}

void CrackPartition::spreadParts() {
  // The rest, outside of the body mostly: from neighbours on the same side of the sheet, the farthest from it
  // first; once none are left, from any.
  std::vector<int32_t> open;
  for (size_t i = 0; i < mNodes.size(); ++i)
    if (mNodes[i].part < 0) open.push_back(static_cast<int32_t>(i));
  for (const bool anySide : {false, true})
    for (bool changed = true; changed && !open.empty();) {
      std::vector<std::pair<int32_t, int32_t>> found;
      std::vector<int32_t> still;
      for (const int32_t i : open) {
        const Node& node = mNodes[static_cast<size_t>(i)];
        const Node* best = nullptr;
        for (size_t axis = 0; axis < 3; ++axis)
          for (const int32_t by : {-1, 1}) {
            const int32_t n = nodeAt(moved(node.voxel, axis, by));
            if (n < 0) continue;
            const Node& other = mNodes[static_cast<size_t>(n)];
            if (other.part < 0 || (best && other.distance <= best->distance)) continue;
            if (anySide || sameSide(node, place(other.voxel))) best = &other;
          }
        if (best)
          found.emplace_back(i, best->part);
        else
          still.push_back(i);
      }
      for (const auto& [i, part] : found) mNodes[static_cast<size_t>(i)].part = part;
      changed = !found.empty();
      open = std::move(still);
    }
}

bool CrackPartition::nearBody(const Voxel& cell) const {
  for (int32_t z = -1; z <= 2; ++z)
    for (int32_t y = -1; y <= 2; ++y)
      for (int32_t x = -1; x <= 2; ++x)
        if (mFragments.inside({cell[0] + x, cell[1] + y, cell[2] + z})) return true;
  return false;
}

int32_t CrackPartition::partOfNeighbours(const Voxel& v, Node& node) const {
  // The part of a neighbour on the same side of its sheet, the farthest from it first; of any otherwise.
  const Node* best = nullptr;
  bool bestSide = false;
  for (size_t axis = 0; axis < 3; ++axis)
    for (const int32_t by : {-1, 1}) {
      const int32_t n = nodeAt(moved(v, axis, by));
      if (n < 0 || mNodes[static_cast<size_t>(n)].part < 0) continue;
      const Node& other = mNodes[static_cast<size_t>(n)];
      const bool side = sameSide(other, place(v));
      if (best && (side < bestSide || (side == bestSide && other.distance <= best->distance))) continue;
      best = &other;
      bestSide = side;
    }
  if (!best) return -1;
  node.crack = best->crack;
  node.triangle = best->triangle;
  return best->part;
}

void CrackPartition::completeCells(Context& context) {
  // Where walls close a gap between sheets, or between a sheet and the surface, parts meet beyond the band:
  // cells with several parts get the corners they miss, as far as the body goes.
  for (size_t i = 0; i < mNodes.size(); ++i) {
    if (i % 65536 == 0) context.checkCancel();
    for (int cell = 0; cell < 8; ++cell) {
      Voxel low = mNodes[i].voxel;
      for (size_t k = 0; k < 3; ++k) low[k] -= cell >> k & 1;
      std::array<Voxel, 8> corners;
      int32_t first = -1;
      bool several = false, missing = false;
      for (int c = 0; c < 8; ++c) {
        Voxel& v = corners[static_cast<size_t>(c)];
        v = low;
        for (size_t k = 0; k < 3; ++k) v[k] += c >> k & 1;
        const int32_t n = nodeAt(v);
        const int32_t part = n >= 0 ? mNodes[static_cast<size_t>(n)].part : mFragments.at(v);
        missing |= n < 0 || part < 0;
        if (part < 0) continue;
        several |= first >= 0 && part != first;
        first = part;
      }
      if (!several || !missing || !nearBody(low)) continue;
      for (const Voxel& v : corners) addCorner(v);
    }
  }
}

void CrackPartition::addCorner(const Voxel& v) {
  const int32_t known = nodeAt(v);
  if (known >= 0) {
    Node& node = mNodes[static_cast<size_t>(known)];
    if (node.part < 0) node.part = partOfNeighbours(v, node);
    return;
  }
  Node node{v, static_cast<float>(mCracks[0].band->width()), -1, -1, -1};
  const int32_t around = partOfNeighbours(v, node);
  if (around < 0) return;  // no neighbour yet: comes with another cell
  const int32_t own = mFragments.at(v);
  node.part = own >= 0 ? own : around;
  mNodeOf.emplace(v, static_cast<int32_t>(mNodes.size()));
  mNodes.push_back(node);
}

void CrackPartition::makeTetrahedra() {
  // Cells with several parts at their corners, cut into six tetrahedra along the diagonal from corner 0 to
  // corner 7, the same way in every cell so that they fit together.
  constexpr int kPaths[6][2] = {{1, 3}, {3, 2}, {2, 6}, {6, 4}, {4, 5}, {5, 1}};
  std::vector<int32_t> pointOf(mNodes.size(), -1);
  const auto pointAt = [&](int32_t node) {
    int32_t& point = pointOf[static_cast<size_t>(node)];
    if (point < 0) {
      point = static_cast<int32_t>(mPoints.size());
      mPoints.push_back(place(mNodes[static_cast<size_t>(node)].voxel));
      mPointNode.push_back(node);
    }
    return point;
  };
  const size_t count = mNodes.size();
  for (size_t i = 0; i < count; ++i) {
    std::array<int32_t, 8> corner;
    bool complete = true, several = false;
    for (int c = 0; c < 8 && complete; ++c) {
      Voxel v = mNodes[i].voxel;
      for (size_t k = 0; k < 3; ++k) v[k] += c >> k & 1;
      const int32_t n = c == 0 ? static_cast<int32_t>(i) : nodeAt(v);
      complete = n >= 0 && mNodes[static_cast<size_t>(n)].part >= 0;
      corner[static_cast<size_t>(c)] = n;
      if (complete) several |= mNodes[static_cast<size_t>(n)].part != mNodes[i].part;
    }
    if (!complete || !several) continue;
    for (const auto& path : kPaths)
      mTetrahedra.push_back({pointAt(corner[0]), pointAt(corner[static_cast<size_t>(path[0])]),
                             pointAt(corner[static_cast<size_t>(path[1])]), pointAt(corner[7])});
  }
}

void CrackPartition::makeScores() {
  // Every part that occurs in a tetrahedron has a score at all of its corners.
  std::vector<std::vector<int32_t>> parts(mPoints.size());
  for (const Tetrahedron& t : mTetrahedra)
    for (const int32_t a : t)
      for (const int32_t b : t) {
        std::vector<int32_t>& list = parts[static_cast<size_t>(a)];
        const int32_t part = mNodes[static_cast<size_t>(mPointNode[static_cast<size_t>(b)])].part;
        if (std::find(list.begin(), list.end(), part) == list.end()) list.push_back(part);
      }
  mScores.missing = -4 * mVoxel;
  for (size_t p = 0; p < mPoints.size(); ++p) {
    const Node& node = mNodes[static_cast<size_t>(mPointNode[p])];
    std::sort(parts[p].begin(), parts[p].end());
    // Never a tie: a point on the sheet itself keeps to its part.
    const double d = std::max(static_cast<double>(node.distance), kLeastScore * mVoxel);
    for (const int32_t part : parts[p]) mScores.add(part, part == node.part ? d : -d);
    mScores.finishPoint();
  }
}

int32_t CrackPartition::partAt(const Vec3& p) const {
  const Vec3 q = p / mVoxel;
  const Voxel base{static_cast<int32_t>(std::lround(q.x())), static_cast<int32_t>(std::lround(q.y())),
                   static_cast<int32_t>(std::lround(q.z()))};
  const int32_t node = nodeAt(base);
  if (node >= 0 && mNodes[static_cast<size_t>(node)].part >= 0) return mNodes[static_cast<size_t>(node)].part;
  // The nearest voxel inside; surfaces pass within a voxel or two of one unless they are very thin.
  for (int32_t reach = 0; reach <= 3; ++reach) {
    int32_t best = -1;
    double nearest = 1e30;
    for (int32_t z = -reach; z <= reach; ++z)
      for (int32_t y = -reach; y <= reach; ++y)
        for (int32_t x = -reach; x <= reach; ++x) {
          const Voxel v{base[0] + x, base[1] + y, base[2] + z};
          const int32_t part = mFragments.at(v);
          const double d = (Vec3(v[0], v[1], v[2]) - q).squaredNorm();
          if (part >= 0 && d < nearest) {
            nearest = d;
            best = part;
          }
        }
    if (best >= 0) return best;
  }
  return 0;
}

Cut CrackPartition::cut(const Geometry& solid, const TriangleMesh& mesh, Context& context) const {
  const LatticeEnvelope envelope(mPoints, mTetrahedra, mScores, context);
  const LabelComplex complex = envelope.facets(context);
  return cutByComplex(
      solid, mesh, complex, [&](const Vec3& p) { return partAt(p); }, context);
}

CrackPartition::Passage CrackPartition::passageAt(const Vec3& p) const {
  // The nearest of the triangles that are nearest to the corners of the cell around p.
  const Vec3 low = (p / mVoxel).array().floor();
  ClosestPoint best;
  const Node* from = nullptr;
  for (int c = 0; c < 8; ++c) {
    Voxel v;
    for (int k = 0; k < 3; ++k) v[static_cast<size_t>(k)] = static_cast<int32_t>(low[k]) + (c >> k & 1);
    const int32_t n = nodeAt(v);
    if (n < 0) continue;
    const Node& node = mNodes[static_cast<size_t>(n)];
    if (from && from->crack == node.crack && from->triangle == node.triangle) continue;
    const auto& t = triangleOf(node);
    const ClosestPoint closest = closestPointOnTriangle(p, t[0], t[1], t[2]);
    if (closest.squaredDistance >= best.squaredDistance) continue;
    best = closest;
    from = &node;
  }
  if (!from) return {};
  const auto& times = mCracks[static_cast<size_t>(from->crack)].times[static_cast<size_t>(from->triangle)];
  // Linear in the triangle's plane also a little beyond its edges.
  const Vec3 b = planeCoordinates(triangleOf(*from), p, best.barycentric);
  double time = 0;
  for (int k = 0; k < 3; ++k) time += b[k] * static_cast<double>(times[static_cast<size_t>(k)]);
  return {from->crack, static_cast<float>(time)};
}

void addCrackAttributes(FracturePieces& pieces, const CrackPartition& partition, const std::string& inside,
                        Context& context) {
  Geometry& geometry = pieces.geometry;
  std::vector<CrackPartition::Passage> passages(geometry.pointCount());
  parallelFor(context, passages.size(), 1024,
              [&](size_t i) { passages[i] = partition.passageAt(geometry.position(i)); });
  std::vector<float> times(passages.size());
  for (size_t i = 0; i < times.size(); ++i) times[i] = passages[i].time;
  Attribute time("crack_time", Storage::Float32, 1, times.size());
  time.edit<float>() = std::move(times);
  geometry.addAttribute(Owner::Point, std::move(time));
  const Group* group = geometry.findGroup(Owner::Primitive, inside);
  std::vector<int32_t> cracks(geometry.primitiveCount(), -1);
  for (size_t f = 0; f < cracks.size(); ++f)
    if (group && group->bits[f])
      for (const int32_t p : geometry.corners(f))
        cracks[f] = std::max(cracks[f], passages[static_cast<size_t>(p)].crack);
  Attribute crack("crack", Storage::Int32, 1, cracks.size());
  crack.edit<int32_t>() = std::move(cracks);
  geometry.addAttribute(Owner::Primitive, std::move(crack));
}

}  // namespace hackle
