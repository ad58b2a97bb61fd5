// Stand-in for the tools of OpenVDB 9 to 12: what the library uses, as all of these versions declare it, and
// nothing else.
#pragma once

#include <openvdb/openvdb.h>

namespace openvdb {
OPENVDB_USE_VERSION_NAMESPACE
namespace OPENVDB_VERSION_NAME {
namespace tools {

template <typename TreeOrLeafManagerT>
void signedFloodFill(TreeOrLeafManagerT& tree, bool threaded = true, size_t grainSize = 1,
                     Index minLevel = 0);

template <typename TreeOrLeafManagerT>
void signedFloodFillWithValues(TreeOrLeafManagerT& tree,
                               const typename TreeOrLeafManagerT::ValueType& outsideWidth,
                               const typename TreeOrLeafManagerT::ValueType& insideWidth,
                               bool threaded = true, size_t grainSize = 1, Index minLevel = 0);

}  // namespace tools
}  // namespace OPENVDB_VERSION_NAME
}  // namespace openvdb
