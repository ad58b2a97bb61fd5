#include <hackle/core/error.h>
#include <hackle/fracture/voronoi/cvd_engine.h>
#include <hackle/volume/grid.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace hackle {

namespace {

/// False if the solid breaks whatever acts on it.
bool needsLoad(const CvdOptions& options) {
  return !options.energy && !(options.piecesBy == PiecesBy::Number && options.shape.granularity == 0);
}

double thresholdOf(const CvdOptions& options) {
  return options.threshold.value_or(options.piecesBy == PiecesBy::Learned ? options.model->threshold : 1.0);
}

size_t mostPieces(const CvdOptions& options, const LoadCase& load) {
  const size_t own =
      options.piecesBy == PiecesBy::Number ? std::numeric_limits<size_t>::max() : options.maxPieces;
  return std::max<size_t>(1, std::min(own, load.maxPieces.value_or(own)));
}

/// One fracture of one solid.
class CvdFracture {
 public:
  CvdFracture(const CvdOptions& options, const Solid& solid, const CvdState& state, const LoadCase& load,
              Context& context)
      : mOptions(options),
        mSolid(solid),
        mState(state),
        mLoad(placedLoad(solid, load)),
        mSeed(load.seed),
        mMost(mostPieces(options, load)),
        mStrict(load.maxPieces.has_value()),
        mContext(context) {}

  FractureResult run() {
    FractureResult result;
    if (needsLoad(mOptions) && mLoad.isNothing()) {
      result.pieces = wholePieces(mSolid, mOptions.cut, mContext);
      result.held = Held{HeldBy::NoLoad, std::nullopt, "the solid stays whole: nothing acts on it"};
    } else {
      const std::vector<double> energies = strain();
      CvdCells cells = findCells(energies, std::nullopt);
      result.pieces = cut(cells);
      while (mStrict && result.pieces.names.size() > mMost && cells.search.pieces > 1) {
        // Cells meet the solid in several places; fewer cells give fewer pieces.
        const size_t fewer = cells.search.pieces * mMost / result.pieces.names.size();
        cells = findCells(energies, std::max<size_t>(1, fewer));
        result.pieces = cut(cells);
      }
      warnOf(cells, result.pieces.names.size());
      if (result.pieces.contacts.empty()) result.held = held(cells, energies);
      report(result.report, cells);
    }
    result.states.resize(result.pieces.names.size());
    result.area = crackArea(result.pieces);
    return result;
  }

 private:
  const CvdBody& body() const { return mState.body(); }

  /// J per node.
  std::vector<double> strain() {
    const Context::Stage stage(mContext, "strain", 0.3);
    std::vector<double> densities(body().tetrahedra.size(), 1.0);
    if (!mOptions.energy) {
      if (mLoad.isNothing()) return nodeEnergies(body().points, body().tetrahedra, densities);
      CvdStrain strain = mState.strain(mLoad, mContext);
      mContacts = std::move(strain.contacts);
      return std::move(strain.energies);
    }
    for (size_t t = 0; t < densities.size(); ++t) {
      Vec3 middle = Vec3::Zero();
      for (const int32_t p : body().tetrahedra[t]) middle += 0.25 * body().points[p];
      densities[t] = std::max(0.0, sampleGrid(*mOptions.energy, middle));
    }
    return nodeEnergies(body().points, body().tetrahedra, densities);
  }

  /// As many as the options say, or `count`.
  CvdCells findCells(const std::vector<double>& energies, std::optional<size_t> count) {
    const Context::Stage stage(mContext, "cells", 0.1);
    CvdCellOptions options;
    options.energies = mState.energyOptions();
    if (mOptions.piecesBy == PiecesBy::Number) options.pieces = std::min(mOptions.pieces, mMost);
    if (mOptions.piecesBy == PiecesBy::Learned) options.pieces = learnedPieces(energies, options.energies);
    if (count) options.pieces = count;
    options.search.threshold = thresholdOf(mOptions);
    options.search.maximum = mMost;
    options.search.lloyd.seed = mSeed;
    options.connect = mOptions.shape.metric != Metric::Euclidean;
    return cvdCells(body(), energies, options, mContext);
  }

