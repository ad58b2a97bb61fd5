// The node type of every operator.
#pragma once

#include <hackle/ops/operator.h>

#include <SOP/SOP_Node.h>
#include <SOP/SOP_NodeVerb.h>

#include <memory>

class OP_OperatorTable;
class PRM_TemplateBuilder;

/// Cooks any operator without a node, in compiled blocks and from Python; nodes cook through it.
class SOP_HackleVerb : public SOP_NodeVerb {
 public:
  SOP_HackleVerb(const hackle::Operator& op, const PRM_Template* templates)
      : mOp(op), mTemplates(templates) {}

  SOP_NodeParms* allocParms() const override;
  SOP_NodeCache* allocCache() const override;
  UT_StringHolder name() const override;
  CookMode cookMode(const SOP_NodeParms* parms) const override;
  void cook(const CookParms& cookparms) const override;

 private:
  const hackle::Operator& mOp;
  const PRM_Template* mTemplates;
};

class SOP_Hackle : public SOP_Node {
 public:
  /// Adds the node type of an operator to Houdini's table. The operator must live as long as Houdini.
  static void registerNode(const hackle::Operator& op, OP_OperatorTable& table);

  const SOP_NodeVerb* cookVerb() const override { return mVerb; }

 protected:
  SOP_Hackle(OP_Network* net, const char* name, OP_Operator* entry, const SOP_NodeVerb* verb);
  OP_ERROR cookMySop(OP_Context& context) override;

 private:
  static OP_Node* construct(OP_Network* net, const char* name, OP_Operator* entry);

  const SOP_NodeVerb* mVerb;
};
