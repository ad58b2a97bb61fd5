#include <hackle/io/tetrahedra.h>

#include <fmt/format.h>

#include <numeric>
#include <utility>
#include <vector>

namespace hackle {

void orientTetrahedra(Geometry& geometry, const std::string& format, Context& context) {
  std::vector<int32_t> order;
  size_t turned = 0;
  for (size_t p = 0; p < geometry.primitiveCount(); ++p) {
    if (geometry.primitiveType(p) != PrimitiveType::Tetrahedron) continue;
    const Span<const int32_t> c = geometry.corners(p);
    const Vec3& a = geometry.position(static_cast<size_t>(c[0]));
    const Vec3 edges[3] = {geometry.position(static_cast<size_t>(c[1])) - a,
                           geometry.position(static_cast<size_t>(c[2])) - a,
                           geometry.position(static_cast<size_t>(c[3])) - a};
    if (!(edges[0].dot(edges[1].cross(edges[2])) < 0)) continue;
    if (order.empty()) {
      order.resize(geometry.vertexCount());
      std::iota(order.begin(), order.end(), 0);
    }
    std::swap(order[geometry.firstVertex(p) + 2], order[geometry.firstVertex(p) + 3]);
    ++turned;
  }
  if (turned == 0) return;
  geometry.reorderVertices(order);
  context.warn(fmt::format("{}: turned over {} tetrahedra of negative volume", format, turned));
}

}  // namespace hackle
