#include <hackle/core/archive.h>
#include <hackle/core/error.h>
#include <hackle/core/random.h>
#include <hackle/fracture/voronoi/cvd_training.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace hackle {

namespace {

/// From lowest to highest, by equal factors.
std::vector<double> dropHeights(const CvdTrainingOptions& options) {
  if (!(options.highest >= options.lowest))
    throw Error(ErrorCode::Usage,
                fmt::format("highest ({} m) is below lowest ({} m)", options.highest, options.lowest));
  std::vector<double> heights;
  for (size_t i = 0; i < options.heights; ++i) {
    const double t =
        options.heights == 1 ? 0.5 : static_cast<double>(i) / static_cast<double>(options.heights - 1);
    heights.push_back(options.lowest * std::pow(options.highest / options.lowest, t));
  }
  return heights;
}

class Training {
 public:
  Training(const CvdState& state, const CvdTrainingOptions& options, Context& context)
      : mState(state), mOptions(options), mContext(context) {
    mDrops.heights = dropHeights(options);
    mDrops.repeats = options.repeats;
    mDrops.energies = [&state, shaping = state.energyOptions()](const Impact& impact, Context& own) {
      CvdLoad load;
      load.impacts = {impact};
      return breakingEnergies(state.body(), state.strain(load, own).energies, shaping, own);
    };
    mDrops.search.maximum = options.maxPieces;
    mDrops.search.lloyd.seed = options.seed;
    state.elastic(context);  // on all threads, before drops ask for it on one each
    // What the energies depend on shows in the energies themselves: those of one drop stand for it.
    const std::vector<double> one = energiesOf(Vec3::UnitY(), 1.0);
    mDrops.fingerprint = checksum64({reinterpret_cast<const char*>(one.data()), one.size() * sizeof(double)},
                                    embeddingFingerprint(state.body().embedding));
    mDrops.search.threshold = options.threshold ? *options.threshold : usualThreshold();
  }

  CvdTraining run(const ExampleStore& store) {
    CvdTraining training;
    training.heights = mDrops.heights;
    training.learned = drop(mOptions.orientations, 1, "train", 0.6, store);
    training.model = learn(training.learned.examples);
    training.heldOut = drop(mOptions.heldOut, 2, "test", 0.15, store);
    training.heldOutError = meanRelativeError(training.model, training.heldOut.examples);
    return training;
  }

 private:
  std::vector<double> energiesOf(const Vec3& up, double height) {
    const Solid& solid = mState.solid();
    return mDrops.energies(dropImpact(solid.mesh, solid.mass, mState.density(), {up, height}), mContext);
  }

  /// The gamma with which a drop from a middle height gives about `pieces` pieces: the median of nine.
  double usualThreshold() {
    constexpr size_t kDrops = 9;
    std::vector<double> left;
    const double height = mDrops.heights[mDrops.heights.size() / 2];
    for (const Vec3& up : dropDirections(kDrops, mOptions.seed))
      left.push_back(centroidalCells(mState.body().embedding, mState.body().graph, energiesOf(up, height),
                                     mOptions.pieces, mDrops.search.lloyd, mContext)
                         .energy());
    std::nth_element(left.begin(), left.begin() + kDrops / 2, left.end());
    const double median = left[kDrops / 2];
    if (!(median > 0))
      throw Error(ErrorCode::Failed, "drops leave no strain energy to learn from",
                  "raise the heights or cells, or lower pieces");
    return median;
  }

  DropExamples drop(size_t count, uint64_t stream, const char* stage, double share,
                    const ExampleStore& store) {
    const Context::Stage scope(mContext, stage, share);
    const Solid& solid = mState.solid();
    mDrops.directions = dropDirections(count, mixBits(mOptions.seed) + stream);
    return dropExamples(solid.mesh, solid.mass, mState.density(), mState.body().embedding,
                        mState.body().graph, mDrops, store, mContext);
  }

  PieceCountModel learn(const std::vector<PieceCountExample>& examples) {
    const Context::Stage scope(mContext, "learn", 0.05);
    const PieceCountModel model =
        trainPieceCountModel(examples, mDrops.search.threshold, embeddingFingerprint(mState.body().embedding),
                             mOptions.model, mContext);
    const auto capped = std::count_if(examples.begin(), examples.end(), [&](const PieceCountExample& e) {
      return e.pieces >= static_cast<double>(mOptions.maxPieces);
    });
    if (capped > 0)
      mContext.warn(fmt::format("{} of {} drops reach max_pieces ({}); raise it or gamma", capped,
                                examples.size(), mOptions.maxPieces));
    if (model.mostPieces < 2)
      mContext.warn(fmt::format("no drop breaks the solid; lower gamma ({:.4g}) or raise the heights",
                                mDrops.search.threshold));
    return model;
  }

  const CvdState& mState;
  const CvdTrainingOptions& mOptions;
  Context& mContext;
  DropOptions mDrops;
};

}  // namespace

CvdTraining trainCvd(const CvdState& state, const CvdTrainingOptions& options, const ExampleStore& store,
                     Context& context) {
  return Training(state, options, context).run(store);
}

}  // namespace hackle
