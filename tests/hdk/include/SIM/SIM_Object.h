#pragma once

#include <SIM/SIM_Data.h>
#include <SIM/SIM_Relationship.h>
#include <UT/UT_Array.h>
#include <UT/UT_StringHolder.h>

//@ class_s_i_m___relationship_array; derives from an array of pointers
typedef UT_Array<SIM_Relationship*> SIM_RelationshipArray;

//@ class_s_i_m___object
class SIM_Object : public SIM_RootData {
 public:
  //@ class_s_i_m___object
  int getObjectId() const { return id; }

  //@ class_s_i_m___object; those in whose group of objects it is, or in whose group of affectors
  const SIM_RelationshipArray& getRelationships(bool ingroup) { return ingroup ? relationships : none; }

  // Test double only.
  SIM_RelationshipArray relationships, none;
  std::unique_ptr<SIM_Data> clone() const override;
  int id = 0;
  std::vector<std::pair<UT_ErrorSeverity, std::string>> messages;
};
