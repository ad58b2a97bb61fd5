#include <hackle/fracture/impact/flaw_initiation.h>

#include <hackle/core/memo.h>
#include <hackle/core/parallel.h>
#include <hackle/mechanics/stress.h>
#include <hackle/meshing/lattice/tet_locator.h>
#include <hackle/meshing/surface/surface_distance.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

namespace hackle {

namespace {

constexpr size_t kBlock = 16;       // samples of one product
constexpr double kBetween = 1.045;  // at most of a peak between samples over those beside it; 12 per period

/// Whether the largest principal stress is at least R: R I - s is then not positive definite.
bool reaches(const Mat3& s, double R) {
  const double a = R - s(0, 0), b = R - s(1, 1), c = R - s(2, 2);
  const double d = -s(1, 2), e = -s(0, 2), f = -s(0, 1);
  const double minor = a * b - f * f;
  const double det = a * (b * c - d * d) - f * (f * c - d * e) + e * (f * d - b * e);
  return !(a > 0 && minor > 0 && det > 0);
}

double largestPrincipal(const Mat3& s) { return principalStress(s).values[0]; }

/// The parabola through three samples, and what it says of the time around the second.
struct SamplePeak {
  double value;  // at its top, or of the second sample if the top is not near it
  double at;     // of the top, in steps from the second sample
  double curve;  // half of the second difference, below 0 at a top
};

SamplePeak peakBetween(double before, double here, double after) {
  const double curve = 0.5 * (before + after) - here, slope = 0.5 * (after - before);
  if (!(curve < 0) || here < before || here < after) return {here, 0, 0};
  // Kinks are no parabolas: no more than a sine of 12 samples per period hides.
  return {std::min(here - 0.25 * slope * slope / curve, kBetween * here), -0.5 * slope / curve, curve};
}

/// Steps from the second sample at which the stress first reaches the strength; not set if it does not.
std::optional<double> firstReach(double before, double here, double after, double strength) {
  if (here >= strength) {
    if (before >= strength) return -1.0;
    return -(here - strength) / (here - before);
  }
  const SamplePeak peak = peakBetween(before, here, after);
  if (!(peak.value >= strength)) return {};
  return std::max(-1.0, peak.at - std::sqrt(std::max(0.0, (strength - peak.value) / peak.curve)));
}

/// Norm of a stress as a tensor, which is no less than any principal stress.
template <class Vector>
double tensorNorm(const Vector& s) {
  return std::sqrt(
      static_cast<double>(s.template head<3>().squaredNorm() + 2 * s.template tail<3>().squaredNorm()));
}

}  // namespace

size_t FlawRows::bytes() const {
  return bytesOf(flaws) + bytesOf(places) + bytesOf(tetrahedra) + bytesOf(bounds) +
         sizeof(float) * static_cast<size_t>(rows.size());
}

FlawRows flawRows(const ModalBody& body, std::vector<Flaw> flaws, Context& context) {
  FlawRows result;
  result.flaws = std::move(flaws);
  const size_t count = result.flaws.size();
  result.places.resize(count);
  result.tetrahedra.assign(count, -1);
  result.bounds.resize(count);
  result.rows.resize(static_cast<Eigen::Index>(6 * count), static_cast<Eigen::Index>(body.modes()));
  const TetLocator locator(body.points(), body.tetrahedra(), context);
  const Eigen::ArrayXf inverse = body.frequencies().cast<float>().array().inverse();
  parallelFor(context, count, 32, [&](size_t i) {
    const std::optional<TetPlace> at = locator.find(result.flaws[i].position);
    if (!at) return;  // rounding at the cage; such a flaw never fails
    result.tetrahedra[i] = at->tetrahedron;
    result.places[i] = {body.tetrahedra()[at->tetrahedron], at->weights};
    const auto row = static_cast<Eigen::Index>(6 * i);
    result.rows.middleRows<6>(row).setZero();
    for (size_t k = 0; k < 4; ++k)
      result.rows.middleRows<6>(row) +=
          static_cast<float>(at->weights[k]) *
          body.stressRows().middleRows<6>(6 * static_cast<Eigen::Index>(result.places[i].points[k]));
    double sum = 0;
    for (Eigen::Index m = 0; m < result.rows.cols(); ++m) {
      const double one = tensorNorm(Eigen::Matrix<float, 6, 1>(result.rows.block<6, 1>(row, m))) *
                         static_cast<double>(inverse[m]);
      sum += one * one;
    }
    result.bounds[i] = static_cast<float>(std::sqrt(sum) * (1 + 1e-5));
  });
  return result;
}

std::vector<Flaw> uniformFlaws(const ModalBody& body, const Solid& solid, double strength,
                               const PaintedFactor& paint, Context& context) {
  std::vector<uint8_t> filled(body.points().size(), 0);
  for (size_t t = 0; t < body.tetrahedra().size(); ++t)
    if (body.parts()[t].share > 0)
      for (const int32_t p : body.tetrahedra()[t]) filled[p] = 1;
  const SurfaceDistance distance(solid.mesh, context);
  std::vector<Flaw> all(body.points().size());
  parallelFor(context, all.size(), 64, [&](size_t p) {
    const Vec3& x = body.points()[p];
    if (!filled[p]) return;
    all[p].position = distance.inside(x) ? x : solid.bvh.closestPoint(x).point;
    all[p].strength = strength * (paint ? paint(all[p].position) : 1.0);
  });
  std::vector<Flaw> flaws;
  for (const Flaw& flaw : all)
    if (flaw.strength > 0) flaws.push_back(flaw);
  return flaws;
}

namespace {

/// Above 0: tension along the grain counts less. Below 0: tension across it does.
Mat3 grainWeight(const Grain& grain) {
  const Mat3 along = grain.direction * grain.direction.transpose();
  return grain.bias > 0 ? Mat3(Mat3::Identity() - grain.bias * along)
                        : Mat3((1 + grain.bias) * Mat3::Identity() - grain.bias * along);
}

}  // namespace

Mat3 Grain::apply(const Mat3& stress) const {
  if (bias == 0) return stress;
  const Mat3 weight = grainWeight(*this);
  return weight * stress * weight;
}

Vec3 Grain::apply(const Vec3& normal) const { return bias == 0 ? normal : Vec3(grainWeight(*this) * normal); }

namespace {

/// Stresses of one flaw, block by block of samples.
class FlawScan {
 public:
  FlawScan(const FlawRows& flaws, const Motion& motion, const Grain& grain, Context& context)
      : mFlaws(flaws), mMotion(motion), mGrain(grain), mModes(static_cast<Eigen::Index>(motion.modes())) {
    mSamples =
        std::min(motion.samples(), static_cast<size_t>(std::ceil(motion.window() / motion.step())) + 1);
    findCorrections(context);
    findBlockBounds();
  }

