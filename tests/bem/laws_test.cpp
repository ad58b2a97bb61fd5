// Laws of elastic bodies that a solution has to keep, whatever the mesh.
#include "elastic_bodies.h"

#include <hackle/bem/system.h>
#include <hackle/core/error.h>

#include <gtest/gtest.h>

#include <Eigen/Cholesky>

#include <map>

namespace hackle {
namespace {

using namespace bodies;
using Fixed = std::array<uint8_t, 3>;

ElasticMaterial glass() { return {70e9, 0.22, 2500}; }

/// A bar along y that stands on a fixed face, with loads given by place and normal.
struct Bar {
  explicit Bar(const Mat3& frame = Mat3::Identity(), const Vec3& shift = Vec3::Zero(), double scale = 1) {
    Mesh mesh = box({0, 0, 0}, {1, 2, 1}, {3, 6, 3});
    for (Vec3& p : mesh.points) p = scale * (frame * p + shift);
    surface = surfaceOf(mesh);
    up = frame.col(1);
  }
  BemSurface surface;
  Vec3 up;

  BoundaryData held(const Vec3& onTop, const Vec3& onSides) const {
    BoundaryData data(surface.nodeCount(), surface.triangleCount());
    for (size_t t = 0; t < surface.triangleCount(); ++t) {
      const double side = surface.normal(t).dot(up);
      if (side < -0.9) data.fixed[t] = Fixed{1, 1, 1};
      data.traction[t] = side > 0.9 ? onTop : side > -0.9 ? onSides : Vec3(0, 0, 0);
    }
    return data;
  }
};

BemSolution solved(const BemSurface& surface, const ElasticMaterial& material, const BoundaryData& data,
                   int threads = 0) {
  Context context;
  context.setThreads(threads);
  return BemSystem(surface, material, data, {}, context).solve(context);
}

/// Work of the tractions of one solution on the displacements of another.
double work(const BemSurface& surface, const BemSolution& loads, const BemSolution& moves) {
  double sum = 0;
  for (size_t t = 0; t < surface.triangleCount(); ++t) {
    Vec3 mean = Vec3::Zero();
    for (const int32_t n : surface.triangle(t)) mean += moves.displacement(static_cast<size_t>(n)) / 3;
    sum += surface.area(t) * loads.traction(t).dot(mean);
  }
  return sum;
}

TEST(BemLaws, Reciprocity) {
  const Bar bar;
  const BemSolution a = solved(bar.surface, glass(), bar.held({0, 1e6, 2e6}, {0, 0, 0}));
  const BemSolution b = solved(bar.surface, glass(), bar.held({1e6, 0, 3e5}, {2e5, -1e5, 1e5}));
  const double ab = work(bar.surface, a, b), ba = work(bar.surface, b, a);
  EXPECT_NEAR(ab, ba, 0.01 * std::abs(ab));
}

TEST(BemLaws, ReactionsBalanceLoads) {
  const Bar bar;
  const BemSolution s = solved(bar.surface, glass(), bar.held({3e5, 1e6, 0}, {0, 0, 0}));
  Vec3 sum = Vec3::Zero();
  for (size_t t = 0; t < bar.surface.triangleCount(); ++t) sum += bar.surface.area(t) * s.traction(t);
  EXPECT_LT(sum.norm(), 0.05 * 1e6);  // tractions are singular along the edges of the fixed face
}

TEST(BemLaws, RotationTranslationAndUnits) {
  const Mat3 frame =
      (Eigen::AngleAxisd(0.7, Vec3::UnitX()) * Eigen::AngleAxisd(-1.1, Vec3::UnitZ())).toRotationMatrix();
  const Bar straight, turned(frame, {3, -2, 5}, 1000);  // millimetres
  const Vec3 top(2e5, 1e6, -3e5), side(1e5, 0, 5e4);
  ElasticMaterial kilo = glass();
  kilo.young *= 1e-6;  // N/mm²
  const BemSolution a = solved(straight.surface, glass(), straight.held(top, side));
  const BemSolution b =
      solved(turned.surface, kilo, turned.held(1e-6 * (frame * top), 1e-6 * (frame * side)));
  double difference = 0, size = 0;
  for (size_t n = 0; n < straight.surface.nodeCount(); ++n) {
    difference = std::max(difference, (frame * a.displacement(n) - 1e-3 * b.displacement(n)).norm());
    size = std::max(size, a.displacement(n).norm());
  }
  EXPECT_LT(difference, 1e-5 * size);
}

TEST(BemLaws, AFreeBodyDoesNotDependOnItsFrame) {
  const Mat3 frame = Eigen::AngleAxisd(0.9, Vec3(1, 2, 3).normalized()).toRotationMatrix();
  const Bar straight, turned(frame, {100, 0, -40});
  const auto load = [](const Bar& bar, const Mat3& to) {
    BoundaryData data(bar.surface.nodeCount(), bar.surface.triangleCount());
    data.traction[7] = to * Vec3(1e6, 2e6, -1e6);  // not balanced
    return data;
  };
  const BemSolution a = solved(straight.surface, glass(), load(straight, Mat3::Identity()));
  const BemSolution b = solved(turned.surface, glass(), load(turned, frame));
  double difference = 0, size = 0;
  for (size_t n = 0; n < straight.surface.nodeCount(); ++n) {
    difference = std::max(difference, (frame * a.displacement(n) - b.displacement(n)).norm());
    size = std::max(size, a.displacement(n).norm());
  }
  EXPECT_LT(difference, 1e-5 * size);
  const double area = straight.surface.area(7);
  EXPECT_LT((a.removed.force - area * Vec3(1e6, 2e6, -1e6)).norm(), 1e-6 * area * 1e6);
}

TEST(BemLaws, SameBytesOnAnyThreads) {
  const Bar bar;
  const BoundaryData data = bar.held({3e5, 1e6, 0}, {1e5, 0, 0});
  const BemSolution one = solved(bar.surface, glass(), data, 1), four = solved(bar.surface, glass(), data, 4);
  EXPECT_TRUE((one.u.array() == four.u.array()).all());
  EXPECT_TRUE((one.q.array() == four.q.array()).all());
}

TEST(BemLaws, NewLoadsOnTheSameFactor) {
  Context context;
  const Bar bar;
  const BoundaryData first = bar.held({3e5, 1e6, 0}, {1e5, 0, 0}),
                     second = bar.held({0, 2e6, 1e5}, {0, 0, 1e5});
  BemSystem system(bar.surface, glass(), first, {}, context);
  system.setValues(second, context);
  const BemSolution a = system.solve(context), b = solved(bar.surface, glass(), second);
  EXPECT_TRUE((a.u.array() == b.u.array()).all());
  EXPECT_TRUE((a.q.array() == b.q.array()).all());
}

TEST(BemLaws, GrownCracksEqualThoseAddedAtOnce) {
  Context context;
  for (const bool held : {true, false}) {
    const Bar bar;
    BoundaryData data = bar.held({0, 1e6, 0}, {0, 0, 0});
    if (held) {
      for (Vec3& u : data.displacement) u = Vec3(1e-6, 2e-6, 0);
    } else {
      data = BoundaryData(bar.surface.nodeCount(), bar.surface.triangleCount());
      for (size_t t = 0; t < bar.surface.triangleCount(); ++t)
        data.traction[t] = Vec3(0, 1e6 * bar.surface.normal(t).y(), 0);
    }
    const Mat3 frame = Eigen::AngleAxisd(-kPi / 2 + 0.1, Vec3::UnitX()).toRotationMatrix();
    const CrackGrowth whole = crackOf(disk(4, 0.3, frame, {0.5, 1, 0.5}), bar.surface.nodeCount());
    BemSystem once(bar.surface, glass(), data, {}, context);
    once.growCracks(whole, context);

    // The inner rings first: the sheet is there, its outer nodes are opened later.
    BemSystem grown(bar.surface, glass(), data, {}, context);
    CrackGrowth part = whole;
    part.opened.resize(7);
    grown.growCracks(part, context);
    CrackGrowth more;
    more.opened.assign(whole.opened.begin() + 7, whole.opened.end());
    grown.growCracks(more, context);
    const BemSolution a = once.solve(context), b = grown.solve(context);
    EXPECT_LT((a.u - b.u).norm(), 1e-10 * a.u.norm());
    EXPECT_LT((a.q - b.q).norm(), 1e-10 * a.q.norm());

    // New values reach cracks as well.
    grown.setValues(data, context);
    EXPECT_LT((a.u - grown.solve(context).u).norm(), 1e-10 * a.u.norm());
  }
}

TEST(BemLaws, CrackAloneEqualsADenseSolve) {
  Context context;
  BemSystemOptions options;
  options.crackStress = Vec3(1e5, 2e5, 1e6).asDiagonal();
  const Mesh sheet = disk(3, 0.5);
  const CrackGrowth crack = crackOf(sheet, 0);
  BemSystem system({}, glass(), {}, options, context);
  system.growCracks(crack, context);
  const BemSolution solution = system.solve(context);

  const Eigen::MatrixXd d = assembleOperator(BemOperator::D, system.surface(), glass(), {}, context);
  std::vector<Eigen::Index> rows;
  for (const int32_t n : crack.opened)
    for (Eigen::Index c = 0; c < 3; ++c) rows.push_back(3 * n + c);
  Eigen::VectorXd load = Eigen::VectorXd::Zero(d.rows());
  for (size_t t = 0; t < sheet.triangles.size(); ++t)
    for (const int32_t n : sheet.triangles[t])
      load.segment<3>(3 * n) -=
          system.surface().area(t) / 3 * (options.crackStress * system.surface().normal(t));
  const Eigen::VectorXd expected = Eigen::MatrixXd(d(rows, rows)).ldlt().solve(Eigen::VectorXd(load(rows)));
  EXPECT_LT((Eigen::VectorXd(solution.u(rows)) - expected).norm(), 1e-10 * expected.norm());
}

/// Three half sheets that meet in a line: left and right of it, and above. Any two of them can be one sheet
/// with own nodes, onto which the third is joined.
class ThreeSheets {
 public:
  enum Sheet { Left, Right, Above };

