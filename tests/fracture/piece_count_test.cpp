#include <hackle/core/error.h>
#include <hackle/core/random.h>
#include <hackle/fracture/voronoi/drop_examples.h>

#include <gtest/gtest.h>
#include <shapes.h>

#include <atomic>
#include <map>
#include <mutex>

namespace hackle {
namespace {

/// Nodes on a grid in a unit cube, with edges along the axes through tetrahedra.
struct Grid {
  std::vector<Vec3> points;
  std::vector<Tetrahedron> tetrahedra;
  Context context;
  NodeGraph graph;
  Embedding embedding;
  explicit Grid(int n) {
    const auto at = [&](int i, int j, int k) { return (i * (n + 1) + j) * (n + 1) + k; };
    for (int i = 0; i <= n; ++i)
      for (int j = 0; j <= n; ++j)
        for (int k = 0; k <= n; ++k) points.push_back(Vec3(i, j, k) / n);
    const int orders[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        for (int k = 0; k < n; ++k)
          for (const auto& order : orders) {
            std::array<int, 3> x{i, j, k};
            Tetrahedron t{at(i, j, k), 0, 0, 0};
            for (size_t s = 0; s < 3; ++s) {
              ++x[order[s]];
              t[s + 1] = at(x[0], x[1], x[2]);
            }
            tetrahedra.push_back(t);
          }
    graph = NodeGraph(points.size(), tetrahedra, context);
    embedding = euclideanEmbedding(points);
  }
  /// Energy around a place, falling off with distance.
  std::vector<double> energies(const Vec3& place, double size) const {
    std::vector<double> e;
    for (const Vec3& p : points) e.push_back(size / (0.05 + (p - place).squaredNorm()));
    return e;
  }
};

std::vector<PieceCountExample> randomExamples(const Grid& grid, size_t count, uint64_t seed) {
  std::vector<PieceCountExample> examples;
  for (size_t i = 0; i < count; ++i) {
    Random random(seed, i);
    PieceCountExample e;
    const Vec3 place(random.uniform(), random.uniform(), random.uniform());
    e.energies = grid.energies(place, std::exp(random.uniform(0, 2)));
    e.wholeEnergy = wholeEnergy(grid.embedding, e.energies);
    e.pieces = std::exp(0.8 * std::log(e.wholeEnergy) + 0.3 * place.x());
    examples.push_back(e);
  }
  return examples;
}

TEST(PieceCountModel, WholeEnergyIsThatOfOneCell) {
  const Grid grid(4);
  const std::vector<double> e = grid.energies({0.2, 0.7, 0.5}, 3);
  Context context;
  EXPECT_NEAR(wholeEnergy(grid.embedding, e) /
                  centroidalCells(grid.embedding, grid.graph, e, 1, {}, context).energy(),
              1, 1e-12);
  EXPECT_EQ(wholeEnergy(grid.embedding, std::vector<double>(e.size(), 0.0)), 0);
}

TEST(PieceCountModel, ComponentsKeepTheBoundAndAreOrthonormal) {
  const Grid grid(5);
  Context context;
  const auto examples = randomExamples(grid, 60, 1);
  Eigen::Index previous = 0;
  for (const double bound : {0.2, 0.02, 0.002}) {
    PieceCountModelOptions options;
    options.pcaError = bound;
    const PieceCountModel model = trainPieceCountModel(examples, 1.0, 7, options, context);
    EXPECT_LE(model.pcaError, bound);
    EXPECT_GT(model.components.cols(), previous);
    previous = model.components.cols();
    const Eigen::MatrixXd gram = model.components.transpose() * model.components;
    EXPECT_LT((gram - Eigen::MatrixXd::Identity(previous, previous)).norm(), 1e-9);
    // The bound is what projection leaves of the examples.
    double left = 0, total = 0;
    for (const PieceCountExample& e : examples) {
      Eigen::VectorXd x(model.mean.size());
      double sum = 0;
      for (const double w : e.energies) sum += w;
      for (Eigen::Index i = 0; i < x.size(); ++i) x[i] = std::sqrt(e.energies[i] / sum);
      x -= model.mean;
      total += x.squaredNorm();
      left += (x - model.components * (model.components.transpose() * x)).squaredNorm();
    }
    EXPECT_NEAR(left / total, model.pcaError, 1e-9);
  }
}

TEST(PieceCountModel, LearnsASmoothLawAndKeepsItOnOthers) {
  const Grid grid(5);
  Context context;
  const PieceCountModel model = trainPieceCountModel(randomExamples(grid, 120, 1), 1.0, 7, {}, context);
  EXPECT_LT(model.trainingError, 0.04);
  EXPECT_LT(meanRelativeError(model, randomExamples(grid, 60, 2)), 0.06);
  EXPECT_NEAR(model.trend, 0.8, 0.1);
}

TEST(PieceCountModel, IsExactForAFunctionOfItsOwnKind) {
  // log N is a multiple of log E_D: two terms, no centre.
  const Grid grid(4);
  Context context;
  auto examples = randomExamples(grid, 40, 3);
  for (PieceCountExample& e : examples) e.pieces = 2 * std::pow(e.wholeEnergy, 0.7);
  const PieceCountModel model = trainPieceCountModel(examples, 1.0, 7, {}, context);
  EXPECT_EQ(model.centres.rows(), 0);
  EXPECT_LT(model.trainingError, 1e-10);
  EXPECT_NEAR(model.slope, 0.7, 1e-10);
}

TEST(PieceCountModel, KnowsEveryThreshold) {
  // N depends on W / gamma alone.
  const Grid grid(4);
  Context context;
  const auto examples = randomExamples(grid, 40, 3);
  const PieceCountModel model = trainPieceCountModel(examples, 1.0, 7, {}, context);
  for (const PieceCountExample& e : examples) {
    std::vector<double> doubled = e.energies;
    for (double& w : doubled) w *= 2;
    EXPECT_NEAR(predictPieceCount(model, doubled, 2 * e.wholeEnergy, 2.0),
                predictPieceCount(model, e.energies, e.wholeEnergy, 1.0), 1e-9);
  }
  bool beyond = false;
  const PieceCountExample& e = examples[0];
  EXPECT_EQ(predictPieceCount(model, e.energies, e.wholeEnergy, 2 * e.wholeEnergy), 1);
  EXPECT_GT(predictPieceCount(model, e.energies, e.wholeEnergy, 1e-6, &beyond), 10);
  EXPECT_TRUE(beyond);
}

TEST(PieceCountModel, IsTheSameAfterAFileAndRefusesBadOnes) {
  const Grid grid(4);
  Context context;
  const auto examples = randomExamples(grid, 40, 3);
  const PieceCountModel model = trainPieceCountModel(examples, 1.5, 7, {}, context);
  const std::string bytes = writePieceCountModel(model);
  const PieceCountModel again = readPieceCountModel(bytes);
  EXPECT_EQ(writePieceCountModel(again), bytes);
  EXPECT_EQ(again.trainingError, model.trainingError);
  for (const PieceCountExample& e : examples)
    EXPECT_EQ(predictPieceCount(again, e.energies, e.wholeEnergy, 1.5),
              predictPieceCount(model, e.energies, e.wholeEnergy, 1.5));
  EXPECT_THROW(readPieceCountModel("nothing"), Error);
  EXPECT_THROW(readPieceCountModel(bytes.substr(0, bytes.size() / 2)), Error);
  EXPECT_THROW(predictPieceCount(model, std::vector<double>(3, 1.0), 1, 1), Error);
  EXPECT_THROW(trainPieceCountModel(Span<const PieceCountExample>(examples.data(), 2), 1, 7, {}, context),
               Error);
}

TEST(Drops, HitTheLowestPointAgainstTheFall) {
  Context context;
  const TriangleMesh mesh = triangleMesh(shapes::box({0, 0, 0}, {1, 2, 3}));
  const MassProperties body = massProperties(mesh, context);
  const Impact corner = dropImpact(mesh, body, 1000, {Vec3(3, 1, 1).normalized(), 2});
  EXPECT_LT(corner.position.norm(), 1e-12);
  EXPECT_NEAR(*corner.speed, std::sqrt(2 * 9.81 * 2), 1e-12);
  const Impact face = dropImpact(mesh, body, 1000, {Vec3(0, 1, 0), 2});
  EXPECT_LT((face.position - Vec3(0.5, 0, 1.5)).norm(), 1e-12);
  EXPECT_NEAR(face.impulse, 2 * 6000 * std::sqrt(2 * 9.81 * 2), 1e-8);
  EXPECT_LT(corner.impulse, face.impulse);
  EXPECT_NEAR(dropImpact(mesh, body, 1000, {Vec3(0, 1, 0), 8}).impulse / face.impulse, 2, 1e-12);
}

TEST(Drops, DirectionsAreSpreadEvenly) {
  const auto directions = dropDirections(500, 3);
  Vec3 mean = Vec3::Zero();
  Mat3 second = Mat3::Zero();
  for (const Vec3& d : directions) {
    EXPECT_NEAR(d.norm(), 1, 1e-12);
    mean += d / 500;
    second += d * d.transpose() / 500;
  }
  EXPECT_LT(mean.norm(), 0.03);
  EXPECT_LT((second - Mat3::Identity() / 3).norm(), 0.03);
  EXPECT_EQ(dropDirections(10, 3)[9], directions[9]);
  EXPECT_NE(dropDirections(10, 4)[9], directions[9]);
}

/// Drops of a box whose energies crowd around the hit.
struct DropCase {
  Grid grid{5};
  TriangleMesh mesh = triangleMesh(shapes::box());
  MassProperties body = massProperties(mesh, grid.context);
  DropOptions options;
  std::atomic<int> computed{0};
  DropCase() {
    options.directions = dropDirections(6, 1);
    options.heights = {0.5, 1, 2};
    options.repeats = 2;
    options.search.threshold = 500;
    options.energies = [this](const Impact& impact, Context&) {
      ++computed;
      return grid.energies(impact.position, std::pow(impact.impulse, 2.4) * 1e-7);
    };
  }
  DropExamples run(const ExampleStore& store, int threads) {
    Context context;
    context.setThreads(threads);
    return dropExamples(mesh, body, 1000, grid.embedding, grid.graph, options, store, context);
  }
};

TEST(Drops, DegreeRisesWithHeight) {
  DropCase drops;
  const DropExamples result = drops.run({}, 2);
  ASSERT_EQ(result.examples.size(), 18u);
  for (size_t i = 0; i < 18; i += 3) {
    EXPECT_LE(result.examples[i].pieces, result.examples[i + 1].pieces);
    EXPECT_LE(result.examples[i + 1].pieces, result.examples[i + 2].pieces);
    EXPECT_LT(result.examples[i].pieces, result.examples[i + 2].pieces);
    EXPECT_EQ(result.examples[i].orientation, static_cast<int32_t>(i / 3));
  }
}

TEST(Drops, GoOnWhereTheyWereStoppedAndDoNotDependOnThreads) {
  DropCase drops;
  std::map<std::string, std::string> files;
  std::mutex mutex;
  ExampleStore store;
  store.load = [&](const std::string& name) -> std::optional<std::string> {
    std::lock_guard<std::mutex> lock(mutex);
    const auto found = files.find(name);
    return found == files.end() ? std::nullopt : std::optional<std::string>(found->second);
  };
  store.save = [&](const std::string& name, const std::string& bytes) {
    std::lock_guard<std::mutex> lock(mutex);
    files[name] = bytes;
  };
  const DropExamples first = drops.run(store, 4);
  EXPECT_EQ(files.size(), 6u);
  EXPECT_EQ(first.loaded, 0u);
  // Two are lost, one of them by damage.
  files.erase(files.begin());
  files.begin()->second.resize(100);
  drops.computed = 0;
  const DropExamples second = drops.run(store, 1);
  EXPECT_EQ(second.loaded, 4u);
  EXPECT_EQ(drops.computed, 6);
  ASSERT_EQ(second.examples.size(), first.examples.size());
  for (size_t i = 0; i < first.examples.size(); ++i) {
    EXPECT_EQ(first.examples[i].pieces, second.examples[i].pieces);
    EXPECT_EQ(first.examples[i].energies, second.examples[i].energies);
  }
  // Another threshold is another set.
  drops.options.search.threshold = 800;
  EXPECT_EQ(drops.run(store, 2).loaded, 0u);
}

TEST(Drops, StopWhenAsked) {
  DropCase drops;
  Context context;
  drops.options.directions = dropDirections(2000, 1);
  const auto energies = drops.options.energies;
  drops.options.energies = [&](const Impact& impact, Context& own) {
    if (drops.computed > 10) context.cancel();
    return energies(impact, own);
  };
  try {
    dropExamples(drops.mesh, drops.body, 1000, drops.grid.embedding, drops.grid.graph, drops.options, {},
                 context);
    ADD_FAILURE() << "was not cancelled";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::Cancelled);
  }
  EXPECT_LT(drops.computed, 100);
}

}  // namespace
}  // namespace hackle
