#pragma once

#include <SIM/SIM_Data.h>
#include <UT/UT_StringHolder.h>

//@ class_s_i_m___object
class SIM_Object : public SIM_RootData {
 public:
  //@ class_s_i_m___object
  int getObjectId() const { return id; }

  // Test double only.
  std::unique_ptr<SIM_Data> clone() const override;
  int id = 0;
  std::vector<std::pair<UT_ErrorSeverity, std::string>> messages;
};
