#include <hackle/fracture/crack/pieces/crack_lattice.h>

#include <hackle/core/random.h>

#include <Eigen/Dense>

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

namespace hackle {

namespace {

constexpr int kRootLevel = 5;         // roots of the lattice are cubes of 2^5 voxels
constexpr int32_t kMargin = 2;        // voxels around the body that the lattice covers
constexpr double kNear = 2.2;         // voxels from a sample within which its sides count
constexpr double kHalfWay = 0.75;     // voxels
constexpr double kLeastScore = 1e-4;  // voxels
constexpr size_t kFewSamples = 48;    // whose times are not looked at

using Place = BisectionLattice::Place;

/// Places of lattice points (voxels) are off the voxels: models like to have their faces at round
/// coordinates, and faces in planes of the lattice would be cut into slivers.
Vec3 offset() { return Vec3(0.3183, 0.4142, 0.2718); }
Vec3 placeOf(const Place& p) { return Vec3(p[0], p[1], p[2]) + offset(); }

struct PlaceHash {
  size_t operator()(const Place& p) const {
    uint64_t h = 0;
    for (const int32_t i : p) h = mixBits(h + static_cast<uint32_t>(i) + 0x9e3779b97f4a7c15ULL);
    return static_cast<size_t>(h);
  }
};

/// The cube of the lattice around a place.
Place cubeOf(const Vec3& place, int32_t size) {
  const Vec3 p = place - offset();
  Place cube;
  for (int k = 0; k < 3; ++k) cube[k] = static_cast<int32_t>(std::floor(p[k] / size));
  return cube;
}

}  // namespace

/// A tetrahedron with its parts, and the linear function that is positive in the first of two.
struct CrackLattice::Shape {
  std::array<Vec3, 4> corners;
  std::array<int32_t, 4> parts;
  std::array<double, 4> distances;
  std::array<Vec3, 4> gradients;  // of barycentric coordinates
  size_t partCount = 0;
  int32_t first = -1, second = -1;

  /// Barycentric coordinates.
  std::array<double, 4> weights(const Vec3& p) const {
    std::array<double, 4> w{1, 0, 0, 0};
    for (size_t k = 1; k < 4; ++k) {
      w[k] = gradients[k].dot(p - corners[0]);
      w[0] -= w[k];
    }
    return w;
  }
  void findGradients() {
    const Vec3 a = corners[1] - corners[0], b = corners[2] - corners[0], c = corners[3] - corners[0];
    const double scale = 1 / a.dot(b.cross(c));
    gradients[1] = scale * b.cross(c);
    gradients[2] = scale * c.cross(a);
    gradients[3] = scale * a.cross(b);
    gradients[0] = -gradients[1] - gradients[2] - gradients[3];
  }

