#include <hackle/fracture/sheet/sheet_contact.h>
#include <hackle/geometry/bvh.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace hackle {

namespace {

constexpr double kParallel = 1e-3;  // sine squared of the angle below which pairs of edges fade out [Li20]
constexpr double kStrangers = 1.5;  // touching distances that parts of a sheet must be apart at rest to meet

/// Nearest points of two segments: part of the first, part of the second.
std::array<double, 2> nearestOnSegments(const Vec3& p, const Vec3& u, const Vec3& q, const Vec3& v) {
  const Vec3 r = p - q;
  const double a = u.squaredNorm(), b = u.dot(v), c = v.squaredNorm(), d = u.dot(r), e = v.dot(r);
  const double det = a * c - b * b;
  double s = det > 1e-12 * a * c ? std::clamp((b * e - c * d) / det, 0.0, 1.0) : 0.0;
  const double t = std::clamp((b * s + e) / std::max(c, 1e-300), 0.0, 1.0);
  s = std::clamp((b * t - d) / std::max(a, 1e-300), 0.0, 1.0);
  return {s, t};
}

std::array<int32_t, 2> edgeOfFace(const Triangle& t, int k) { return {t[(k + 1) % 3], t[(k + 2) % 3]}; }

}  // namespace

ContactGap contactGap(bool edges, const std::array<Vec3, 4>& x) {
  ContactGap gap;
  if (edges) {
    const auto [s, t] = nearestOnSegments(x[0], x[1] - x[0], x[2], x[3] - x[2]);
    gap.weights = {1 - s, s, t - 1, -t};
  } else {
    const Vec3 w = closestPointOnTriangle(x[0], x[1], x[2], x[3]).barycentric;
    gap.weights = {1, -w[0], -w[1], -w[2]};
  }
  Vec3 away = Vec3::Zero();
  for (size_t i = 0; i < 4; ++i) away += gap.weights[i] * x[i];
  gap.distance = away.norm();
  if (gap.distance > 0) gap.normal = away / gap.distance;
  return gap;
}

double freeMoveOfPair(bool edges, const std::array<Vec3, 4>& x, const std::array<Vec3, 4>& move,
                      double offset) {
  // Only the motion relative to the mean counts.
  const Vec3 mean = (move[0] + move[1] + move[2] + move[3]) / 4;
  std::array<double, 4> length;
  for (size_t i = 0; i < 4; ++i) length[i] = (move[i] - mean).norm();
  const double speed = edges ? std::max(length[0], length[1]) + std::max(length[2], length[3])
                             : length[0] + std::max({length[1], length[2], length[3]});
  const double gap = contactGap(edges, x).distance - offset;
  if (speed <= 0.9 * gap) return 1;
  if (!(gap > 0)) return 0;
  double t = 0, left = gap;
  for (int i = 0; i < 1000; ++i) {
    const double advance = 0.9 * left / speed;
    if (t + advance >= 1) return 1;
    std::array<Vec3, 4> now;
    for (size_t p = 0; p < 4; ++p) now[p] = x[p] + (t + advance) * move[p];
    left = contactGap(edges, now).distance - offset;
    if (left < 0.1 * gap) break;
    t += advance;
  }
  return t;
}

void SheetContact::begin(const SheetMesh& mesh, const std::vector<double>& halfThickness,
                         const std::vector<SheetObstacle>& obstacles, const ContactModel& model, bool self,
                         const std::vector<uint8_t>& parted) {
  mModel = model;
  mSelf = self;
  mRadius = -1;
  mPairs.clear();
  mSlides.clear();
  mFaces.clear();
  mOwned.clear();
  mObstaclePoints.clear();
  mObstacleOf.clear();
  bool any = self;
  for (const SheetObstacle& o : obstacles) any = any || o.shape == SheetObstacle::Shape::Mesh;
  if (!any) return;
  mSheetPoints = static_cast<int32_t>(mesh.vertexCount());
  mSheetFaces = static_cast<int32_t>(mesh.faceCount());
  mFaces = mesh.faces;
  mRest = mesh.rest;
  mHalf = halfThickness;
  for (size_t o = 0; o < obstacles.size(); ++o) {
    if (obstacles[o].shape != SheetObstacle::Shape::Mesh) continue;
    const auto first = static_cast<int32_t>(mSheetPoints + mObstaclePoints.size());
    for (const Vec3& p : obstacles[o].points) {
      mObstaclePoints.push_back(obstacles[o].position + p);
      mObstacleOf.push_back(static_cast<int32_t>(o));
    }
    for (const Triangle& t : obstacles[o].triangles)
      mFaces.push_back({first + t[0], first + t[1], first + t[2]});
  }
  mObstaclesBefore = mObstaclePoints;
  // Every vertex and every edge is looked at through one of its faces [Curtis08].
  std::vector<uint8_t> taken(static_cast<size_t>(mSheetPoints) + mObstaclePoints.size(), 0);
  std::map<Edge, int32_t> edges;
  mOwned.assign(mFaces.size(), {});
  for (size_t f = 0; f < mFaces.size(); ++f)
    for (int k = 0; k < 3; ++k) {
      uint8_t& vertex = taken[mFaces[f][k]];
      mOwned[f][static_cast<size_t>(k)] = !vertex;
      vertex = 1;
      const auto [a, b] = edgeOfFace(mFaces[f], k);
      mOwned[f][static_cast<size_t>(k) + 3] =
          edges.emplace(Edge{std::min(a, b), std::max(a, b)}, static_cast<int32_t>(f)).second;
    }
  findNeighbours(mesh, parted);
}

