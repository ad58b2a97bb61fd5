#include <hackle/meshing/surface/isosurface.h>

#include <hackle/core/parallel.h>
#include <hackle/meshing/surface/cube_cases.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace hackle {

namespace {

using detail::cubeCases;
using Index3 = std::array<int, 3>;

constexpr int kBlock = 16;          // cells along a block
constexpr int kNodes = kBlock + 1;  // nodes along a block
constexpr int kGradientRounds = 3;  // of smoothing for which a gradient is kept
constexpr int kFinalSteps = 4;      // of Newton's method, with the last gradient

struct Grid {
  Vec3 origin;
  double spacing = 0;
  Index3 blocks{};  // along each axis

  size_t blockCount() const {
    return static_cast<size_t>(blocks[0]) * static_cast<size_t>(blocks[1]) * static_cast<size_t>(blocks[2]);
  }
  Index3 blockAt(size_t b) const {
    const size_t nx = static_cast<size_t>(blocks[0]), ny = static_cast<size_t>(blocks[1]);
    return {static_cast<int>(b % nx), static_cast<int>(b / nx % ny), static_cast<int>(b / nx / ny)};
  }
  size_t blockIndex(const Index3& at) const {
    return (static_cast<size_t>(at[2]) * static_cast<size_t>(blocks[1]) + static_cast<size_t>(at[1])) *
               static_cast<size_t>(blocks[0]) +
           static_cast<size_t>(at[0]);
  }
  Vec3 node(int x, int y, int z) const { return origin + spacing * Vec3(x, y, z); }
};

/// A point that splits an edge which two sheets would share: on the border between a cell and the next one
/// along an axis, where the sheet border joins two crossed edges.
struct SplitKey {
  int64_t cell = 0;  // the lower cell
  int side = 0;      // of the lower cell
  int edge = 0;      // of the lower cell, the lower one of the two
  int partner = 0;
  bool operator<(const SplitKey& o) const {
    return cell != o.cell ? cell < o.cell : side != o.side ? side < o.side : edge < o.edge;
  }
  bool operator==(const SplitKey& o) const { return cell == o.cell && side == o.side && edge == o.edge; }
};

struct Cell {
  uint16_t local = 0;  // index in its block
  uint8_t cubeCase = 0;
  int32_t firstPoint = 0;  // in its block, then overall
};

struct Block {
  std::vector<Cell> cells;   // those that the surface passes, by ascending `local`
  std::vector<Vec3> points;  // sheet by sheet
  std::vector<int32_t> corners, faceSizes;
  std::vector<SplitKey> splits;  // corner -1 - i stands for splits[i] until they are numbered
};

class Extraction {
 public:
  Extraction(const ImplicitFunction& f, const IsosurfaceOptions& options, Context& context)
      : mF(f), mOptions(options), mContext(context) {
    const Vec3 size = options.bounds.size();
    mGrid.spacing = options.spacing;
    double nodes = 1;
    for (int a = 0; a < 3; ++a) {
      const double cells = std::ceil(size[a] / options.spacing);
      nodes *= cells;
      if (!(cells < 1e6)) tooFine();
      mCells[a] = std::max(1, static_cast<int>(cells));
      mGrid.blocks[a] = (mCells[a] + kBlock - 1) / kBlock;
    }
    if (!options.lipschitz && !options.mayCross && nodes > 2147483648.0) tooFine();
    mGrid.origin = options.bounds.centre() - 0.5 * options.spacing * Vec3(mCells[0], mCells[1], mCells[2]);
  }

  Geometry run() {
    {
      Context::Stage stage(mContext, "sample", 0.5);
      chooseBlocks();
      parallelFor(mContext, mBlocks.size(), 1, [&](size_t i) { sampleBlock(i); });
    }
    numberPoints();
    {
      Context::Stage stage(mContext, "connect", 0.1);
      parallelFor(mContext, mBlocks.size(), 4, [&](size_t i) { connectBlock(i); });
      joinBlocks();
    }
    {
      Context::Stage stage(mContext, "smooth", 0.4);
      polish();
    }
    Geometry geometry;
    geometry.addPoints(mPoints.size());
    geometry.editPositions() = std::move(mPoints);
    geometry.addPrimitives(PrimitiveType::Polygon, mFaceSizes, mCorners);
    return geometry;
  }

