#include <hackle/bem/rigid_freedom.h>

#include <hackle/core/error.h>
#include <hackle/geometry/union_find.h>

#include <fmt/format.h>
#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>

namespace hackle {

namespace {

using Motions = Eigen::Matrix<double, 3, 6>;

// Share of the stiffest motion below which a motion counts as not held.
constexpr double kNotHeld = 1e-9;

/// The six rigid motions at a place: translations, and rotations about the axes through the centre, in units
/// of the body's size.
class RigidBasis {
 public:
  explicit RigidBasis(const BemSurface& body) {
    double area = 0;
    for (size_t t = 0; t < body.triangleCount(); ++t) {
      mCentre += body.area(t) * body.centroid(t);
      area += body.area(t);
    }
    mCentre /= area;
    mSize = std::sqrt(area);
  }

  Motions at(const Vec3& x) const {
    const Vec3 d = (x - mCentre) / mSize;
    Motions m = Motions::Zero();
    m.leftCols<3>().setIdentity();
    m.col(3) = Vec3::UnitX().cross(d);
    m.col(4) = Vec3::UnitY().cross(d);
    m.col(5) = Vec3::UnitZ().cross(d);
    return m;
  }

 private:
  Vec3 mCentre = Vec3::Zero();
  double mSize = 1;
};

struct Shell {
  std::vector<int32_t> triangles, nodes;
  double volume = 0;  // positive for an outside, negative for a cavity
};

std::vector<Shell> shellsOf(const BemSurface& body) {
  UnionFind sets(body.nodeCount());
  for (size_t t = 0; t < body.triangleCount(); ++t)
    for (size_t k = 1; k < 3; ++k) sets.unite(body.triangle(t)[0], body.triangle(t)[k]);
  std::vector<int32_t> shellOf(body.nodeCount(), -1);
  std::vector<Shell> shells;
  const auto shell = [&](int32_t node) -> Shell& {
    int32_t& s = shellOf[sets.find(node)];
    if (s < 0) {
      s = static_cast<int32_t>(shells.size());
      shells.emplace_back();
    }
    return shells[s];
  };
  const Vec3 origin = body.nodeCount() > 0 ? body.point(0) : Vec3(0, 0, 0);
  for (size_t t = 0; t < body.triangleCount(); ++t) {
    Shell& s = shell(body.triangle(t)[0]);
    s.triangles.push_back(static_cast<int32_t>(t));
    s.volume += body.area(t) * body.normal(t).dot(body.centroid(t) - origin) / 3;
  }
  for (size_t n = 0; n < body.nodeCount(); ++n)
    if (!body.corners(n).empty()) shell(static_cast<int32_t>(n)).nodes.push_back(static_cast<int32_t>(n));
  return shells;
}

/// Which components of each node are given.
std::vector<std::array<bool, 3>> givenComponents(const BemSurface& body, const BoundaryData& data) {
  std::vector<std::array<bool, 3>> given(body.nodeCount(), {false, false, false});
  for (size_t t = 0; t < body.triangleCount(); ++t)
    for (const int32_t node : body.triangle(t))
      for (size_t c = 0; c < 3; ++c)
        if (data.fixed[t][c]) given[node][c] = true;
  return given;
}

class FreedomFinder {
 public:
  FreedomFinder(const BemSurface& body, const BoundaryData& data)
      : mBody(body), mBasis(body), mGiven(givenComponents(body, data)) {}

  RigidFreedom find() {
    const std::vector<Shell> shells = shellsOf(mBody);
    checkOneBody(shells);
    RigidFreedom result;
    result.weight = Eigen::VectorXd::Zero(3 * static_cast<Eigen::Index>(mBody.nodeCount()));
    for (size_t t = 0; t < mBody.triangleCount(); ++t)
      for (const int32_t node : mBody.triangle(t))
        result.weight.segment<3>(3 * node).array() += mBody.area(t) / 3;
    result.freeBody = checkHold();

    // Motions of cavities, then those of the whole body's outside.
    std::vector<std::pair<const Shell*, Eigen::MatrixXd>> open;
    for (const Shell& s : shells)
      if (s.volume < 0) open.emplace_back(&s, openMotions(s.nodes));
    Eigen::Index cavityColumns = 0;
    for (const auto& [shell, motions] : open) cavityColumns += motions.cols();
    if (result.freeBody)
      for (const Shell& s : shells)
        if (s.volume >= 0) open.emplace_back(&s, Eigen::MatrixXd::Identity(6, 6));
    addColumns(open, cavityColumns, result);
    return result;
  }

 private:
  void checkOneBody(const std::vector<Shell>& shells) const {
    size_t outsides = 0;
    for (const Shell& s : shells) outsides += s.volume >= 0;
    if (outsides == 1) return;
    throw Error(ErrorCode::BadInput,
                outsides == 0 ? "the surface is inside out"
                              : fmt::format("the surface consists of {} separate bodies", outsides),
                outsides == 0 ? "turn its faces over" : "solve each body by itself");
  }

