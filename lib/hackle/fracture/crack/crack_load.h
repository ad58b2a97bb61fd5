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

  bool empty() const { return impacts.empty() && steady.empty(); }
};

/// By body, what acts on it: the body whose surface is nearest. Impacts without impulse and forces of zero
/// are left out. Error(BadInput) and Error(Usage) as from `impactsOnSurface`; steady forces are treated
/// alike.
std::vector<BodyLoad> loadsByBody(const Solid& solid, const std::vector<CrackBody>& bodies,
                                  const LoadCase& load);

struct LoadedBody {
  BoundaryData data;              // conditions and tractions
  std::vector<Contact> contacts;  // of the impacts
};

/// The conditions of a body with the tractions of a load. An impact acts with the peak force of its Hertz
/// contact, spread over a patch that the mesh resolves, as if it stayed; a body that nothing holds gets the
/// smallest tractions that balance it ([Hahn17] eq. 7.5, in BemSystem). Spin and accelerations do not count:
/// what balances the contact takes their place.
LoadedBody loadedBody(const CrackBody& body, const BodyLoad& load, Context& context);

}  // namespace hackle