  size_t blocks() const { return mModalRoot.size(); }
  Eigen::Index firstOf(size_t block) const { return static_cast<Eigen::Index>(block * kBlock); }
  Eigen::Index widthOf(size_t block) const {
    return static_cast<Eigen::Index>(std::min(kBlock, mSamples - block * kBlock));
  }
  /// Largest principal stresses of the samples of a block, with one more on either side; those before the
  /// first and after the last sample repeat these. Only what can reach `strength` is exact, the rest is 0.
  struct Row {
    std::array<double, kBlock + 2> values;
    double operator[](Eigen::Index sample) const { return values[static_cast<size_t>(sample + 1)]; }
  };
  /// Pa that no stress of the flaw exceeds within a block, at samples and between them. A grain never adds to
  /// stress.
  double bound(size_t flaw, size_t block) const {
    const auto i = static_cast<Eigen::Index>(flaw), b = static_cast<Eigen::Index>(block);
    return kBetween * static_cast<double>(mFlaws.bounds[flaw] * mModalRoot[block] +
                                          mCorrectionNorms.row(i).dot(mLargest.col(b)));
  }
  using Stresses = Eigen::Matrix<float, 6, Eigen::Dynamic>;
  void evaluate(size_t flaw, size_t block, double strength, Stresses& stresses, Row& row) const {
    const auto at = static_cast<Eigen::Index>(6 * flaw), samples = static_cast<Eigen::Index>(mSamples);
    const Eigen::Index first = std::max<Eigen::Index>(firstOf(block) - 1, 0);
    const Eigen::Index last = std::min(firstOf(block) + widthOf(block), samples - 1);
    const Eigen::MatrixXf& amplitudes = mMotion.amplitudes();
    stresses = mFlaws.rows.block(at, 0, 6, mModes) * amplitudes.block(0, first, mModes, last - first + 1);
    stresses += mCorrections.middleRows<6>(at) *
                amplitudes.block(mModes, first, mCorrections.cols(), last - first + 1);
    std::array<bool, kBlock + 2> near{};
    const auto tensor = [&](Eigen::Index s) {
      return mGrain.apply(stressTensor(stresses.col(s).cast<double>()));
    };
    for (Eigen::Index s = 0; s < stresses.cols(); ++s)
      near[static_cast<size_t>(s)] = reaches(tensor(s), strength / kBetween);
    row.values.fill(0);
    const Eigen::Index shift = firstOf(block) - first;  // 1, or 0 for the first block
    for (Eigen::Index s = 0; s < stresses.cols(); ++s) {
      const auto k = static_cast<size_t>(s);
      if (near[k] || (k > 0 && near[k - 1]) || (k + 1 < near.size() && near[k + 1]))
        row.values[static_cast<size_t>(s + 1 - shift)] = largestPrincipal(tensor(s));
    }
    if (shift == 0) row.values[0] = row.values[1];
    if (firstOf(block) + widthOf(block) == samples)
      row.values[static_cast<size_t>(widthOf(block)) + 1] = row.values[static_cast<size_t>(widthOf(block))];
  }

