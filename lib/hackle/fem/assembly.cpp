#include <hackle/core/error.h>
#include <hackle/core/parallel.h>
#include <hackle/fem/assembly.h>

#include <algorithm>

namespace hackle {

namespace {

constexpr size_t kGrain = 512;

/// The tetrahedra around each point, ascending.
struct Stars {
  std::vector<int32_t> starts, tetrahedra;
  explicit Stars(const ElasticMesh& mesh) : starts(mesh.points.size() + 1, 0) {
    for (const Tetrahedron& t : mesh.tetrahedra)
      for (const int32_t p : t) ++starts[p + 1];
    for (size_t p = 0; p < mesh.points.size(); ++p) starts[p + 1] += starts[p];
    tetrahedra.resize(4 * mesh.tetrahedra.size());
    std::vector<int32_t> next(starts.begin(), starts.end() - 1);
    for (size_t t = 0; t < mesh.tetrahedra.size(); ++t)
      for (const int32_t p : mesh.tetrahedra[t]) tetrahedra[next[p]++] = static_cast<int32_t>(t);
  }
  Span<const int32_t> of(size_t p) const {
    return {tetrahedra.data() + starts[p], static_cast<size_t>(starts[p + 1] - starts[p])};
  }
};

/// A matrix of 3 x 3 blocks between points that share a tetrahedron, lower triangle. `Scalar` ones have
/// multiples of the unit matrix as blocks, of which only the diagonal is stored.
template <bool Scalar>
class BlockMatrix {
 public:
  BlockMatrix(const ElasticMesh& mesh, Context& context)
      : mMesh(mesh), mStars(mesh), mNeighbours(mesh.points.size()) {
    const size_t n = mesh.points.size();
    parallelFor(context, n, kGrain, [&](size_t j) {
      std::vector<int32_t>& list = mNeighbours[j];
      for (const int32_t t : mStars.of(j))
        for (const int32_t i : mesh.tetrahedra[t])
          if (static_cast<size_t>(i) >= j) list.push_back(i);
      std::sort(list.begin(), list.end());
      list.erase(std::unique(list.begin(), list.end()), list.end());
    });
    const auto size = static_cast<Eigen::Index>(3 * n);
    mMatrix.resize(size, size);
    int32_t* starts = mMatrix.outerIndexPtr();
    size_t count = 0;
    for (size_t j = 0; j < n; ++j)
      for (size_t c = 0; c < 3; ++c) {
        starts[3 * j + c] = static_cast<int32_t>(count);
        count += Scalar ? mNeighbours[j].size() : 3 * mNeighbours[j].size() - c;
      }
    if (count > static_cast<size_t>(std::numeric_limits<int32_t>::max()))
      throw Error(ErrorCode::BadInput, "the mesh has too many tetrahedra", "make it coarser");
    starts[3 * n] = static_cast<int32_t>(count);
    mMatrix.resizeNonZeros(static_cast<Eigen::Index>(count));
  }

  /// block(t, a, b): what tetrahedron t adds for its corners a (row) and b (column).
  template <class Block>
  SparseMatrix fill(const Block& block, Context& context) {
    parallelRanges(context, mMesh.points.size(), kGrain, [&](size_t begin, size_t end) {
      std::vector<Mat3> blocks;
      for (size_t j = begin; j < end; ++j) {
        const std::vector<int32_t>& list = mNeighbours[j];
        blocks.assign(list.size(), Mat3::Zero());
        for (const int32_t t : mStars.of(j)) {
          const Tetrahedron& tet = mMesh.tetrahedra[t];
          const auto b =
              static_cast<size_t>(std::find(tet.begin(), tet.end(), static_cast<int32_t>(j)) - tet.begin());
          for (size_t a = 0; a < 4; ++a) {
            if (static_cast<size_t>(tet[a]) < j) continue;
            const auto at = std::lower_bound(list.begin(), list.end(), tet[a]) - list.begin();
            blocks[at] += block(static_cast<size_t>(t), a, b);
          }
        }
        write(j, blocks);
      }
    });
    return std::move(mMatrix);
  }