  size_t learnedPieces(const std::vector<double>& energies, const NodeEnergyOptions& options) {
    if (mOptions.model->fingerprint != embeddingFingerprint(body().embedding))
      throw Error(ErrorCode::BadInput, "the model was trained on another solid, lattice or metric",
                  "train it again with cvd_train and the same solid, cells, metric, stretch, waves and warp");
    const std::vector<double> breaking = breakingEnergies(body(), energies, options, mContext);
    bool beyond = false;
    mWholeEnergy = wholeEnergy(body().embedding, breaking);
    const double pieces =
        predictPieceCount(*mOptions.model, breaking, mWholeEnergy, thresholdOf(mOptions), &beyond);
    if (beyond)
      mContext.warn(
          "this hit is weaker or stronger than all that the model was trained with; the number of "
          "pieces is a guess: train it with lower or greater heights");
    return static_cast<size_t>(std::clamp(std::round(pieces), 1.0, static_cast<double>(mMost)));
  }

  FracturePieces cut(const CvdCells& cells) const {
    Cut cut = [&] {
      const Context::Stage stage(mContext, "tessellate", 0.2);
      return cutByCells(mSolid.geometry, mSolid.mesh, body(), cells, mContext);
    }();
    CutPieceOptions options = mOptions.cut;
    // Splinters where cells and tetrahedra nearly touch are no pieces.
    options.pieces.minVolume = std::max(options.pieces.minVolume,
                                        1e-3 * mSolid.mass.volume / static_cast<double>(cells.search.pieces));
    return piecesOfCut(mSolid, std::move(cut), options, mContext);
  }

  void warnOf(const CvdCells& cells, size_t pieces) const {
    if (cells.search.capped)
      mContext.warn(
          fmt::format("the threshold asks for more than {} pieces; raise max_pieces or gamma", mMost));
    if (pieces < cells.search.pieces)
      mContext.warn(
          fmt::format("{} of {} cells are smaller than the lattice resolves and gave no piece; "
                      "raise cells (now {:g}) for finer pieces",
                      cells.search.pieces - pieces, cells.search.pieces, mOptions.shape.cells));
    else
      warnOfCoarseCells(cells);
  }

  /// Cells of few lattice points have the lattice's faces, not their own.
  void warnOfCoarseCells(const CvdCells& cells) const {
    constexpr double kLeast = 20;  // points of a cell; below about that its edges are parallel to the axes
    std::vector<size_t> points(cells.search.cells.count(), 0);
    for (const int32_t label : cells.search.cells.labels) ++points[label];
    std::sort(points.begin(), points.end());
    const double few = static_cast<double>(points[points.size() / 10]);
    if (few >= kLeast || points.size() < 2) return;
    const double wanted = mOptions.shape.cells * std::cbrt(kLeast / std::max(few, 1.0));
    mContext.warn(fmt::format(
        "a tenth of the pieces is hardly larger than the lattice, whose outlines they have; raise cells "
        "(now {:g}) to about {:.0f}",
        mOptions.shape.cells, std::ceil(wanted)));
  }

  /// Why no crack opened.
  Held held(const CvdCells& cells, const std::vector<double>& energies) const {
    const double whole = mOptions.piecesBy == PiecesBy::Learned ? mWholeEnergy : cells.search.wholeEnergy;
    const double threshold = thresholdOf(mOptions);
    if (cells.search.pieces > 1)
      return {HeldBy::Resolution, std::nullopt,
              "the solid stays whole: its pieces would be smaller than the lattice resolves; raise cells"};
    if (!(cells.energy > 0))
      return {HeldBy::NoLoad, std::nullopt, "there is no strain energy in the solid: it stays whole"};
    if (mOptions.piecesBy == PiecesBy::Number || !(whole < threshold))
      return {HeldBy::Limit, std::nullopt,
              "the solid stays whole: no more than one piece is asked for; raise the number of pieces"};
    const double factor = std::pow(threshold / whole, loadExponent());
    return {
        HeldBy::Strength, factor,
        fmt::format("the solid stays whole: its energy {:.4g} J m^2 is below gamma, {:.4g}; a load {:.3g} "
                    "times as large would break it, and gamma {:.2g} would give about {} pieces",
                    whole, threshold, factor, energyOf(kUsualPieces, energies), kUsualPieces)};
  }

  static constexpr size_t kUsualPieces = 30;

  /// What that many pieces leave of the energy: the threshold that gives them, J m^2.
  double energyOf(size_t count, const std::vector<double>& energies) const {
    const std::vector<double> shaped = breakingEnergies(body(), energies, mState.energyOptions(), mContext);
    LloydOptions lloyd;
    lloyd.seed = mSeed;
    return centroidalCells(body().embedding, body().graph, shaped, count, lloyd, mContext).energy();
  }

