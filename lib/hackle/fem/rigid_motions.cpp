#include <hackle/fem/rigid_motions.h>

#include <hackle/core/error.h>
#include <hackle/geometry/union_find.h>
#include <hackle/linalg/dense.h>
#include <hackle/linalg/symmetric_matrix.h>

#include <Eigen/Cholesky>

#include <algorithm>

namespace hackle {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;

/// Parts numbered by their first point.
size_t findParts(const ElasticMesh& mesh, std::vector<int32_t>& partOf) {
  UnionFind sets(mesh.points.size());
  for (const Tetrahedron& t : mesh.tetrahedra)
    for (size_t k = 1; k < 4; ++k) sets.unite(t[0], t[k]);
  std::vector<int32_t> number(mesh.points.size(), -1);
  partOf.resize(mesh.points.size());
  int32_t parts = 0;
  for (size_t p = 0; p < mesh.points.size(); ++p) {
    int32_t& n = number[sets.find(static_cast<int32_t>(p))];
    if (n < 0) n = parts++;
    partOf[p] = n;
  }
  return static_cast<size_t>(parts);
}

}  // namespace

RigidMotions::RigidMotions(const ElasticMesh& mesh, const SparseMatrix& mass, Context& context) {
  mParts = findParts(mesh, mPartOf);

  // Rotations about the middle of each part, in units of its size.
  std::vector<Box3> boxes(mParts);
  for (size_t p = 0; p < mesh.points.size(); ++p) boxes[mPartOf[p]].add(mesh.points[p]);
  mMotions.setZero(static_cast<Index>(3 * mesh.points.size()), 6);
  for (size_t p = 0; p < mesh.points.size(); ++p) {
    const Box3& box = boxes[mPartOf[p]];
    const Vec3 x = (mesh.points[p] - box.centre()) / box.diagonal();
    auto rows = mMotions.middleRows<3>(static_cast<Index>(3 * p));
    rows.leftCols<3>().setIdentity();
    for (Index k = 0; k < 3; ++k) rows.col(3 + k) = Vec3::Unit(k).cross(x);
  }

  // Orthonormal within each part; a second round takes out what rounding left.
  const SymmetricMatrix masses(mass);
  for (int round = 0; round < 2; ++round) {
    mMassMotions = masses.times(mMotions, context);
    const MatrixXd gram = project(mMotions, mMassMotions);
    std::vector<Eigen::Matrix<double, 6, 6>> inverse(mParts);
    for (size_t part = 0; part < mParts; ++part) {
      const Eigen::Matrix<double, 6, 6> g = gram.middleRows<6>(static_cast<Index>(6 * part));
      inverse[part] =
          Eigen::LLT<Eigen::Matrix<double, 6, 6>>(g).matrixU().solve(Eigen::Matrix<double, 6, 6>::Identity());
    }
    for (size_t p = 0; p < mesh.points.size(); ++p) {
      auto rows = mMotions.middleRows<3>(static_cast<Index>(3 * p));
      rows = (rows * inverse[mPartOf[p]]).eval();
    }
  }
  mMassMotions = masses.times(mMotions, context);
}

MatrixXd RigidMotions::basis() const {
  MatrixXd result = MatrixXd::Zero(mMotions.rows(), static_cast<Index>(count()));
  for (size_t p = 0; p < mPartOf.size(); ++p) {
    const auto row = static_cast<Index>(3 * p);
    result.block<3, 6>(row, 6 * mPartOf[p]) = mMotions.middleRows<3>(row);
  }
  return result;
}

MatrixXd RigidMotions::project(const MatrixXd& fields, const MatrixXd& onto) const {
  HACKLE_ASSERT(fields.rows() == mMotions.rows());
  MatrixXd amounts = MatrixXd::Zero(static_cast<Index>(count()), fields.cols());
  for (size_t p = 0; p < mPartOf.size(); ++p) {
    const auto row = static_cast<Index>(3 * p);
    amounts.middleRows<6>(6 * mPartOf[p]).noalias() +=
        onto.middleRows<3>(row).transpose() * fields.middleRows<3>(row);
  }
  return amounts;
}

void RigidMotions::subtract(MatrixXd& fields, const MatrixXd& of, const MatrixXd& amounts) const {
  for (size_t p = 0; p < mPartOf.size(); ++p) {
    const auto row = static_cast<Index>(3 * p);
    fields.middleRows<3>(row).noalias() -= of.middleRows<3>(row) * amounts.middleRows<6>(6 * mPartOf[p]);
  }
}

MatrixXd RigidMotions::componentsOf(const MatrixXd& displacements) const {
  return project(displacements, mMassMotions);
}

MatrixXd RigidMotions::accelerations(const MatrixXd& forces) const { return project(forces, mMotions); }

void RigidMotions::removeFromDisplacements(MatrixXd& displacements) const {
  for (int round = 0; round < 2; ++round) subtract(displacements, mMotions, componentsOf(displacements));
}

void RigidMotions::relieve(MatrixXd& forces) const {
  for (int round = 0; round < 2; ++round) subtract(forces, mMassMotions, accelerations(forces));
}

std::vector<int32_t> RigidMotions::determinateUnknowns() const {
  std::vector<int32_t> chosen;
  for (size_t part = 0; part < mParts; ++part) {
    std::vector<int32_t> unknowns;
    for (size_t p = 0; p < mPartOf.size(); ++p)
      if (static_cast<size_t>(mPartOf[p]) == part)
        for (int32_t k = 0; k < 3; ++k) unknowns.push_back(static_cast<int32_t>(3 * p) + k);
    // Rows of the motions that are as independent as can be.
    const MatrixXd rows = mMotions(unknowns, Eigen::all).transpose();
    const std::vector<int32_t> order = rankColumns(rows).order;
    for (size_t k = 0; k < 6; ++k) chosen.push_back(unknowns[order[k]]);
  }
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

}  // namespace hackle