 private:
  void write(size_t j, const std::vector<Mat3>& blocks) {
    const std::vector<int32_t>& list = mNeighbours[j];
    for (int c = 0; c < 3; ++c) {
      int32_t at = mMatrix.outerIndexPtr()[3 * j + static_cast<size_t>(c)];
      for (size_t k = 0; k < list.size(); ++k)
        for (int r = Scalar || k == 0 ? c : 0; r < (Scalar ? c + 1 : 3); ++r) {
          mMatrix.innerIndexPtr()[at] = 3 * list[k] + r;
          mMatrix.valuePtr()[at++] = blocks[k](r, c);
        }
    }
  }

  const ElasticMesh& mMesh;
  Stars mStars;
  std::vector<std::vector<int32_t>> mNeighbours;  // of each point, itself first, then larger ones
  SparseMatrix mMatrix;
};

}  // namespace

SparseMatrix stiffnessMatrix(const ElasticMesh& mesh, Context& context) {
  const std::vector<TetShape> shapes = tetShapes(mesh, context);
  BlockMatrix<false> matrix(mesh, context);
  return matrix.fill(
      [&](size_t t, size_t a, size_t b) -> Mat3 {
        const TetShape& s = shapes[t];
        const ElasticMaterial& m = mesh.materialOf(t);
        const double lambda = s.volume * lameParameter(m), mu = s.volume * shearModulus(m);
        const Vec3 &ga = s.gradients[a], &gb = s.gradients[b];
        return lambda * ga * gb.transpose() + mu * gb * ga.transpose() + mu * ga.dot(gb) * Mat3::Identity();
      },
      context);
}

SparseMatrix massMatrix(const ElasticMesh& mesh, MassKind kind, Context& context) {
  const std::vector<TetShape> shapes = tetShapes(mesh, context);
  if (kind == MassKind::Consistent) {
    BlockMatrix<true> matrix(mesh, context);
    return matrix.fill(
        [&](size_t t, size_t a, size_t b) -> Mat3 {
          return mesh.materialOf(t).density * shapes[t].volume / 20 * (a == b ? 2 : 1) * Mat3::Identity();
        },
        context);
  }
  Eigen::VectorXd masses = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(3 * mesh.points.size()));
  for (size_t t = 0; t < shapes.size(); ++t)
    for (const int32_t p : mesh.tetrahedra[t])
      masses.segment<3>(3 * p).array() += mesh.materialOf(t).density * shapes[t].volume / 4;
  SparseMatrix matrix(masses.size(), masses.size());
  matrix.reserve(Eigen::VectorXi::Ones(masses.size()));
  for (Eigen::Index i = 0; i < masses.size(); ++i) matrix.insert(i, i) = masses[i];
  matrix.makeCompressed();
  return matrix;
}

Eigen::VectorXd tractionForces(Span<const Vec3> points, Span<const Triangle> triangles,
                               Span<const Vec3> tractions) {
  HACKLE_ASSERT(triangles.size() == tractions.size());
  Eigen::VectorXd forces = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(3 * points.size()));
  for (size_t f = 0; f < triangles.size(); ++f) {
    const auto at = [&](size_t k) -> const Vec3& { return points[triangles[f][k]]; };
    const double area = 0.5 * (at(1) - at(0)).cross(at(2) - at(0)).norm();
    for (const int32_t p : triangles[f]) forces.segment<3>(3 * p) += area / 3 * tractions[f];
  }
  return forces;
}

Eigen::VectorXd bodyForces(const ElasticMesh& mesh, const Vec3& acceleration) {
  Eigen::VectorXd forces = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(3 * mesh.points.size()));
  for (size_t t = 0; t < mesh.tetrahedra.size(); ++t) {
    const Tetrahedron& tet = mesh.tetrahedra[t];
    const auto at = [&](size_t k) -> const Vec3& { return mesh.points[tet[k]]; };
    const double mass = mesh.materialOf(t).density * tetShape(at(0), at(1), at(2), at(3)).volume;
    for (const int32_t p : tet) forces.segment<3>(3 * p) += mass / 4 * acceleration;
  }
  return forces;
}

}  // namespace hackle
