#pragma once

#include <SOP/SOP_NodeVerb.h>
#include <UT/UT_Options.h>

//@ class_s_o_p___node_parms_options
class SOP_NodeParmsOptions : public SOP_NodeParms {
 public:
  //@ class_s_o_p___node_parms_options
  SOP_NodeParmsOptions(const PRM_Template* tmpl) : mTemplates(tmpl) {}
  //@ class_s_o_p___node_parms_options; ramps are text that UT_Ramp::load reads
  const UT_OptionEntry* getOptionEntry(const UT_StringRef& name) const;

  // Test double only.
  void load(const SOP_Node& node);
  std::string value(const std::string& parm, int component, const int* instance) const;

 private:
  const PRM_Template* mTemplates;
  std::map<std::string, std::vector<std::string>> mValues;
  mutable std::map<std::string, UT_OptionEntry> mEntries;
};

//@ class_s_o_p___node_cache_options
class SOP_NodeCacheOptions : public SOP_NodeCache {
 public:
  //@ class_s_o_p___node_cache_options
  void doCook(const SOP_NodeVerb* verb, const SOP_NodeVerb::CookParms& cookparms);
  //@ class_s_o_p___node_cache_options
  fpreal evalFloat(const char* parm, int vi, fpreal time) const;
  //@ class_s_o_p___node_cache_options; a menu gives the number of its item
  exint evalInt(const char* parm, int vi, fpreal time) const;
  //@ class_s_o_p___node_cache_options; a menu gives the token of its item
  void evalString(UT_StringHolder& value, const char* parm, int vi, fpreal time) const;
  //@ class_s_o_p___node_cache_options; instances count from 1
  fpreal evalFloatInst(const char* parm, const int* instance, int vi, fpreal time, int nestlevel = 1) const;
  //@ class_s_o_p___node_cache_options
  exint evalIntInst(const char* parm, const int* instance, int vi, fpreal time, int nestlevel = 1) const;
  //@ class_s_o_p___node_cache_options
  void evalStringInst(const char* parm, const int* instance, UT_StringHolder& val, int vi, fpreal time,
                      int nestlevel = 1) const;
  //@ class_s_o_p___node_cache_options
  exint nInputs() const;
  //@ class_s_o_p___node_cache_options
  bool hasInput(exint idx) const;
  //@ class_s_o_p___node_cache_options
  const GU_Detail* inputGeo(exint idx) const;
  //@ class_s_o_p___node_cache_options
  OP_ERROR error();
  //@ class_s_o_p___node_cache_options
  void addError(int code, const char* msg = 0);
  //@ class_s_o_p___node_cache_options
  void addWarning(int code, const char* msg = 0);
  //@ class_s_o_p___node_cache_options
  void addMessage(int code, const char* msg = 0);

 protected:
  //@ class_s_o_p___node_cache_options
  virtual OP_ERROR cook(OP_Context& context) = 0;
  //@ class_s_o_p___node_cache_options
  const SOP_NodeVerb::CookParms* cookparms() const { return mCookParms; }

 private:
  const SOP_NodeVerb::CookParms* mCookParms = nullptr;
};
