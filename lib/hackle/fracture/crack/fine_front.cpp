#include <hackle/core/error.h>
#include <hackle/core/parallel.h>
#include <hackle/fracture/crack/fine_front.h>

#include <algorithm>
#include <cmath>

namespace hackle {

namespace {

constexpr double kOvershoot = 2.0;  // voxels that a front goes on outside of the body
constexpr double kEndReach = 4.0;   // voxels in which the end of a front looks for the surface
constexpr size_t kEndNeighbours = 3;
constexpr double kSelfSlope = 0.7071067811865476;

/// [Hahn17] eq. 6.2: the way back into the own crack.
bool meetsItself(const SheetBand& own, const Vec3& from, const Vec3& to, double wall) {
  const double start = own.distance(from) - wall;
  for (const double a : {0.5, 1.0}) {
    const Vec3 x = (1 - a) * from + a * to;
    if (start + (x - from).norm() * kSelfSlope <= 0) continue;
    if (own.distance(x) - wall >= wall) continue;
    if (own.gradient(x).dot(to - from) < 0) return true;
  }
  return false;
}

/// The first place between two points that lies within the wall of a crack.
bool meetsCrack(const SheetBand& crack, const Vec3& from, const Vec3& to, double wall, Vec3& at) {
  for (const double a : {0.5, 1.0}) {
    at = (1 - a) * from + a * to;
    if (crack.distance(at) < wall) return true;
  }
  return false;
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
    const FrontFrame& a = nodes[i / mPerEdge];
    const FrontFrame& b = nodes[(i / mPerEdge + 1) % nodes.size()];
    const double t = static_cast<double>(i % mPerEdge) / static_cast<double>(mPerEdge);
    FrontMarker& m = mMarkers[i];
    m.normal = ((1 - t) * a.normal + t * b.normal).normalized();
    m.outward = (1 - t) * a.outward + t * b.outward;
    m.outward = (m.outward - m.outward.dot(m.normal) * m.normal).normalized();
    const Vec3 k = drivingIntensity((1 - t) * a.k + t * b.k, world.compressionRatio);
    m.forward = forwardIntensity(k, world.poisson);
    m.sliding = k.y();
    m.effective = effectiveIntensity(k, world.poisson);
    m.before = m.direction.isZero() ? 0.0 : std::atan2(m.direction.dot(m.normal), m.direction.dot(m.outward));
  }
}

void FineFront::moveMarker(FrontMarker& m, double weight, const FrontWorld& world) const {
  const FieldSample field = world.toughness->sample(m.position, world.fine);
  const double toughness = field.value;
  const double speed = frontSpeed(m.effective, toughness, world.rayleighSpeed);
  if (!(speed > 0)) return;
  // Blend the direction and the valid range from those of the last step (eq. 4.12), then steer (eq. 4.14).
  const double best = kinkAngle(m.forward, m.sliding);
  const AngleRange now = validAngles(m.forward, m.sliding, toughness);
  const AngleRange valid{weight * now.low + (1 - weight) * (m.before + m.valid.low),
                         weight * now.high + (1 - weight) * (m.before + m.valid.high)};
  const Vec3& slope = field.gradient;
  const double angle = steeredAngle(weight * best + (1 - weight) * m.before, valid, slope.dot(m.outward),
                                    slope.dot(m.normal), toughness, world.coarse);
  if (weight >= 1) m.valid = {now.low - best, now.high - best};
  const Vec3 direction = std::sin(angle) * m.normal + std::cos(angle) * m.outward;
  const Vec3 from = m.position;
  Vec3 to = from + speed / world.rayleighSpeed * world.fine * direction;
  m.direction = direction;
  m.position = m.inner = to;

  // Stop at whatever comes first: another crack, the own one, the surface.
  const Ray ray{from, to - from, 0.0, 1.0};
  const std::optional<RayHit> exit = world.body->firstHit(ray);
  if (exit) m.inner = to = from + exit->t * (to - from);
  for (const SheetBand* other : world.others) {
    Vec3 at;
    if (!meetsCrack(*other, from, to, world.wall(), at)) continue;
    m.position = m.inner = to = at;
    m.state = MarkerState::Blocked;
  }
  if (m.state == MarkerState::Active && world.own && meetsItself(*world.own, from, to, world.wall()))
    m.state = MarkerState::Blocked;
  if (m.state == MarkerState::Active && exit) {
    m.state = MarkerState::Left;
    m.position = to + kOvershoot * world.fine * direction;
  }
}

void FineFront::slideEnds(Span<const Vec3> before, const FrontWorld& world) {
  const size_t count = mMarkers.size();
  struct Move {
    size_t marker;
    Vec3 inner, position;
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
      moves.push_back({i, inner, inner + kOvershoot * world.fine * unit});
    }
  }
  for (const Move& move : moves) {
    mMarkers[move.marker].inner = move.inner;
    mMarkers[move.marker].position = move.position;
  }
}

void FineFront::dropStrays(const FrontWorld& world) {
  // Sliding can carry markers next to an end across a concave surface.
  const size_t count = mMarkers.size();
  for (size_t i = 0; i < count; ++i) {
    if (mMarkers[i].state != MarkerState::Active) continue;
    bool nearEnd = false;
    for (size_t k = 1; k <= kEndNeighbours && !nearEnd; ++k)
      nearEnd = mMarkers[(i + k) % count].state == MarkerState::Left ||
                mMarkers[(i + count - k % count) % count].state == MarkerState::Left;
    if (nearEnd && !insideSurface(*world.body, mMarkers[i].position)) mMarkers[i].state = MarkerState::Left;
  }
}

size_t FineFront::subStep(double weight, const FrontWorld& world, std::vector<Vec3>& before,
                          Context& context) {
  dropStrays(world);
  before.resize(mMarkers.size());
  for (size_t i = 0; i < mMarkers.size(); ++i) before[i] = mMarkers[i].position;
  parallelFor(context, mMarkers.size(), 64, [&](size_t i) {
    if (mMarkers[i].state == MarkerState::Active) moveMarker(mMarkers[i], weight, world);
  });
  size_t moved = 0;
  for (size_t i = 0; i < mMarkers.size(); ++i) moved += mMarkers[i].position != before[i];
  if (moved > 0) slideEnds(before, world);
  return moved;
}

void FineFront::spread() {
  const size_t count = mMarkers.size();
  const auto fixed = [&](size_t i) { return i % mPerEdge == 0 || mMarkers[i].state != MarkerState::Active; };
  std::vector<Vec3> line;
  for (size_t begin = 0; begin < count;) {
    // From one fixed marker to the next; the first marker is a node and so is fixed.
    size_t end = begin + 1;
    while (end < count && !fixed(end)) ++end;
    const size_t parts = end - begin;
    if (parts > 1) {
      line.clear();
      for (size_t i = begin; i <= end; ++i) line.push_back(mMarkers[i % count].inner);
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
        m.state = MarkerState::Active;
      }
      result.push_back(m);
    }
  }
  mMarkers = std::move(result);
}

}  // namespace hackle
