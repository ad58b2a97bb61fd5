#include <hackle/volume/vdb_grid.h>
#include <sop/detail_volumes.h>

#include <GEO/GEO_PrimVDB.h>
#include <GEO/GEO_PrimVolume.h>
#include <GU/GU_PrimVDB.h>

namespace hackle::houdini {

VolumePtr volumeOf(const GEO_Primitive& primitive) {
  openvdb::GridBase::ConstPtr grid;
  if (const auto* volume = dynamic_cast<const GEO_PrimVolume*>(&primitive)) {
    // Houdini converts; the detail only holds the result until the grid is taken from it.
    GU_Detail converted;
    const GU_PrimVDB* vdb =
        GU_PrimVDB::buildFromPrimVolume(converted, *volume, nullptr, /*flood_sdf=*/volume->isSDF());
    if (vdb) grid = vdb->getConstGridPtr();
  } else {
    grid = static_cast<const GEO_PrimVDB&>(primitive).getConstGridPtr();
  }
  if (!grid) return nullptr;
  // A copy that shares the tree: Houdini may move the primitive's own grid.
  return std::make_shared<VdbGrid>(grid->copyGrid());
}

void setVolume(GEO_Primitive& vdb, const VolumeGrid& grid) {
  auto& primitive = static_cast<GEO_PrimVDB&>(vdb);
  primitive.setGrid(vdbGrid(grid).grid(), /*copyPosition=*/true);
  // A new primitive is drawn as smoke, in which a level set is not to be seen.
  if (grid.gridClass() == "level set")
    primitive.setVisualization(GEO_VOLUMEVIS_ISO, primitive.getVisIso(), primitive.getVisDensity());
}

}  // namespace hackle::houdini
