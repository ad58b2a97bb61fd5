#include <hackle/ops/solid_surface.h>

#include <hackle/core/error.h>
#include <hackle/geometry/mass_properties.h>
#include <hackle/geometry/topology.h>
#include <hackle/geometry/triangle_mesh.h>
#include <hackle/geometry/winding_number.h>
#include <hackle/meshing/surface/level_set_surface.h>

#include <fmt/format.h>

namespace hackle {

Geometry solidSurface(const Geometry& geometry, const std::string& input, Context& context) {
  std::vector<Geometry> parts;
  std::vector<int32_t> polygons;
  for (size_t p = 0; p < geometry.primitiveCount(); ++p) {
    if (geometry.primitiveType(p) == PrimitiveType::Polygon) polygons.push_back(static_cast<int32_t>(p));
    if (geometry.primitiveType(p) == PrimitiveType::Volume && geometry.volume(p)->gridClass() == "level set")
      parts.push_back(levelSetSurface(*geometry.volume(p), context));
  }
  if (polygons.size() == geometry.primitiveCount() && !polygons.empty()) return geometry;
  if (!polygons.empty()) parts.insert(parts.begin(), geometry.extract(polygons));
  if (parts.empty())
    throw Error(ErrorCode::BadInput, "the input " + input + " has neither polygons nor a level set",
                "give a surface, or a VDB level set");
  return merged(parts);
}

double chosenVoxelSize(double given, const Box3& bounds) {
  return given > 0 ? given : 0.01 * bounds.diagonal();
}

Geometry withoutLostParts(Geometry surface, Context& context) {
  const TriangleMesh mesh = triangleMesh(surface, context);
  const Components parts = findComponents(surface);
  std::vector<std::vector<Triangle>> triangles(parts.count);
  for (const Triangle& t : mesh.triangles) triangles[parts.ofPoint[t[0]]].push_back(t);
  std::vector<uint8_t> insideOut(parts.count);
  std::vector<Triangle> sound;
  for (size_t p = 0; p < parts.count; ++p) {
    insideOut[p] = !triangles[p].empty() && !(massProperties(mesh.points, triangles[p], context).volume > 0);
    if (!insideOut[p]) sound.insert(sound.end(), triangles[p].begin(), triangles[p].end());
  }
  if (sound.size() == mesh.triangles.size()) return surface;

  // Cavities are inside out, too: they lie in a part that is not.
  const TriangleBvh bvh(mesh.points, sound, context);
  const WindingNumber winding(bvh, context);
  size_t lost = 0;
  for (size_t p = 0; p < parts.count; ++p) {
    insideOut[p] = insideOut[p] && !(winding(mesh.points[triangles[p][0][0]]) > 0.5);
    lost += insideOut[p];
  }
  if (lost == 0) return surface;
  context.warn(fmt::format("{} parts smaller than voxels are left out; use a smaller voxel size", lost));
  std::vector<int32_t> kept;
  for (size_t f = 0; f < surface.primitiveCount(); ++f)
    if (!insideOut[parts.ofPrimitive[f]]) kept.push_back(static_cast<int32_t>(f));
  return surface.extract(kept);
}

void addSurfaceFigures(Value& result, const Geometry& surface, const std::string& suffix, Context& context) {
  const TriangleMesh mesh = triangleMesh(surface, context);
  const Topology topology = analyseTopology(surface, context);
  result.set("volume" + suffix, massProperties(mesh, context).volume);
  result.set("triangles" + suffix, mesh.triangles.size());
  result.set("closed" + suffix, topology.closed);
  result.set("manifold" + suffix, topology.manifold);
}

void describeVoxelSize(ParameterRow row) {
  row.unit("m").hard(0, 1e6).soft(0, 0.1).help(
      "Edge of a voxel, and about the size of the faces of the result. What is thinner is lost, creases are "
      "rounded to it. 0 takes a hundredth of the diagonal of the bounding box. Memory grows with the inverse "
      "square.");
}

}  // namespace hackle
