// Parameters and inputs that the operators on CVD fracture share.
#pragma once

#include <hackle/fracture/voronoi/cvd_state.h>
#include <hackle/ops/material.h>
#include <hackle/ops/operator.h>

namespace hackle {

/// Rows under "Shape". The material's rows are those of elasticTable.
ParameterTable<CvdShape> cvdShapeTable();

/// The two inputs of painted VDBs, for an operator's list.
Port cvdFragilityPort();
Port cvdWarpPort();

/// The shape with the material and with the VDBs of these inputs, where they are connected.
CvdShape cvdShape(CvdShape shape, const MaterialOptions& material, const Inputs& inputs, size_t fragility,
                  size_t warp);

}  // namespace hackle
