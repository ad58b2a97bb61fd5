// A network of nodes in the double, for tests: make nodes by type, connect, set, cook, read.
#pragma once

#include <hackle/geometry/geometry_key.h>
#include <hackle/ops/registry.h>
#include <sop/SOP_Hackle.h>
#include <sop/SOP_HackleCache.h>
#include <sop/detail_bridge.h>

#include <OP/OP_OperatorTable.h>
#include <UT/UT_DSOVersion.h>
#include <UT/UT_Interrupt.h>

#include <memory>
#include <stdexcept>
#include <string>

namespace hackle::test {

/// Gives a geometry as a node that changes when it is told to.
class SourceNode : public SOP_Node {
 public:
  explicit SourceNode(Geometry geometry)
      : SOP_Node(nullptr, "source", &type()), mGeometry(std::move(geometry)) {
    mGeometry.positionFileStorage = Storage::Float32;
  }
  void change(Geometry geometry) {
    mGeometry = std::move(geometry);
    dirty = true;
  }

 protected:
  OP_ERROR cookMySop(OP_Context&) override {
    houdini::toDetail(mGeometry, *handle.gdpNC());
    return UT_ERROR_NONE;
  }

 private:
  static OP_Operator& type() {
    static OP_Operator op("source", "Source", nullptr, nullptr, 0);
    return op;
  }
  Geometry mGeometry;
};

inline OP_OperatorTable& nodeTable() {
  static OP_OperatorTable* table = [] {
    auto* made = new OP_OperatorTable;
    newSopOperator(made);
    return made;
  }();
  return *table;
}

/// A node of that operator with its inputs connected; null leaves one open.
inline std::unique_ptr<SOP_Node> makeNode(const std::string& id, const std::vector<SOP_Node*>& inputs = {}) {
  OP_Operator* entry = nodeTable().find("hackle::" + id + "::1.0");
  if (!entry) throw std::invalid_argument("there is no node " + id);
  std::unique_ptr<SOP_Node> node(static_cast<SOP_Node*>(entry->construct(nullptr, id.c_str(), entry)));
  for (size_t i = 0; i < inputs.size(); ++i) node->setInput(i, inputs[i]);
  return node;
}

inline Geometry result(const SOP_Node& node) {
  Context context;
  return houdini::fromDetail(node.detail(), context);
}

/// All of a node's result, to compare with another's to the last bit.
inline MemoKey contentOf(const SOP_Node& node) {
  MemoKey key("result");
  addToKey(key, result(node));
  return key;
}

inline const SOP_HackleCache& cacheOf(const SOP_Node& node) {
  return static_cast<const SOP_HackleCache&>(*node.cache);
}

inline std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

}  // namespace hackle::test
