// An impact as what a vibrating body feels of it: a pulse of force, its shares in the modes, and the static
// answer to it.
#pragma once

#include <hackle/fracture/impact/modal_body.h>
#include <hackle/fracture/impact/pulse.h>
#include <hackle/mechanics/contact.h>

#include <vector>

namespace hackle {

struct StrikeOptions {
  std::optional<double> duration;  // s, of all contacts; not set: Hertz's
  bool halfSine = false;           // the force of [Glondu12] instead of Hertz's
  bool limitImpulse = true;        // vibration takes energy, and with it impulse: README eq. 3
};

struct Strike {
  Vec3 position = Vec3::Zero();  // m
  Contact contact;
  Pulse pulse = Pulse::hertz(1);
  double asked = 0;             // N s
  double impulse = 0;           // N s, that acts
  double vibration = 0;         // 1/kg: energy of vibration over the impulse squared
  Eigen::VectorXd load;         // nodal forces (3 #points) of a unit force
  Eigen::VectorXd shares;       // p, kg^-1/2, one per mode
  Eigen::VectorXd deformation;  // m/N, static, inertia relieved: K+ load
};

/// One per impact; impacts must lie on the surface. Error(BadInput) as resolveContact has it.
std::vector<Strike> strikesOf(const ModalBody& body, const Solid& solid, Span<const Impact> impacts,
                              const StrikeOptions& options, Context& context);

/// J, at most, that an impact brings: what is there before it. No solve.
double strikeEnergy(const ModalBody& body, const Impact& impact);

}  // namespace hackle