/// Faces that are connected with a vertex of an opened crack within the distance that counts as near at rest.
void SheetContact::findNeighbours(const SheetMesh& mesh, const std::vector<uint8_t>& parted) {
  mParted = parted;
  mNear.assign(mesh.vertexCount(), {});
  const std::vector<int32_t> corners = mesh.cornerOfVertices();
  for (size_t p = 0; p < parted.size(); ++p) {
    if (!parted[p] || corners[p] < 0) continue;
    const double reach = kStrangers * (2 * mHalf[p] + mModel.reach);
    std::vector<int32_t>& list = mNear[p];
    for (const int32_t c : mesh.fan(corners[p])) list.push_back(c / 3);
    for (size_t i = 0; i < list.size(); ++i)
      for (const int32_t c : mesh.across[list[i]]) {
        if (c < 0 || std::find(list.begin(), list.end(), c / 3) != list.end()) continue;
        const Triangle& t = mesh.faces[c / 3];
        const ClosestPoint at = closestPointOnTriangle(mRest[p], mRest[t[0]], mRest[t[1]], mRest[t[2]]);
        if (at.squaredDistance < reach * reach) list.push_back(c / 3);
      }
    std::sort(list.begin(), list.end());
  }
}

std::array<Vec3, 4> SheetContact::at(const ContactPair& pair, const std::vector<Vec3>& x) const {
  return {place(pair.points[0], x), place(pair.points[1], x), place(pair.points[2], x),
          place(pair.points[3], x)};
}

/// May these two parts of the sheet meet? Not if they are as near at rest, unless a crack came apart between.
bool SheetContact::strangers(int32_t f, int32_t g, const ContactPair& pair) const {
  if (f >= mSheetFaces || g >= mSheetFaces) return true;
  std::array<Vec3, 4> rest;
  for (size_t i = 0; i < 4; ++i) rest[i] = mRest[pair.points[i]];
  if (contactGap(pair.edges, rest).distance > kStrangers * (pair.offset + mModel.reach)) return true;
  const auto connected = [&](int32_t vertex, int32_t face) {
    return !mParted[vertex] || std::binary_search(mNear[vertex].begin(), mNear[vertex].end(), face);
  };
  const size_t firsts = pair.edges ? 2 : 1;
  for (size_t i = 0; i < 4; ++i)
    if (!connected(pair.points[i], i < firsts ? g : f)) return true;
  return false;
}

void SheetContact::addPair(int32_t f, int32_t g, ContactPair pair, double radius,
                           const std::vector<Vec3>& x) {
  const size_t firsts = pair.edges ? 2 : 1;
  for (size_t i = 0; i < firsts; ++i)
    for (size_t j = firsts; j < 4; ++j)
      if (pair.points[i] == pair.points[j]) return;
  const auto half = [&](int32_t p) { return p < mSheetPoints ? mHalf[p] : 0.0; };
  std::array<double, 2> offsets{};
  for (size_t i = 0; i < 4; ++i) {
    double& side = offsets[i < firsts ? 0 : 1];
    side = std::max(side, half(pair.points[i]));
  }
  pair.offset = offsets[0] + offsets[1];
  const std::array<Vec3, 4> now = at(pair, x);
  const double distance = contactGap(pair.edges, now).distance;
  if (distance > radius + pair.offset || !strangers(f, g, pair)) return;
  if (distance < 1e-3 * mModel.reach) return;  // touching from the start: neither side would know where to go
  // Thicknesses that overlap already (a sheet folded sharply, new vertices) keep most of the distance they
  // have.
  if (distance <= pair.offset) pair.offset = 0.8 * distance;
  if (pair.edges) {
    const Vec3 u = now[1] - now[0], v = now[3] - now[2];
    const double part = u.cross(v).squaredNorm() / (kParallel * u.squaredNorm() * v.squaredNorm());
    pair.weight = part < 1 ? part * (2 - part) : 1;
  }
  mPairs.push_back(pair);
}

