#include <hackle/fracture/impact/modal_body.h>

#include <hackle/core/archive.h>
#include <hackle/core/memo.h>
#include <hackle/core/parallel.h>
#include <hackle/fem/vibration.h>
#include <hackle/fracture/impact/wall_lattice.h>
#include <hackle/geometry/geometry_archive.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace hackle {

namespace {

constexpr uint32_t kVersion = 2;
constexpr double kRestStiffness = 1e-5, kRestMass = 1e-7;  // of what is not solid, over the material's
constexpr size_t kGapSearch = 6;  // modes on either side of the wanted number where a gap is looked for

/// What is not solid has a little of the material, so that no point is loose: less of its mass than of its
/// stiffness, so that it does not vibrate slowly.
std::vector<PartMoments> withRest(Span<const PartMoments> moments, double least) {
  std::vector<PartMoments> result(moments.begin(), moments.end());
  for (PartMoments& m : result) m += least * (wholeMoments() - m);
  return result;
}

/// Modes to keep: up to the widest gap near the wanted number, so that symmetric bodies keep or lose pairs
/// together.
size_t countToGap(const Eigen::VectorXd& frequencies, size_t wanted) {
  const size_t all = static_cast<size_t>(frequencies.size());
  if (all <= wanted) return all;
  size_t best = wanted;
  double widest = 0;
  for (size_t n = std::max<size_t>(wanted > kGapSearch ? wanted - kGapSearch : 1, 1); n < all; ++n) {
    const auto i = static_cast<Eigen::Index>(n);
    const double gap = frequencies[i] / frequencies[i - 1];
    if (gap > widest * (1 + 1e-6)) {
      widest = gap;
      best = n;
    }
  }
  return best;
}

void writeStress(const ElasticMaterial& material, const Mat3& gradient, float* out, Eigen::Index stride) {
  const Mat3 s = stressOf(material, gradient);
  const double values[6] = {s(0, 0), s(1, 1), s(2, 2), s(1, 2), s(0, 2), s(0, 1)};
  for (int k = 0; k < 6; ++k) out[k * stride] = static_cast<float>(values[k]);
}

std::vector<Edge> edgesWithin(Span<const Tetrahedron> tetrahedra, Span<const SolidPart> parts,
                              Context& context) {
  std::vector<Edge> edges;
  for (size_t t = 0; t < tetrahedra.size(); ++t) {
    if (!(parts[t].share > kLeastSolidShare)) continue;
    for (size_t a = 0; a < 4; ++a)
      for (size_t b = a + 1; b < 4; ++b)
        edges.push_back(
            {std::min(tetrahedra[t][a], tetrahedra[t][b]), std::max(tetrahedra[t][a], tetrahedra[t][b])});
  }
  parallelStableSort(context, edges, [](const Edge& a, const Edge& b) { return a < b; });
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  return edges;
}

}  // namespace

std::vector<std::array<int32_t, 4>> tetNeighbours(Span<const Tetrahedron> tetrahedra, Context& context) {
  struct Face {
    Triangle corners;
    int32_t side;  // 4 t + k
  };
  std::vector<Face> faces;
  faces.reserve(4 * tetrahedra.size());
  for (size_t t = 0; t < tetrahedra.size(); ++t)
    for (size_t k = 0; k < 4; ++k) {
      Triangle c{tetrahedra[t][(k + 1) % 4], tetrahedra[t][(k + 2) % 4], tetrahedra[t][(k + 3) % 4]};
      std::sort(c.begin(), c.end());
      faces.push_back({c, static_cast<int32_t>(4 * t + k)});
    }
  parallelStableSort(context, faces, [](const Face& a, const Face& b) { return a.corners < b.corners; });
  std::vector<std::array<int32_t, 4>> neighbours(tetrahedra.size(), {-1, -1, -1, -1});
  for (size_t i = 0; i + 1 < faces.size(); ++i)
    if (faces[i].corners == faces[i + 1].corners) {
      const int32_t a = faces[i].side, b = faces[i + 1].side;
      neighbours[a / 4][a % 4] = b / 4;
      neighbours[b / 4][b % 4] = a / 4;
    }
  return neighbours;
}

// Making
// ------------------------------------------------------------------------------------------------------

