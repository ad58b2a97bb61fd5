#include <hackle/volume/grain_field.h>

#include <hackle/core/error.h>
#include <hackle/core/random.h>

#include <Eigen/LU>

#include <algorithm>
#include <cmath>
#include <limits>

namespace hackle {

namespace {

// A place is at most sqrt(3) from the site in its own cube, whose weight is at least 0, so its owner, with a
// weight of at most 1, is at most 2 away, and neighbours are at most 4 from each other.
constexpr int kOwnerReach = 2, kWallReach = 4;
constexpr double kCellReach = 2.01;
constexpr double kNearLead = 0.5;  // up to which walls of a grain's surroundings are kept
constexpr int kCellsPerCube = 2;   // of the lattice of candidates

void demand(bool holds, const char* message) {
  if (!holds) throw Error(ErrorCode::Usage, std::string("grains: ") + message);
}

/// A convex cell as its corners, each the meeting of three planes n . x = c: removing corners beyond a new
/// plane and joining the rim to it is a step of an incremental convex hull in the dual space.
class ConvexCell {
 public:
  explicit ConvexCell(double reach) {
    for (int axis = 0; axis < 3; ++axis)
      for (const double sign : {-1.0, 1.0}) mPlanes.push_back({sign * Vec3::Unit(axis), reach});
    for (int corner = 0; corner < 8; ++corner) {
      const int x = corner & 1, y = (corner >> 1) & 1, z = corner >> 2;
      std::array<int, 3> planes{x, 2 + y, 4 + z};
      if ((x + y + z) % 2 == 0) std::swap(planes[0], planes[1]);
      addCorner(planes);
    }
  }

  bool empty() const { return mCorners.empty(); }
  double reach() const { return mReach; }

  /// Keeps what is on this side of n . x = c. Planes are numbered in the order of calls.
  void clip(const Vec3& normal, double offset) {
    mPlanes.push_back({normal, offset});
    const auto beyond = std::stable_partition(mCorners.begin(), mCorners.end(),
                                              [&](const Corner& c) { return normal.dot(c.at) <= offset; });
    if (beyond == mCorners.end()) return;
    const std::vector<Corner> removed(beyond, mCorners.end());
    mCorners.erase(beyond, mCorners.end());
    if (mCorners.empty()) return;
    const auto hasEdge = [&](int a, int b) {
      for (const Corner& c : removed)
        for (size_t k = 0; k < 3; ++k)
          if (c.planes[k] == a && c.planes[(k + 1) % 3] == b) return true;
      return false;
    };
    const int added = static_cast<int>(mPlanes.size()) - 1;
    for (const Corner& c : removed)
      for (size_t k = 0; k < 3; ++k) {
        const int a = c.planes[k], b = c.planes[(k + 1) % 3];
        if (!hasEdge(b, a)) addCorner({a, b, added});
      }
    mReach = 0;
    for (const Corner& c : mCorners) mReach = std::max(mReach, c.at.norm());
  }

  /// Greatest n . x.
  double support(const Vec3& normal) const {
    double most = -std::numeric_limits<double>::infinity();
    for (const Corner& c : mCorners) most = std::max(most, normal.dot(c.at));
    return most;
  }

  /// Numbers of the planes that bound it, ascending.
  std::vector<size_t> bounding() const {
    std::vector<size_t> list;
    for (const Corner& c : mCorners)
      for (const int p : c.planes)
        if (p >= 6) list.push_back(static_cast<size_t>(p) - 6);
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
    return list;
  }

 private:
  struct Plane {
    Vec3 normal;
    double offset;
  };
  struct Corner {
    std::array<int, 3> planes;
    Vec3 at;
  };
  void addCorner(const std::array<int, 3>& planes) {
    Mat3 normals;
    Vec3 offsets;
    for (int k = 0; k < 3; ++k) {
      const Plane& plane = mPlanes[planes[k]];
      normals.row(k) = plane.normal;
      offsets[k] = plane.offset;
    }
    mCorners.push_back({planes, normals.inverse() * offsets});
    mReach = std::max(mReach, mCorners.back().at.norm());
  }