 private:
  [[noreturn]] void tooFine() const {
    throw Error(ErrorCode::Usage,
                fmt::format("isosurface: a spacing of {} m is too fine for these bounds", mOptions.spacing),
                "use a larger spacing");
  }

  double value(const Vec3& p) const {
    const double v = mF(p);
    if (!std::isfinite(v))
      throw Error(ErrorCode::BadInput,
                  fmt::format("isosurface: the function is not finite at ({}, {}, {})", p.x(), p.y(), p.z()));
    return v;
  }

  [[noreturn]] void touchesBounds(const Vec3& p) const {
    throw Error(ErrorCode::BadInput,
                fmt::format("isosurface: the solid reaches its bounds near ({:.4g}, {:.4g}, {:.4g})", p.x(),
                            p.y(), p.z()),
                "enlarge the bounds");
  }

  // Step 1: which blocks can hold a piece of the surface -------------------------------------------------

  void chooseBlocks() {
    const size_t count = mGrid.blockCount();
    std::vector<uint8_t> wanted(count, 1);
    if (mOptions.lipschitz || mOptions.mayCross)
      parallelFor(mContext, count, 256, [&](size_t b) {
        const Index3 at = mGrid.blockAt(b);
        const Vec3 low = mGrid.node(kBlock * at[0], kBlock * at[1], kBlock * at[2]);
        const Vec3 half = Vec3::Constant(0.5 * kBlock * mGrid.spacing);
        wanted[b] = !mOptions.mayCross || mOptions.mayCross({low, low + 2.0 * half});
        const double v = wanted[b] && !mOptions.lipschitz ? 0.0 : value(low + half);
        if (wanted[b] && mOptions.lipschitz)
          wanted[b] = std::abs(v) <= *mOptions.lipschitz * half.norm() * 1.0001;
        bool outer = false;
        for (size_t a = 0; a < 3; ++a) outer = outer || at[a] == 0 || at[a] == mGrid.blocks[a] - 1;
        if (!wanted[b] && v < 0 && outer) touchesBounds(low + half);
      });
    mBlockOf.assign(count, -1);
    for (size_t b = 0; b < count; ++b)
      if (wanted[b]) {
        mBlockOf[b] = static_cast<int32_t>(mPlaces.size());
        mPlaces.push_back(b);
      }
    mBlocks.resize(mPlaces.size());
  }

  // Step 2: values, cell cases and a point for each sheet --------------------------------------------------

  static size_t slot(int x, int y, int z) { return static_cast<size_t>((z * kNodes + y) * kNodes + x); }

  /// Which nodes of a block have to be asked. Of those in small blocks that the Lipschitz bound shows to be
  /// far from the surface, only the sign matters: they get the value of the small block's centre.
  std::vector<uint8_t> askedNodes(const Index3& first, std::vector<double>& values) const {
    constexpr int kSmall = 4;  // cells
    std::vector<uint8_t> asked(values.size(), mOptions.lipschitz ? 0 : 1);
    if (!mOptions.lipschitz) return asked;
    const double reach = 1.0001 * *mOptions.lipschitz * mGrid.spacing * 0.5 * kSmall * std::sqrt(3.0);
    for (int z = 0; z < kBlock; z += kSmall)
      for (int y = 0; y < kBlock; y += kSmall)
        for (int x = 0; x < kBlock; x += kSmall) {
          const Vec3 centre = mGrid.node(first[0] + x, first[1] + y, first[2] + z) +
                              Vec3::Constant(0.5 * kSmall * mGrid.spacing);
          const double v = value(centre);
          const bool far = std::abs(v) > reach;
          for (int k = z; k <= z + kSmall; ++k)
            for (int j = y; j <= y + kSmall; ++j)
              for (int i = x; i <= x + kSmall; ++i) {
                if (far)
                  values[slot(i, j, k)] = v;
                else
                  asked[slot(i, j, k)] = 1;
              }
        }
    return asked;
  }