  /// Loads go with this power of the energy. Energies go with the square of forces; the force of an impact
  /// goes with its impulse if the speed is given, and with J^(6/5) if the speed follows from the impulse.
  double loadExponent() const {
    const bool bySpeed = !mLoad.impacts.empty() && mLoad.forces.empty() && mLoad.spin.isZero(0) &&
                         std::none_of(mLoad.impacts.begin(), mLoad.impacts.end(),
                                      [](const Impact& impact) { return impact.speed.has_value(); });
    return bySpeed ? 5.0 / 12.0 : 0.5;
  }

  void report(Value& result, const CvdCells& cells) const {
    const bool learned = mOptions.piecesBy == PiecesBy::Learned;
    result.set("sites", cells.search.pieces);
    result.set("evaluations", cells.search.evaluations);
    result.set("iterations", cells.search.cells.iterations);
    result.set("strain_energy", cells.energy);
    result.set("energy_whole", learned ? mWholeEnergy : cells.search.wholeEnergy);
    result.set("energy_left", cells.search.cells.energy());
    result.set("dimensions", body().embedding.dimensions);
    result.set("tetrahedra", body().tetrahedra.size());
    result.set("nodes", body().points.size());
    result.set("moved_nodes", cells.connected.moved);
    if (mOptions.piecesBy != PiecesBy::Number) result.set("gamma", thresholdOf(mOptions));
    if (learned) result.set("model_error", mOptions.model->trainingError);
    Value contacts = Value::List();
    for (const Contact& c : mContacts) {
      Value contact = Value::Map();
      contact.set("duration", c.duration);
      contact.set("peak_force", c.peakForce);
      contact.set("speed", c.speed);
      contact.set("mass", c.mass);
      contacts.append(std::move(contact));
    }
    result.set("contacts", std::move(contacts));
  }

  const CvdOptions& mOptions;
  const Solid& mSolid;
  const CvdState& mState;
  CvdLoad mLoad;
  uint64_t mSeed;
  size_t mMost;
  bool mStrict;  // the load case limits pieces, not only cells
  Context& mContext;
  std::vector<Contact> mContacts;
  double mWholeEnergy = 0;  // J m^2, as the model saw it
};

}  // namespace

CvdEngine::CvdEngine(CvdOptions options) : mOptions(std::move(options)) {
  if (mOptions.piecesBy == PiecesBy::Learned && !mOptions.model)
    throw Error(ErrorCode::BadInput, "there is no model that predicts the number of pieces",
                "train one with cvd_train and give it on the input of models");
  if (mOptions.threshold && !(*mOptions.threshold > 0))
    throw Error(ErrorCode::Usage, "the threshold of energy (gamma) is not above 0");
  checkMaterial(mOptions.shape.material);
}

EngineStatePtr CvdEngine::prepare(const SolidPtr& solid, Context& context) const {
  const bool strained = needsLoad(mOptions);
  const auto state = std::make_shared<const CvdState>(
      solid, mOptions.shape, mOptions.bounded && strained && mOptions.piecesBy != PiecesBy::Number, context);
  if (strained) state->elastic(context);
  return state;
}

bool CvdEngine::mayBreak(const Solid& solid, const EngineState& state, const LoadCase& load) const {
  if (mostPieces(mOptions, load) <= 1) return false;
  if (mOptions.piecesBy == PiecesBy::Number && mOptions.pieces <= 1) return false;
  if (!needsLoad(mOptions)) return true;
  const CvdLoad placed = placedLoad(solid, load);
  if (placed.isNothing()) return false;
  if (mOptions.piecesBy == PiecesBy::Number) return true;
  const std::optional<double> bound = stateAs<CvdState>(state).wholeEnergyBound(placed);
  return !bound || !(*bound < thresholdOf(mOptions));
}

FractureResult CvdEngine::fracture(const Solid& solid, const EngineState& state, const LoadCase& load,
                                   Context& context) const {
  return CvdFracture(mOptions, solid, stateAs<CvdState>(state), load, context).run();
}

std::string CvdEngine::save(const EngineState& state) const { return stateAs<CvdState>(state).save(); }

EngineStatePtr CvdEngine::load(const SolidPtr& solid, std::string_view bytes, Context& context) const {
  return std::make_shared<const CvdState>(solid, mOptions.shape, bytes, context);
}

}  // namespace hackle