  /// Sum over given components of the squares of motions.
  Eigen::Matrix<double, 6, 6> gram(Span<const int32_t> nodes) const {
    Eigen::Matrix<double, 6, 6> g = Eigen::Matrix<double, 6, 6>::Zero();
    for (const int32_t n : nodes) {
      const Motions m = mBasis.at(mBody.point(static_cast<size_t>(n)));
      for (int c = 0; c < 3; ++c)
        if (mGiven[n][c]) g += m.row(c).transpose() * m.row(c);
    }
    return g;
  }

  /// Motions (columns of coefficients) that move no given component.
  Eigen::MatrixXd openMotions(Span<const int32_t> nodes) const {
    const Eigen::Matrix<double, 6, 6> g = gram(nodes);
    const double scale = g.trace();
    if (scale == 0) return Eigen::MatrixXd::Identity(6, 6);
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix<double, 6, 6>> eigen(g);
    Eigen::Index open = 0;
    while (open < 6 && eigen.eigenvalues()[open] < kNotHeld * scale) ++open;
    return eigen.eigenvectors().leftCols(open);
  }

  /// True for a body that nothing holds, false for one that is held; refuses what is between.
  bool checkHold() const {
    std::vector<int32_t> all(mBody.nodeCount());
    for (size_t n = 0; n < all.size(); ++n) all[n] = static_cast<int32_t>(n);
    const Eigen::MatrixXd open = openMotions(all);
    if (open.cols() == 0 || open.cols() == 6) return open.cols() == 6;
    const bool slides = open.topRows(3).norm() > 1e-3;
    throw Error(ErrorCode::BadInput,
                fmt::format("the given displacements hold the body only partly: it is free to {} ({} of 6 "
                            "rigid motions are open)",
                            slides ? "slide" : "turn", open.cols()),
                "fix more components or more places, or give no displacement at all for a body in flight");
  }

  void addColumns(const std::vector<std::pair<const Shell*, Eigen::MatrixXd>>& open,
                  Eigen::Index cavityColumns, RigidFreedom& result) const {
    Eigen::Index columns = 0;
    for (const auto& [shell, motions] : open) columns += motions.cols();
    result.null = Eigen::MatrixXd::Zero(result.weight.size(), columns);
    result.tests = Eigen::MatrixXd::Zero(3 * static_cast<Eigen::Index>(mBody.triangleCount()), cavityColumns);
    Eigen::Index first = 0;
    for (const auto& [shell, motions] : open) {
      // Make them orthonormal for the area weights.
      Eigen::MatrixXd mass = Eigen::MatrixXd::Zero(motions.cols(), motions.cols());
      for (const int32_t n : shell->nodes) {
        const Eigen::MatrixXd m = mBasis.at(mBody.point(static_cast<size_t>(n))) * motions;
        mass += result.weight[3 * n] * m.transpose() * m;
      }
      const Eigen::LLT<Eigen::MatrixXd> cholesky(mass);
      const Eigen::MatrixXd orthonormal =
          cholesky.matrixL().solve(motions.transpose()).transpose();  // motions · L⁻ᵀ
      for (const int32_t n : shell->nodes)
        result.null.block(3 * n, first, 3, motions.cols()) =
            mBasis.at(mBody.point(static_cast<size_t>(n))) * orthonormal;
      if (first < cavityColumns)
        for (const int32_t t : shell->triangles)
          result.tests.block(3 * t, first, 3, motions.cols()) =
              mBasis.at(mBody.centroid(static_cast<size_t>(t))) * orthonormal;
      first += motions.cols();
    }
  }

  const BemSurface& mBody;
  RigidBasis mBasis;
  std::vector<std::array<bool, 3>> mGiven;
};

}  // namespace

RigidFreedom rigidFreedom(const BemSurface& body, const BoundaryData& data) {
  return FreedomFinder(body, data).find();
}

void removeMeanMotion(const BemSurface& body, Eigen::Ref<Eigen::VectorXd> u) {
  const RigidBasis basis(body);
  Eigen::Matrix<double, 6, 6> mass = Eigen::Matrix<double, 6, 6>::Zero();
  Eigen::Matrix<double, 6, 1> moment = Eigen::Matrix<double, 6, 1>::Zero();
  for (size_t t = 0; t < body.triangleCount(); ++t)
    for (size_t a = 0; a < 3; ++a)
      for (size_t b = 0; b < 3; ++b) {
        // ∫ φ_a φ_b
        const double weight = body.area(t) / (a == b ? 6 : 12);
        const Motions m = weight * basis.at(body.corner(t, a));
        mass += m.transpose() * basis.at(body.corner(t, b));
        moment += m.transpose() * u.segment<3>(3 * body.triangle(t)[b]);
      }
  const Eigen::Matrix<double, 6, 1> mean = mass.ldlt().solve(moment);
  for (size_t n = 0; n < body.nodeCount(); ++n)
    u.segment<3>(3 * static_cast<Eigen::Index>(n)) -= basis.at(body.point(n)) * mean;
}

}  // namespace hackle
