// Stand-in for the tools of OpenVDB 9 to 12: what the library uses, as all of these versions declare it, and
// nothing else.
#pragma once

#include <openvdb/openvdb.h>

namespace openvdb {
OPENVDB_USE_VERSION_NAMESPACE
namespace OPENVDB_VERSION_NAME {
namespace tools {

enum NearestNeighbors { NN_FACE = 6, NN_FACE_EDGE = 18, NN_FACE_EDGE_VERTEX = 26 };
enum TilePolicy { IGNORE_TILES, EXPAND_TILES, PRESERVE_TILES };

template <typename TreeOrLeafManagerT>
void dilateActiveValues(TreeOrLeafManagerT& tree, const int iterations = 1,
                        const NearestNeighbors nn = NN_FACE, const TilePolicy mode = PRESERVE_TILES,
                        const bool threaded = true);

}  // namespace tools
}  // namespace OPENVDB_VERSION_NAME
}  // namespace openvdb
