// VDB primitives of the double, and copies of details, which may hold some.
#include <GA/GA_Handle.h>
#include <GEO/GEO_BuildPrimitives.h>
#include <GEO/GEO_PrimPolySoup.h>
#include <GU/GU_PrimPacked.h>
#include <GU/GU_PrimVDB.h>

void GEO_PrimVDB::setGrid(const openvdb::GridBase& grid, bool copyPosition) {
  // As Houdini does: what the grid says of itself is not kept, its name is that of the primitive.
  const openvdb::GridBase::Ptr copy = openvdb::ConstPtrCast<openvdb::GridBase>(grid.copyGrid());
  copy->setName("");
  mGrid = copy;
  if (!copyPosition) return;
  const openvdb::Vec3d origin = grid.transform().indexToWorld(openvdb::Vec3d(0, 0, 0));
  const GA_Offset point = mDetail->vertexPoint(mDetail->primitives.getVertexList(offset)(0));
  const GA_RWHandleT<fpreal64> p(mDetail->getP());
  const double at[3] = {origin.x(), origin.y(), origin.z()};
  for (int c = 0; c < 3; ++c) p.setBlock(point, 1, at + c, 1, c);
}

GU_PrimVDB* GU_PrimVDB::buildFromPrimVolume(GU_Detail& geo, const GEO_PrimVolume& vol, const char*,
                                            const bool) {
  const openvdb::FloatGrid::Ptr grid = openvdb::FloatGrid::create(vol.sdf ? 1.0f : 0.0f);
  if (vol.sdf) grid->setGridClass(openvdb::GRID_LEVEL_SET);
  auto values = grid->getAccessor();
  size_t voxel = 0;
  for (int z = 0; z < vol.resolution[2]; ++z)
    for (int y = 0; y < vol.resolution[1]; ++y)
      for (int x = 0; x < vol.resolution[0]; ++x)
        values.setValue(openvdb::Coord(x, y, z), vol.voxels.at(voxel++));
  const GA_Offset point = geo.appendPointBlock(1);
  const std::pair<int, exint> type{GA_PRIMVDB, 1};
  GA_PolyCounts sizes;
  sizes.append(1);
  const int corner = 0;
  const exint open = 1;
  const GA_Offset primitive = GEObuildPrimitives(&geo, &type, point, 1, sizes, &corner, true, &open);
  auto* vdb = static_cast<GU_PrimVDB*>(geo.getGEOPrimitive(primitive));
  vdb->setGrid(*grid);
  return vdb;
}

std::unique_ptr<GA_Primitive> GU_Detail::makeObject(int type, GA_Offset offset) {
  if (type == GA_PRIMVDB) return std::make_unique<GU_PrimVDB>(this, offset);
  if (type == GA_PRIMVOLUME) return std::make_unique<GEO_PrimVolume>(offset);
  if (type == GA_PRIMPOLYSOUP) return std::make_unique<GEO_PrimPolySoup>(this, offset);
  if (type == 100) return std::make_unique<GU_PrimPacked>(this, offset);
  return std::make_unique<GEO_Primitive>(type, offset);
}

namespace {

template <class T>
void copyGroups(const std::vector<std::unique_ptr<GA_Group>>& from,
                std::vector<std::unique_ptr<GA_Group>>& to) {
  for (const auto& g : from) to.push_back(std::make_unique<T>(static_cast<const T&>(*g)));
}

}  // namespace

void GU_Detail::replaceWith(const GU_Detail& src) {
  clearAll();
  for (int o = 0; o < 4; ++o) {
    maps[o] = src.maps[o];
    dicts[o].items.clear();
    for (const auto& a : src.dicts[o].items) dicts[o].items.push_back(std::make_unique<GA_Attribute>(*a));
  }
  for (int o = 0; o < 3; ++o) copyGroups<GA_ElementGroup>(src.groups[o].items, groups[o].items);
  copyGroups<GA_EdgeGroup>(src.edges.items, edges.items);
  primitives = src.primitives;
  vertexPoints = src.vertexPoints;
  objects.resize(src.objects.size());
  for (size_t p = 0; p < objects.size(); ++p) {
    const GA_Primitive* from = src.objects[p].get();
    if (!from) continue;
    objects[p] = makeObject(from->type, from->offset);
    if (const auto* vdb = dynamic_cast<const GEO_PrimVDB*>(from))
      static_cast<GEO_PrimVDB*>(objects[p].get())->setGrid(*vdb->getConstGridPtr(), false),
          static_cast<GEO_PrimVDB*>(objects[p].get())->visualization = vdb->visualization;
    if (const auto* soup = dynamic_cast<const GEO_PrimPolySoup*>(from))
      static_cast<GEO_PrimPolySoup*>(objects[p].get())->polygons = soup->polygons;
    if (const auto* volume = dynamic_cast<const GEO_PrimVolume*>(from))
      *static_cast<GEO_PrimVolume*>(objects[p].get()) = *volume;
    if (const auto* packed = dynamic_cast<const GU_PrimPacked*>(from))
      static_cast<GU_PrimPacked*>(objects[p].get())->copyFrom(*packed);
  }
}