  std::vector<double> sampleNodes(const Index3& first) const {
    std::vector<double> values(kNodes * kNodes * kNodes);
    const std::vector<uint8_t> asked = askedNodes(first, values);
    for (int z = 0; z < kNodes; ++z)
      for (int y = 0; y < kNodes; ++y)
        for (int x = 0; x < kNodes; ++x) {
          const Index3 node{first[0] + x, first[1] + y, first[2] + z};
          double& v = values[slot(x, y, z)];
          // Past the bounds there is nothing.
          if (node[0] > mCells[0] || node[1] > mCells[1] || node[2] > mCells[2]) {
            v = 1.0;
            continue;
          }
          const Vec3 p = mGrid.node(node[0], node[1], node[2]);
          if (asked[slot(x, y, z)]) v = value(p);
          bool outer = false;
          for (size_t a = 0; a < 3; ++a) outer = outer || node[a] == 0 || node[a] == mCells[a];
          if (v < 0 && outer) touchesBounds(p);
        }
    return values;
  }

  void sampleBlock(size_t index) {
    Block& block = mBlocks[index];
    const Index3 at = mGrid.blockAt(mPlaces[index]);
    const Index3 first{kBlock * at[0], kBlock * at[1], kBlock * at[2]};
    const std::vector<double> values = sampleNodes(first);
    for (int z = 0; z < kBlock; ++z)
      for (int y = 0; y < kBlock; ++y)
        for (int x = 0; x < kBlock; ++x) {
          std::array<double, 8> corner;
          int cubeCase = 0;
          for (int c = 0; c < 8; ++c) {
            corner[c] = values[slot(x + (c & 1), y + (c >> 1 & 1), z + (c >> 2 & 1))];
            cubeCase |= (corner[c] < 0) << c;
          }
          if (cubeCase == 0 || cubeCase == 255) continue;
          block.cells.push_back({static_cast<uint16_t>((z * kBlock + y) * kBlock + x),
                                 static_cast<uint8_t>(cubeCase), static_cast<int32_t>(block.points.size())});
          addSheets(block, cubeCase, corner, mGrid.node(first[0] + x, first[1] + y, first[2] + z));
        }
  }

  /// A point for each sheet of a cell: the mean of where the sheet crosses edges.
  void addSheets(Block& block, int cubeCase, const std::array<double, 8>& corner, const Vec3& origin) const {
    const detail::CubeCase& c = cubeCases()[cubeCase];
    for (int s = 0; s < c.sheets; ++s) {
      Vec3 sum = Vec3::Zero();
      int count = 0;
      for (int e = 0; e < 12; ++e) {
        if (!(c.sheetEdges[s] >> e & 1)) continue;
        const int a = detail::edgeStart(e), b = detail::edgeEnd(e);
        const double va = corner[a], vb = corner[b];
        // Not too near to an end, so that sheets do not meet at a node.
        const double t = std::clamp(va / (va - vb), 0.1, 0.9);
        sum += Vec3(a & 1, a >> 1 & 1, a >> 2 & 1);
        sum[e / 4] += t;
        ++count;
      }
      block.points.push_back(origin + mGrid.spacing / count * sum);
    }
  }

  void numberPoints() {
    size_t total = 0;
    for (Block& block : mBlocks) {
      for (Cell& cell : block.cells) cell.firstPoint += static_cast<int32_t>(total);
      total += block.points.size();
    }
    if (total > 1000000000) tooFine();
    mPoints.reserve(total);
    for (Block& block : mBlocks) {
      mPoints.insert(mPoints.end(), block.points.begin(), block.points.end());
      block.points = {};
    }
  }

  // Step 3: a face around every crossed edge ----------------------------------------------------------------

