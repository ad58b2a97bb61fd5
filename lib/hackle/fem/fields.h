// What follows from displacements: strain, stress, energy. Displacements are 3 #points numbers (m).
#pragma once

#include <hackle/fem/elastic_mesh.h>

#include <Eigen/Core>

#include <vector>

namespace hackle {

/// Displacement gradient of every tetrahedron: column k is the derivative along axis k.
std::vector<Mat3> displacementGradients(const ElasticMesh& mesh, const Eigen::VectorXd& displacements,
                                        Context& context);
/// Pa, of every tetrahedron, symmetric.
std::vector<Mat3> stresses(const ElasticMesh& mesh, const Eigen::VectorXd& displacements, Context& context);
/// Pa, at every point: the mean over the tetrahedra around it by volume.
std::vector<Mat3> pointStresses(const ElasticMesh& mesh, Span<const Mat3> stresses, Context& context);
/// J/m^3, of every tetrahedron: half of stress times strain.
std::vector<double> energyDensities(const ElasticMesh& mesh, const Eigen::VectorXd& displacements,
                                    Context& context);
/// J, of the whole mesh; README eq. 4.
double strainEnergy(const ElasticMesh& mesh, Span<const double> densities, Context& context);

}  // namespace hackle
