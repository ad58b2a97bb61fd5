#include <hackle/ops/catalogue.h>

#include <hackle/ops/registry.h>
#include <hackle/ops/simulation_catalogue.h>

namespace hackle {

const std::vector<Operator>& operators() {
  static const std::vector<Operator> kOperators{
      // clang-format off
      modelOperator(),
      convertOperator(),
      infoOperator(),
      transformOperator(),
      mergeOperator(),
      normalsOperator(),
      explodeOperator(),
      measureOperator(),
      tetsOperator(),
      sdfOperator(),
      surfaceOperator(),
      booleanOperator(),
      offsetOperator(),
      segmentOperator(),
      decimateOperator(),
      repairOperator(),
      stressOperator(),
      voronoiOperator(),
      cvdOperator(),
      cvdTrainOperator(),
      crackOperator(),
      impactPrepareOperator(),
      impactOperator(),
      modesOperator(),
      prefractureOperator(),
      modesImpactOperator(),
      fractureStepOperator(),
#ifndef HACKLE_WITHOUT_SIM
      simOperator(),
      flipbookOperator(),
#endif
      sheetOperator(),
#ifndef HACKLE_WITHOUT_RENDER
      renderOperator(),
#endif
      // clang-format on
  };
  return kOperators;
}

const std::vector<Operator>& nodeOperators() {
  static const std::vector<Operator> kNodes = [] {
    std::vector<Operator> nodes;
    for (const Operator& op : scriptedNodeOperators())
      if (!op.needsPacked) nodes.push_back(op);
    return nodes;
  }();
  return kNodes;
}

const std::vector<Operator>& scriptedNodeOperators() {
  static const std::vector<Operator> kNodes = [] {
    std::vector<Operator> nodes;
    for (const Operator& op : operators())
      if (!op.standsAlone) nodes.push_back(op);
    return nodes;
  }();
  return kNodes;
}

}  // namespace hackle
