#include <hackle/coupling/body.h>

#include <algorithm>

namespace hackle {

FragmentClass fragmentClass(double volume, double parentVolume, double originalVolume) {
  if (volume <= 0.005 * originalVolume) return FragmentClass::VerySmall;
  if (volume <= 0.02 * originalVolume) return FragmentClass::Small;
  return volume > 0.95 * parentVolume ? FragmentClass::VeryLarge : FragmentClass::Large;
}

const char* fragmentClassName(FragmentClass kind) {
  static const char* const kNames[] = {"very_small", "small", "large", "very_large"};
  return kNames[static_cast<size_t>(kind)];
}

double spinStress(const CouplingBody& body) {
  const Vec3 spin = body.motion.rotation.transpose() * body.motion.spin;
  return body.material.density * spin.dot(body.mass.inertia * spin) / body.mass.mass;
}

double nominalStress(const CouplingBody& body, double force) {
  Vec3 size = (body.solid ? body.solid->bvh.bounds() : body.geometry.bounds()).size();
  std::sort(size.data(), size.data() + 3);
  const double volume = body.mass.mass / body.material.density;
  const double thickness = volume / (size[1] * size[2]);
  return 0.75 * force * size[2] / (size[1] * thickness * thickness);
}

const SolidPtr& solidOf(CouplingBody& body, Context& context) {
  if (!body.solid) body.solid = std::make_shared<const Solid>(body.geometry, context);
  return body.solid;
}

const EngineStatePtr& stateOf(CouplingBody& body, Context& context) {
  HACKLE_ASSERT(body.engine);
  if (!body.state) body.state = body.engine->prepare(solidOf(body, context), context);
  return body.state;
}

}  // namespace hackle
