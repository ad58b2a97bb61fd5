#include <hackle/bem/system.h>

#include <hackle/core/error.h>
#include <hackle/core/parallel.h>

#include <fmt/format.h>
#include <Eigen/LU>

#include <algorithm>
#include <cstdint>
#include <unordered_map>

#include <sys/mman.h>

namespace hackle {

namespace {

using Eigen::Index;
using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

Index index(size_t i) { return static_cast<Index>(i); }

/// Where each of `items` stands in the list.
std::vector<Index> positionsIn(const std::vector<int32_t>& list, size_t count) {
  std::vector<Index> position(count, -1);
  for (size_t i = 0; i < list.size(); ++i) position[list[i]] = index(i);
  return position;
}

/// Rows of a block that belong to degrees of freedom 3·item + axis.
std::vector<Index> blockRows(const std::vector<Index>& dofs, const std::vector<int32_t>& list, size_t count) {
  const std::vector<Index> position = positionsIn(list, count);
  std::vector<Index> rows(dofs.size());
  for (size_t i = 0; i < dofs.size(); ++i) rows[i] = 3 * position[dofs[i] / 3] + dofs[i] % 3;
  return rows;
}

/// The rows 3·item + axis of a matrix, item by item.
Matrix rowsOf(const Matrix& all, const std::vector<int32_t>& items) {
  Matrix part(3 * index(items.size()), all.cols());
  for (size_t i = 0; i < items.size(); ++i)
    part.middleRows<3>(3 * index(i)) = all.middleRows<3>(3 * items[i]);
  return part;
}

Vector flattened(const std::vector<Vec3>& values) {
  return Eigen::Map<const Vector>(values.empty() ? nullptr : values.data()->data(), 3 * index(values.size()));
}

Matrix padded(const Matrix& values, Index rows) {
  Matrix result = Matrix::Zero(rows, values.cols());
  result.topRows(values.rows()) = values;
  return result;
}

/// Asks for large pages: gigabytes in small ones take the better part of a second to give back, in which a
/// run that was cancelled would not end.
void preferLargePages(Matrix& values) {
#ifdef MADV_HUGEPAGE
  constexpr uintptr_t kPage = uintptr_t{1} << 21;
  const uintptr_t begin = reinterpret_cast<uintptr_t>(values.data()),
                  end = begin + static_cast<size_t>(values.size()) * sizeof(double);
  const uintptr_t first = (begin + kPage - 1) / kPage * kPage, last = end / kPage * kPage;
  if (first < last) madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
#else
  static_cast<void>(values);
#endif
}

OperatorBlock blockOf(BemOperator kind, Matrix& values, size_t rows, size_t columns) {
  values.resize(3 * index(rows), 3 * index(columns));
  preferLargePages(values);
  OperatorBlock block;
  block.kind = kind;
  block.values = values.data();
  block.stride = values.rows();
  return block;
}

OperatorBlock blockV(const std::vector<int32_t>& rows, const std::vector<int32_t>& columns, Matrix& values) {
  OperatorBlock block = blockOf(BemOperator::V, values, rows.size(), columns.size());
  block.rowTriangles = rows;
  block.columnTriangles = columns;
  return block;
}

OperatorBlock blockK(const std::vector<int32_t>& rows, const HatSpace& columns, Matrix& values) {
  OperatorBlock block = blockOf(BemOperator::K, values, rows.size(), columns.size);
  block.rowTriangles = rows;
  block.columnHats = &columns;
  return block;
}

OperatorBlock blockD(const HatSpace& rows, const HatSpace& columns, Matrix& values) {
  OperatorBlock block = blockOf(BemOperator::D, values, rows.size, columns.size);
  block.rowHats = &rows;
  block.columnHats = &columns;
  return block;
}

constexpr size_t kRowGrain = 16;

}  // namespace

BemSystem::BemSystem(BemSurface body, const ElasticMaterial& material, BoundaryData data,
                     const BemSystemOptions& options, Context& context)
    : mBody(std::move(body)),
      mSurface(mBody),
      mMaterial(material),
      mData(std::move(data)),
      mOptions(options) {
  checkMaterial(material);
  HACKLE_ASSERT(mData.fixed.size() == mBody.triangleCount() &&
                mData.traction.size() == mBody.triangleCount() &&
                mData.displacement.size() == mBody.nodeCount());
  if (mBody.triangleCount() == 0) return;
  mFreedom = rigidFreedom(mBody, mData);
  mWeightedNull = mFreedom.weight.asDiagonal() * mFreedom.null;
  numberUnknowns();
  balance();
  assembleBody(context);
}

void BemSystem::numberUnknowns() {
  std::vector<std::array<bool, 3>> given(mBody.nodeCount(), {false, false, false});
  for (size_t t = 0; t < mBody.triangleCount(); ++t) {
    const auto& fixed = mData.fixed[t];
    if (fixed[0] || fixed[1] || fixed[2]) mFixedTriangles.push_back(static_cast<int32_t>(t));
    for (size_t c = 0; c < 3; ++c) {
      if (!fixed[c]) continue;
      mTractionDof.push_back(index(3 * t + c));
      for (const int32_t node : mBody.triangle(t)) given[node][c] = true;
    }
  }
  for (size_t n = 0; n < mBody.nodeCount(); ++n) {
    const auto& g = given[n];
    if (mBody.corners(n).empty() || (g[0] && g[1] && g[2])) continue;
    mFreeNodes.push_back(static_cast<int32_t>(n));
    for (size_t c = 0; c < 3; ++c)
      if (!g[c]) mDisplacementDof.push_back(index(3 * n + c));
  }
}

/// Takes over given values, without what the body force's own field has of them; a free body's tractions
/// without their net force and torque.
void BemSystem::balance() {
  mCarried.reset();
  if (!mData.force.isZero()) mCarried.emplace(mData.force, mMaterial);
  std::vector<Vec3> carried(mCarried ? mBody.triangleCount() : 0);
  for (size_t t = 0; t < mBody.triangleCount(); ++t) {
    if (mCarried) {
      carried[t] =
          mCarried->traction(mBody.corner(t, 0), mBody.corner(t, 1), mBody.corner(t, 2), mBody.normal(t));
      mData.traction[t] -= carried[t];
    }
    for (Index c = 0; c < 3; ++c)
      if (mData.fixed[t][c]) mData.traction[t][c] = 0;
  }
  if (mFreedom.freeBody) {
    std::vector<Vec3> points(mBody.nodeCount());
    std::vector<Triangle> triangles(mBody.triangleCount());
    for (size_t n = 0; n < points.size(); ++n) points[n] = mBody.point(n);
    for (size_t t = 0; t < triangles.size(); ++t) triangles[t] = mBody.triangle(t);
    BalancedTractions balanced = balancedTractions(points, triangles, mData.traction);
    mData.traction = std::move(balanced.tractions);
    mRemoved = balanced.removed;
  }
  mGivenQ = flattened(mData.traction);
  mGivenU = flattened(mData.displacement);
  for (size_t n = 0; mCarried && n < mBody.nodeCount(); ++n)
    mGivenU.segment<3>(3 * index(n)) -= mCarried->displacement(mBody.point(n));
  for (const Index dof : mDisplacementDof) mGivenU[dof] = 0;
  for (size_t t = 0; t < carried.size(); ++t)
    for (Index c = 0; c < 3; ++c)
      if (!mData.fixed[t][c]) mData.traction[t][c] += carried[t][c];
}

/// The products that right-hand sides are made of: column 0 the given values, then, on request, the tests of
/// cavities.
OperatorProducts BemSystem::loads(bool withTests) const {
  OperatorProducts products;
  const Index triangles = 3 * index(mSurface.triangleCount()), nodes = 3 * index(mSurface.nodeCount());
  Matrix q(mGivenQ.size(), 1 + (withTests ? mFreedom.tests.cols() : 0));
  q.col(0) = mGivenQ;
  if (withTests) q.rightCols(mFreedom.tests.cols()) = mFreedom.tests;
  if (!q.isZero(0)) products.q = padded(q, triangles);
  if (!mGivenU.isZero(0)) products.u = padded(mGivenU, nodes);
  return products;
}

void BemSystem::assembleBody(Context& context) {
  Matrix v, k, d;
  OperatorProducts products = loads(true);
  {
    const Context::Stage stage(context, "assembly", 0.6);
    const HatSpace hats = nodeSpace(mSurface, mFreeNodes);
    std::vector<OperatorBlock> blocks;
    if (!mFixedTriangles.empty()) blocks.push_back(blockV(mFixedTriangles, mFixedTriangles, v));
    if (!mFixedTriangles.empty() && !mFreeNodes.empty()) blocks.push_back(blockK(mFixedTriangles, hats, k));
    if (!mFreeNodes.empty()) blocks.push_back(blockD(hats, hats, d));
    assemble(mSurface, mMaterial, mOptions.quadrature, blocks, {&products, 1}, context);
  }
  const Context::Stage stage(context, "factorisation", 0.4);
  setTests(products);
  mRhs = rightHandSide(products);
  deflate(k, d);
  mFactor.grow(mTractionDof.size(), GrowingCholesky::Sign::Positive);
  mFactor.grow(mDisplacementDof.size(), GrowingCholesky::Sign::Negative);
  fillBody(v, k, d, context);
  mFactor.factorise(context);
}

/// Projects rigid motions Z that the operators do not see out of the matrix and makes it definite on them:
/// with P = I − Z Yᵀ, Y = weight · Z:  K P  and  Pᵀ D P + a Y Yᵀ.
void BemSystem::deflate(Matrix& k, Matrix& d) const {
  if (mFreedom.null.cols() == 0 || mFreeNodes.empty()) return;
  const Matrix z = rowsOf(mFreedom.null, mFreeNodes), y = rowsOf(mWeightedNull, mFreeNodes);
  if (k.size() > 0) {
    const Matrix kz = k * z;
    k.noalias() -= kz * y.transpose();
  }
  const Matrix dz = d * z;
  const double scale = d.trace() / y.squaredNorm();
  const Matrix zdz = z.transpose() * dz;
  Matrix core = 0.5 * (zdz + zdz.transpose());
  core.diagonal().array() += scale;
  // Half of the symmetric correction goes with each order of the factors.
  const Matrix half = 0.5 * y * core - dz;
  d.noalias() += half * y.transpose();
  d.noalias() += y * half.transpose();
}

/// From the last rows to the first, giving back the blocks' columns as they go: never more than one and a bit
/// of the dense matrices is in memory.
void BemSystem::fillBody(Matrix& v, Matrix& k, Matrix& d, Context& context) {
  const std::vector<Index> q = blockRows(mTractionDof, mFixedTriangles, mBody.triangleCount());
  const std::vector<Index> u = blockRows(mDisplacementDof, mFreeNodes, mBody.nodeCount());
  const auto fill = [&](const std::vector<Index>& rows, const auto& fillRow,
                        const std::vector<Matrix*>& blocks) {
    constexpr size_t kChunk = 240;
    for (size_t chunk = (rows.size() + kChunk - 1) / kChunk; chunk-- > 0;) {
      const size_t first = chunk * kChunk;
      parallelFor(context, std::min(kChunk, rows.size() - first), kRowGrain,
                  [&](size_t i) { fillRow(first + i); });
      for (Matrix* block : blocks)
        block->conservativeResize(Eigen::NoChange,
                                  std::min(block->cols(), first > 0 ? rows[first - 1] + 1 : 0));
    }
  };
  fill(u,
       [&](size_t i) {
         const size_t row = q.size() + i;
         for (size_t j = 0; j < q.size(); ++j) mFactor.entry(row, j) = -k(q[j], u[i]);
         for (size_t j = 0; j <= i; ++j) mFactor.entry(row, q.size() + j) = -d(u[j], u[i]);
       },
       {&k, &d});
  fill(q,
       [&](size_t i) {
         for (size_t j = 0; j <= i; ++j) mFactor.entry(i, j) = v(q[j], q[i]);
       },
       {&v});
}

void BemSystem::setTests(const OperatorProducts& products) {
  const Index count = mFreedom.tests.cols();
  if (count == 0) return;
  mTestQ = products.Vq.rightCols(count);
  mTestU = 0.5 * massTimesTriangles(mBody, nodeSpace(mBody), mFreedom.tests) + products.KTq.rightCols(count);
  mTestCracks.resize(0, count);
}

/// Of all unknowns, cracks included. README.md eq. 10.
Vector BemSystem::rightHandSide(const OperatorProducts& products) const {
  const Index triangles = 3 * index(mSurface.triangleCount()), nodes = 3 * index(mSurface.nodeCount());
  const HatSpace hats = nodeSpace(mSurface);
  Vector onTriangles = Vector::Zero(triangles), onNodes = Vector::Zero(nodes);
  if (products.q.size() > 0) {
    onTriangles -= products.Vq.col(0);
    onNodes += 0.5 * massTimesTriangles(mSurface, hats, products.q.leftCols(1)).col(0) - products.KTq.col(0);
  }
  if (products.u.size() > 0) {
    onTriangles += 0.5 * massTimesHats(mSurface, hats, products.u).col(0) + products.Ku.col(0);
    onNodes -= products.Du.col(0);
  }
  if (mFreedom.null.cols() > 0) {
    auto body = onNodes.head(mFreedom.null.rows());
    body -= (mWeightedNull * (mFreedom.null.transpose() * body)).eval();
  }
  const size_t q = mTractionDof.size(), u = mDisplacementDof.size();
  Vector rhs(index(q + u + 3 * mOpened.size()));
  for (size_t i = 0; i < q; ++i) rhs[index(i)] = onTriangles[mTractionDof[i]];
  for (size_t i = 0; i < u; ++i) rhs[index(q + i)] = -onNodes[mDisplacementDof[i]];
  rhs.tail(3 * index(mOpened.size())) = -(rowsOf(onNodes, mOpened) + crackLoad(mOpened));
  return rhs;
}

/// What acts on cracks directly: the stress to release, with that of the body force's own field, and
/// tractions on the parts that double the body's surface (½ q, as there).
Vector BemSystem::crackLoad(const std::vector<int32_t>& nodes) const {
  Vector load = Vector::Zero(3 * index(nodes.size()));
  for (size_t i = 0; i < nodes.size(); ++i)
    for (const BemCorner& corner : mSurface.corners(static_cast<size_t>(nodes[i]))) {
      const size_t t = static_cast<size_t>(corner.triangle);
      const int32_t on = mOnto[t - mBody.triangleCount()];
      const bool onBody = on >= 0 && static_cast<size_t>(on) < mBody.triangleCount();
      Vec3 traction = onBody ? Vec3(0.5 * mGivenQ.segment<3>(3 * on))
                             : Vec3(-(mOptions.crackStress * mSurface.normal(t)));
      if (mCarried && !onBody) {
        // The hat is one half in the middle of two edges, and zero in that of the third.
        const Vec3& place = mSurface.point(static_cast<size_t>(nodes[i]));
        Mat3 stress = Mat3::Zero();
        for (const size_t turn : {size_t{1}, size_t{2}})
          stress +=
              0.5 * mCarried->stress(
                        0.5 * (place + mSurface.corner(t, (static_cast<size_t>(corner.corner) + turn) % 3)));
        traction -= stress * mSurface.normal(t);
      }
      load.segment<3>(3 * index(i)) += mSurface.area(t) / 3 * traction;
    }
  return load;
}

/// New opened nodes against all that there is.
struct BemSystem::CrackBlocks {
  std::vector<int32_t> opened;     // new
  std::vector<int32_t> triangles;  // rows of k: with an unknown or given traction
  std::vector<int32_t> nodes;  // columns of d: with an unknown or given displacement, opened ones, new ones
  size_t bodyNodes = 0;        // of them, the first
  Matrix k, d;
};

/// Of nodes with `known` jumps the block against themselves is left out.
BemSystem::CrackBlocks BemSystem::assembleCracks(const std::vector<int32_t>& opened, bool known,
                                                 const QuadratureOptions& quadrature,
                                                 Context& context) const {
  CrackBlocks result;
  result.opened = opened;
  for (size_t t = 0; t < mBody.triangleCount(); ++t) {
    const auto& fixed = mData.fixed[t];
    if (fixed[0] || fixed[1] || fixed[2] || !mGivenQ.segment<3>(3 * index(t)).isZero(0) ||
        mFreedom.tests.cols() > 0)
      result.triangles.push_back(static_cast<int32_t>(t));
  }
  result.nodes = mFreeNodes;
  for (size_t n = 0; n < mBody.nodeCount(); ++n)
    if (!mGivenU.segment<3>(3 * index(n)).isZero(0) &&
        !std::binary_search(mFreeNodes.begin(), mFreeNodes.end(), static_cast<int32_t>(n)))
      result.nodes.push_back(static_cast<int32_t>(n));
  result.bodyNodes = result.nodes.size();
  result.nodes.insert(result.nodes.end(), mOpened.begin(), mOpened.end());
  if (!known) result.nodes.insert(result.nodes.end(), opened.begin(), opened.end());

  const HatSpace rows = nodeSpace(mSurface, opened), columns = nodeSpace(mSurface, result.nodes);
  std::vector<OperatorBlock> blocks;
  if (!result.triangles.empty()) blocks.push_back(blockK(result.triangles, rows, result.k));
  blocks.push_back(blockD(rows, columns, result.d));
  assemble(mSurface, mMaterial, quadrature, blocks, {}, context);
  return result;
}

/// Rows of d against the free nodes of the body, without the rigid motions of `deflate`.
Matrix BemSystem::deflatedRows(const CrackBlocks& blocks) const {
  Matrix x = blocks.d.leftCols(3 * index(mFreeNodes.size()));
  if (mFreedom.null.cols() > 0 && !mFreeNodes.empty()) {
    const Matrix xz = x * rowsOf(mFreedom.null, mFreeNodes);
    x.noalias() -= xz * rowsOf(mWeightedNull, mFreeNodes).transpose();
  }
  return x;
}

void BemSystem::addSheets(const CrackGrowth& growth) {
  mSurface.append(growth.points, growth.triangles);
  mOnto.insert(mOnto.end(), growth.onto.begin(), growth.onto.end());
  mOnto.resize(mSurface.triangleCount() - mBody.triangleCount(), -1);
}

void BemSystem::setLoad(Vector load) {
  HACKLE_ASSERT(load.size() == mRhs.size());
  mRhs = std::move(load);
}

Matrix BemSystem::jumpLoads(const std::vector<int32_t>& nodes, const Matrix& jumps,
                            const QuadratureOptions& quadrature, Context& context) const {
  HACKLE_ASSERT(jumps.rows() == 3 * index(nodes.size()));
  const Index unknowns = index(mFactor.size()), tests = mFreedom.tests.cols();
  Matrix load = Matrix::Zero(unknowns + tests, jumps.cols());
  if (nodes.empty() || jumps.isZero(0)) return load;
  const CrackBlocks blocks = assembleCracks(nodes, true, quadrature, context);
  const std::vector<Index> q = blockRows(mTractionDof, blocks.triangles, mBody.triangleCount());
  const std::vector<Index> u = blockRows(mDisplacementDof, blocks.nodes, mSurface.nodeCount());
  const Matrix onTriangles = blocks.k.size() > 0 ? Matrix(blocks.k * jumps) : Matrix();
  const Matrix onBody = deflatedRows(blocks).transpose() * jumps;
  for (size_t i = 0; i < q.size(); ++i) load.row(index(i)) = onTriangles.row(q[i]);
  for (size_t i = 0; i < u.size(); ++i) load.row(index(q.size() + i)) = onBody.row(u[i]);
  const Index opened = 3 * index(mOpened.size());
  load.middleRows(unknowns - opened, opened) = blocks.d.rightCols(opened).transpose() * jumps;
  if (tests > 0) load.bottomRows(tests) = rowsOf(mFreedom.tests, blocks.triangles).transpose() * onTriangles;
  return load;
}

void BemSystem::setKnownJumps(std::vector<int32_t> nodes, Vector jumps, Vector load) {
  HACKLE_ASSERT(jumps.size() == 3 * index(nodes.size()) &&
                load.size() == index(mFactor.size()) + mFreedom.tests.cols());
  mKnownNodes = std::move(nodes);
  mKnownJumps = std::move(jumps);
  mJumpLoad = std::move(load);
}

void BemSystem::growCracks(const CrackGrowth& growth, Context& context) {
  BemSurface surface = mSurface;
  surface.append(growth.points, growth.triangles);
  for (const int32_t node : growth.opened)
    HACKLE_ASSERT(static_cast<size_t>(node) >= mBody.nodeCount() &&
                  static_cast<size_t>(node) < surface.nodeCount());
  std::vector<int32_t> onto = growth.onto;
  onto.resize(growth.triangles.size(), -1);
  for (const int32_t t : onto)
    if (t >= 0 && std::binary_search(mFixedTriangles.begin(), mFixedTriangles.end(), t))
      throw Error(ErrorCode::BadInput,
                  fmt::format("a crack opens at triangle {}, where the displacement is given", t),
                  "keep cracks away from fixed regions");
  std::swap(mSurface, surface);
  mOnto.insert(mOnto.end(), onto.begin(), onto.end());
  if (growth.opened.empty()) return;
  try {
    HACKLE_ASSERT(mKnownNodes.empty());
    const CrackBlocks blocks = assembleCracks(growth.opened, false, mOptions.quadrature, context);
    fillCracks(blocks, context);
    mFactor.factorise(context);
    const Vector rhs = crackRightHandSide(blocks);
    mRhs.conservativeResize(mRhs.size() + rhs.size());
    mRhs.tail(rhs.size()) = rhs;
    addCrackTests(blocks);
  } catch (...) {
    std::swap(mSurface, surface);
    mOnto.resize(mSurface.triangleCount() - mBody.triangleCount());
    throw;
  }
  mOpened.insert(mOpened.end(), growth.opened.begin(), growth.opened.end());
}

void BemSystem::fillCracks(const CrackBlocks& blocks, Context& context) {
  const std::vector<Index> q = blockRows(mTractionDof, blocks.triangles, mBody.triangleCount());
  const std::vector<Index> u = blockRows(mDisplacementDof, blocks.nodes, mSurface.nodeCount());
  const Matrix x = deflatedRows(blocks);
  const size_t added = 3 * blocks.opened.size(), opened = 3 * mOpened.size();
  const size_t firstRow = q.size() + u.size() + opened;
  mFactor.grow(added, GrowingCholesky::Sign::Negative);
  parallelFor(context, added, kRowGrain, [&](size_t i) {
    const size_t row = firstRow + i;
    for (size_t j = 0; j < q.size(); ++j) mFactor.entry(row, j) = -blocks.k(q[j], index(i));
    for (size_t j = 0; j < u.size(); ++j) mFactor.entry(row, q.size() + j) = -x(index(i), u[j]);
    for (size_t j = 0; j < opened + i + 1; ++j)
      mFactor.entry(row, q.size() + u.size() + j) = -blocks.d(index(i), index(3 * blocks.bodyNodes + j));
  });
}

Vector BemSystem::crackRightHandSide(const CrackBlocks& blocks) const {
  Vector load = crackLoad(blocks.opened);
  if (!blocks.triangles.empty()) load -= blocks.k.transpose() * rowsOf(mGivenQ, blocks.triangles);
  const std::vector<int32_t> nodes(blocks.nodes.begin(),
                                   blocks.nodes.begin() + static_cast<std::ptrdiff_t>(blocks.bodyNodes));
  if (!nodes.empty()) load -= blocks.d.leftCols(3 * index(nodes.size())) * rowsOf(mGivenU, nodes);
  return -load;
}

void BemSystem::addCrackTests(const CrackBlocks& blocks) {
  if (mFreedom.tests.cols() == 0) return;
  const Matrix rows = blocks.k.transpose() * rowsOf(mFreedom.tests, blocks.triangles);
  mTestCracks.conservativeResize(mTestCracks.rows() + rows.rows(), rows.cols());
  mTestCracks.bottomRows(rows.rows()) = rows;
}

void BemSystem::setValues(BoundaryData data, Context& context) {
  HACKLE_ASSERT(data.fixed == mData.fixed && data.displacement.size() == mBody.nodeCount() &&
                data.traction.size() == mBody.triangleCount());
  mData = std::move(data);
  balance();
  OperatorProducts products = loads(false);
  assemble(mSurface, mMaterial, mOptions.quadrature, {}, {&products, 1}, context);
  mRhs = rightHandSide(products);
}

void BemSystem::scaleValues(BoundaryData data, double factor) {
  HACKLE_ASSERT(data.fixed == mData.fixed && data.displacement.size() == mBody.nodeCount() &&
                data.traction.size() == mBody.triangleCount());
  const bool releases = !mOptions.crackStress.isZero(0);  // a stress that stays as it is
  const Vector before = releases ? crackLoad(mOpened) : Vector();
  mData = std::move(data);
  balance();
  mRhs *= factor;
  if (releases) mRhs.tail(before.size()) += factor * before - crackLoad(mOpened);
}

BemSolution BemSystem::solve(Context& context, bool withKnown) const {
  Matrix x = mRhs;
  const bool known = withKnown && mJumpLoad.size() > 0;
  if (known) x.col(0) += mJumpLoad.head(x.rows());
  mFactor.solve(x, context);
  const Index q = index(mTractionDof.size()), u = index(mDisplacementDof.size());
  BemSolution solution;
  solution.bodyNodes = mBody.nodeCount();
  solution.removed = mRemoved;
  solution.carried = mCarried;
  solution.q = Vector::Zero(3 * index(mSurface.triangleCount()));
  solution.u = Vector::Zero(3 * index(mSurface.nodeCount()));
  const Index bodyU = 3 * index(mBody.nodeCount()), bodyQ = 3 * index(mBody.triangleCount());
  solution.q.head(bodyQ) = mGivenQ;
  solution.u.head(bodyU) = mGivenU;
  for (Index i = 0; i < q; ++i) solution.q[mTractionDof[i]] = x(i, 0);
  for (Index i = 0; i < u; ++i) solution.u[mDisplacementDof[i]] = x(q + i, 0);
  for (size_t i = 0; i < mOpened.size(); ++i)
    solution.u.segment<3>(3 * mOpened[i]) = x.col(0).segment<3>(q + u + 3 * index(i));
  for (size_t i = 0; known && i < mKnownNodes.size(); ++i)
    solution.u.segment<3>(3 * mKnownNodes[i]) = mKnownJumps.segment<3>(3 * index(i));

  // Move cavities to where the displacement equation wants them.
  const Index cavities = mFreedom.tests.cols();
  if (cavities > 0) {
    Vector rest = mTestQ.transpose() * solution.q.head(bodyQ) - mTestU.transpose() * solution.u.head(bodyU) -
                  mTestCracks.transpose() * x.col(0).tail(3 * index(mOpened.size()));
    if (known) rest -= mJumpLoad.tail(cavities);
    const Matrix motions = mFreedom.null.leftCols(cavities);
    const Matrix response = mTestU.transpose() * motions;
    solution.u.head(bodyU) += motions * response.partialPivLu().solve(rest);
  }
  if (mFreedom.freeBody) removeMeanMotion(mBody, solution.u.head(bodyU));
  return solution;
}

}  // namespace hackle
