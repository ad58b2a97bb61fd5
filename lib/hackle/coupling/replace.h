// Pieces in place of the body that broke: with its motion, its mass and its momentum.
#pragma once

#include <hackle/coupling/body.h>

#include <vector>

namespace hackle {

struct Fragment {
  std::string name;  // the parent's with the piece's number: vase-3
  size_t piece = 0;  // of the result
  FragmentClass kind = FragmentClass::Large;
  Geometry geometry;  // in the rest frame of the parent
  RigidMass mass;
  RigidMotion motion;
  EngineStatePtr state;  // null: prepare anew where it is asked to break
  bool breakable = false;
};

struct Replacement {
  std::vector<Fragment> fragments;
  Momentum before, after;  // of the parent, and of all fragments
  double massScale = 1;    // by which masses of pieces were multiplied to add up to the parent's
};

/// Pieces of next to no volume (1e-9 of the whole) are left out; their mass goes to the others. Fragments
/// move as the parent's material did, v + omega x r. Where pieces do not partition the parent exactly, their
/// masses are scaled to add up to its mass, and velocity and spin get the smallest rigid correction that
/// keeps linear and angular momentum.
Replacement replaceBody(const CouplingBody& parent, const FractureResult& result, Context& context);

}  // namespace hackle
