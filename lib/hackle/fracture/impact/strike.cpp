#include <hackle/fracture/impact/strike.h>

#include <algorithm>
#include <cmath>

namespace hackle {

namespace {

double massMet(const ModalBody& body, const Impact& impact) {
  const PointForce push{-1, impact.position, impact.direction};
  return body.body().effectiveMass(body.embedding().nodalForces(Span<const PointForce>(&push, 1)));
}

}  // namespace

double strikeEnergy(const ModalBody& body, const Impact& impact) {
  if (!(impact.impulse > 0)) return 0;
  double inverse = 1 / massMet(body, impact);
  if (impact.striker.mass) inverse += 1 / *impact.striker.mass;
  // Half of m v^2, with v of an elastic impact J = 2 m v unless it is given.
  if (impact.speed) return 0.5 * *impact.speed * *impact.speed / inverse;
  return impact.impulse * impact.impulse * inverse / 8;
}

std::vector<Strike> strikesOf(const ModalBody& body, const Solid& solid, Span<const Impact> impacts,
                              const StrikeOptions& options, Context& context) {
  std::vector<Strike> strikes;
  ContactOptions contactOptions;
  contactOptions.minPatchRadius = body.cellSize();
  for (const Impact& impact : impacts) {
    if (!(impact.impulse > 0)) continue;
    Strike strike;
    strike.position = impact.position;
    strike.contact =
        resolveContact(impact, massMet(body, impact), body.material(), solid.mesh, solid.bvh, contactOptions);
    strike.load = body.embedding().nodalForces(
        contactForces(impact.position, strike.contact, 1.0, solid.mesh, solid.bvh));
    strike.shares = (body.shapes().transpose() * strike.load.cast<float>()).cast<double>();
    const double duration = options.duration.value_or(strike.contact.duration);
    strike.pulse = options.halfSine ? Pulse::halfSine(duration) : Pulse::hertz(duration);
    for (Eigen::Index i = 0; i < strike.shares.size(); ++i) {
      const double left = strike.shares[i] * strike.pulse.spectrum(body.frequencies()[i]);
      strike.vibration += 0.5 * left * left;
    }
    strike.asked = strike.impulse = impact.impulse;
    if (options.limitImpulse)
      strike.impulse =
          std::min(strike.asked, 2 * strike.contact.speed / (1 / strike.contact.mass + 2 * strike.vibration));
    strikes.push_back(std::move(strike));
  }
  if (strikes.empty()) return strikes;
  // All static answers in one solve.
  Eigen::MatrixXd loads(strikes[0].load.size(), static_cast<Eigen::Index>(strikes.size()));
  for (size_t k = 0; k < strikes.size(); ++k) loads.col(static_cast<Eigen::Index>(k)) = strikes[k].load;
  const Eigen::MatrixXd answers = body.body().solve(loads, context);
  for (size_t k = 0; k < strikes.size(); ++k)
    strikes[k].deformation = answers.col(static_cast<Eigen::Index>(k));
  return strikes;
}

}  // namespace hackle
