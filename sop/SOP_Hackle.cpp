#include <hackle/ops/registry.h>
#include <sop/SOP_Hackle.h>
#include <sop/SOP_HackleCache.h>
#include <sop/package/dialog_script.h>
#include <sop/package/node_layout.h>

#include <OP/OP_Operator.h>
#include <OP/OP_OperatorTable.h>
#include <PRM/PRM_TemplateBuilder.h>
#include <SOP/SOP_NodeParmsOptions.h>

#include <map>
#include <vector>

using namespace hackle;

namespace {

/// What Houdini holds pointers to for as long as it runs.
struct NodeType {
  explicit NodeType(const Operator& op)
      : script(houdini::dialogScript(op, "parameters")),
        builder(UT_StringHolder(houdini::nodeTypeName(op)), script.c_str()),
        verb(op, builder.templates()) {
    for (const Port& port : op.inputs) labels.push_back(port.label.c_str());
    labels.push_back(nullptr);
    setMenus(op.parameters, nullptr);
  }

  /// Menus that Houdini fills in from the inputs.
  void setMenus(const std::vector<Parameter>& table, const Parameter* list) {
    for (const Parameter& p : table) {
      if (p.type == ParameterType::List) setMenus(p.fields, &p);
      const UT_StringHolder name(list ? houdini::fieldName(*list, p.name) : p.name);
      if (p.type == ParameterType::Group) builder.setChoiceListPtr(name, &SOP_Node::primGroupMenu);
      if (p.type == ParameterType::Attribute)
        builder.setChoiceListPtr(name, &SOP_Node::pointAttribReplaceMenu);
      if (p.type == ParameterType::Volume) builder.setChoiceListPtr(name, &SOP_Node::namedPrimsMenu);
    }
  }

  std::string script;
  PRM_TemplateBuilder builder;
  SOP_HackleVerb verb;
  std::vector<const char*> labels;
};

/// By the name of the node type. Never taken down: Houdini may ask to its last moment.
std::map<std::string, std::unique_ptr<NodeType>>& nodeTypes() {
  static auto* types = new std::map<std::string, std::unique_ptr<NodeType>>;
  return *types;
}

}  // namespace

SOP_NodeParms* SOP_HackleVerb::allocParms() const { return new SOP_NodeParmsOptions(mTemplates); }

SOP_NodeCache* SOP_HackleVerb::allocCache() const { return new SOP_HackleCache(mOp); }

UT_StringHolder SOP_HackleVerb::name() const { return UT_StringHolder(houdini::nodeTypeName(mOp)); }

SOP_NodeVerb::CookMode SOP_HackleVerb::cookMode(const SOP_NodeParms*) const {
  return mOp.inputs.empty() ? COOK_GENERATOR : COOK_GENERIC;
}

void SOP_HackleVerb::cook(const CookParms& cookparms) const {
  static_cast<SOP_NodeCacheOptions*>(cookparms.cache())->doCook(this, cookparms);
}

SOP_Hackle::SOP_Hackle(OP_Network* net, const char* name, OP_Operator* entry, const SOP_NodeVerb* verb)
    : SOP_Node(net, name, entry), mVerb(verb) {
  mySopFlags.setManagesDataIDs(true);
}

OP_Node* SOP_Hackle::construct(OP_Network* net, const char* name, OP_Operator* entry) {
  const auto type = nodeTypes().find(entry->getName().toStdString());
  return type == nodeTypes().end() ? nullptr : new SOP_Hackle(net, name, entry, &type->second->verb);
}

OP_ERROR SOP_Hackle::cookMySop(OP_Context& context) { return cookMyselfAsVerb(context); }

void SOP_Hackle::registerNode(const Operator& op, OP_OperatorTable& table) {
  const std::string name = houdini::nodeTypeName(op), label = "Hackle " + op.label;
  std::unique_ptr<NodeType>& type = nodeTypes()[name];
  if (!type) {
    type = std::make_unique<NodeType>(op);
    SOP_NodeVerb::registerVerb(&type->verb);
  }
  const bool repeats = !op.inputs.empty() && op.inputs.back().repeats;
  auto* entry =
      new OP_Operator(name.c_str(), label.c_str(), construct, type->builder.templates(),
                      houdini::requiredInputs(op), repeats ? 9999u : static_cast<unsigned>(op.inputs.size()),
                      nullptr, op.inputs.empty() ? static_cast<unsigned>(OP_FLAG_GENERATOR) : 0u,
                      type->labels.data(), 1, houdini::tabMenuPath(op).c_str());
  entry->setIconName(houdini::iconName(op).c_str());
  table.addOperator(entry);
}