void SheetContact::pairFaces(int32_t f, int32_t g, double radius, const std::vector<Vec3>& x) {
  const Triangle &a = mFaces[f], &b = mFaces[g];
  for (int k = 0; k < 3; ++k) {
    if (mOwned[f][static_cast<size_t>(k)]) addPair(f, g, {{a[k], b[0], b[1], b[2]}, false}, radius, x);
    if (mOwned[g][static_cast<size_t>(k)]) addPair(g, f, {{b[k], a[0], a[1], a[2]}, false}, radius, x);
    if (!mOwned[f][static_cast<size_t>(k) + 3]) continue;
    const auto [p, q] = edgeOfFace(a, k);
    for (int j = 0; j < 3; ++j) {
      if (!mOwned[g][static_cast<size_t>(j) + 3]) continue;
      const auto [r, s] = edgeOfFace(b, j);
      addPair(f, g, {{p, q, r, s}, true}, radius, x);
    }
  }
}

bool SheetContact::collect(const std::vector<Vec3>& x, const std::vector<Vec3>& move,
                           const std::vector<Vec3>& obstacleMove, Context& context) {
  if (empty()) return false;
  // Does the last collection still hold? Each side may have gone half of the spare radius.
  const auto spread = [&](bool fromCollection) {
    double largest = 0;
    for (size_t p = 0; p < x.size(); ++p) {
      const Vec3 way = fromCollection ? Vec3(x[p] + move[p] - mCollectedAt[p]) : move[p];
      largest = std::max(largest, way.squaredNorm());
    }
    for (size_t p = 0; p < mObstaclePoints.size(); ++p) {
      Vec3 way = obstacleMove.empty() ? Vec3::Zero() : obstacleMove[p];
      if (fromCollection) way += mObstaclePoints[p] - mObstaclesCollectedAt[p];
      largest = std::max(largest, way.squaredNorm());
    }
    return std::sqrt(largest);
  };
  if (mRadius > 0 && 2 * spread(true) + mModel.reach <= mRadius) return false;
  mCollectedAt = x;
  mObstaclesCollectedAt = mObstaclePoints;
  mRadius = 2 * mModel.reach + 3 * spread(false);
  mPairs.clear();
  std::vector<Vec3> all = x;
  all.insert(all.end(), mObstaclePoints.begin(), mObstaclePoints.end());
  const TriangleBvh tree(all, mFaces, context);
  const double thick = mHalf.empty() ? 0 : 2 * *std::max_element(mHalf.begin(), mHalf.end());
  std::vector<int32_t> near;
  for (int32_t f = 0; f < mSheetFaces; ++f) {
    Box3 box;
    for (const int32_t p : mFaces[f]) box.add(x[p]);
    box.min.array() -= mRadius + thick;
    box.max.array() += mRadius + thick;
    tree.trianglesNear(box, near);
    for (const int32_t g : near)
      if (g >= mSheetFaces || (mSelf && g > f)) pairFaces(f, g, mRadius, x);
  }
  return true;
}

double SheetContact::freeMove(const std::vector<Vec3>& x, const std::vector<Vec3>& move,
                              const std::vector<Vec3>& obstacleMove) const {
  double part = 1;
  for (const ContactPair& pair : mPairs) {
    std::array<Vec3, 4> way;
    for (size_t i = 0; i < 4; ++i) {
      const int32_t p = pair.points[i];
      if (p < mSheetPoints)
        way[i] = part * move[p];
      else
        way[i] = obstacleMove.empty() ? Vec3::Zero() : Vec3(part * obstacleMove[p - mSheetPoints]);
    }
    part *= freeMoveOfPair(pair.edges, at(pair, x), way, pair.offset);
  }
  return part;
}

template <class Visit>
void SheetContact::visitActive(const std::vector<Vec3>& x, double factor, const Visit& visit) const {
  for (const ContactPair& pair : mPairs) {
    const ContactGap gap = contactGap(pair.edges, at(pair, x));
    if (gap.distance - pair.offset < factor * mModel.reach) visit(pair, gap);
  }
}

