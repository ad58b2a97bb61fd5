// A load case on the boundary elements of a body: contacts of impacts and steady forces as tractions.
#pragma once

#include <hackle/fracture/crack/crack_setup.h>
#include <hackle/fracture/engine.h>
#include <hackle/mechanics/contact.h>

#include <vector>

namespace hackle {

/// The part of a load case that acts on one body.
struct BodyLoad {
  std::vector<Impact> impacts;  // at places of its surface, directions of unit length
  std::vector<SteadyForce> steady;
  /// Of a body that is held, as it is felt: one that rests has the acceleration of gravity, upwards. Of one
  /// that nothing holds only the spin: what acts on it accelerates it.
  RigidAcceleration motion;

  bool empty() const {
    return impacts.empty() && steady.empty() && motion.linear.isZero(0) && motion.angular.isZero(0) &&
           motion.spin.isZero(0);
  }
};

/// By body, what acts on it: the body whose surface is nearest. Impacts without impulse and forces of zero
/// are left out. Error(BadInput) and Error(Usage) as from `impactsOnSurface`; steady forces are treated
/// alike. Bodies that are held move about the solid's centre of mass, others about their own.
std::vector<BodyLoad> loadsByBody(const Solid& solid, const std::vector<CrackBody>& bodies,
                                  const LoadCase& load);

struct LoadedBody {
  BoundaryData data;              // conditions and tractions
  std::vector<Contact> contacts;  // of the impacts
};

/// The conditions of a body with the tractions of a load. An impact acts with the peak force of its Hertz
/// contact, spread over a patch that the mesh resolves, as if it stayed. Inertia is a body force: of the
/// motion of a body that is held, of the spin of one that nothing holds and of how the loads accelerate it
/// ([Hahn17] eq. 7.5 balances them by tractions on the surface).
LoadedBody loadedBody(const CrackBody& body, const BodyLoad& load, Context& context);

}  // namespace hackle
