#include <hackle/core/error.h>
#include <hackle/core/parallel.h>
#include <hackle/fracture/crack/growth/fine_front.h>

#include <algorithm>
#include <cmath>

namespace hackle {

namespace {

constexpr double kOvershoot = 2.0;  // voxels that a front goes on outside of the body
constexpr double kEndReach = 4.0;   // voxels in which the end of a front looks for the surface
constexpr size_t kFewMarkers = 3;   // between ends that do not move: too few to be spread
constexpr double kClosed = 2.5;     // voxels between such ends: they have met
constexpr double kFollowed = 6.0;   // voxels between markers of a part that is still a front
constexpr double kFold = 8.0;       // voxels that a front goes before it can meet what it left behind
constexpr double kAstray = 0.6;     // cosine between the front's own way forward and that of its coarse nodes
constexpr double kFacing = 0.2;     // cosine between the directions of parts of a front that meet

/// The nearest place of a crack, if it is within the wall.
std::optional<Vec3> placeOn(const SheetBand& crack, int32_t triangle, const Vec3& p, double wall) {
  if (triangle < 0) return {};
  const auto& [a, b, c] = crack.triangle(static_cast<size_t>(triangle));
  const ClosestPoint closest = closestPointOnTriangle(p, a, b, c);
  if (closest.squaredDistance >= wall * wall) return {};
  return closest.point;
}

Voxel nearestVoxel(const SheetBand& band, const Vec3& p) {
  Voxel v;
  for (size_t k = 0; k < 3; ++k) v[k] = static_cast<int32_t>(std::lround(p[k] / band.voxelSize()));
  return v;
}

std::optional<Vec3> meetsCrack(const SheetBand& crack, const Vec3& to, double wall) {
  return placeOn(crack, crack.at(nearestVoxel(crack, to)).triangle, to, wall);
}

/// The way back into the own crack: a part of it that is much older, or that came from the other side. Next
/// to the front is always what it made just now.
std::optional<Vec3> meetsItself(const FrontMarker& m, const Vec3& to, const FrontWorld& world) {
  const int32_t triangle = world.own->at(nearestVoxel(*world.own, to)).triangle;
  if (triangle < 0) return {};
  const FrontTrace& trace = (*world.traces)[triangle];
  const Vec3 direction(trace.direction[0], trace.direction[1], trace.direction[2]);
  const bool old = m.path - static_cast<double>(trace.path) > kFold * world.fine;
  const bool facing = !direction.isZero() && direction.dot(m.direction) < kFacing;
  if (!old && !facing) return {};
  return placeOn(*world.own, triangle, to, world.wall());
}

/// The direction of a marker that comes near another crack: across the front towards its nearest place.
/// Cracks that pass each other more closely than the coarse resolution would leave a toothed slab between
/// them.
Vec3 captured(const FrontMarker& m, const Vec3& direction, const FrontWorld& world) {
  Vec3 way = Vec3::Zero();
  double least = world.capture;
  for (const TriangleBvh* tree : world.otherTrees) {
    const ClosestPoint closest = tree->closestPoint(m.position, least);
    if (closest.triangle < 0) continue;
    least = std::sqrt(closest.squaredDistance);
    way = closest.point - m.position;
  }
  if (way.isZero()) return direction;
  const Vec3 along = m.normal.cross(m.outward);
  way -= way.dot(along) * along;
  // What is behind the front is passed already.
  if (way.dot(m.outward) <= 0 || !(way.norm() > 0.1 * least)) return direction;
  const double weight = std::min(1.0, 2 * (1 - least / world.capture));
  const Vec3 turned = (1 - weight) * direction + weight * way.normalized();
  return turned.norm() > 0.1 ? Vec3(turned.normalized()) : direction;
}

}  // namespace

bool insideSurface(const TriangleBvh& surface, const Vec3& p) {
  // A direction that no edge of a model is likely to have; hits on a shared edge count once.
  const Ray ray{p, Vec3(0.5377, 0.6189, 0.5726), 0.0, std::numeric_limits<double>::infinity()};
  int winding = 0;
  double lastT = -1;
  bool lastFront = false;
  for (const RayHit& hit : surface.allHits(ray)) {
    if (hit.t == lastT && hit.front == lastFront) continue;
    winding += hit.front ? -1 : 1;
    lastT = hit.t;
    lastFront = hit.front;
  }
  return winding > 0;
}

FrontTrace traceOf(const FrontMarker& marker) {
  const Eigen::Vector3f d = marker.direction.cast<float>();
  return {static_cast<float>(marker.path), {d.x(), d.y(), d.z()}};
}

FineFront::FineFront(Span<const Vec3> nodes, Span<const char> mouth, size_t perEdge, const FrontWorld& world)
    : mPerEdge(std::max<size_t>(perEdge, 1)) {
  for (size_t e = 0; e < nodes.size(); ++e)
    for (size_t k = 0; k < mPerEdge; ++k) {
      const double t = static_cast<double>(k) / static_cast<double>(mPerEdge);
      FrontMarker marker;
      marker.position = (1 - t) * nodes[e] + t * nodes[(e + 1) % nodes.size()];
      marker.inner = marker.position;
      const bool atMouth = mouth[e] || (k == 0 && mouth[(e + nodes.size() - 1) % nodes.size()]);
      if (atMouth || !insideSurface(*world.body, marker.position)) marker.state = MarkerState::Left;
      mMarkers.push_back(marker);
    }
}

bool FineFront::active() const {
  return std::any_of(mMarkers.begin(), mMarkers.end(),
                     [](const FrontMarker& m) { return m.state == MarkerState::Active; });
}

void FineFront::setFrames(Span<const FrontFrame> nodes, const FrontWorld& world) {
  HACKLE_ASSERT(nodes.size() == edgeCount());
  for (size_t i = 0; i < mMarkers.size(); ++i) {
    FrontMarker& m = mMarkers[i];
    const size_t e = i / mPerEdge, next = (e + 1) % nodes.size();
    const bool ended = nodeMarker(e).state != MarkerState::Active && i % mPerEdge != 0;
    const bool nextEnded = nodeMarker(next).state != MarkerState::Active;
    Vec3 k = Vec3::Zero();
    if (ended && nextEnded && !m.normal.isZero()) {
      // Less than the coarse front resolves: straight on, driven as before or as its ends are now.
      if (m.state != MarkerState::Active) continue;
      k.x() = m.effective;
      for (const FrontFrame* end : {&nodes[e], &nodes[next]})
        k.x() = std::max(k.x(),
                         effectiveIntensity(drivingIntensity(end->k, world.compressionRatio), world.poisson));
    } else {
      // Up to its ends at the surface or at another crack the front goes on as at the last node inside.
      const FrontFrame& a = nodes[ended && !nextEnded ? next : e];
      const FrontFrame& b = nodes[nextEnded && !ended ? e : next];
      const double t = static_cast<double>(i % mPerEdge) / static_cast<double>(mPerEdge);
      m.normal = ((1 - t) * a.normal + t * b.normal).normalized();
      m.outward = (1 - t) * a.outward + t * b.outward;
      m.outward = (m.outward - m.outward.dot(m.normal) * m.normal).normalized();
      if (m.state != MarkerState::Left) k = drivingIntensity((1 - t) * a.k + t * b.k, world.compressionRatio);
    }
    turnForward(i);
    m.forward = forwardIntensity(k, world.poisson);
    m.sliding = k.y();
    m.effective = effectiveIntensity(k, world.poisson);
    m.before = m.direction.isZero() ? 0.0 : std::atan2(m.direction.dot(m.normal), m.direction.dot(m.outward));
  }
}

/// Where the front has turned away from its coarse edge it still moves across itself: or markers would walk
/// along it, for ever.
void FineFront::turnForward(size_t marker) {
  FrontMarker& m = mMarkers[marker];
  if (m.state != MarkerState::Active) return;
  const size_t count = mMarkers.size(), window = std::max<size_t>(2, mPerEdge / 4);
  Vec3 ends[2];
  for (const size_t side : {size_t{0}, size_t{1}}) {
    const size_t step = side == 0 ? count - 1 : 1;
    size_t at = marker;
    for (size_t k = 0; k < window && mMarkers[at].state == MarkerState::Active; ++k) at = (at + step) % count;
    ends[side] = mMarkers[at].inner;
  }
  const Vec3 across = (ends[1] - ends[0]).cross(m.normal).normalized();
  if (across.allFinite() && !across.isZero() && across.dot(m.outward) < kAstray) m.outward = across;
}

void FineFront::moveMarker(FrontMarker& m, double weight, const FrontWorld& world) const {
  const FieldSample field = world.toughness->sample(m.position, world.fine);
  const double toughness = field.value;
  const double speed = frontSpeed(m.effective, toughness, world.rayleighSpeed);
  if (!(speed > 0)) return;
  // Blend the direction and the valid range from those of the last step (eq. 4.12), then steer (eq. 4.14).
  const double best = kinkAngle(m.forward, m.sliding);
  const double course = weight * best + (1 - weight) * m.before;
  const double along = field.gradient.dot(m.outward), across = field.gradient.dot(m.normal);
  double angle = course;
  if (along != 0 || across != 0 || weight >= 1) {
    const AngleRange now = validAngles(m.forward, m.sliding, toughness);
    const AngleRange valid{weight * now.low + (1 - weight) * (m.before + m.valid.low),
                           weight * now.high + (1 - weight) * (m.before + m.valid.high)};
    angle = steeredAngle(course, valid, along, across, toughness, world.coarse);
    if (weight >= 1) m.valid = {now.low - best, now.high - best};
  }
  m.direction = std::sin(course) * m.normal + std::cos(course) * m.outward;
  const Vec3 direction = std::sin(angle) * m.normal + std::cos(angle) * m.outward;
  step(m, std::min(1.0, world.pace * speed / world.rayleighSpeed) * world.fine, captured(m, direction, world),
       world);
}

/// Moves a marker until it meets whatever comes first: another crack, its own, the surface.
void FineFront::step(FrontMarker& m, double length, const Vec3& direction, const FrontWorld& world) {
  const Vec3 from = m.position;
  const std::optional<RayHit> exit = world.body->firstHit({from, direction});
  if ((!exit || exit->front) && !insideSurface(*world.body, from)) {
    // Sliding along the front can carry a marker across a concave surface.
    m.state = MarkerState::Left;
    return;
  }
  const bool leaves = exit && exit->t <= length;
  const Vec3 to = from + (leaves ? exit->t : length) * direction;
  m.path += length;
  m.position = m.inner = to;
  std::optional<Vec3> met;
  for (size_t c = 0; c < world.others.size() && !met; ++c)
    met = meetsCrack(*world.others[c], to, world.wall());
  if (!met && world.own) met = meetsItself(m, to, world);
  if (met) {
    m.state = MarkerState::Blocked;
    m.position = m.inner = *met;
  } else if (leaves) {
    m.state = MarkerState::Left;
    m.position = to + kOvershoot * world.fine * direction;
  }
}

void FineFront::slideEnds(Span<const Vec3> before, const FrontWorld& world) {
  const size_t count = mMarkers.size();
  struct Move {
    size_t marker;
    Vec3 inner, position;
    size_t with;
  };
  std::vector<Move> moves;
  for (size_t i = 0; i < count; ++i) {
    if (mMarkers[i].state != MarkerState::Left) continue;
    for (const size_t step : {size_t{1}, count - 1}) {
      const size_t next = (i + step) % count, after = (next + step) % count;
      const FrontMarker& m = mMarkers[next];
      if (m.state != MarkerState::Active || m.position == before[next]) continue;
      const Vec3 base = mMarkers[after].state == MarkerState::Active ? mMarkers[after].position : before[i];
      const Vec3 along =
          mMarkers[after].state == MarkerState::Active ? Vec3(m.position - base) : Vec3(base - m.position);
      if (along.isZero()) continue;
      const Vec3 unit = along.normalized();
      const auto hit = world.body->firstHit({m.position, unit, 0.0, kEndReach * world.fine});
      if (!hit) continue;
      const Vec3 inner = m.position + hit->t * unit;
      moves.push_back({i, inner, inner + kOvershoot * world.fine * unit, next});
    }
  }
  for (const Move& move : moves) {
    mMarkers[move.marker].inner = move.inner;
    mMarkers[move.marker].position = move.position;
    mMarkers[move.marker].path = mMarkers[move.with].path;
    mMarkers[move.marker].direction = mMarkers[move.with].direction;
  }
}

size_t FineFront::subStep(double weight, const FrontWorld& world, std::vector<Vec3>& before,
                          Context& context) {
  before.resize(mMarkers.size());
  for (size_t i = 0; i < mMarkers.size(); ++i) before[i] = mMarkers[i].position;
  parallelFor(context, mMarkers.size(), 64, [&](size_t i) {
    if (mMarkers[i].state == MarkerState::Active) moveMarker(mMarkers[i], weight, world);
  });
  size_t moved = 0;
  for (size_t i = 0; i < mMarkers.size(); ++i) moved += mMarkers[i].position != before[i];
  if (moved > 0) slideEnds(before, world);
  closeGaps(world);
  return moved;
}

/// Stops the last markers of a part of the front whose ends have come together, and parts less than an edge
/// long whose markers have run too far apart to be a front.
void FineFront::closeGaps(const FrontWorld& world) {
  const size_t count = mMarkers.size();
  for (size_t i = 0; i < count; ++i) {
    if (mMarkers[i].state != MarkerState::Active ||
        mMarkers[(i + count - 1) % count].state == MarkerState::Active)
      continue;
    size_t length = 0;
    bool node = false;
    double apart = 0;
    const auto at = [&](size_t k) -> FrontMarker& { return mMarkers[(i + count - 1 + k) % count]; };
    do {
      node |= length > 0 && (i + count - 1 + length) % count % mPerEdge == 0;
      ++length;
      apart = std::max(apart, (at(length).inner - at(length - 1).inner).norm());
    } while (at(length).state == MarkerState::Active && length < mPerEdge + 1);
    if (length > (node ? mPerEdge / 2 : mPerEdge)) continue;
    const FrontMarker &a = at(0), &b = at(length);
    const bool closed = length <= kFewMarkers + 1 && (a.inner - b.inner).norm() <= kClosed * world.fine;
    if (!closed && apart <= kFollowed * world.fine) continue;
    const bool left = closed && (a.state == MarkerState::Left || b.state == MarkerState::Left);
    for (size_t k = 1; k < length; ++k) {
      FrontMarker& m = at(k);
      const double t = static_cast<double>(k) / static_cast<double>(length);
      if (closed) m.position = m.inner = (1 - t) * a.inner + t * b.inner;
      m.state = left ? MarkerState::Left : MarkerState::Blocked;
    }
  }
}

void FineFront::stop(const std::function<bool(const Vec3&)>& where) {
  for (FrontMarker& m : mMarkers)
    if (m.state == MarkerState::Active && where(m.inner)) m.state = MarkerState::Blocked;
}

void FineFront::spread() {
  const size_t count = mMarkers.size();
  const auto fixed = [&](size_t i) { return i % mPerEdge == 0 || mMarkers[i].state != MarkerState::Active; };
  std::vector<Vec3> line;
  std::vector<double> paths;
  for (size_t begin = 0; begin < count;) {
    // From one fixed marker to the next; the first marker is a node and so is fixed.
    size_t end = begin + 1;
    while (end < count && !fixed(end)) ++end;
    const size_t parts = end - begin;
    if (parts > kFewMarkers) {
      line.clear();
      paths.clear();
      for (size_t i = begin; i <= end; ++i) {
        line.push_back(mMarkers[i % count].inner);
        paths.push_back(mMarkers[i % count].path);
      }
      double length = 0;
      for (size_t i = 0; i < parts; ++i) length += (line[i + 1] - line[i]).norm();
      double done = 0;
      size_t segment = 0;
      for (size_t i = 1; i < parts; ++i) {
        const double target = length * static_cast<double>(i) / static_cast<double>(parts);
        double part = (line[segment + 1] - line[segment]).norm();
        while (segment + 1 < parts && done + part < target) {
          done += part;
          ++segment;
          part = (line[segment + 1] - line[segment]).norm();
        }
        const double t = part > 0 ? std::clamp((target - done) / part, 0.0, 1.0) : 0.0;
        FrontMarker& m = mMarkers[begin + i];
        m.position = m.inner = (1 - t) * line[segment] + t * line[segment + 1];
        m.path = (1 - t) * paths[segment] + t * paths[segment + 1];
      }
    }
    begin = end;
  }
}

void FineFront::resample(Span<const size_t> nodes) {
  HACKLE_ASSERT(nodes.size() >= 3);
  const size_t count = mMarkers.size();
  std::vector<FrontMarker> result;
  for (size_t e = 0; e < nodes.size(); ++e) {
    const size_t from = nodes[e];
    const size_t to = e + 1 < nodes.size() ? nodes[e + 1] : nodes[0] + count;
    for (size_t k = 0; k < mPerEdge; ++k) {
      const double at = static_cast<double>(from) + static_cast<double>(to - from) * static_cast<double>(k) /
                                                        static_cast<double>(mPerEdge);
      const size_t low = static_cast<size_t>(at);
      const double t = at - static_cast<double>(low);
      const FrontMarker& a = mMarkers[low % count];
      const FrontMarker& b = mMarkers[(low + 1) % count];
      FrontMarker m = t < 0.5 ? a : b;
      if (t > 0 && (a.state == MarkerState::Active || b.state == MarkerState::Active)) {
        m.position = m.inner = (1 - t) * a.inner + t * b.inner;
        m.path = (1 - t) * a.path + t * b.path;
        m.state = MarkerState::Active;
      }
      result.push_back(m);
    }
  }
  mMarkers = std::move(result);
}

}  // namespace hackle