  /// All jumps: at the nodes of the right and the upper sheet, by place.
  std::map<std::array<int, 4>, Vec3> jumps(Sheet onto, Sheet joined) {
    Context context;
    BemSystemOptions options;
    options.crackStress = (Mat3() << 8e5, 1e5, 2e5, 1e5, 3e5, 4e5, 2e5, 4e5, 1e6).finished();
    BemSystem system({}, glass(), {}, options, context);
    CrackGrowth first;
    mNodes.clear();
    for (const Sheet sheet : {Left, onto}) add(sheet, 0, first, -1);
    system.growCracks(opened(first, 0), context);
    // The third with the strip of the left sheet over which its jump runs out.
    CrackGrowth second;
    const size_t count = first.points.size();
    add(joined, 1, second, -1);
    second.onto.assign(second.triangles.size(), -1);
    for (size_t t = 0; t < kPerSheet; ++t) {
      bool beside = false;
      for (const int32_t n : first.triangles[t]) beside |= first.points[n].x() == 0;
      if (!beside) continue;
      add(Left, 1, second, static_cast<int32_t>(t));
      second.onto.push_back(static_cast<int32_t>(t));
    }
    second = opened(second, count);
    system.growCracks(second, context);
    const BemSolution solution = system.solve(context);
    std::map<std::array<int, 4>, Vec3> result;
    for (const auto& [key, node] : mNodes) {
      if (key[3] == Left && key[0] != 0) continue;
      const bool third = key[4] == 1;
      // On the line nodes of both sheets have a value; what belongs to which is told by the sheet's own.
      if (key[0] == 0 && key[2] == 0) {
        result[{key[0], key[1], key[2], third ? joined : onto}] = solution.opening(static_cast<size_t>(node));
      } else {
        result[{key[0], key[1], key[2], key[3]}] = solution.opening(static_cast<size_t>(node));
      }
    }
    return result;
  }

