#include <hackle/fem/vibration.h>

#include <hackle/core/error.h>
#include <hackle/fem/rigid_motions.h>

#include <fmt/format.h>

#include <cmath>

namespace hackle {

VibrationModes vibrationModes(const ElasticMesh& mesh, const VibrationOptions& options, Context& context) {
  checkElasticMesh(mesh);
  return vibrationModes(mesh, stiffnessMatrix(mesh, context), massMatrix(mesh, options.mass, context),
                        options, context);
}

VibrationModes vibrationModes(const ElasticMesh& mesh, const SparseMatrix& stiffness,
                              const SparseMatrix& mass, const VibrationOptions& options, Context& context) {
  const RigidMotions rigid(mesh, mass, context);
  const Eigenpairs pairs =
      smallestEigenpairs(stiffness, mass, rigid.count() + options.count, options.eigen, context);

  // A mode is rigid if rigid motions make up most of it; its length in mass is 1.
  const Eigen::VectorXd rigidShare = rigid.componentsOf(pairs.vectors).colwise().squaredNorm();
  std::vector<Eigen::Index> elastic;
  for (Eigen::Index i = 0; i < rigidShare.size(); ++i)
    if (rigidShare[i] < 0.5) elastic.push_back(i);
  const size_t found = static_cast<size_t>(rigidShare.size()) - elastic.size();
  if (found != rigid.count())
    throw Error(ErrorCode::Failed,
                fmt::format("{} rigid motions were found instead of {}", found, rigid.count()));
  const double first = elastic.empty() ? 1 : pairs.values[elastic.front()];
  if (!(first > 1e-13 * stiffness.diagonal().sum() / mass.diagonal().sum()))
    throw Error(ErrorCode::BadInput, "the body has a joint: parts of it can move without any force",
                "parts that are connected by a point or an edge only need to be joined by faces");

  VibrationModes modes;
  modes.rigid = found;
  modes.residual = pairs.residual;
  Eigen::MatrixXd shapes = pairs.vectors(Eigen::all, elastic);
  rigid.removeFromDisplacements(shapes);
  const auto rigidCount = static_cast<Eigen::Index>(found);
  modes.shapes.resize(shapes.rows(), rigidCount + shapes.cols());
  modes.shapes << rigid.basis(), shapes;
  modes.frequencies.setZero(modes.shapes.cols());
  for (size_t i = 0; i < elastic.size(); ++i)
    modes.frequencies[rigidCount + static_cast<Eigen::Index>(i)] = std::sqrt(pairs.values[elastic[i]]);
  return modes;
}

}  // namespace hackle
