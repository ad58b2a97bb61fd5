#include <hackle/fracture/impact/motion.h>

#include <hackle/core/parallel.h>
#include <hackle/core/pi.h>

#include <algorithm>
#include <cmath>

namespace hackle {

namespace {

constexpr double kMostSamples = 6000;
constexpr Eigen::Index kBlock = 32;  // samples that share bounds

double shortestContact(Span<const Strike> strikes) {
  double shortest = std::numeric_limits<double>::infinity();
  for (const Strike& s : strikes) shortest = std::min(shortest, s.pulse.duration());
  return shortest;
}

double longestContact(Span<const Strike> strikes) {
  double longest = 0;
  for (const Strike& s : strikes) longest = std::max(longest, s.pulse.duration());
  return longest;
}

}  // namespace

double resolvedHalfPeriods(const ModalBody& body, Span<const Strike> strikes) {
  return body.frequencies()[body.frequencies().size() - 1] * shortestContact(strikes) / kPi;
}

Motion::Motion(const ModalBody& body, Span<const Strike> strikes, const MotionOptions& options,
               Context& context)
    : mBody(body) {
  const Eigen::VectorXd& frequencies = body.frequencies();
  if (strikes.size() > 0) {
    const double limit = options.fastest * kPi / shortestContact(strikes);
    mModes = static_cast<size_t>(std::upper_bound(frequencies.begin(), frequencies.end(), limit) -
                                 frequencies.begin());
    const double slowest = 2 * kPi / frequencies[0];
    mWindow = longestContact(strikes) + slowest;
    // The contact itself wants samples, too, where only slow modes take part.
    double fastest = kPi / shortestContact(strikes);
    if (mModes > 0) fastest = std::max(fastest, frequencies[static_cast<Eigen::Index>(mModes) - 1]);
    const double whole = mWindow + options.extra;
    mStep = std::max(2 * kPi / fastest / options.samplesPerPeriod, whole / kMostSamples);
    mAmplitudes.resize(static_cast<Eigen::Index>(mModes + strikes.size() + (options.steady.size() > 0)),
                       static_cast<Eigen::Index>(std::ceil(whole / mStep)) + 1);
  } else {
    mStep = 1;
    mAmplitudes.resize(options.steady.size() > 0, 1);
  }
  sampleModes(strikes, options.damping, context);
  addCorrections(strikes, options.steady, context);
  boundBlocks();
}

void Motion::sampleModes(Span<const Strike> strikes, const RayleighDamping& damping, Context& context) {
  const size_t count = samples();
  Eigen::MatrixXf rates(static_cast<Eigen::Index>(mModes), static_cast<Eigen::Index>(count));
  parallelFor(context, mModes, 4, [&](size_t m) {
    const auto i = static_cast<Eigen::Index>(m);
    const double omega = mBody.frequencies()[i], xi = damping.ratio(omega);
    for (size_t s = 0; s < count; ++s) {
      const auto column = static_cast<Eigen::Index>(s);
      mAmplitudes(i, column) = 0;
      rates(i, column) = 0;
    }
    for (const Strike& strike : strikes) {
      const double scale = strike.shares[i] * strike.impulse, duration = strike.pulse.duration();
      const FreeStep step(omega, xi, mStep);
      OscillatorState state;
      bool isFree = false;
      for (size_t s = 0; s < count; ++s) {
        const double t = mStep * static_cast<double>(s);
        // In closed form during the contact and once after it, then step by step.
        state = isFree ? step(state) : strike.pulse.response(omega, xi, t);
        isFree = t >= duration;
        mAmplitudes(i, static_cast<Eigen::Index>(s)) += static_cast<float>(scale * state.q);
        rates(i, static_cast<Eigen::Index>(s)) += static_cast<float>(scale * state.v);
      }
    }
  });
  mEnergies.assign(count, 0);
  for (size_t s = 0; s < count; ++s)
    for (size_t m = 0; m < mModes; ++m) {
      const auto i = static_cast<Eigen::Index>(m), column = static_cast<Eigen::Index>(s);
      const double q = mAmplitudes(i, column), v = rates(i, column), omega = mBody.frequencies()[i];
      mEnergies[s] += 0.5 * (v * v + omega * omega * q * q);
    }
}

void Motion::addCorrections(Span<const Strike> strikes, const Eigen::VectorXd& steady, Context& context) {
  const auto modes = static_cast<Eigen::Index>(mModes),
             rows = static_cast<Eigen::Index>(6 * mBody.points().size());
  const auto extra = static_cast<Eigen::Index>(columns()) - modes;
  mCorrectionRows.resize(rows, extra);
  const auto frequencies = mBody.frequencies().head(modes);
  for (size_t k = 0; k < strikes.size(); ++k) {
    const Strike& strike = strikes[k];
    // What the modes that vibrate give statically is in them already.
    const Eigen::VectorXf within =
        (strike.shares.head(modes).array() / frequencies.array().square()).matrix().cast<float>();
    const Eigen::VectorXf statically = mBody.shapes().leftCols(modes) * within;
    mCorrectionRows.col(static_cast<Eigen::Index>(k)) =
        mBody.pointStresses(strike.deformation - statically.cast<double>(), context);
    for (size_t s = 0; s < samples(); ++s)
      mAmplitudes(modes + static_cast<Eigen::Index>(k), static_cast<Eigen::Index>(s)) =
          static_cast<float>(strike.impulse * strike.pulse.force(mStep * static_cast<double>(s)));
  }
  for (size_t k = 0; k < strikes.size(); ++k)
    for (size_t l = 0; l < strikes.size(); ++l) {
      double compliance = strikes[k].load.dot(strikes[l].deformation);
      for (Eigen::Index i = 0; i < modes; ++i)
        compliance -= strikes[k].shares[i] * strikes[l].shares[i] / (frequencies[i] * frequencies[i]);
      for (size_t s = 0; s < samples(); ++s) {
        const auto column = static_cast<Eigen::Index>(s);
        mEnergies[s] += 0.5 * compliance *
                        static_cast<double>(mAmplitudes(modes + static_cast<Eigen::Index>(k), column)) *
                        static_cast<double>(mAmplitudes(modes + static_cast<Eigen::Index>(l), column));
      }
    }
  if (steady.size() == 0) return;
  mCorrectionRows.col(extra - 1) = mBody.pointStresses(steady, context);
  mAmplitudes.row(mAmplitudes.rows() - 1).setOnes();
  const double stored = 0.5 * steady.dot(mBody.body().stiffness().times(steady, context).col(0));
  for (double& energy : mEnergies) energy += stored;
}

Motion::Between Motion::between(double time) const {
  const double at = std::clamp(time / mStep, 0.0, static_cast<double>(samples() - 1));
  const auto last = static_cast<Eigen::Index>(samples()) - 1;
  const auto first = std::min(static_cast<Eigen::Index>(at), last), next = std::min(first + 1, last);
  const auto x = static_cast<float>(at - static_cast<double>(first));
  if (first == 0 || next == last) return {{first, first, next, next}, {0, 1 - x, x, 0}};
  // The cubic through four samples: to 0.2 % of an amplitude with 12 samples per period.
  return {{first - 1, first, next, next + 1},
          {-x * (x - 1) * (x - 2) / 6, (x + 1) * (x - 1) * (x - 2) / 2, -(x + 1) * x * (x - 2) / 2,
           (x + 1) * x * (x - 1) / 6}};
}

Eigen::VectorXf Motion::amplitudesAt(double time) const {
  const auto [s, w] = between(time);
  return w[0] * mAmplitudes.col(s[0]) + w[1] * mAmplitudes.col(s[1]) + w[2] * mAmplitudes.col(s[2]) +
         w[3] * mAmplitudes.col(s[3]);
}

double Motion::energyAt(double time) const {
  const double at = std::clamp(time / mStep, 0.0, static_cast<double>(samples() - 1));
  const size_t first = static_cast<size_t>(at), next = std::min(first + 1, samples() - 1);
  const double part = at - static_cast<double>(first);
  return (1 - part) * mEnergies[first] + part * mEnergies[next];
}

double Motion::largestEnergy() const { return *std::max_element(mEnergies.begin(), mEnergies.end()); }

Mat3 Motion::stressAt(const LatticePlace& place, double time) const {
  const Eigen::VectorXf amplitudes = amplitudesAt(time);
  const auto modes = static_cast<Eigen::Index>(mModes), extra = amplitudes.size() - modes;
  Eigen::Matrix<float, 6, 1> sum = Eigen::Matrix<float, 6, 1>::Zero();
  for (size_t k = 0; k < 4; ++k) {
    if (place.weights[k] == 0) continue;
    const Eigen::Index row = 6 * static_cast<Eigen::Index>(place.points[k]);
    Eigen::Matrix<float, 6, 1> one = mCorrectionRows.middleRows<6>(row) * amplitudes.tail(extra);
    one.noalias() += mBody.stressRows().block(row, 0, 6, modes) * amplitudes.head(modes);
    sum += static_cast<float>(place.weights[k]) * one;
  }
  return stressTensor(sum.cast<double>());
}

Mat3 Motion::stressAtFlaw(const FlawRows& flaws, size_t flaw, double time) const {
  const auto [s, w] = between(time);
  const auto amplitude = [&, s = s, w = w](Eigen::Index row) {
    return w[0] * mAmplitudes(row, s[0]) + w[1] * mAmplitudes(row, s[1]) + w[2] * mAmplitudes(row, s[2]) +
           w[3] * mAmplitudes(row, s[3]);
  };
  StressVector extra = StressVector::Zero();
  for (Eigen::Index c = 0; c < mCorrectionRows.cols(); ++c)
    extra += static_cast<double>(amplitude(static_cast<Eigen::Index>(mModes) + c)) *
             atPlace(mCorrectionRows, flaws.places[flaw], c);
  StressComponents sum = flaws.componentsOf(flaw, extra);
  const float* row = flaws.rows.data() + flaws.starts[flaw];
  for (size_t m = 0; m < mModes; ++m, row += sum.count) {
    const float q = amplitude(static_cast<Eigen::Index>(m));
    for (size_t k = 0; k < sum.count; ++k) sum.values[k] += row[k] * q;
  }
  return flaws.tensorOf(flaw, sum.values.data());
}

std::optional<double> Motion::firstTension(const LatticePlace& place, const Vec3& v, double needed,
                                           double from, double until) const {
  const auto modes = static_cast<Eigen::Index>(mModes), extra = static_cast<Eigen::Index>(columns()) - modes;
  Eigen::Matrix<float, 1, 6> pull;
  pull << static_cast<float>(v.x() * v.x()), static_cast<float>(v.y() * v.y()),
      static_cast<float>(v.z() * v.z()), static_cast<float>(2 * v.y() * v.z()),
      static_cast<float>(2 * v.x() * v.z()), static_cast<float>(2 * v.x() * v.y());
  Eigen::RowVectorXf row = Eigen::RowVectorXf::Zero(modes + extra);
  for (size_t k = 0; k < 4; ++k) {
    const Eigen::Index at = 6 * static_cast<Eigen::Index>(place.points[k]);
    const Eigen::Matrix<float, 1, 6> weighted = static_cast<float>(place.weights[k]) * pull;
    row.head(modes).noalias() += weighted * mBody.stressRows().block(at, 0, 6, modes);
    row.tail(extra).noalias() += weighted * mCorrectionRows.middleRows<6>(at);
  }
  return firstReach(row, needed, from, until);
}

std::optional<double> Motion::firstTensionAtFlaw(const FlawRows& flaws, size_t flaw, const Vec3& v,
                                                 double needed, double from, double until) const {
  const auto modes = static_cast<Eigen::Index>(mModes), extra = static_cast<Eigen::Index>(columns()) - modes;
  const StressComponents pulls = flaws.pullsOf(flaw, v);
  const auto pulled = [&](const float* components) {
    float sum = 0;
    for (size_t k = 0; k < pulls.count; ++k) sum += pulls.values[k] * components[k];
    return sum;
  };
  Eigen::RowVectorXf row(modes + extra);
  const float* stresses = flaws.rows.data() + flaws.starts[flaw];
  for (Eigen::Index m = 0; m < modes; ++m, stresses += pulls.count) row[m] = pulled(stresses);
  for (Eigen::Index c = 0; c < extra; ++c)
    row[modes + c] =
        pulled(flaws.componentsOf(flaw, atPlace(mCorrectionRows, flaws.places[flaw], c)).values.data());
  return firstReach(row, needed, from, until);
}

void Motion::boundBlocks() {
  const auto modes = static_cast<Eigen::Index>(mModes), extra = static_cast<Eigen::Index>(columns()) - modes;
  const auto blocks = (static_cast<Eigen::Index>(samples()) + kBlock - 1) / kBlock;
  mBlockBounds.setZero(1 + extra, blocks);
  const Eigen::VectorXf omega = frequencies().cast<float>();
  for (Eigen::Index s = 0; s < static_cast<Eigen::Index>(samples()); ++s) {
    auto bounds = mBlockBounds.col(s / kBlock);
    bounds[0] = std::max(bounds[0], omega.cwiseProduct(mAmplitudes.col(s).head(modes)).norm());
    bounds.tail(extra) = bounds.tail(extra).cwiseMax(mAmplitudes.col(s).tail(extra).cwiseAbs());
  }
}

std::optional<double> Motion::firstReach(const Eigen::RowVectorXf& row, double needed, double from,
                                         double until) const {
  const auto modes = static_cast<Eigen::Index>(mModes), extra = static_cast<Eigen::Index>(columns()) - modes;
  Eigen::RowVectorXf bound(1 + extra);
  bound[0] = row.head(modes).cwiseQuotient(frequencies().cast<float>().transpose()).norm();
  bound.tail(extra) = row.tail(extra).cwiseAbs();
  const auto last = std::min(static_cast<Eigen::Index>(samples()),
                             static_cast<Eigen::Index>(std::max(0.0, std::ceil(until / mStep))));
  auto first = static_cast<Eigen::Index>(std::ceil(from / mStep));
  while (first < last) {
    const Eigen::Index block = first / kBlock, end = std::min(kBlock * (block + 1), last);
    if (1.0001 * static_cast<double>(bound * mBlockBounds.col(block)) >= needed) {
      const Eigen::RowVectorXf tensions = row * mAmplitudes.middleCols(first, end - first);
      for (Eigen::Index s = 0; s < tensions.size(); ++s)
        if (static_cast<double>(tensions[s]) >= needed) return mStep * static_cast<double>(first + s);
    }
    first = end;
  }
  return {};
}

}  // namespace hackle