 private:
  /// The static parts at the flaws.
  void findCorrections(Context& context) {
    const size_t count = mFlaws.flaws.size();
    const auto extra = static_cast<Eigen::Index>(mMotion.columns()) - mModes;
    mCorrections = Eigen::MatrixXf::Zero(static_cast<Eigen::Index>(6 * count), extra);
    mCorrectionNorms = Eigen::MatrixXf::Zero(static_cast<Eigen::Index>(count), extra);
    parallelFor(context, count, 128, [&](size_t i) {
      if (mFlaws.tetrahedra[i] < 0) return;
      const auto row = static_cast<Eigen::Index>(6 * i);
      const LatticePlace& place = mFlaws.places[i];
      for (size_t k = 0; k < 4; ++k)
        mCorrections.middleRows<6>(row) +=
            static_cast<float>(place.weights[k]) *
            mMotion.correctionRows().middleRows<6>(6 * static_cast<Eigen::Index>(place.points[k]));
      for (Eigen::Index c = 0; c < extra; ++c)
        mCorrectionNorms(static_cast<Eigen::Index>(i), c) =
            static_cast<float>(tensorNorm(Eigen::Matrix<float, 6, 1>(mCorrections.block<6, 1>(row, c))));
    });
  }

  void findBlockBounds() {
    const auto extra = mCorrections.cols();
    mModalRoot.assign((mSamples + kBlock - 1) / kBlock, 0);
    mLargest = Eigen::MatrixXf::Zero(extra, static_cast<Eigen::Index>(mModalRoot.size()));
    for (size_t s = 0; s < mSamples; ++s) {
      float& root = mModalRoot[s / kBlock];
      root = std::max(root, static_cast<float>(std::sqrt(mMotion.modalStrain()[s])));
      auto column = mLargest.col(static_cast<Eigen::Index>(s / kBlock));
      column = column.cwiseMax(mMotion.amplitudes().col(static_cast<Eigen::Index>(s)).tail(extra).cwiseAbs());
    }
  }

  const FlawRows& mFlaws;
  const Motion& mMotion;
  const Grain& mGrain;
  Eigen::Index mModes;
  size_t mSamples;
  Eigen::MatrixXf mCorrections, mCorrectionNorms, mLargest;
  std::vector<float> mModalRoot;
};

/// Largest stress over strength when no flaw fails: those with the largest bounds first.
double largestLoad(const FlawScan& scan, const FlawRows& flaws, Context& context) {
  struct Candidate {
    double bound;
    int32_t flaw, block;
  };
  std::vector<Candidate> candidates;
  for (size_t i = 0; i < flaws.flaws.size(); ++i)
    for (size_t b = 0; b < scan.blocks(); ++b)
      candidates.push_back(
          {scan.bound(i, b) / flaws.flaws[i].strength, static_cast<int32_t>(i), static_cast<int32_t>(b)});
  std::sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
    return a.bound != b.bound ? a.bound > b.bound : std::tie(a.flaw, a.block) < std::tie(b.flaw, b.block);
  });
  double largest = 0;
  FlawScan::Stresses stresses;
  FlawScan::Row row;
  for (const Candidate& c : candidates) {
    if (c.bound <= largest) break;
    context.checkCancel();
    const size_t flaw = static_cast<size_t>(c.flaw), block = static_cast<size_t>(c.block);
    if (flaws.tetrahedra[flaw] < 0) continue;
    scan.evaluate(flaw, block, largest * flaws.flaws[flaw].strength, stresses, row);
    for (Eigen::Index s = 0; s < scan.widthOf(block); ++s)
      largest =
          std::max(largest, peakBetween(row[s - 1], row[s], row[s + 1]).value / flaws.flaws[flaw].strength);
  }
  return largest;
}

}  // namespace

Failures findFailures(const FlawRows& flaws, const Motion& motion, const Grain& grain, double factor,
                      Context& context) {
  const FlawScan scan(flaws, motion, grain, context);
  const size_t count = flaws.flaws.size();
  struct Found {
    double time = -1;
    size_t tested = 0;
  };
  std::vector<Found> found(count);
  parallelFor(context, count, 64, [&](size_t i) {
    if (flaws.tetrahedra[i] < 0) return;
    const double strength = flaws.flaws[i].strength / factor;
    Found& mine = found[i];
    FlawScan::Stresses stresses;
    FlawScan::Row row;
    for (size_t b = 0; b < scan.blocks() && mine.time < 0; ++b) {
      if (scan.bound(i, b) < strength) continue;
      scan.evaluate(i, b, strength, stresses, row);
      mine.tested += static_cast<size_t>(scan.widthOf(b));
      for (Eigen::Index s = 0; s < scan.widthOf(b) && mine.time < 0; ++s)
        if (const auto at = firstReach(row[s - 1], row[s], row[s + 1], strength))
          mine.time = motion.step() * std::max(0.0, static_cast<double>(scan.firstOf(b) + s) + *at);
    }
  });
  Failures failures;
  for (size_t i = 0; i < count; ++i) {
    failures.tested += found[i].tested;
    if (found[i].time >= 0) failures.first.push_back({static_cast<int32_t>(i), found[i].time});
  }
  std::sort(failures.first.begin(), failures.first.end(), [](const Failure& a, const Failure& b) {
    return a.time != b.time ? a.time < b.time : a.flaw < b.flaw;
  });
  if (failures.first.empty()) failures.largestLoad = factor * largestLoad(scan, flaws, context);
  return failures;
}

}  // namespace hackle
