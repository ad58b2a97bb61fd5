#include <hackle/core/error.h>
#include <hackle/core/parallel.h>
#include <hackle/fem/elastic_mesh.h>
#include <hackle/geometry/triangle_mesh.h>

#include <fmt/format.h>

namespace hackle {

namespace {

/// A number of each tetrahedron, from its primitive or the mean of its corners.
void readNumbers(const Geometry& geometry, const TetrahedronMesh& tets, const char* name,
                 double ElasticMaterial::*member, std::vector<ElasticMaterial>& materials) {
  const Attribute* values = geometry.findAttribute(Owner::Primitive, name);
  const Attribute* atPoints = values ? nullptr : geometry.findAttribute(Owner::Point, name);
  if (values && values->isString()) values = nullptr;
  if (atPoints && atPoints->isString()) atPoints = nullptr;
  if (!values && !atPoints) return;
  if (materials.size() != tets.tetrahedra.size()) materials.resize(tets.tetrahedra.size(), materials.front());
  for (size_t t = 0; t < materials.size(); ++t) {
    double value = 0;
    if (values) {
      value = values->number(static_cast<size_t>(tets.primitives[t]));
    } else {
      for (const int32_t p : tets.tetrahedra[t]) value += 0.25 * atPoints->number(static_cast<size_t>(p));
    }
    materials[t].*member = value;
  }
}

}  // namespace

ElasticMesh elasticMesh(const Geometry& geometry, const ElasticMaterial& fallback) {
  const TetrahedronMesh tets = tetrahedronMesh(geometry);
  if (tets.tetrahedra.empty())
    throw Error(ErrorCode::BadInput, "there are no tetrahedra to compute on", "make some with tets");
  ElasticMesh mesh;
  mesh.materials = {fallback};
  readNumbers(geometry, tets, "young", &ElasticMaterial::young, mesh.materials);
  readNumbers(geometry, tets, "poisson", &ElasticMaterial::poisson, mesh.materials);
  readNumbers(geometry, tets, "density", &ElasticMaterial::density, mesh.materials);

  // Keep the points in use.
  std::vector<int32_t> number(tets.points.size(), -1);
  for (const Tetrahedron& t : tets.tetrahedra)
    for (const int32_t p : t) number[p] = 0;
  for (size_t p = 0; p < number.size(); ++p)
    if (number[p] == 0) {
      number[p] = static_cast<int32_t>(mesh.points.size());
      mesh.points.push_back(tets.points[p]);
    }
  mesh.tetrahedra.reserve(tets.tetrahedra.size());
  for (Tetrahedron t : tets.tetrahedra) {
    for (int32_t& p : t) p = number[p];
    mesh.tetrahedra.push_back(t);
  }
  return mesh;
}

void checkElasticMesh(const ElasticMesh& mesh) {
  if (mesh.tetrahedra.empty()) throw Error(ErrorCode::BadInput, "there are no tetrahedra to compute on");
  if (mesh.materials.size() != 1 && mesh.materials.size() != mesh.tetrahedra.size())
    throw Error(ErrorCode::BadInput,
                fmt::format("{} materials for {} tetrahedra", mesh.materials.size(), mesh.tetrahedra.size()),
                "give one for all or one for each");
  for (const ElasticMaterial& m : mesh.materials) checkMaterial(m);
  for (size_t p = 0; p < mesh.points.size(); ++p)
    if (!mesh.points[p].allFinite())
      throw Error(ErrorCode::BadInput, fmt::format("point {} is not finite", p));
  std::vector<uint8_t> used(mesh.points.size(), 0);
  for (size_t t = 0; t < mesh.tetrahedra.size(); ++t) {
    std::array<Vec3, 4> corners;
    for (size_t k = 0; k < 4; ++k) {
      const auto p = static_cast<size_t>(mesh.tetrahedra[t][k]);
      if (p >= mesh.points.size())
        throw Error(ErrorCode::BadInput, fmt::format("tetrahedron {} has no point {}", t, p));
      used[p] = 1;
      corners[k] = mesh.points[p];
    }
    if (!(tetShape(corners[0], corners[1], corners[2], corners[3]).volume > 0))
      throw Error(ErrorCode::BadInput, fmt::format("tetrahedron {} is flat or inside out", t),
                  "make the tetrahedra with tets");
  }
  for (size_t p = 0; p < used.size(); ++p)
    if (!used[p])
      throw Error(ErrorCode::BadInput, fmt::format("point {} belongs to no tetrahedron", p), "remove it");
}

TetShape tetShape(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  const Vec3 x = b - a, y = c - a, z = d - a;
  const double six = x.cross(y).dot(z);
  TetShape shape;
  shape.volume = six / 6;
  shape.gradients[1] = y.cross(z) / six;
  shape.gradients[2] = z.cross(x) / six;
  shape.gradients[3] = x.cross(y) / six;
  shape.gradients[0] = -(shape.gradients[1] + shape.gradients[2] + shape.gradients[3]);
  return shape;
}

std::vector<TetShape> tetShapes(const ElasticMesh& mesh, Context& context) {
  std::vector<TetShape> shapes(mesh.tetrahedra.size());
  parallelFor(context, shapes.size(), 4096, [&](size_t t) {
    const auto at = [&](size_t k) -> const Vec3& { return mesh.points[mesh.tetrahedra[t][k]]; };
    shapes[t] = tetShape(at(0), at(1), at(2), at(3));
  });
  return shapes;
}

}  // namespace hackle
