#pragma once

#include <PRM/PRM_Template.h>

//@ class_p_r_m___template_builder
class PRM_TemplateBuilder {
 public:
  //@ class_p_r_m___template_builder; further arguments have defaults
  PRM_TemplateBuilder(const UT_StringHolder& name, const char* dstext);
  //@ class_p_r_m___template_builder
  PRM_Template* templates() const { return mTemplates.data(); }
  //@ class_p_r_m___template_builder
  void setChoiceListPtr(const UT_StringRef& name, PRM_ChoiceList* list);

 private:
  mutable std::vector<PRM_Template> mTemplates;
};
