#pragma once

#include <GA/GA_Types.h>
#include <SIM/SIM_Data.h>
#include <UT/UT_Vector3.h>

//@ _s_i_m___names_8h
#define SIM_IMPACTS_DATANAME "Impacts"

//@ _s_i_m___names_8h
#define SIM_FEEDBACK_DATANAME "Feedback"

// Flags of a record.
enum {
  //@ _s_i_m___impacts_8h; the normal is then the tangent, the impulse that of friction
  SIM_IMPACTS_FRICTION = 1
};

//@ class_s_i_m___impacts
class SIM_Impacts : public SIM_Data {
 public:
  //@ class_s_i_m___impacts
  int getNumImpacts() const { return static_cast<int>(records.size()); }
  //@ class_s_i_m___impacts
  const UT_Vector3& getPosition(int index) const { return records[index].position; }
  //@ class_s_i_m___impacts
  const UT_Vector3& getNormal(int index) const { return records[index].normal; }
  //@ class_s_i_m___impacts
  fpreal getImpulse(int index) const { return records[index].impulse; }
  //@ class_s_i_m___impacts
  int getFlags(int index) const { return records[index].flags; }
  //@ class_s_i_m___impacts; -1 where the record has none
  GA_Index getPointNumber(int index) const { return records[index].point; }
  //@ class_s_i_m___impacts; -1 where the record has none
  int getPrimitiveNumber(int index) const { return records[index].primitive; }
  //@ class_s_i_m___impacts
  int getOtherObjId(int index) const { return records[index].otherObject; }
  //@ class_s_i_m___impacts
  int getOtherObjPointNumber(int index) const { return records[index].otherPoint; }
  //@ class_s_i_m___impacts
  int getOtherObjPrimitiveNumber(int index) const { return records[index].otherPrimitive; }

  // Test double only.
  struct Record {
    UT_Vector3 position, normal;
    fpreal impulse = 0;
    int flags = 0;
    GA_Index point = -1;
    int primitive = -1;
    int otherObject = -1;
    int otherPoint = -1;
    int otherPrimitive = -1;
  };
  std::unique_ptr<SIM_Data> clone() const override { return std::make_unique<SIM_Impacts>(*this); }
  SIM_Impacts() = default;
  SIM_Impacts(const SIM_Impacts& other) : SIM_Data(), records(other.records) {}
  std::vector<Record> records;
};
