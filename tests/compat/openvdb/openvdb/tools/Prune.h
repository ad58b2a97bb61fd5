// Stand-in for the tools of OpenVDB 9 to 12: what the library uses, as all of these versions declare it, and
// nothing else.
#pragma once

#include <openvdb/openvdb.h>

namespace openvdb {
OPENVDB_USE_VERSION_NAMESPACE
namespace OPENVDB_VERSION_NAME {
namespace tools {

template <typename TreeT>
void pruneLevelSet(TreeT& tree, bool threaded = true, size_t grainSize = 1);

template <typename TreeT>
void pruneLevelSet(TreeT& tree, const typename TreeT::ValueType& outsideWidth,
                   const typename TreeT::ValueType& insideWidth, bool threaded = true, size_t grainSize = 1);

}  // namespace tools
}  // namespace OPENVDB_VERSION_NAME
}  // namespace openvdb