  const Cell& cellAt(const Index3& cell) const {
    const Index3 block{cell[0] / kBlock, cell[1] / kBlock, cell[2] / kBlock};
    const int32_t b = mBlockOf[mGrid.blockIndex(block)];
    const int local = ((cell[2] % kBlock) * kBlock + cell[1] % kBlock) * kBlock + cell[0] % kBlock;
    if (b >= 0) {
      const std::vector<Cell>& cells = mBlocks[b].cells;
      const auto found = std::lower_bound(cells.begin(), cells.end(), local,
                                          [](const Cell& c, int l) { return c.local < l; });
      if (found != cells.end() && found->local == local) return *found;
    }
    throw Error(ErrorCode::Failed,
                "isosurface: the surface goes where its Lipschitz bound or box test rule it out",
                "give a larger bound, or none");
  }

  static int sheetOf(const Cell& cell, int edge) {
    const detail::CubeCase& c = cubeCases()[cell.cubeCase];
    int sheet = 0;
    while (!(c.sheetEdges[sheet] >> edge & 1)) ++sheet;
    return sheet;
  }

  void connectBlock(size_t index) {
    Block& block = mBlocks[index];
    const Index3 at = mGrid.blockAt(mPlaces[index]);
    for (const Cell& cell : block.cells) {
      const Index3 here{kBlock * at[0] + cell.local % kBlock, kBlock * at[1] + cell.local / kBlock % kBlock,
                        kBlock * at[2] + cell.local / kBlock / kBlock};
      for (int axis = 0; axis < 3; ++axis) {
        const bool startInside = cell.cubeCase & 1, endInside = (cell.cubeCase >> (1 << axis)) & 1;
        if (startInside != endInside) addFace(block, here, axis, startInside);
      }
    }
  }

  /// The face around the edge that starts at a cell's corner 0. Seen against the axis, the four cells around
  /// it come counter-clockwise; the surface looks along the axis if the edge starts inside.
  void addFace(Block& block, const Index3& here, int axis, bool startInside) {
    const size_t u = static_cast<size_t>(axis + 1) % 3, v = static_cast<size_t>(axis + 2) % 3;
    constexpr int kBack[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};  // steps back along u and v
    std::array<const Cell*, 4> cells;
    std::array<Index3, 4> places;
    std::array<int, 4> edges;
    std::array<int, 4> sheets;
    for (size_t q = 0; q < 4; ++q) {
      places[q] = here;
      places[q][u] -= kBack[q][0];
      places[q][v] -= kBack[q][1];
      cells[q] = &cellAt(places[q]);
      edges[q] = detail::edgeIndex(axis, kBack[q][0], kBack[q][1]);
      sheets[q] = sheetOf(*cells[q], edges[q]);
    }
    std::array<int32_t, 8> face;
    size_t size = 0, splitAt = SIZE_MAX;
    for (size_t i = 0; i < 4; ++i) {
      const size_t q = startInside ? i : 3 - i, next = startInside ? (i + 1) % 4 : (6 - i) % 4;
      face[size++] = cells[q]->firstPoint + sheets[q];
      // The cells differ by one step along an axis; the lower one is the one that went back.
      const size_t shared = places[q][u] != places[next][u] ? u : v;
      const size_t low = places[q][shared] < places[next][shared] ? q : next, high = low == q ? next : q;
      const int side = 2 * static_cast<int>(shared) + 1;
      if (!sharesWholeSide(*cells[low], sheets[low], side) ||
          !sharesWholeSide(*cells[high], sheets[high], side - 1))
        continue;
      const int partner = detail::partnerEdge(cells[low]->cubeCase, side, edges[low]);
      block.splits.push_back(
          {cellNumber(places[low]), side, std::min(edges[low], partner), std::max(edges[low], partner)});
      splitAt = size;
      face[size++] = -static_cast<int32_t>(block.splits.size());
    }
    if (splitAt == SIZE_MAX) {
      block.corners.insert(block.corners.end(), face.begin(), face.begin() + 4);
      block.faceSizes.push_back(4);
      return;
    }
    // More than four corners: triangles around a split point, which no other face shares with the far
    // corners.
    for (size_t k = 1; k + 1 < size; ++k) {
      for (const size_t c : {splitAt, splitAt + k, splitAt + k + 1}) block.corners.push_back(face[c % size]);
      block.faceSizes.push_back(3);
    }
  }