  struct Body {
    bool touches = false;  // a voxel of the body, or one next to it along a column
    bool wrong = false;    // one of a part would be on the wrong side
  };
  /// Looks at all columns through the tetrahedron.
  Body body(const Fragments& fragments) const {
    const Eigen::Index axes[3] = {static_cast<Eigen::Index>(fragments.axis(0)),
                                  static_cast<Eigen::Index>(fragments.axis(1)),
                                  static_cast<Eigen::Index>(fragments.axis(2))};
    Vec3 low = corners[0], high = corners[0];
    for (const Vec3& c : corners) {
      low = low.cwiseMin(c);
      high = high.cwiseMax(c);
    }
    std::array<double, 4> value{};
    for (size_t k = 0; k < 4; ++k) value[k] = parts[k] == first ? distances[k] : -distances[k];
    double slope = 0;
    for (size_t k = 0; k < 4; ++k) slope += value[k] * gradients[k][axes[2]];
    Body result;
    Vec3 p = Vec3::Zero();
    const auto firstColumn = [](double x) { return static_cast<int32_t>(std::ceil(x)); };
    const auto lastColumn = [](double x) { return static_cast<int32_t>(std::floor(x)); };
    for (int32_t u = firstColumn(low[axes[0]]); u <= lastColumn(high[axes[0]]); ++u)
      for (int32_t v = firstColumn(low[axes[1]]); v <= lastColumn(high[axes[1]]); ++v) {
        const auto bodyRuns = fragments.bodyRuns(u, v);
        if (bodyRuns.size() == 0) continue;
        p[axes[0]] = u;
        p[axes[1]] = v;
        const std::array<double, 4> base = weights(p);
        double from = low[axes[2]], to = high[axes[2]], at = 0;
        for (size_t k = 0; k < 4; ++k) {
          const double g = gradients[k][axes[2]];
          at += base[k] * value[k];
          if (std::abs(g) < 1e-12) {
            if (base[k] < -1e-9) to = from - 1;
          } else if (g > 0) {
            from = std::max(from, -base[k] / g);
          } else {
            to = std::min(to, -base[k] / g);
          }
        }
        if (from > to + 1e-9) continue;
        for (const Fragments::Run& run : bodyRuns)
          result.touches |= run.first - 1 <= to && run.last + 1 >= from;
        if (partCount != 2) continue;
        for (const Fragments::Run& run : fragments.runs(u, v)) {
          // To the voxel after the last if the body ends there.
          const double begin = std::max(from, run.first - 1.0), end = std::min(to, run.last + 1.0);
          if (begin > end) continue;
          if (run.part != first && run.part != second) return {true, true};
          const double sign = run.part == first ? 1 : -1;
          const double a = std::max<double>(begin, run.first), b = std::min<double>(end, run.last);
          if (a <= b && (sign * (at + a * slope) <= 0 || sign * (at + b * slope) <= 0)) return {true, true};
          bool surfaceBelow = false, surfaceAbove = false;
          for (const Fragments::Run& whole : bodyRuns) {
            surfaceBelow |= whole.first == run.first;
            surfaceAbove |= whole.last == run.last;
          }
          if (surfaceBelow && begin < run.first && sign * (at + begin * slope) <= 0) return {true, true};
          if (surfaceAbove && end > run.last && sign * (at + end * slope) <= 0) return {true, true};
        }
      }
    return result;
  }
};

CrackLattice::CrackLattice(const TriangleBvh& body, const Fragments& fragments, const CrackSamples& samples,
                           Span<const RecordedCrack> cracks, const CrackLatticeOptions& options,
                           Context& context)
    : mBody(body), mFragments(fragments), mSamples(samples), mOptions(options), mLattice(kRootLevel) {
  // Times of samples, and what a front needs for a voxel where it is fast.
  mTimes.resize(samples.size());
  double slowness = 0;
  size_t moving = 0;
  for (size_t i = 0; i < samples.size(); ++i) {
    const auto& t = cracks[samples[i].crack].times[samples[i].triangle];
    mTimes[i] = (t[0] + t[1] + t[2]) / 3;
    const float duration = std::max({t[0], t[1], t[2]}) - std::min({t[0], t[1], t[2]});
    if (!(duration > 0)) continue;
    slowness += static_cast<double>(duration);
    ++moving;
  }
  mLag = moving > 0 ? options.lag * slowness / static_cast<double>(moving) : 1e30;
  addRoots();
  assignSamples();
  context.checkCancel();
  refine(context);
  emit(context);
}

void CrackLattice::addRoots() {
  // Cubes that columns of the body pass through, with a margin.
  const int32_t size = mLattice.rootSize();
  const size_t u = mFragments.axis(0), v = mFragments.axis(1), w = mFragments.axis(2);
  std::unordered_set<Place, PlaceHash> known;
  Place lastLow{INT32_MAX, 0, 0}, lastHigh{};
  const auto cover = [&](const Place& low, const Place& high) {
    if (low == lastLow && high == lastHigh) return;
    lastLow = low;
    lastHigh = high;
    for (int32_t z = low[2]; z <= high[2]; ++z)
      for (int32_t y = low[1]; y <= high[1]; ++y)
        for (int32_t x = low[0]; x <= high[0]; ++x)
          if (known.insert({x, y, z}).second) mLattice.addRoot({x, y, z});
  };
  const auto cube = [&](int32_t at) { return at >= 0 ? at / size : -((size - 1 - at) / size); };
  for (int32_t j = mFragments.low()[v]; j <= mFragments.high()[v]; ++j)
    for (int32_t i = mFragments.low()[u]; i <= mFragments.high()[u]; ++i)
      for (const Fragments::Run& run : mFragments.bodyRuns(i, j)) {
        Place low, high;
        low[u] = cube(i - kMargin);
        high[u] = cube(i + kMargin);
        low[v] = cube(j - kMargin);
        high[v] = cube(j + kMargin);
        low[w] = cube(run.first - kMargin);
        high[w] = cube(run.last + kMargin);
        cover(low, high);
      }
}

void CrackLattice::assignSamples() {
  // Six cells a cube, by the order of the coordinates in it.
  std::unordered_map<Place, int32_t, PlaceHash> firstCell;
  const int32_t size = mLattice.rootSize();
  for (size_t c = 0; c < mLattice.cells().size(); c += 6) {
    Vec3 middle = Vec3::Zero();
    for (const int32_t p : {mLattice.cells()[c].corners[0], mLattice.cells()[c].corners[3]})
      middle += 0.5 * placeOf(mLattice.points()[p]);
    firstCell[cubeOf(middle, size)] = static_cast<int32_t>(c);
  }
  std::vector<uint32_t> cellOf(mSamples.size(), UINT32_MAX), starts(mLattice.cells().size() + 1, 0);
  for (size_t i = 0; i < mSamples.size(); ++i) {
    if (!mSamples[i].divides()) continue;
    const Place cube = cubeOf(mSamples[i].place, size);
    double t[3];
    for (size_t k = 0; k < 3; ++k) {
      const Eigen::Index axis = static_cast<Eigen::Index>(k);
      const double local = mSamples[i].place[axis] - offset()[axis] - cube[k] * size;
      t[k] = (cube[k] & 1) ? size - local : local;
    }
    const uint32_t order = t[0] >= t[1] ? (t[1] >= t[2]   ? 0u
                                           : t[0] >= t[2] ? 1u
                                                          : 4u)
                                        : (t[0] >= t[2]   ? 2u
                                           : t[1] >= t[2] ? 3u
                                                          : 5u);
    const auto found = firstCell.find(cube);
    if (found == firstCell.end()) continue;  // well outside
    cellOf[i] = static_cast<uint32_t>(found->second) + order;
    ++starts[cellOf[i] + 1];
  }
  for (size_t c = 0; c + 1 < starts.size(); ++c) starts[c + 1] += starts[c];
  mOrder.resize(starts.back());
  for (size_t c = 0; c + 1 < starts.size(); ++c) mInCell.emplace_back(starts[c], starts[c + 1]);
  for (size_t i = 0; i < mSamples.size(); ++i)
    if (cellOf[i] != UINT32_MAX) mOrder[starts[cellOf[i]]++] = static_cast<uint32_t>(i);
}

void CrackLattice::refine(Context& context) {
  std::vector<int32_t> open, parents;
  for (size_t c = mLattice.cells().size(); c-- > 0;) open.push_back(static_cast<int32_t>(c));
  for (size_t step = 0; !open.empty(); ++step) {
    if (step % 256 == 0) context.checkCancel();
    const int32_t cell = open.back();
    open.pop_back();
    const BisectionLattice::Cell& of = mLattice.cells()[cell];
    // The last bisection, of edges of two voxels, would add half as many faces again for a few hundredths.
    if (of.child >= 0 || of.depth >= mLattice.deepest() - 1 || !tooCoarse(cell)) continue;
    parents.clear();
    mLattice.bisect(cell, parents);
    for (const int32_t parent : parents) divideSamples(parent);
    for (const int32_t parent : parents)
      for (const int32_t child : {0, 1}) open.push_back(mLattice.cells()[parent].child + child);
  }
}

void CrackLattice::divideSamples(int32_t parent) {
  const BisectionLattice::Cell& cell = mLattice.cells()[parent];
  mInCell.resize(mLattice.cells().size(), {0, 0});
  const auto [begin, end] = mInCell[parent];
  if (begin == end) return;
  // The plane between the children goes through their three common corners.
  const auto& a = mLattice.cells()[cell.child].corners;
  const auto& b = mLattice.cells()[static_cast<size_t>(cell.child) + 1].corners;
  std::array<Vec3, 3> common;
  size_t count = 0;
  Vec3 own = Vec3::Zero();
  for (const int32_t p : a) {
    const Vec3 at = placeOf(mLattice.points()[p]);
    if (std::find(b.begin(), b.end(), p) == b.end())
      own = at;
    else
      common[count++] = at;
  }
  Vec3 normal = (common[1] - common[0]).cross(common[2] - common[0]);
  if (normal.dot(own - common[0]) < 0) normal = -normal;
  const auto middle = std::stable_partition(mOrder.begin() + begin, mOrder.begin() + end, [&](uint32_t i) {
    return normal.dot(mSamples[i].place - common[0]) >= 0;
  });
  const uint32_t at = static_cast<uint32_t>(middle - mOrder.begin());
  mInCell[cell.child] = {begin, at};
  mInCell[static_cast<size_t>(cell.child) + 1] = {at, end};
}

int32_t CrackLattice::partOf(int32_t point) {
  if (mPoints.size() < mLattice.points().size()) mPoints.resize(mLattice.points().size());
  int32_t& part = mPoints[point].part;
  if (part < 0) part = findPart(mLattice.points()[point]);
  return part;
}

int32_t CrackLattice::findPart(const Voxel& voxel) const {
  const int32_t part = mFragments.at(voxel);
  if (part >= 0) return part;
  const Vec3 place = placeOf(voxel);
  const int32_t near = mSamples.nearest(place, CrackSamples::Which::Any, -1, kNear);
  if (near >= 0) return mSamples[near].sideOf(place);
  if (mFragments.inBody(voxel)) {
    const std::optional<Voxel> beside = nearestOfPart(place, 3);
    if (beside) return mFragments.at(*beside);
  }
  const Vec3 onSurface = mBody.closestPoint(mOptions.voxelSize * place).point / mOptions.voxelSize;
  return partAtSurface(onSurface);
}

int32_t CrackLattice::partAtSurface(const Vec3& place) const {
  const std::optional<Voxel> beside = nearestOfPart(place, 3);
  // Where a part is thinner than a wall there are voxels only beyond the sheet below it.
  const int32_t near = mSamples.nearest(place, CrackSamples::Which::Any, -1, beside ? kNear : 1e15);
  if (near < 0) return mFragments.at(*beside);
  const CrackSample& sample = mSamples[near];
  if (!beside) return sample.sideOf(place);
  const Vec3 there((*beside)[0], (*beside)[1], (*beside)[2]);
  const bool sameSide = (sample.height(place) < 0) == (sample.height(there) < 0);
  return sameSide ? mFragments.at(*beside) : sample.sideOf(place);
}

int32_t CrackLattice::partAt(const Vec3& place) const { return partAtSurface(place / mOptions.voxelSize); }

std::optional<Voxel> CrackLattice::nearestOfPart(const Vec3& place, int32_t reach) const {
  const Voxel base = nearestVoxel(place);
  std::optional<Voxel> best;
  double least = 1e30;
  for (int32_t z = -reach; z <= reach; ++z)
    for (int32_t y = -reach; y <= reach; ++y)
      for (int32_t x = -reach; x <= reach; ++x) {
        const Voxel v{base[0] + x, base[1] + y, base[2] + z};
        const double square = (Vec3(v[0], v[1], v[2]) - place).squaredNorm();
        if (square >= least || mFragments.at(v) < 0) continue;
        best = v;
        least = square;
      }
  return best;
}

const CrackLattice::Point& CrackLattice::measured(int32_t point, int32_t guess) {
  partOf(point);
  Point& result = mPoints[point];
  if (result.sample >= 0) return result;
  const Vec3 place = placeOf(mLattice.points()[point]);
  result.sample = mSamples.nearest(place, CrackSamples::Which::Dividing, guess);
  const CrackSample& sample = mSamples[result.sample];
  // On the wrong side of a sample, other sheets or none divide the parts: half way to the next point.
  result.distance = result.part == sample.sideOf(place) ? std::abs(sample.height(place))
                                                        : std::min((sample.place - place).norm(), kHalfWay);
  result.distance = std::max(result.distance, kLeastScore);
  return result;
}

bool CrackLattice::tooCoarse(int32_t index) {
  const BisectionLattice::Cell cell = mLattice.cells()[index];
  Shape shape;
  const auto [begin, end] = mInCell[index];
  for (size_t k = 0; k < 4; ++k) {
    const int32_t part = shape.parts[k] = partOf(cell.corners[k]);
    if (std::find(shape.parts.begin(), shape.parts.begin() + static_cast<std::ptrdiff_t>(k), part) !=
        shape.parts.begin() + static_cast<std::ptrdiff_t>(k))
      continue;
    (shape.partCount == 0 ? shape.first : shape.second) = part;
    ++shape.partCount;
  }
  if (shape.partCount == 1 && begin == end) return false;
  int32_t guess = begin < end ? static_cast<int32_t>(mOrder[begin]) : -1;
  for (size_t k = 0; k < 4; ++k) {
    const Point& point = measured(cell.corners[k], guess);
    guess = point.sample;
    shape.corners[k] = placeOf(mLattice.points()[cell.corners[k]]);
    shape.distances[k] = point.distance;
  }
  shape.findGradients();
  if (samplesOff(shape, index) || timesOff(index)) return true;
  if (shape.partCount == 1) return false;
  const Shape::Body body = shape.body(mFragments);
  return body.wrong || (shape.partCount > 2 && body.touches);
}

bool CrackLattice::samplesOff(const Shape& shape, int32_t cell) const {
  const auto [begin, end] = mInCell[cell];
  for (uint32_t i = begin; i < end; ++i) {
    const CrackSample& sample = mSamples[mOrder[i]];
    const std::array<double, 4> w = shape.weights(sample.place);
    double off = 0;
    for (size_t k = 0; k < 4; ++k) {
      if (shape.parts[k] != sample.front && shape.parts[k] != sample.back) return true;
      off += (shape.parts[k] == sample.front ? w[k] : -w[k]) * shape.distances[k];
    }
    if (std::abs(off) > mOptions.tolerance) return true;
  }
  return false;
}

bool CrackLattice::timesOff(int32_t cell) const {
  const auto [begin, end] = mInCell[cell];
  if (end - begin < kFewSamples) return false;
  // A linear function by least squares, of two coordinates in the plane of the first sample.
  const CrackSample& origin = mSamples[mOrder[begin]];
  const Vec3 u = origin.normal.unitOrthogonal(), v = origin.normal.cross(u);
  Mat3 normal = Mat3::Zero();
  Vec3 right = Vec3::Zero();
  const double start = static_cast<double>(mTimes[mOrder[begin]]);
  const auto rowOf = [&](uint32_t i) {
    const Vec3 p = mSamples[mOrder[i]].place - origin.place;
    return Vec3(1, p.dot(u), p.dot(v));
  };
  for (uint32_t i = begin; i < end; ++i) {
    const Vec3 row = rowOf(i);
    normal += row * row.transpose();
    right += (static_cast<double>(mTimes[mOrder[i]]) - start) * row;
  }
  normal += 1e-9 * static_cast<double>(end - begin) * Mat3::Identity();
  const Vec3 fit = normal.inverse() * right;
  for (uint32_t i = begin; i < end; ++i)
    if (std::abs(rowOf(i).dot(fit) + start - static_cast<double>(mTimes[mOrder[i]])) > mLag) return true;
  return false;
}

void CrackLattice::emit(Context& context) {
  std::vector<int32_t> name(mLattice.points().size(), -1);
  scores.missing = 0.0;
  for (size_t c = 0; c < mLattice.cells().size(); ++c) {
    if (c % 65536 == 0) context.checkCancel();
    const BisectionLattice::Cell& cell = mLattice.cells()[c];
    if (cell.child >= 0) continue;
    const int32_t part = partOf(cell.corners[0]);
    if (std::all_of(cell.corners.begin(), cell.corners.end(), [&](int32_t p) { return partOf(p) == part; }))
      continue;
    Tetrahedron& tetrahedron = tetrahedra.emplace_back();
    int32_t guess = -1;
    for (size_t k = 0; k < 4; ++k) {
      int32_t& point = name[cell.corners[k]];
      if (point < 0) {
        const Point& at = measured(cell.corners[k], guess);
        guess = at.sample;
        point = static_cast<int32_t>(points.size());
        points.push_back(mOptions.voxelSize * placeOf(mLattice.points()[cell.corners[k]]));
        scores.add(at.part, at.distance);
        scores.finishPoint();
      }
      tetrahedron[k] = point;
    }
  }
}

}  // namespace hackle
