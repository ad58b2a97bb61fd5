#include <hackle/core/archive.h>
#include <hackle/core/random.h>
#include <hackle/fracture/voronoi/degree_drops.h>
#include <hackle/io/file.h>
#include <hackle/ops/catalogue.h>
#include <hackle/ops/cvd_setup.h>
#include <hackle/render/scatter_plot.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace hackle {

namespace {

struct CvdTrainOptions {
  int orientations = 64;
  double lowest = 0.5;   // m
  double highest = 3.0;  // m
  int heights = 6;
  int repeats = 3;
  int heldOut = 18;
  std::optional<double> threshold;
  int pieces = 20;
  int maxPieces = 500;
  double pcaError = 0.02;
  int centres = 90;
  double error = 0.03;
  int seed = 0;
  std::string cache;
  CvdSetupOptions setup;
};

enum InputIndex : size_t { kSolid, kFragility, kWarp };

/// From lowest to highest, by equal factors.
std::vector<double> dropHeights(const CvdTrainOptions& options) {
  if (!(options.highest >= options.lowest))
    throw Error(ErrorCode::Usage,
                fmt::format("highest ({} m) is below lowest ({} m)", options.highest, options.lowest));
  std::vector<double> heights;
  for (int i = 0; i < options.heights; ++i) {
    const double t = options.heights == 1 ? 0.5 : static_cast<double>(i) / (options.heights - 1);
    heights.push_back(options.lowest * std::pow(options.highest / options.lowest, t));
  }
  return heights;
}

/// A file an orientation in a folder.
ExampleStore folderStore(const std::string& folder, Context& context) {
  if (folder.empty()) return {};
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  if (failure)
    throw Error(ErrorCode::Io, fmt::format("cannot make the folder {}: {}", folder, failure.message()),
                "give another cache");
  const auto path = [folder](const std::string& name) {
    return std::filesystem::path(folder) / (name + ".drop");
  };
  ExampleStore store;
  store.load = [path](const std::string& name) -> std::optional<std::string> {
    std::ifstream in(path(name), std::ios::binary);
    if (!in) return std::nullopt;
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  store.save = [path, &context](const std::string& name, const std::string& bytes) {
    writeBytes(path(name), bytes, context);
  };
  return store;
}

class Training {
 public:
  Training(const Inputs& inputs, const CvdTrainOptions& options, Context& context)
      : mOptions(options), mContext(context), mSetup(inputs, {kFragility, kWarp}, options.setup, context) {}

  Outputs run() {
    mDrops.heights = dropHeights(mOptions);
    mSetup.prepareBody(mContext);
    mSetup.prepareStrain(mContext);
    prepareDrops();
    const ExampleStore store = folderStore(mOptions.cache, mContext);
    const DropExamples training = drop(static_cast<size_t>(mOptions.orientations), 1, "train", 0.6, store);
    const DegreeModel model = learn(training.examples);
    const DropExamples heldOut = drop(static_cast<size_t>(mOptions.heldOut), 2, "test", 0.15, store);
    const double error = meanRelativeError(model, heldOut.examples);

    Outputs outputs;
    const std::string bytes = writeDegreeModel(model);
    outputs.items = {Blob{"degree", std::vector<uint8_t>(bytes.begin(), bytes.end())},
                     plot(model, heldOut.examples, error)};
    report(outputs.result, model, training, heldOut, error);
    return outputs;
  }

 private:
  void prepareDrops() {
    mDrops.repeats = static_cast<size_t>(mOptions.repeats);
    const NodeEnergyOptions shaping = mSetup.energyOptions();
    mDrops.energies = [this, shaping](const Impact& impact, Context& context) {
      const std::vector<double> energies = mSetup.strain(Span<const Impact>(&impact, 1), nullptr, context);
      return breakingEnergies(mSetup.body(), energies, shaping, context);
    };
    mDrops.degree.maximum = static_cast<size_t>(mOptions.maxPieces);
    mDrops.degree.lloyd.seed = static_cast<uint64_t>(mOptions.seed);
    // What the energies depend on shows in the energies themselves: those of one drop stand for it.
    const std::vector<double> one = energiesOf(Vec3::UnitY(), 1.0);
    mDrops.fingerprint = checksum64({reinterpret_cast<const char*>(one.data()), one.size() * sizeof(double)},
                                    embeddingFingerprint(mSetup.body().embedding));
    mDrops.degree.threshold = mOptions.threshold ? *mOptions.threshold : usualThreshold();
  }

  std::vector<double> energiesOf(const Vec3& up, double height) {
    const Impact impact =
        dropImpact(mSetup.mesh(), mSetup.mass(), mOptions.setup.material.density, {up, height});
    return mDrops.energies(impact, mContext);
  }

  /// The gamma with which a drop from a middle height gives about `pieces` pieces.
  double usualThreshold() {
    std::vector<double> left;
    const double height = mDrops.heights[mDrops.heights.size() / 2];
    for (const Vec3& up : dropDirections(9, static_cast<uint64_t>(mOptions.seed)))
      left.push_back(centroidalCells(mSetup.body().embedding, mSetup.body().graph, energiesOf(up, height),
                                     static_cast<size_t>(mOptions.pieces), mDrops.degree.lloyd, mContext)
                         .energy());
    std::nth_element(left.begin(), left.begin() + 4, left.end());
    if (!(left[4] > 0))
      throw Error(ErrorCode::Failed, "drops leave no strain energy to learn from",
                  "raise the heights or cells, or lower pieces");
    return left[4];
  }

  DropExamples drop(size_t count, uint64_t stream, const char* stage, double share,
                    const ExampleStore& store) {
    const Context::Stage scope(mContext, stage, share);
    mDrops.directions = dropDirections(count, mixBits(static_cast<uint64_t>(mOptions.seed)) + stream);
    return dropExamples(mSetup.mesh(), mSetup.mass(), mOptions.setup.material.density,
                        mSetup.body().embedding, mSetup.body().graph, mDrops, store, mContext);
  }

  DegreeModel learn(const std::vector<DegreeExample>& examples) {
    const Context::Stage scope(mContext, "learn", 0.05);
    DegreeModelOptions options;
    options.pcaError = mOptions.pcaError;
    options.maxCentres = static_cast<size_t>(mOptions.centres);
    options.targetError = mOptions.error;
    const DegreeModel model = trainDegreeModel(
        examples, mDrops.degree.threshold, embeddingFingerprint(mSetup.body().embedding), options, mContext);
    const auto capped = std::count_if(examples.begin(), examples.end(),
                                      [&](const DegreeExample& e) { return e.degree >= mOptions.maxPieces; });
    if (capped > 0)
      mContext.warn(fmt::format("{} of {} drops reach max_pieces ({}); raise it or gamma", capped,
                                examples.size(), mOptions.maxPieces));
    if (model.largestDegree < 2)
      mContext.warn(fmt::format("no drop breaks the solid; lower gamma ({:.4g}) or raise the heights",
                                mDrops.degree.threshold));
    return model;
  }

  Image plot(const DegreeModel& model, const std::vector<DegreeExample>& examples, double error) const {
    std::vector<Vec2> points;
    for (const DegreeExample& e : examples)
      points.push_back({e.degree, predictDegree(model, e.energies, e.wholeEnergy, model.threshold)});
    ScatterOptions options;
    options.title = "Learned against computed degree";
    options.note = fmt::format("{} drops in orientations that were held out: mean relative error {:.1f} %",
                               examples.size(), 100 * error);
    options.xLabel = "computed pieces";
    options.yLabel = "learned pieces";
    options.logarithmic = true;
    return scatterPlot(points, options);
  }

  void report(Value& result, const DegreeModel& model, const DropExamples& training,
              const DropExamples& heldOut, double error) const {
    result.set("examples", training.examples.size());
    result.set("from_cache", training.loaded + heldOut.loaded);
    result.set("gamma", model.threshold);
    result.set("components", static_cast<size_t>(model.components.cols()));
    result.set("pca_error", model.pcaError);
    result.set("centres", static_cast<size_t>(model.centres.rows()));
    result.set("training_error", model.trainingError);
    result.set("held_out", heldOut.examples.size());
    result.set("held_out_error", error);
    result.set("nodes", mSetup.body().points.size());
    result.set("tetrahedra", mSetup.body().tetrahedra.size());
    // Degree over height, as figure 8 of the paper: means over the orientations of both sets.
    Value rows = Value::List();
    for (size_t h = 0; h < mDrops.heights.size(); ++h) {
      double trained = 0, computed = 0, learned = 0;
      size_t count = 0, tests = 0;
      for (size_t i = h; i < training.examples.size(); i += mDrops.heights.size(), ++count)
        trained += training.examples[i].degree;
      for (size_t i = h; i < heldOut.examples.size(); i += mDrops.heights.size(), ++tests) {
        const DegreeExample& e = heldOut.examples[i];
        computed += e.degree;
        learned += predictDegree(model, e.energies, e.wholeEnergy, model.threshold);
      }
      Value row = Value::Map();
      row.set("height", mDrops.heights[h]);
      row.set("training_degree", trained / static_cast<double>(std::max<size_t>(count, 1)));
      row.set("held_out_degree", computed / static_cast<double>(std::max<size_t>(tests, 1)));
      row.set("held_out_learned", learned / static_cast<double>(std::max<size_t>(tests, 1)));
      rows.append(std::move(row));
    }
    result.set("by_height", std::move(rows));
  }

  const CvdTrainOptions& mOptions;
  Context& mContext;
  CvdSetup mSetup;
  DropOptions mDrops;
};

Outputs train(const Inputs& inputs, const CvdTrainOptions& options, Context& context) {
  return Training(inputs, options, context).run();
}

void addDropRows(ParameterTable<CvdTrainOptions>& table) {
  table.section("Drops");
  table.add(&CvdTrainOptions::orientations, "orientations", "Orientations")
      .unit("none")
      .hard(1, 100000)
      .soft(8, 256)
      .help("In how many orientations the solid is dropped.");
  table.add(&CvdTrainOptions::lowest, "lowest", "Lowest Drop")
      .unit("m")
      .hard(1e-6, 1e6)
      .soft(0.1, 10)
      .help("Smallest height of a drop on hard ground.");
  table.add(&CvdTrainOptions::highest, "highest", "Highest Drop")
      .unit("m")
      .hard(1e-6, 1e6)
      .soft(0.1, 20)
      .help("Greatest height of a drop.");
  table.add(&CvdTrainOptions::heights, "heights", "Heights")
      .unit("none")
      .hard(1, 100)
      .soft(1, 10)
      .help("How many heights, from the lowest to the highest, for every orientation.");
  table.add(&CvdTrainOptions::repeats, "repeats", "Repeats")
      .unit("none")
      .hard(1, 100)
      .soft(1, 5)
      .help("Random starts of the search in each drop; the number of pieces is their mean.");
  table.add(&CvdTrainOptions::heldOut, "held_out", "Held Out")
      .unit("none")
      .hard(0, 100000)
      .soft(0, 64)
      .help("Further orientations that only test the model.");
  table.add(&CvdTrainOptions::cache, "cache", "Cache Folder")
      .as(ParameterType::File)
      .help("Folder that keeps every orientation that was computed: a run that was stopped goes on there.");
}

ParameterTable<CvdTrainOptions> parameters() {
  ParameterTable<CvdTrainOptions> table;
  addDropRows(table);
  table.section("Model");
  table.add(&CvdTrainOptions::threshold, "gamma", "Threshold")
      .unit("J m^2")
      .hard(1e-30, 1e30)
      .soft(1e-6, 1)
      .help(
          "Energy that a piece may keep, as in cvd. Not given: the one that gives a usual drop its pieces.");
  table.add(&CvdTrainOptions::pieces, "pieces", "Usual Pieces")
      .unit("none")
      .hard(2, 10000)
      .soft(2, 100)
      .help("Pieces of a drop from a middle height; sets the threshold if that is not given.");
  table.add(&CvdTrainOptions::maxPieces, "max_pieces", "Most Pieces")
      .unit("none")
      .hard(2, 100000)
      .soft(2, 2000)
      .help("The search for a number of pieces ends here.");
  table.add(&CvdTrainOptions::pcaError, "pca_error", "Component Error")
      .unit("none")
      .range(0, 1)
      .help("Share of the variance of the strain energies that principal components may leave out.");
  table.add(&CvdTrainOptions::centres, "centres", "Most Centres")
      .unit("none")
      .hard(0, 10000)
      .soft(0, 200)
      .help("Of the network's radial functions, at most.");
  table.add(&CvdTrainOptions::error, "error", "Error Goal")
      .unit("none")
      .range(0, 1)
      .help("Mean relative error on the drops at which no more centres are added.");
  table.add(&CvdTrainOptions::seed, "seed", "Seed")
      .unit("none")
      .hard(0, 2147483647)
      .soft(0, 100)
      .help("Another seed gives other orientations and starts.");
  table.include(&CvdTrainOptions::setup, cvdSetupTable());
  return table;
}

}  // namespace

Operator cvdTrainOperator() {
  Operator op;
  op.id = "cvd_train";
  op.label = "CVD Train";
  op.summary = "Learn into how many pieces hits break a solid, for cvd with degree learned";
  op.help =
      "Drops the solid from several heights in many orientations, computes for each drop how it strains the "
      "solid and into how many pieces cvd would break it by its threshold, and learns the number of pieces "
      "from "
      "the strain energy: principal components, then a network of radial functions by orthogonal least "
      "squares. "
      "cvd takes the model on its last input and needs no search any more.\n\n"
      "The model belongs to the solid and to cells, metric, stretch, waves and warp: give cvd the same. It "
      "serves "
      "every gamma and every kind of hit, as long as the energies are within those of the drops.\n\n"
      "The second output is a plot of the learned against the computed number of pieces, for orientations "
      "that "
      "were held out. The report has the errors, and the pieces by height. With a cache folder, a run that "
      "was "
      "stopped goes on where it was.";
  op.category = "Fracture";
  op.examples = {"cvd_train horse.obj -o horse.degree -o learned.png --cells 14 --cache drops"};
  op.inputs = {
      {"geometry", "Solid", "A closed surface. What can be repaired with certainty is, with a warning."},
      cvdFragilityPort(),
      cvdWarpPort()};
  op.outputs = {
      {"model", "Model", "For the last input of cvd.", PortType::Blob},
      {"plot", "Plot", "Learned against computed pieces of held-out drops.", PortType::Image, true}};
  op.bind(parameters(), train);
  return op;
}

}  // namespace hackle
