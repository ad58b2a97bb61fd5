#pragma once

#include <SIM/SIM_GeometryCopy.h>
#include <SIM/SIM_OptionsUser.h>

//@ class_s_i_m___constraint_network_relationship
class SIM_ConstraintNetworkRelationship : public SIM_Data, public SIM_OptionsUser {
 public:
  //@ class_s_i_m___constraint_network_relationship
  SIM_GeometryCopy* getGeometry() { return geometry.get(); }

  // Test double only.
  std::unique_ptr<SIM_Data> clone() const override { return nullptr; }
  std::unique_ptr<SIM_GeometryCopy> geometry = std::make_unique<SIM_GeometryCopy>();
};
