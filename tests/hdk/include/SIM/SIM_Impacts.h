#pragma once

#include <GA/GA_Types.h>
#include <SIM/SIM_Data.h>
#include <UT/UT_Vector3.h>

//@ _s_i_m___names_8h
#define SIM_IMPACTS_DATANAME "Impacts"

// Flags of a record.
enum {
  //@ class_s_i_m___impacts; the normal is then the tangent, the impulse that of friction
  SIM_IMPACTS_FRICTION = 1
};

//@ class_s_i_m___impacts
class SIM_Impacts : public SIM_Data {
 public:
  //@ class_s_i_m___impacts
  int getNumImpacts() const { return static_cast<int>(records.size()); }
  //@ class_s_i_m___impacts
  UT_Vector3 getPosition(int i) const { return records[i].position; }
  //@ class_s_i_m___impacts
  UT_Vector3 getNormal(int i) const { return records[i].normal; }
  //@ class_s_i_m___impacts
  fpreal getImpulse(int i) const { return records[i].impulse; }
  //@ class_s_i_m___impacts
  int getFlags(int i) const { return records[i].flags; }
  //@ class_s_i_m___impacts; -1 where the record has none
  GA_Index getPointNumber(int i) const { return records[i].point; }
  //@ class_s_i_m___impacts; -1 where the record has none
  int getPrimitiveNumber(int i) const { return records[i].primitive; }
  //@ class_s_i_m___impacts
  int getOtherObjId(int i) const { return records[i].otherObject; }
  //@ class_s_i_m___impacts
  GA_Index getOtherObjPointNumber(int i) const { return records[i].otherPoint; }
  //@ class_s_i_m___impacts
  int getOtherObjPrimitiveNumber(int i) const { return records[i].otherPrimitive; }

  // Test double only.
  struct Record {
    UT_Vector3 position, normal;
    fpreal impulse = 0;
    int flags = 0;
    GA_Index point = -1;
    int primitive = -1;
    int otherObject = -1;
    GA_Index otherPoint = -1;
    int otherPrimitive = -1;
  };
  std::unique_ptr<SIM_Data> clone() const override { return std::make_unique<SIM_Impacts>(*this); }
  SIM_Impacts() = default;
  SIM_Impacts(const SIM_Impacts& other) : SIM_Data(), records(other.records) {}
  std::vector<Record> records;
};
