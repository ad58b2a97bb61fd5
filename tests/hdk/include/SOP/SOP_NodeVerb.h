#pragma once

#include <SOP/SOP_Error.h>
#include <SOP/SOP_Node.h>

//@ class_s_o_p___node_parms
class SOP_NodeParms {
 public:
  virtual ~SOP_NodeParms() = default;
};

//@ class_s_o_p___node_cache
class SOP_NodeCache {
 public:
  virtual ~SOP_NodeCache() = default;
  //@ class_o_p___node_cache; inherited
  virtual int64 getMemoryUsage(bool inclusive) const { return inclusive ? 1 : 0; }
};

//@ class_s_o_p___node_verb
class SOP_NodeVerb {
 public:
  virtual ~SOP_NodeVerb() = default;

  //@ class_s_o_p___node_verb
  enum CookMode {
    COOK_INPLACE,
    COOK_DUPLICATE,
    //@ class_s_o_p___node_verb
    COOK_GENERATOR,
    COOK_INSTANCE,
    //@ class_s_o_p___node_verb; the page does not say what the output holds at first; we clear it
    COOK_GENERIC,
    COOK_PASSTHROUGH
  };

  //@ class_s_o_p___node_verb_1_1_cook_parms
  class CookParms {
   public:
    //@ class_s_o_p___node_verb_1_1_cook_parms
    GU_DetailHandle& gdh() const { return output; }
    //@ class_s_o_p___node_verb_1_1_cook_parms
    SOP_NodeCache* cache() const { return nodeCache; }
    //@ class_s_o_p___node_verb_1_1_cook_parms
    template <typename T>
    const T& parms() const {
      return static_cast<const T&>(*nodeParms);
    }
    //@ class_s_o_p___node_verb_1_1_cook_parms; null in compiled blocks
    SOP_Node* getNode() const { return node->compiled ? nullptr : node; }
    fpreal getCookTime() const { return time; }

    // Test double only.
    mutable GU_DetailHandle output;
    SOP_NodeCache* nodeCache = nullptr;
    const SOP_NodeParms* nodeParms = nullptr;
    fpreal time = 0;
    SOP_Node* node = nullptr;
    std::vector<GU_ConstDetailHandle> inputs;
  };

  //@ class_s_o_p___node_verb
  virtual SOP_NodeParms* allocParms() const = 0;
  //@ class_s_o_p___node_verb
  virtual SOP_NodeCache* allocCache() const { return nullptr; }
  //@ class_s_o_p___node_verb
  virtual CookMode cookMode(const SOP_NodeParms* parms) const { return (void)parms, COOK_GENERIC; }
  //@ class_s_o_p___node_verb
  virtual void cook(const CookParms& cookparms) const = 0;
  //@ class_o_p___node_verb
  virtual UT_StringHolder name() const = 0;
  //@ class_o_p___node_verb; not a documented way in; OpenVDB's plug-in registers verbs so from 16.5 to 21
  static void registerVerb(SOP_NodeVerb* verb);
  static const SOP_NodeVerb* lookupVerb(const UT_StringRef& name);
};