  /// Whether a sheet crosses all four edges of a side: then it has two borders there.
  static bool sharesWholeSide(const Cell& cell, int sheet, int side) {
    const uint16_t edges = detail::kSideEdges[side];
    return (cubeCases()[cell.cubeCase].sheetEdges[sheet] & edges) == edges;
  }

  int64_t cellNumber(const Index3& cell) const {
    return (static_cast<int64_t>(cell[2]) * (mCells[1] + kBlock) + cell[1]) * (mCells[0] + kBlock) + cell[0];
  }

  /// Middle of the two edges that a split lies between.
  Vec3 splitPoint(const SplitKey& key) const {
    const int64_t nx = mCells[0] + kBlock, ny = mCells[1] + kBlock;
    Vec3 p(static_cast<double>(key.cell % nx), static_cast<double>(key.cell / nx % ny),
           static_cast<double>(key.cell / nx / ny));
    for (const int edge : {key.edge, key.partner})
      for (const int corner : {detail::edgeStart(edge), detail::edgeEnd(edge)})
        p += 0.25 * Vec3(corner & 1, corner >> 1 & 1, corner >> 2 & 1);
    return mGrid.origin + mGrid.spacing * p;
  }

  void joinBlocks() {
    std::vector<SplitKey> splits;
    size_t corners = 0, faces = 0;
    for (const Block& block : mBlocks) {
      splits.insert(splits.end(), block.splits.begin(), block.splits.end());
      corners += block.corners.size();
      faces += block.faceSizes.size();
    }
    std::sort(splits.begin(), splits.end());
    splits.erase(std::unique(splits.begin(), splits.end()), splits.end());
    const int32_t firstSplit = static_cast<int32_t>(mPoints.size());
    for (const SplitKey& key : splits) mPoints.push_back(splitPoint(key));

    mCorners.reserve(corners);
    mFaceSizes.reserve(faces);
    for (Block& block : mBlocks) {
      for (const int32_t corner : block.corners) {
        if (corner >= 0) {
          mCorners.push_back(corner);
          continue;
        }
        const SplitKey& key = block.splits[-1 - corner];
        const auto found = std::lower_bound(splits.begin(), splits.end(), key);
        mCorners.push_back(firstSplit + static_cast<int32_t>(found - splits.begin()));
      }
      mFaceSizes.insert(mFaceSizes.end(), block.faceSizes.begin(), block.faceSizes.end());
      block = {};
    }
  }

  // Step 4: even out along the surface, and onto f = 0
  // -------------------------------------------------------

  /// Value and gradient from four values at the corners of a small tetrahedron.
  double valueAndGradient(const Vec3& p, double reach, Vec3& gradient) const {
    static const Vec3 kCorners[4] = {{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}};
    double sum = 0;
    gradient.setZero();
    for (const Vec3& k : kCorners) {
      const double v = value(p + reach * k);
      sum += v;
      gradient += v * k;
    }
    gradient /= 4.0 * reach;
    return 0.25 * sum;
  }

  /// One step of Newton's method along the gradient, at most a quarter of a cell.
  Vec3 newtonStep(double v, const Vec3& gradient) const {
    const double squared = gradient.squaredNorm();
    if (!(squared > 1e-300)) return Vec3::Zero();
    Vec3 step = -v / squared * gradient;
    const double most = 0.25 * mGrid.spacing, length = step.norm();
    return length > most ? Vec3(step * (most / length)) : step;
  }

