#pragma once

#include <GU/GU_DetailHandle.h>
#include <OP/OP_Operator.h>
#include <PRM/PRM_Template.h>

#include <memory>

class SOP_NodeVerb;
class SOP_NodeCache;

//@ class_s_o_p___node_flags
class SOP_NodeFlags {
 public:
  //@ class_s_o_p___node_flags
  void setManagesDataIDs(bool on) { managesDataIds = on; }
  bool managesDataIds = false;  // test double only
};

//@ class_s_o_p___node
class SOP_Node : public OP_Node {
 public:
  //@ class_s_o_p___node
  SOP_Node(OP_Network* net, const char* name, OP_Operator* entry);
  ~SOP_Node() override;
  //@ class_s_o_p___node
  virtual const SOP_NodeVerb* cookVerb() const { return nullptr; }
  //@ class_s_o_p___node
  static PRM_ChoiceList primGroupMenu;
  //@ class_s_o_p___node; used by public plug-ins; its page's list of static members could not be read
  static PRM_ChoiceList pointAttribReplaceMenu;
  //@ class_s_o_p___node; used by public plug-ins; its page's list of static members could not be read
  static PRM_ChoiceList namedPrimsMenu;

  // Test double only ----------------------------------------------------------------------------------
  void setInput(size_t index, SOP_Node* node) {
    if (index >= inputs.size()) inputs.resize(index + 1, nullptr);
    inputs[index] = node;
    dirty = true;
  }
  /// Components of a parameter by name: "size", "at", "cluster", "cluster_at1" (first record).
  void set(const std::string& parm, const std::vector<std::string>& values) {
    parms[parm] = values;
    dirty = true;
  }
  void set(const std::string& parm, const std::string& value) { set(parm, std::vector<std::string>{value}); }
  /// Cooks what is dirty before it, then itself; the result is in detail().
  OP_ERROR cookAt(fpreal time = 0);
  const GU_Detail& detail() const { return *handle.gdp(); }
  bool needsCook() const;

  OP_Operator* entry;
  std::vector<SOP_Node*> inputs;
  std::map<std::string, std::vector<std::string>> parms;
  std::vector<std::string> errors, warnings, messages;
  GU_DetailHandle handle;
  std::unique_ptr<SOP_NodeCache> cache;
  bool dirty = true;
  bool compiled = false;  // cooks as in a compiled block
  int cooks = 0;
  fpreal cookTime = 0;

 protected:
  //@ class_s_o_p___node
  virtual OP_ERROR cookMySop(OP_Context& context) = 0;
  //@ class_s_o_p___node
  OP_ERROR cookMyselfAsVerb(OP_Context& context);
  //@ class_s_o_p___node
  SOP_NodeFlags mySopFlags;
};
