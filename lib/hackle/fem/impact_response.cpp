#include <hackle/fem/impact_response.h>

#include <hackle/fem/fields.h>

#include <algorithm>

namespace hackle {

namespace {

double totalMass(const ElasticMesh& mesh, Context& context) {
  const std::vector<TetShape> shapes = tetShapes(mesh, context);
  double mass = 0;
  for (size_t t = 0; t < shapes.size(); ++t) mass += mesh.materialOf(t).density * shapes[t].volume;
  return mass;
}

/// Of the first tetrahedron at the point that is nearest.
const ElasticMaterial& materialAt(const ElasticMesh& mesh, const LatticePlace& place) {
  if (mesh.materials.size() == 1) return mesh.materials[0];
  const auto k = std::max_element(place.weights.begin(), place.weights.end()) - place.weights.begin();
  const int32_t nearest = place.points[k];
  const auto found = std::find_if(mesh.tetrahedra.begin(), mesh.tetrahedra.end(), [&](const Tetrahedron& t) {
    return std::find(t.begin(), t.end(), nearest) != t.end();
  });
  return mesh.materialOf(static_cast<size_t>(found - mesh.tetrahedra.begin()));
}

}  // namespace

ImpactLoad impactLoad(const FreeBody& body, const SurfaceEmbedding& embedding, const TriangleMesh& surface,
                      const TriangleBvh& bvh, Span<const Impact> impacts, std::optional<double> mass,
                      const ContactOptions& options, Context& context) {
  const ElasticMesh& mesh = body.mesh();
  const double share = mass && !impacts.empty() ? *mass / totalMass(mesh, context) : 1;
  ImpactLoad load;
  load.forces = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(3 * mesh.points.size()));
  for (const Impact& impact : impacts) {
    const PointForce push{-1, impact.position, impact.direction};
    const double met =
        impact.direction.norm() > 0
            ? share * body.effectiveMass(embedding.nodalForces(Span<const PointForce>(&push, 1)))
            : 1;
    const ElasticMaterial& material = materialAt(mesh, embedding.place(impact.position));
    const Contact contact = resolveContact(impact, met, material, surface, bvh, options);
    load.forces +=
        embedding.nodalForces(contactForces(impact.position, contact, contact.peakForce, surface, bvh));
    load.contacts.push_back(contact);
  }
  return load;
}

ImpactResponse impactResponse(const FreeBody& body, ImpactLoad load, Context& context) {
  ImpactResponse response;
  response.displacements = body.solve(load.forces, context);
  response.energyDensities = energyDensities(body.mesh(), response.displacements, context);
  response.energy = strainEnergy(body.mesh(), response.energyDensities, context);
  response.contacts = std::move(load.contacts);
  return response;
}

ImpactResponse impactResponse(const FreeBody& body, const SurfaceEmbedding& embedding,
                              const TriangleMesh& surface, const TriangleBvh& bvh, Span<const Impact> impacts,
                              std::optional<double> mass, const ContactOptions& options, Context& context) {
  return impactResponse(body, impactLoad(body, embedding, surface, bvh, impacts, mass, options, context),
                        context);
}

}  // namespace hackle
