#include <hackle/ops/catalogue.h>

#include <hackle/ops/registry.h>

namespace hackle {

const std::vector<Operator>& operators() {
  static const std::vector<Operator> kOperators{
      convertOperator(), infoOperator(),    transformOperator(), mergeOperator(),
      normalsOperator(), explodeOperator(), measureOperator(),   renderOperator(),
  };
  return kOperators;
}

}  // namespace hackle