  void polish() {
    // Faces around each point, in the order of faces.
    std::vector<int32_t> faceStart(mFaceSizes.size() + 1, 0);
    for (size_t f = 0; f < mFaceSizes.size(); ++f) faceStart[f + 1] = faceStart[f] + mFaceSizes[f];
    std::vector<int32_t> start(mPoints.size() + 1, 0), around(mCorners.size());
    for (const int32_t p : mCorners) ++start[p + 1];
    for (size_t p = 0; p < mPoints.size(); ++p) start[p + 1] += start[p];
    std::vector<int32_t> fill(start.begin(), start.end() - 1);
    for (size_t f = 0; f < mFaceSizes.size(); ++f)
      for (int32_t c = faceStart[f]; c < faceStart[f + 1]; ++c)
        around[fill[mCorners[c]]++] = static_cast<int32_t>(f);

    const std::vector<Vec3> initial = mPoints;
    std::vector<Vec3> centres(mFaceSizes.size()), next(mPoints.size()), gradients(mPoints.size());
    const double reach = 0.02 * mGrid.spacing, leash = 0.75 * mGrid.spacing;
    for (int round = 0; round < mOptions.smoothing; ++round) {
      parallelFor(mContext, centres.size(), 4096, [&](size_t f) {
        Vec3 sum = Vec3::Zero();
        for (int32_t c = faceStart[f]; c < faceStart[f + 1]; ++c) sum += mPoints[mCorners[c]];
        centres[f] = sum / mFaceSizes[f];
      });
      parallelFor(mContext, mPoints.size(), 1024, [&](size_t p) {
        Vec3 mean = Vec3::Zero();
        for (int32_t i = start[p]; i < start[p + 1]; ++i) mean += centres[around[i]];
        mean /= start[p + 1] - start[p];
        // Points move little along the surface: a gradient is good for some rounds.
        Vec3& gradient = gradients[p];
        const double v =
            round % kGradientRounds == 0 ? valueAndGradient(mPoints[p], reach, gradient) : value(mPoints[p]);
        Vec3 shift = mean - mPoints[p];
        const double squared = gradient.squaredNorm();
        if (squared > 1e-300) shift -= gradient * (gradient.dot(shift) / squared);
        const Vec3 moved = mPoints[p] + newtonStep(v, gradient) + shift - initial[p];
        // A point stays near its cell, so that sheets do not pass each other.
        next[p] = initial[p] + moved.cwiseMax(-leash).cwiseMin(leash);
      });
      mPoints.swap(next);
      mContext.advance(static_cast<double>(round + 1) / (mOptions.smoothing + 3));
    }
    parallelFor(mContext, mPoints.size(), 1024, [&](size_t p) {
      // One gradient for all steps: each brings the point nearer by a factor of its distance in radii of
      // curvature. Where the function is not smooth a step may lead away; it is not taken then.
      Vec3 gradient;
      valueAndGradient(mPoints[p], reach, gradient);
      double v = value(mPoints[p]);
      for (int step = 0; step < kFinalSteps; ++step) {
        const Vec3 next = mPoints[p] + newtonStep(v, gradient);
        const double nextValue = value(next);
        if (!(std::abs(nextValue) < std::abs(v))) break;
        mPoints[p] = next;
        v = nextValue;
      }
    });
  }

  const ImplicitFunction& mF;
  const IsosurfaceOptions& mOptions;
  Context& mContext;
  Grid mGrid;
  Index3 mCells{};
  std::vector<int32_t> mBlockOf;  // of each place in the grid of blocks, or -1
  std::vector<size_t> mPlaces;    // of each block
  std::vector<Block> mBlocks;
  std::vector<Vec3> mPoints;
  std::vector<int32_t> mCorners, mFaceSizes;
};

}  // namespace

Geometry isosurface(const ImplicitFunction& f, const IsosurfaceOptions& options, Context& context) {
  if (!(options.spacing > 0) || !std::isfinite(options.spacing))
    throw Error(ErrorCode::Usage,
                fmt::format("isosurface: the spacing {} m is not positive", options.spacing));
  if (options.bounds.empty() || !options.bounds.size().allFinite())
    throw Error(ErrorCode::Usage, "isosurface: the bounds are empty or not finite");
  return Extraction(f, options, context).run();
}

}  // namespace hackle
