#pragma once

#include <PRM/PRM_Template.h>

//@ class_s_i_m___dop_description
class SIM_DopDescription {
 public:
  //@ class_s_i_m___dop_description
  SIM_DopDescription(bool createdop, const char* dopname, const char* dopenglish, const char* dataname,
                     const char* datatypename, const PRM_Template* templates)
      : makesNode(createdop),
        name(dopname),
        english(dopenglish),
        dataName(dataname),
        dataType(datatypename),
        templates(templates) {}
  //@ class_s_i_m___dop_description
  void setDefaultUniqueDataName(int unique) { uniqueName = unique != 0; }

  // Test double only.
  bool makesNode, uniqueName = false;
  std::string name, english, dataName, dataType;
  const PRM_Template* templates;
};