  std::vector<Plane> mPlanes;
  std::vector<Corner> mCorners;
  double mReach = 0;
};

/// All cubes up to `reach` away, the nearest first.
std::vector<std::array<int, 3>> cubesAround(int reach) {
  std::vector<std::array<int, 3>> cubes;
  for (int x = -reach; x <= reach; ++x)
    for (int y = -reach; y <= reach; ++y)
      for (int z = -reach; z <= reach; ++z) cubes.push_back({x, y, z});
  const auto squared = [](const std::array<int, 3>& c) { return c[0] * c[0] + c[1] * c[1] + c[2] * c[2]; };
  std::stable_sort(cubes.begin(), cubes.end(),
                   [&](const auto& a, const auto& b) { return squared(a) < squared(b); });
  return cubes;
}

std::array<int, 3> cubeOf(size_t index, int perEdge) {
  const int i = static_cast<int>(index);
  return {i / (perEdge * perEdge), i / perEdge % perEdge, i % perEdge};
}

}  // namespace

GrainTile::GrainTile(const GrainOptions& options, const Context* context)
    : mPerEdge(options.perEdge), mSize(options.size) {
  demand(options.size > 0 && std::isfinite(options.size), "the size must be positive");
  demand(options.stretch.minCoeff() > 0 && options.stretch.allFinite(), "the stretch must be positive");
  demand(options.perEdge >= 2 && options.perEdge <= 40, "a tile has 2 to 40 grains along its edge");
  demand(options.variety >= 0 && options.variety <= 1, "variety must be 0 to 1");
  const Vec3 widths = options.size * options.stretch;
  mNarrowest = widths.minCoeff();
  mToWorld = options.frame * widths.asDiagonal();
  mToTile = widths.cwiseInverse().asDiagonal() * options.frame.transpose();

  const size_t count = static_cast<size_t>(mPerEdge * mPerEdge * mPerEdge);
  for (size_t i = 0; i < count; ++i) {
    Random random(options.seed, i);
    const auto cube = cubeOf(i, mPerEdge);
    Vec3 site;
    for (int a = 0; a < 3; ++a) site[a] = cube[a] + random.uniform();
    mSites.push_back(site);
    mWeights.push_back(options.variety * random.uniform());
  }
  mFirstWall.push_back(0);
  for (size_t i = 0; i < count; ++i) {
    if (context && i % 64 == 0) context->checkCancel();
    findWalls(cubeOf(i, mPerEdge));
  }
  mFirstCandidate.push_back(0);
  const int cells = kCellsPerCube * mPerEdge;
  for (size_t i = 0; i < static_cast<size_t>(cells * cells * cells); ++i) {
    if (context && i % 1024 == 0) context->checkCancel();
    findCandidates(cubeOf(i, cells));
  }
}

size_t GrainTile::wrapped(const Cube& cube) const {
  size_t index = 0;
  for (const int c : cube)
    index =
        index * static_cast<size_t>(mPerEdge) + static_cast<size_t>(((c % mPerEdge) + mPerEdge) % mPerEdge);
  return index;
}

GrainTile::Candidate GrainTile::candidate(const Cube& cube) const {
  const size_t index = wrapped(cube);
  const Cube home = cubeOf(index, mPerEdge);
  const Vec3 shift(cube[0] - home[0], cube[1] - home[1], cube[2] - home[2]);
  return {mSites[index] + shift, mWeights[index], static_cast<int32_t>(index)};
}

void GrainTile::findWalls(const Cube& cube) {
  static const auto kAround = cubesAround(kWallReach);
  const Candidate own = candidate(cube);
  ConvexCell cell(kCellReach);
  std::vector<Wall> walls;
  std::vector<std::pair<Vec3, double>> planes;
  for (const Cube& step : kAround) {
    if (step == Cube{0, 0, 0}) continue;
    const Candidate other = candidate({cube[0] + step[0], cube[1] + step[1], cube[2] + step[2]});
    const Vec3 d = other.site - own.site;
    const double lead = d.squaredNorm() + own.weight - other.weight;
    if (lead - kNearLead > 2 * d.norm() * cell.reach()) continue;
    cell.clip(2 * d, lead);
    if (cell.empty()) break;
    planes.push_back({2 * d, lead});
    const Vec3 m = 2 * mToTile.transpose() * d;
    walls.push_back({m.normalized(), lead / m.norm(), m.norm(), other.grain});
  }
  if (!cell.empty()) {
    const std::vector<size_t> bounding = cell.bounding();
    for (const size_t w : bounding) mWalls.push_back(walls[w]);
    mFirstNear.push_back(mWalls.size());
    for (size_t w = 0; w < walls.size(); ++w)
      if (!std::binary_search(bounding.begin(), bounding.end(), w) &&
          cell.support(planes[w].first) >= planes[w].second - kNearLead)
        mWalls.push_back(walls[w]);
  } else {
    mFirstNear.push_back(mWalls.size());
  }
  mFirstWall.push_back(mWalls.size());
}

void GrainTile::findCandidates(const Cube& cell) {
  static const auto kAround = cubesAround(kOwnerReach);
  const double width = 1.0 / kCellsPerCube;
  const Vec3 low = width * Vec3(cell[0], cell[1], cell[2]), middle = low + Vec3::Constant(0.5 * width);
  const Cube cube{cell[0] / kCellsPerCube, cell[1] / kCellsPerCube, cell[2] / kCellsPerCube};
  std::array<std::pair<Candidate, double>, 125> found;
  size_t count = 0;
  double bound = std::numeric_limits<double>::infinity();
  for (const Cube& step : kAround) {
    const Candidate c = candidate({cube[0] + step[0], cube[1] + step[1], cube[2] + step[2]});
    const Vec3 away = (c.site - middle).cwiseAbs();
    const double nearest = (away.array() - 0.5 * width).max(0.0).matrix().squaredNorm() - c.weight;
    bound = std::min(bound, (away.array() + 0.5 * width).matrix().squaredNorm() - c.weight);
    found[count++] = {c, nearest};
  }
  for (size_t i = 0; i < count; ++i)
    if (found[i].second <= bound) mCandidates.push_back(found[i].first);
  mFirstCandidate.push_back(mCandidates.size());
}

Span<const GrainTile::Wall> GrainTile::walls(int32_t grain) const {
  const size_t g = static_cast<size_t>(grain);
  return Span<const Wall>(mWalls.data() + mFirstWall[g], mFirstNear[g] - mFirstWall[g]);
}

Span<const GrainTile::Wall> GrainTile::wallsAround(int32_t grain) const {
  const size_t g = static_cast<size_t>(grain);
  return Span<const Wall>(mWalls.data() + mFirstWall[g], mFirstWall[g + 1] - mFirstWall[g]);
}

GrainTile::Place GrainTile::at(const Vec3& p) const {
  Vec3 y = mToTile * p;
  size_t cell = 0;
  const int cells = kCellsPerCube * mPerEdge;
  for (int a = 0; a < 3; ++a) {
    y[a] -= mPerEdge * std::floor(y[a] / mPerEdge);
    const int c = std::clamp(static_cast<int>(kCellsPerCube * y[a]), 0, cells - 1);
    cell = cell * static_cast<size_t>(cells) + static_cast<size_t>(c);
  }
  const Candidate* own = nullptr;
  double least = std::numeric_limits<double>::infinity();
  for (size_t i = mFirstCandidate[cell]; i < mFirstCandidate[cell + 1]; ++i) {
    const double power = (mCandidates[i].site - y).squaredNorm() - mCandidates[i].weight;
    if (power < least) {
      least = power;
      own = &mCandidates[i];
    }
  }
  Place place{own->grain, mToWorld * (y - own->site), std::numeric_limits<double>::infinity(), nullptr};
  for (const Wall& wall : walls(place.grain)) {
    const double distance = wall.offset - wall.normal.dot(place.fromSite);
    if (distance < place.boundary) {
      place.boundary = distance;
      place.wall = &wall;
    }
  }
  place.boundary = place.wall ? std::max(0.0, place.boundary) : 0.0;
  return place;
}

ScalarField grainInsides(std::shared_ptr<const GrainTile> tile, double atBoundary, double inside,
                         double width) {
  const double w = width > 0 ? width : 0.5 * tile->narrowest();
  const double slope = (inside - atBoundary) / w;
  return ScalarField(
      [=](const Vec3& p) { return atBoundary + slope * std::min(w, tile->at(p).boundary); },
      [=](const Vec3& p, double step) {
        const GrainTile::Place place = tile->at(p);
        // A difference over `step` across the wall averages the two flanks.
        if (!place.wall) return FieldSample{atBoundary, Vec3::Zero()};
        const double fall = place.boundary < w ? slope * std::min(1.0, 2 * place.boundary / step) : 0.0;
        return FieldSample{atBoundary + slope * std::min(w, place.boundary), -fall * place.wall->normal};
      });
}

ScalarField grainValues(std::shared_ptr<const GrainTile> tile, double low, double high, double width,
                        uint64_t seed) {
  const auto values = std::make_shared<std::vector<double>>();
  for (size_t i = 0; i < tile->grainCount(); ++i)
    values->push_back(Random(seed ^ 0x6a09e667f3bcc908ULL, i).uniform(low, high));
  // Each grain counts with 1 - lead / (2 width / size): 1 at its own places, fading across a wall. All that
  // count are known up to a quarter of a grain.
  const double fade = width > 0 ? 0.5 * tile->size() / std::min(width, 0.25 * tile->size()) : 0.0;
  const auto sample = [=](const Vec3& p, double) {
    const GrainTile::Place place = tile->at(p);
    FieldSample s{(*values)[place.grain], Vec3::Zero()};
    if (fade <= 0) return s;
    double sum = 1;
    Vec3 change = Vec3::Zero(), weightChange = Vec3::Zero();
    for (const GrainTile::Wall& wall : tile->wallsAround(place.grain)) {
      const double share = 1 - fade * wall.slope * (wall.offset - wall.normal.dot(place.fromSite));
      if (share <= 0) continue;
      const double value = (*values)[wall.other];
      s.value += share * value;
      sum += share;
      change += fade * wall.slope * value * wall.normal;
      weightChange += fade * wall.slope * wall.normal;
    }
    s.value /= sum;
    s.gradient = (change - s.value * weightChange) / sum;
    return s;
  };
  return ScalarField([sample](const Vec3& p) { return sample(p, 0.0).value; }, sample);
}

}  // namespace hackle
