#include <hackle/core/wanted_outputs.h>
#include <hackle/fracture/voronoi/cvd_training.h>
#include <hackle/io/file.h>
#include <hackle/ops/catalogue.h>
#include <hackle/ops/cvd_shape_table.h>
#include <hackle/render/scatter_plot.h>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace hackle {

namespace {

struct CvdTrainOptions {
  CvdTrainingOptions training;
  std::string cache;
  CvdShape shape;
  MaterialOptions material;
};

enum InputIndex : size_t { kSolid, kFragility, kWarp };

/// One file per orientation in a folder.
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

Image plot(const CvdTraining& training) {
  std::vector<Vec2> points;
  for (const PieceCountExample& e : training.heldOut.examples)
    points.push_back(
        {e.pieces, predictPieceCount(training.model, e.energies, e.wholeEnergy, training.model.threshold)});
  ScatterOptions options;
  options.title = "Learned against computed number of pieces";
  options.note = fmt::format("{} drops in orientations that were held out: mean relative error {:.1f} %",
                             points.size(), 100 * training.heldOutError);
  options.xLabel = "computed pieces";
  options.yLabel = "learned pieces";
  options.logarithmic = true;
  return scatterPlot(points, options);
}

/// Pieces over height, as figure 8 of [Schvartzman14]: means over the orientations of both sets.
Value piecesByHeight(const CvdTraining& training) {
  const PieceCountModel& model = training.model;
  const size_t heights = training.heights.size();
  // Examples of one height are `heights` apart.
  const auto mean = [&](const std::vector<PieceCountExample>& examples, size_t first, const auto& number) {
    double sum = 0;
    size_t count = 0;
    for (size_t i = first; i < examples.size(); i += heights, ++count) sum += number(examples[i]);
    return sum / static_cast<double>(std::max<size_t>(count, 1));
  };
  const auto computed = [](const PieceCountExample& e) { return e.pieces; };
  const auto learned = [&](const PieceCountExample& e) {
    return predictPieceCount(model, e.energies, e.wholeEnergy, model.threshold);
  };
  Value rows = Value::List();
  for (size_t h = 0; h < heights; ++h) {
    Value row = Value::Map();
    row.set("height", training.heights[h]);
    row.set("training_pieces", mean(training.learned.examples, h, computed));
    row.set("held_out_pieces", mean(training.heldOut.examples, h, computed));
    row.set("held_out_learned", mean(training.heldOut.examples, h, learned));
    rows.append(std::move(row));
  }
  return rows;
}

Value report(const CvdTraining& training, const CvdState& state) {
  Value result = Value::Map();
  result.set("examples", training.learned.examples.size());
  result.set("from_cache", training.learned.loaded + training.heldOut.loaded);
  result.set("gamma", training.model.threshold);
  result.set("components", static_cast<size_t>(training.model.components.cols()));
  result.set("pca_error", training.model.pcaError);
  result.set("centres", static_cast<size_t>(training.model.centres.rows()));
  result.set("training_error", training.model.trainingError);
  result.set("held_out", training.heldOut.examples.size());
  result.set("held_out_error", training.heldOutError);
  result.set("nodes", state.body().points.size());
  result.set("tetrahedra", state.body().tetrahedra.size());
  result.set("by_height", piecesByHeight(training));
  return result;
}

Outputs train(const Inputs& inputs, const CvdTrainOptions& options, Context& context) {
  const ExampleStore store = folderStore(options.cache, context);
  const CvdState state(solidOf(inputs.geometry(kSolid), context),
                       cvdShape(options.shape, options.material, inputs, kFragility, kWarp), false, context);
  const CvdTraining training = trainCvd(state, options.training, store, context);
  const std::string bytes = writePieceCountModel(training.model);
  Outputs outputs({Blob{"cvdmodel", std::vector<uint8_t>(bytes.begin(), bytes.end())}, Item()},
                  report(training, state));
  if (isOutputWanted(context, 1)) outputs.items[1] = plot(training);
  return outputs;
}

ParameterTable<CvdTrainingOptions> dropRows() {
  ParameterTable<CvdTrainingOptions> table;
  table.section("Drops");
  table.add(&CvdTrainingOptions::orientations, "orientations", "Orientations")
      .unit("none")
      .hard(1, 100000)
      .soft(8, 256)
      .help("Number of orientations in which the solid is dropped.");
  table.add(&CvdTrainingOptions::lowest, "lowest", "Lowest Drop")
      .unit("m")
      .hard(1e-6, 1e6)
      .soft(0.1, 10)
      .help("Smallest height from which the solid is dropped on hard ground.");
  table.add(&CvdTrainingOptions::highest, "highest", "Highest Drop")
      .unit("m")
      .hard(1e-6, 1e6)
      .soft(0.1, 20)
      .help("Greatest height from which the solid is dropped.");
  table.add(&CvdTrainingOptions::heights, "heights", "Heights")
      .unit("none")
      .hard(1, 100)
      .soft(1, 10)
      .help("Number of heights from the lowest to the highest, for every orientation.");
  table.add(&CvdTrainingOptions::repeats, "repeats", "Repeats")
      .unit("none")
      .hard(1, 100)
      .soft(1, 5)
      .help("Random starts of the search in each drop; the number of pieces is their mean.");
  table.add(&CvdTrainingOptions::heldOut, "held_out", "Held Out")
      .unit("none")
      .hard(0, 100000)
      .soft(0, 64)
      .help("Further orientations that only test the model.");
  return table;
}

ParameterTable<PieceCountModelOptions> fitRows() {
  ParameterTable<PieceCountModelOptions> table;
  table.section("Model");
  table.add(&PieceCountModelOptions::pcaError, "pca_error", "Component Error")
      .unit("none")
      .range(0, 1)
      .help("Share of the variance of the strain energies that principal components may leave out.");
  table.add(&PieceCountModelOptions::maxCentres, "centres", "Most Centres")
      .unit("none")
      .hard(0, 10000)
      .soft(0, 200)
      .help("Greatest number of radial functions of the network.");
  table.add(&PieceCountModelOptions::targetError, "error", "Error Goal")
      .unit("none")
      .range(0, 1)
      .help("Centres are added until the mean relative error on the drops is below this.");
  return table;
}

ParameterTable<CvdTrainingOptions> modelRows() {
  ParameterTable<CvdTrainingOptions> table;
  table.section("Model");
  table.add(&CvdTrainingOptions::threshold, "gamma", "Threshold")
      .unit("J m^2")
      .hard(1e-30, 1e30)
      .soft(1e-6, 1)
      .help(
          "Energy that may be left, as in cvd. Not given: the value by which a usual drop gives its pieces.");
  table.add(&CvdTrainingOptions::pieces, "pieces", "Usual Pieces")
      .unit("none")
      .hard(2, 10000)
      .soft(2, 100)
      .help("Number of pieces of a drop from a middle height; sets the threshold if that is not given.");
  table.add(&CvdTrainingOptions::maxPieces, "max_pieces", "Most Pieces")
      .unit("none")
      .hard(2, 100000)
      .soft(2, 2000)
      .help("The search for a number of pieces ends here.");
  table.include(&CvdTrainingOptions::model, fitRows());
  table.add(&CvdTrainingOptions::seed, "seed", "Seed")
      .unit("none")
      .hard(0, 2147483647)
      .soft(0, 100)
      .help("Another seed gives other orientations and starts.");
  return table;
}

ParameterTable<CvdTrainOptions> parameters() {
  ParameterTable<CvdTrainOptions> table;
  table.include(&CvdTrainOptions::training, dropRows());
  table.section("Drops");
  table.add(&CvdTrainOptions::cache, "cache", "Cache Folder")
      .as(ParameterType::File)
      .help(
          "Folder that keeps every orientation that was computed: a run that was stopped continues from it.");
  table.include(&CvdTrainOptions::training, modelRows());
  table.include(&CvdTrainOptions::shape, cvdShapeTable());
  table.include(&CvdTrainOptions::material, elasticTable());
  return table;
}

}  // namespace

Operator cvdTrainOperator() {
  Operator op;
  op.id = "cvd_train";
  op.label = "CVD Train";
  op.summary = "Learn into how many pieces hits break a solid, for cvd with pieces by a learned model";
  op.help =
      "Drops the solid from several heights in many orientations, computes for each drop how it strains the "
      "solid and into how many pieces cvd would break it by its threshold, and learns the number of pieces "
      "from the strain energy: principal components, then a network of radial functions by orthogonal least "
      "squares. cvd takes the model on its last input and no longer needs to search for the number.\n\n"
      "The model belongs to the solid and to cells, metric, stretch, waves and warp: give cvd the same. It "
      "serves every gamma and every kind of hit, as long as the energies are within those of the drops.\n\n"
      "The second output is a plot of the learned against the computed number of pieces, for orientations "
      "that were held out. The report has the errors, and the pieces by height. With a cache folder, a run "
      "that was stopped continues where it was.";
  op.category = "Fracture";
  op.examples = {"cvd_train horse.obj -o horse.cvdmodel -o learned.png --cells 14 --cache drops"};
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
