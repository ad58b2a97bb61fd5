#pragma once

#include <OP/OP_Node.h>

class CH_LocalVariable;

//@ class_o_p___operator
enum {
  //@ _o_p___operator_8h
  OP_FLAG_GENERATOR = 0x02
};

//@ class_o_p___operator
class OP_Operator {
 public:
  //@ class_o_p___operator; 21 changed numbers of inputs elsewhere to OP_InputIdx, not here
  OP_Operator(const char* name, const char* english, OP_Constructor construct, PRM_Template* templates,
              unsigned min_sources, unsigned max_sources = 9999, CH_LocalVariable* variables = 0,
              unsigned flags = 0, const char** inputlabels = 0, int maxoutputs = 1,
              const char* tab_submenu_path = 0);
  virtual ~OP_Operator() = default;
  //@ class_o_p___operator
  const UT_StringHolder& getName() const { return mName; }
  //@ class_o_p___operator
  void setIconName(const char* icon) { iconName = icon; }

  // Test double only.
  std::string english, menuPath, iconName;
  OP_Constructor construct;
  PRM_Template* templates;
  unsigned minSources, maxSources, flags;
  std::vector<std::string> inputLabels;
  int maxOutputs;

 private:
  UT_StringHolder mName;
};
