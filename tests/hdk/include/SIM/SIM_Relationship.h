#pragma once

#include <SIM/SIM_Data.h>

//@ class_s_i_m___relationship
class SIM_Relationship : public SIM_RootData {
 public:
  //@ class_s_i_m___relationship; the data that says what kind of relationship it is
  SIM_Data* getRelationshipTypeData() { return type.get(); }

  // Test double only.
  std::unique_ptr<SIM_Data> clone() const override { return nullptr; }
  std::unique_ptr<SIM_Data> type;
};