 private:
  static constexpr int kCells = 3;
  static constexpr size_t kPerSheet = 2 * kCells * 2 * kCells;

  /// A node of a sheet, in a set of nodes, `i` cells from the line and `j` along it.
  int32_t node(Sheet sheet, int set, int i, int j, CrackGrowth& growth) {
    const std::array<int, 3> at{sheet == Left ? -i : sheet == Right ? i : 0, j, sheet == Above ? i : 0};
    const std::array<int, 5> key{at[0], at[1], at[2], i == 0 ? int(Left) : int(sheet), set};
    const auto [found, isNew] = mNodes.emplace(key, static_cast<int32_t>(mNodes.size()));
    if (isNew) growth.points.emplace_back(0.3 * at[0], 0.25 * at[1], 0.2 * at[2]);
    return found->second;
  }
  /// All triangles of a sheet, or one of them.
  void add(Sheet sheet, int set, CrackGrowth& growth, int32_t only) {
    int32_t number = 0;
    for (int i = 0; i < kCells; ++i)
      for (int j = 0; j < 2 * kCells; ++j) {
        const std::array<std::array<int, 2>, 4> at{{{i, j}, {i + 1, j}, {i + 1, j + 1}, {i, j + 1}}};
        for (const std::array<int, 3> k : {std::array<int, 3>{0, 1, 2}, std::array<int, 3>{0, 2, 3}})
          if (const int32_t mine = number++; only < 0 || only == mine) {
            Triangle t;
            for (size_t c = 0; c < 3; ++c)
              t[c] = node(sheet, set, at[size_t(k[c])][0], at[size_t(k[c])][1], growth);
            if (sheet == Left) std::swap(t[1], t[2]);  // so that normals go on across the line
            growth.triangles.push_back(t);
          }
      }
  }
  /// Opens what is inside, and on the line.
  CrackGrowth opened(CrackGrowth growth, size_t count) const {
    for (const auto& [key, node] : mNodes) {
      const bool inside = std::abs(key[0]) < kCells && key[1] > 0 && key[1] < 2 * kCells && key[2] < kCells;
      const bool strip = key[4] == 1 && key[0] < 0;
      if (static_cast<size_t>(node) >= count && inside && !strip) growth.opened.push_back(node);
    }
    return growth;
  }
  std::map<std::array<int, 5>, int32_t> mNodes;  // by place, sheet and set
};

TEST(BemLaws, ThreeSheetsThatMeetAreTheSameWhicheverIsJoined) {
  ThreeSheets sheets;
  const auto a = sheets.jumps(ThreeSheets::Right, ThreeSheets::Above);
  const auto b = sheets.jumps(ThreeSheets::Above, ThreeSheets::Right);
  double most = 0, line = 0, off = 0;
  size_t compared = 0;
  for (const auto& [key, jump] : a) {
    const auto found = b.find(key);
    if (found == b.end()) continue;
    ++compared;
    most = std::max(most, jump.norm());
    if (key[0] == 0 && key[2] == 0) line = std::max(line, jump.norm());
    off = std::max(off, (jump - found->second).norm());
  }
  EXPECT_GT(compared, 40u);
  EXPECT_GT(line, 0.2 * most);  // it opens where they meet
  EXPECT_LT(off, 1e-7 * most);
}

TEST(BemLaws, RefusesWhatIsHeldPartly) {
  Context context;
  const Bar bar;
  for (const Fixed fixed : {Fixed{0, 1, 0}, Fixed{1, 0, 1}}) {
    BoundaryData data = bar.held({0, 1e6, 0}, {0, 0, 0});
    for (Fixed& f : data.fixed)
      if (f[0]) f = fixed;
    try {
      BemSystem(bar.surface, glass(), data, {}, context);
      FAIL();
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::BadInput);
      EXPECT_NE(std::string(e.what()).find("only partly"), std::string::npos) << e.what();
    }
  }
}

TEST(BemLaws, RefusesImpossibleBodies) {
  Context context;
  const Bar bar;
  const BoundaryData data = bar.held({0, 1e6, 0}, {0, 0, 0});
  EXPECT_THROW(BemSystem(bar.surface, {70e9, 0.5, 2500}, data, {}, context), Error);
  Mesh twins = box({0, 0, 0}, {1, 1, 1}, {1, 1, 1});
  append(twins, box({3, 0, 0}, {4, 1, 1}, {1, 1, 1}), false);
  const BemSurface two = surfaceOf(twins);
  EXPECT_THROW(BemSystem(two, glass(), BoundaryData(two.nodeCount(), two.triangleCount()), {}, context),
               Error);
}

}  // namespace
}  // namespace hackle
