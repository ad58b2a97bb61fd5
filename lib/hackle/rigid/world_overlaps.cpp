// Bodies that overlap: what is tolerated, and what is put back.
#include <hackle/rigid/world_impl.h>

#include <algorithm>

namespace hackle {

namespace {

// How deep a body may stay below a plane, of its thinnest side.
constexpr double kPlaneSlop = 0.01;

double depthOf(const btPersistentManifold& manifold) {
  double depth = 0;
  for (int k = 0; k < manifold.getNumContacts(); ++k)
    depth = std::max(depth, -manifold.getContactPoint(k).getDistance());
  return depth;
}

}  // namespace

/// Greatest depth of each pair of dynamic bodies that has contacts.
std::map<Pair, double> RigidWorld::Impl::pairDepths() {
  std::map<Pair, double> depths;
  for (int i = 0; i < dispatcher.getNumManifolds(); ++i) {
    const btPersistentManifold& manifold = *dispatcher.getManifoldByIndexInternal(i);
    const Body& a = bodyOf(manifold.getBody0());
    const Body& b = bodyOf(manifold.getBody1());
    if (manifold.getNumContacts() == 0) continue;
    double& depth = depths[pairOf(a.setup.id, b.setup.id)];
    depth = std::max(depth, depthOf(manifold));
  }
  return depths;
}

/// Lets contacts of tolerated pairs look as if they just touched; what a pair has come apart stays so.
void RigidWorld::Impl::relaxOverlaps() {
  if (tolerated.empty()) return;
  // All manifolds of tolerated pairs: two compounds have one per pair of their parts.
  std::vector<std::pair<btPersistentManifold*, Pair>> found;
  std::map<Pair, double> depths;
  for (int i = 0; i < dispatcher.getNumManifolds(); ++i) {
    btPersistentManifold& manifold = *dispatcher.getManifoldByIndexInternal(i);
    const Body& a = bodyOf(manifold.getBody0());
    const Body& b = bodyOf(manifold.getBody1());
    if (manifold.getNumContacts() == 0) continue;
    if (!a.rigid->isActive() && !b.rigid->isActive()) continue;
    const Pair pair = pairOf(a.setup.id, b.setup.id);
    if (!tolerated.count(pair)) continue;
    found.emplace_back(&manifold, pair);
    double& depth = depths[pair];
    depth = std::max(depth, depthOf(manifold));
  }
  for (auto it = tolerated.begin(); it != tolerated.end();) {
    const bool asleep = !body(it->first.first).rigid->isActive() && !body(it->first.second).rigid->isActive();
    const auto now = depths.find(it->first);
    if (!asleep) it->second = std::min(it->second, now == depths.end() ? 0 : now->second);
    it = it->second > 0 ? std::next(it) : tolerated.erase(it);
  }
  for (const auto& [manifold, pair] : found) {
    const auto by = tolerated.find(pair);
    if (by == tolerated.end()) continue;
    for (int k = 0; k < manifold->getNumContacts(); ++k)
      manifold->getContactPoint(k).m_distance1 += by->second;
  }
}

/// Puts bodies that have come below a plane back onto it. Bullet's own correction acts at the one or two
/// corners that it finds: it turns crumbs that are deeper than they are thick instead of lifting them, for
/// ever, and takes ten steps where a fast body came in by as much as it moves in a step.
void RigidWorld::Impl::liftFromPlanes() {
  std::map<int32_t, btVector3> lifts;
  const auto onPlane = [&](const btPersistentManifold& manifold) -> std::pair<Body*, btScalar> {
    Body &a = bodyOf(manifold.getBody0()), &b = bodyOf(manifold.getBody1());
    const bool first = b.setup.shape->isPlane(), second = a.setup.shape->isPlane();
    Body& body = first ? a : b;
    if (first == second || !body.moves() || body.setup.kind != BodyKind::Dynamic) return {nullptr, 0};
    return {&body, first ? 1 : -1};
  };
  for (int i = 0; i < dispatcher.getNumManifolds(); ++i) {
    const btPersistentManifold& manifold = *dispatcher.getManifoldByIndexInternal(i);
    const auto [body, sign] = onPlane(manifold);
    if (!body) continue;
    for (int k = 0; k < manifold.getNumContacts(); ++k) {
      const btManifoldPoint& p = manifold.getContactPoint(k);
      const btScalar lift = -p.getDistance() - kPlaneSlop * body->thickness;
      if (!(lift > 0)) continue;
      const btVector3 by = sign * lift * p.m_normalWorldOnB;
      btVector3& most = lifts.emplace(body->setup.id, btVector3(0, 0, 0)).first->second;
      if (by.length2() > most.length2()) most = by;
    }
  }
  if (lifts.empty()) return;
  for (const auto& [id, by] : lifts) {
    btTransform& place = body(id).rigid->getWorldTransform();
    place.setOrigin(place.getOrigin() + by);
  }
  for (int i = 0; i < dispatcher.getNumManifolds(); ++i) {
    btPersistentManifold& manifold = *dispatcher.getManifoldByIndexInternal(i);
    const auto [body, sign] = onPlane(manifold);
    const auto found = body ? lifts.find(body->setup.id) : lifts.end();
    if (found == lifts.end()) continue;
    for (int k = 0; k < manifold.getNumContacts(); ++k) {
      btManifoldPoint& p = manifold.getContactPoint(k);
      p.m_distance1 += sign * found->second.dot(p.m_normalWorldOnB);
      (sign > 0 ? p.m_positionWorldOnA : p.m_positionWorldOnB) += found->second;
    }
  }
}

/// New bodies of one family that overlap now may do so.
void RigidWorld::Impl::tolerateFamilies(const Swap& swap) {
  std::map<int32_t, int32_t> families;
  for (const BodySetup& setup : swap.added)
    if (setup.family >= 0) families.emplace(setup.id, setup.family);
  for (const auto& [pair, depth] : pairDepths()) {
    const auto a = families.find(pair.first), b = families.find(pair.second);
    if (depth > 0 && a != families.end() && b != families.end() && a->second == b->second)
      tolerated[pair] = depth;
  }
}

}  // namespace hackle