void SheetContact::lagFriction(const std::vector<Vec3>& x, const std::vector<Vec3>& before, double dt) {
  mSlides.clear();
  mDt = dt;
  if (!(mModel.friction > 0) || !std::isfinite(dt)) return;
  visitActive(x, 1.0, [&](const ContactPair& pair, const ContactGap& gap) {
    Slide slide{pair.points, gap.weights, gap.normal, Vec3::Zero(), 0};
    slide.force = pair.weight * barrierForce(mModel, gap.distance - pair.offset);
    for (size_t i = 0; i < 4; ++i) {
      const int32_t p = pair.points[i];
      slide.before += gap.weights[i] * (p < mSheetPoints ? before[p] : mObstaclesBefore[p - mSheetPoints]);
    }
    mSlides.push_back(slide);
  });
}

double SheetContact::frictionOf(const Slide& slide, const std::vector<Vec3>& x, Vec3& pull,
                                Mat3* hessian) const {
  Vec3 move = -slide.before;
  for (size_t i = 0; i < 4; ++i) move += slide.weights[i] * place(slide.points[i], x);
  return frictionEnergy(mModel, slide.force, slide.normal, move, mDt, pull, hessian);
}

double SheetContact::evaluate(const std::vector<Vec3>& x, Eigen::VectorXd& gradient) const {
  double energy = 0;
  const auto add = [&](const std::array<int32_t, 4>& points, const std::array<double, 4>& weights,
                       const Vec3& pull) {
    for (size_t i = 0; i < 4; ++i)
      if (points[i] < mSheetPoints) gradient.segment<3>(3 * points[i]) += weights[i] * pull;
  };
  visitActive(x, 1.0, [&](const ContactPair& pair, const ContactGap& gap) {
    const double d = gap.distance - pair.offset;
    energy += pair.weight * barrierEnergy(mModel, d);
    add(pair.points, gap.weights, -pair.weight * barrierForce(mModel, d) * gap.normal);
  });
  for (const Slide& slide : mSlides) {
    Vec3 pull = Vec3::Zero();
    energy += frictionOf(slide, x, pull, nullptr);
    add(slide.points, slide.weights, pull);
  }
  return energy;
}

std::vector<SheetContact::Block> SheetContact::blocks(const std::vector<Vec3>& x) const {
  std::vector<Block> result;
  const auto add = [&](const std::array<int32_t, 4>& points, const std::array<double, 4>& weights,
                       const Mat3& value) {
    for (size_t i = 0; i < 4; ++i)
      for (size_t j = 0; j < 4; ++j)
        if (points[i] < mSheetPoints && points[j] <= points[i] && weights[i] * weights[j] != 0)
          result.push_back({points[i], points[j], weights[i] * weights[j] * value});
  };
  visitActive(x, 1.0, [&](const ContactPair& pair, const ContactGap& gap) {
    add(pair.points, gap.weights,
        pair.weight * barrierStiffness(mModel, gap.distance - pair.offset) * gap.normal *
            gap.normal.transpose());
  });
  for (const Slide& slide : mSlides) {
    Vec3 pull = Vec3::Zero();
    Mat3 hessian = Mat3::Zero();
    frictionOf(slide, x, pull, &hessian);
    add(slide.points, slide.weights, hessian);
  }
  return result;
}

std::vector<Edge> SheetContact::couplings(const std::vector<Vec3>& x, double factor) const {
  std::vector<Edge> result;
  visitActive(x, factor, [&](const ContactPair& pair, const ContactGap&) {
    for (const int32_t a : pair.points)
      for (const int32_t b : pair.points)
        if (a < mSheetPoints && b < a) result.push_back({a, b});
  });
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

std::vector<uint8_t> SheetContact::touched(const std::vector<Vec3>& x) const {
  std::vector<uint8_t> result(x.size(), 0);
  visitActive(x, 2.0, [&](const ContactPair& pair, const ContactGap&) {
    for (const int32_t p : pair.points)
      if (p < mSheetPoints) result[p] = 1;
  });
  return result;
}

std::vector<Vec3> SheetContact::pushes(const std::vector<Vec3>& x, size_t obstacles) const {
  std::vector<Vec3> result(obstacles, Vec3::Zero());
  const auto add = [&](const std::array<int32_t, 4>& points, const std::array<double, 4>& weights,
                       const Vec3& pull) {
    for (size_t i = 0; i < 4; ++i) {
      if (points[i] < mSheetPoints) continue;
      result[static_cast<size_t>(mObstacleOf[points[i] - mSheetPoints])] -= weights[i] * pull;
    }
  };
  visitActive(x, 1.0, [&](const ContactPair& pair, const ContactGap& gap) {
    add(pair.points, gap.weights,
        -pair.weight * barrierForce(mModel, gap.distance - pair.offset) * gap.normal);
  });
  for (const Slide& slide : mSlides) {
    Vec3 pull = Vec3::Zero();
    frictionOf(slide, x, pull, nullptr);
    add(slide.points, slide.weights, pull);
  }
  return result;
}

}  // namespace hackle