ModalBody::ModalBody(const Solid& solid, const ModalBodyOptions& options, Context& context)
    : mMaterial(options.material), mFingerprint(geometryFingerprint(solid.geometry)) {
  checkMaterial(options.material);
  DividedLattice lattice;
  {
    const Context::Stage stage(context, "lattice", 0.1);
    const double thickness = wallThickness(solid);
    // Displacements are quadratic in tetrahedra of twice the size.
    EnclosingLattice cage;
    if (options.cellSize) {
      EnclosingOptions given;
      given.cellSize = 2 * *options.cellSize;
      given.fillCavities = false;
      cage = enclosingLattice(solid.mesh, given, context);
    } else {
      const size_t count = options.elements ? *options.elements : countForWalls(solid, thickness);
      cage = enclosingLatticeOfSize(solid.mesh, std::max<size_t>(1, count / 8), false, context);
    }
    mCellSize = 0.5 * cage.cellSize;
    warnOfThinWalls(solid, thickness, mCellSize, context);
    lattice = divideLattice(cage.lattice.points, cage.lattice.tetrahedra, context);
    mMoments = solidMoments(lattice.points, lattice.tetrahedra, solid.mesh, context);
  }
  const Matrices matrices = finish(solid, std::move(lattice), context);
  {
    const Context::Stage stage(context, "vibrations", 0.6);
    VibrationOptions vibration;
    vibration.eigen.tolerance = 1e-5;  // frequencies to its square
    vibration.count = options.modes + (options.modes > kGapSearch ? kGapSearch : 0);
    const VibrationModes modes =
        vibrationModes(mBody->mesh(), matrices.stiffness, matrices.mass, vibration, context);
    const auto rigid = static_cast<Eigen::Index>(modes.rigid);
    const Eigen::VectorXd elastic = modes.frequencies.tail(modes.frequencies.size() - rigid);
    const auto keep = static_cast<Eigen::Index>(countToGap(elastic, options.modes));
    mFrequencies = elastic.head(keep);
    mShapes = modes.shapes.middleCols(rigid, keep).cast<float>();
  }
  makeStressRows(context);
}

/// All that follows from the lattice.
ModalBody::Matrices ModalBody::finish(const Solid& solid, DividedLattice lattice, Context& context) {
  const Context::Stage stage(context, "factor", 0.1);
  mDiagonal = solid.bvh.bounds().diagonal();
  for (size_t t = 0; t < lattice.tetrahedra.size(); ++t) {
    const Tetrahedron& c = lattice.tetrahedra[t];
    const std::array<Vec3, 4> corners{lattice.points[c[0]], lattice.points[c[1]], lattice.points[c[2]],
                                      lattice.points[c[3]]};
    mParts.push_back(partOf(mMoments[t], corners));
    mPartEnds.push_back(endsOf(mMoments[t], corners));
  }
  const std::vector<PartMoments> stiff = joinMoments(lattice, withRest(mMoments, kRestStiffness), context);
  Matrices matrices{quadraticStiffness(lattice.points, lattice.quadratic, stiff, mMaterial, context),
                    partMass(lattice.points, lattice.tetrahedra, withRest(mMoments, kRestMass),
                             mMaterial.density, context)};
  mQuadratic = std::move(lattice.quadratic);
  ElasticMesh mesh{std::move(lattice.points), std::move(lattice.tetrahedra), {mMaterial}};
  mNeighbours = tetNeighbours(mesh.tetrahedra, context);
  mShapesOfTets = tetShapes(mesh, context);
  mSolidEdges = edgesWithin(mesh.tetrahedra, mParts, context);
  mBody = std::make_unique<const FreeBody>(std::move(mesh), matrices.stiffness, matrices.mass, context);
  if (mBody->rigidMotions().parts() > 1)
    throw Error(
        ErrorCode::BadInput,
        fmt::format("the solid consists of {} parts that do not touch", mBody->rigidMotions().parts()),
        "break each part by itself");
  mEmbedding = std::make_unique<const SurfaceEmbedding>(this->points(), this->tetrahedra(), context);
  mRecovery = std::make_unique<const StressRecovery>(this->points(), this->tetrahedra(), mParts, context);
  return matrices;
}

// Stress
// ------------------------------------------------------------------------------------------------------

