// One function an operator, each in a file of its own name; catalogue.cpp lists them.
#pragma once

#include <hackle/ops/operator.h>

namespace hackle {

Operator booleanOperator();
Operator convertOperator();
Operator crackOperator();
Operator cvdOperator();
Operator cvdTrainOperator();
Operator decimateOperator();
Operator explodeOperator();
Operator fractureStepOperator();
Operator impactOperator();
Operator impactPrepareOperator();
Operator infoOperator();
Operator measureOperator();
Operator mergeOperator();
Operator modelOperator();
Operator modesImpactOperator();
Operator modesOperator();
Operator normalsOperator();
Operator offsetOperator();
Operator prefractureOperator();
Operator renderOperator();
Operator sdfOperator();
Operator segmentOperator();
Operator sheetOperator();
Operator stressOperator();
Operator surfaceOperator();
Operator tetsOperator();
Operator repairOperator();
Operator transformOperator();
Operator voronoiOperator();

}  // namespace hackle
