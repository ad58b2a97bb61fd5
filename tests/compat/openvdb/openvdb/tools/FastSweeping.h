// Stand-in for the tools of OpenVDB 9 to 12: what the library uses, as all of these versions declare it, and
// nothing else.
#pragma once

#include <openvdb/openvdb.h>

namespace openvdb {
OPENVDB_USE_VERSION_NAMESPACE
namespace OPENVDB_VERSION_NAME {
namespace tools {

template <typename GridT>
typename GridT::Ptr sdfToSdf(const GridT& sdfGrid, typename GridT::ValueType isoValue = 0, int nIter = 1);

}  // namespace tools
}  // namespace OPENVDB_VERSION_NAME
}  // namespace openvdb
