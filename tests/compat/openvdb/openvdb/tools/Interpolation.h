// Stand-in for the tools of OpenVDB 9 to 12: what the library uses, as all of these versions declare it, and
// nothing else.
#pragma once

#include <openvdb/openvdb.h>

namespace openvdb {
OPENVDB_USE_VERSION_NAMESPACE
namespace OPENVDB_VERSION_NAME {
namespace tools {

struct BoxSampler {};

template <typename GridOrTreeType, typename SamplerType>
class GridSampler {
 public:
  using ValueType = typename GridOrTreeType::ValueType;
  explicit GridSampler(const GridOrTreeType& grid);
  ValueType wsSample(const Vec3d& point) const;
};

}  // namespace tools
}  // namespace OPENVDB_VERSION_NAME
}  // namespace openvdb
