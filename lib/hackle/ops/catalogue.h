// One function an operator, each in a file of its own name; catalogue.cpp lists them.
#pragma once

#include <hackle/ops/operator.h>

namespace hackle {

Operator convertOperator();
Operator explodeOperator();
Operator infoOperator();
Operator measureOperator();
Operator mergeOperator();
Operator modelOperator();
Operator normalsOperator();
Operator renderOperator();
Operator tetsOperator();
Operator transformOperator();
Operator voronoiOperator();

}  // namespace hackle