void ModalBody::makeStressRows(Context& context) {
  const Context::Stage stage(context, "stresses", 0.2);
  constexpr Eigen::Index kBlock = 16;  // modes at a time
  const Eigen::Index modes = mShapes.cols();
  mStressRows.resize(static_cast<Eigen::Index>(6 * points().size()), modes);
  Rows block(mShapes.rows(), kBlock);
  for (Eigen::Index first = 0; first < modes; first += kBlock) {
    context.advance(static_cast<double>(first) / static_cast<double>(modes));
    const Eigen::Index count = std::min(kBlock, modes - first);
    block.leftCols(count) = mShapes.middleCols(first, count);
    parallelFor(context, points().size(), 64, [&](size_t p) {
      const Span<const int32_t> around = mRecovery->neighboursOf(p);
      const Span<const StressRecovery::Slope> slopes = mRecovery->slopesOf(p);
      // Row 3 i + k is the derivative of component i along axis k.
      Eigen::Matrix<float, 9, kBlock, Eigen::RowMajor> gradients;
      gradients.setZero();
      for (size_t j = 0; j < around.size(); ++j)
        for (int i = 0; i < 3; ++i)
          for (int k = 0; k < 3; ++k)
            gradients.row(3 * i + k) +=
                slopes[j][k] * block.row(3 * static_cast<Eigen::Index>(around[j]) + i);
      for (Eigen::Index m = 0; m < count; ++m) {
        Mat3 gradient;
        for (int i = 0; i < 3; ++i)
          for (int k = 0; k < 3; ++k) gradient(i, k) = static_cast<double>(gradients(3 * i + k, m));
        writeStress(mMaterial, gradient, &mStressRows(static_cast<Eigen::Index>(6 * p), first + m), modes);
      }
    });
  }
}

Eigen::VectorXf ModalBody::pointStresses(const Eigen::VectorXd& displacements, Context& context) const {
  Eigen::VectorXf result(static_cast<Eigen::Index>(6 * points().size()));
  parallelFor(context, points().size(), 256, [&](size_t p) {
    const Span<const int32_t> around = mRecovery->neighboursOf(p);
    const Span<const StressRecovery::Slope> slopes = mRecovery->slopesOf(p);
    Mat3 gradient = Mat3::Zero();
    for (size_t j = 0; j < around.size(); ++j)
      gradient += displacements.segment<3>(3 * static_cast<Eigen::Index>(around[j])) *
                  slopes[j].cast<double>().transpose();
    writeStress(mMaterial, gradient, &result[static_cast<Eigen::Index>(6 * p)], 1);
  });
  return result;
}

size_t ModalBody::bytes() const {
  return mBody->bytes() + mRecovery->bytes() + bytesOf(mParts) + bytesOf(mPartEnds) + bytesOf(mMoments) +
         bytesOf(mQuadratic) + bytesOf(mNeighbours) + bytesOf(mSolidEdges) + bytesOf(mShapesOfTets) +
         sizeof(float) * static_cast<size_t>(mShapes.size() + mStressRows.size()) +
         32 * tetrahedra().size();  // where each tetrahedron is found
}

// As bytes
// ----------------------------------------------------------------------------------------------------

std::string ModalBody::archive() const {
  ArchiveWriter archive("impact", kVersion);
  archive.add("fingerprint", std::vector<int64_t>{static_cast<int64_t>(mFingerprint)});
  archive.add("figures",
              std::vector<double>{mMaterial.young, mMaterial.poisson, mMaterial.density, mCellSize});
  archive.add("points", Span<const double>(points().data()->data(), 3 * points().size()));
  archive.add("tetrahedra", Span<const int32_t>(tetrahedra().data()->data(), 4 * tetrahedra().size()));
  archive.add("quadratic", Span<const int32_t>(mQuadratic.data()->data(), 10 * mQuadratic.size()));
  std::vector<double> moments;
  for (const PartMoments& m : mMoments)
    for (int a = 0; a < 4; ++a)
      for (int b = 0; b <= a; ++b) moments.push_back(m(a, b));
  archive.add("moments", moments);
  archive.add("frequencies", Span<const double>(mFrequencies.data(), modes()));
  archive.add("shapes", Span<const float>(mShapes.data(), static_cast<size_t>(mShapes.size())));
  return archive.finish();
}

