#include <hackle/io/vdb.h>

#include <hackle/core/error.h>
#include <hackle/volume/grid.h>

#include <fmt/format.h>

namespace hackle {

Geometry readVdbFile(std::string_view bytes, const std::filesystem::path&, Context& context) {
  const std::vector<VolumePtr> grids = gridsFromVdb(bytes, context);
  Geometry geometry;
  StringArray names;
  for (const VolumePtr& grid : grids) {
    geometry.addVolume(grid, gridOrigin(*grid));
    names.indices.edit().push_back(static_cast<int32_t>(names.table.size()));
    names.table.edit().push_back(grid->name());
  }
  geometry.addAttribute(Owner::Primitive, Attribute("name", Storage::String, 1)).assignStrings(names);
  return geometry;
}

std::string writeVdbFile(const Geometry& geometry, const std::string&, Context& context) {
  const Attribute* names = geometry.findAttribute(Owner::Primitive, "name");
  if (names && (!names->isString() || names->tupleSize() < 1)) names = nullptr;
  std::vector<VolumePtr> grids;
  for (size_t p = 0; p < geometry.primitiveCount(); ++p) {
    if (geometry.primitiveType(p) != PrimitiveType::Volume) continue;
    const VolumePtr& grid = geometry.volume(p);
    const bool rename = names && !names->string(p).empty() && names->string(p) != grid->name();
    grids.push_back(rename ? renamedGrid(*grid, names->string(p)) : grid);
  }
  for (const PrimitiveType type :
       {PrimitiveType::Polygon, PrimitiveType::Polyline, PrimitiveType::Tetrahedron, PrimitiveType::Packed})
    if (const size_t count = geometry.countOf(type))
      context.warn(fmt::format(".vdb files hold volumes only: {} {} primitive{} left out", count,
                               primitiveTypeName(type), count == 1 ? " was" : "s were"));
  for (int o = 0; o < kOwnerCount; ++o)
    for (const Attribute& attribute : geometry.attributes(static_cast<Owner>(o)))
      if (&attribute != names)
        context.warn(fmt::format(".vdb files hold no attributes: {} {} was left out",
                                 ownerName(static_cast<Owner>(o)), attribute.name()));
  return gridsToVdb(grids);
}

}  // namespace hackle