ModalBody::ModalBody(const Solid& solid, std::string_view bytes, Context& context) {
  const ArchiveReader archive(bytes, "impact", kVersion);
  const auto require = [](bool holds, const char* what) {
    if (!holds)
      throw Error(ErrorCode::BadInput, fmt::format("the file of vibrations is damaged: {}", what),
                  "make it again with impact_prepare");
  };
  const std::vector<int64_t> fingerprint = archive.int64s("fingerprint");
  const std::vector<double> figures = archive.float64s("figures");
  require(fingerprint.size() == 1 && figures.size() == 4, "its figures are not there");
  mFingerprint = static_cast<uint64_t>(fingerprint[0]);
  if (mFingerprint != geometryFingerprint(solid.geometry))
    throw Error(ErrorCode::BadInput, "the file of vibrations is of another solid",
                "make it with impact_prepare from this one");
  mMaterial = {figures[0], figures[1], figures[2]};
  mCellSize = figures[3];
  checkMaterial(mMaterial);
  require(mCellSize > 0, "it has no cells");
  const auto finite = [&](const auto& values) {
    for (const auto v : values) require(std::isfinite(v), "a number is not finite");
  };
  const std::vector<double> numbers = archive.float64s("points"), moments = archive.float64s("moments"),
                            frequencies = archive.float64s("frequencies");
  const std::vector<int32_t> corners = archive.int32s("tetrahedra");
  const std::vector<float> shapes = archive.float32s("shapes");
  finite(numbers);
  finite(moments);
  finite(frequencies);
  finite(shapes);
  const std::vector<int32_t> quadratic = archive.int32s("quadratic");
  require(numbers.size() % 3 == 0 && corners.size() % 32 == 0 && !corners.empty() && !frequencies.empty() &&
              2 * moments.size() == 5 * corners.size() && 16 * quadratic.size() == 5 * corners.size() &&
              shapes.size() == numbers.size() * frequencies.size(),
          "its parts do not fit together");
  DividedLattice lattice;
  for (size_t i = 0; i < numbers.size(); i += 3)
    lattice.points.emplace_back(numbers[i], numbers[i + 1], numbers[i + 2]);
  for (const std::vector<int32_t>* list : {&corners, &quadratic})
    for (const int32_t p : *list)
      require(p >= 0 && static_cast<size_t>(p) < lattice.points.size(),
              "a tetrahedron has a point that is not there");
  for (size_t i = 0; i < corners.size(); i += 4)
    lattice.tetrahedra.push_back({corners[i], corners[i + 1], corners[i + 2], corners[i + 3]});
  for (size_t i = 0; i < quadratic.size(); i += 10) {
    lattice.quadratic.emplace_back();
    std::copy_n(quadratic.begin() + static_cast<ptrdiff_t>(i), 10, lattice.quadratic.back().begin());
  }
  for (size_t t = 0; t < lattice.tetrahedra.size(); ++t) {
    const QuadraticTet& parent = lattice.quadratic[t / 8];
    for (const int32_t p : lattice.tetrahedra[t])
      require(std::find(parent.begin(), parent.end(), p) != parent.end(),
              "a tetrahedron is not a part of the one that it should be in");
  }
  for (size_t i = 0; i < moments.size(); i += 10) {
    PartMoments one;
    size_t next = i;
    for (int a = 0; a < 4; ++a)
      for (int b = 0; b <= a; ++b) one(a, b) = one(b, a) = moments[next++];
    require(one.sum() >= -1e-9 && one.sum() <= 1 + 1e-9, "a share is not between 0 and 1");
    mMoments.push_back(one);
  }
  for (size_t m = 0; m < frequencies.size(); ++m)
    require(frequencies[m] > 0 && (m == 0 || frequencies[m] >= frequencies[m - 1]),
            "frequencies are out of order");
  mFrequencies =
      Eigen::Map<const Eigen::VectorXd>(frequencies.data(), static_cast<Eigen::Index>(frequencies.size()));
  mShapes = Eigen::Map<const Eigen::MatrixXf>(shapes.data(), static_cast<Eigen::Index>(numbers.size()),
                                              mFrequencies.size());
  finish(solid, std::move(lattice), context);
  makeStressRows(context);
}

}  // namespace hackle
