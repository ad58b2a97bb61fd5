// How a body vibrates after strikes: amplitudes of its modes over time, and the stress and energy that go
// with them.
#pragma once

#include <hackle/fracture/impact/stress_history.h>
#include <hackle/fracture/impact/strike.h>

#include <vector>

namespace hackle {

/// C = alpha K + beta M: mode i has the damping ratio (alpha omega_i + beta / omega_i) / 2.
struct RayleighDamping {
  double alpha = 0;  // s
  double beta = 0;   // 1/s
  double ratio(double omega) const { return 0.5 * (alpha * omega + beta / omega); }
};

struct MotionOptions {
  RayleighDamping damping;
  double samplesPerPeriod = 12;  // of the fastest mode that takes part
  double fastest = 8;            // modes of more half periods in the shortest contact answer statically
  double extra = 0;              // s, beyond the contact and the slowest period
  Eigen::VectorXd steady;        // m, deformation that lasts; empty: none
};

/// Stress is linear in amplitudes: those of the modes, of the strikes' forces (static correction) and of what
/// lasts. Amplitudes are kept at equal steps of time.
class Motion : public StressHistory {
 public:
  Motion(const ModalBody& body, Span<const Strike> strikes, const MotionOptions& options, Context& context);

  size_t samples() const { return static_cast<size_t>(mAmplitudes.cols()); }
  double step() const override { return mStep; }  // s
  double end() const { return mStep * static_cast<double>(samples() - 1); }
  /// s until which failure is looked for: the contact and the slowest period after it.
  double window() const override { return mWindow; }
  size_t modes() const { return mModes; }  // that vibrate; the others answer statically
  /// rad/s, of these.
  Eigen::VectorXd frequencies() const { return mBody.frequencies().head(static_cast<Eigen::Index>(mModes)); }
  size_t columns() const { return static_cast<size_t>(mAmplitudes.rows()); }
  /// columns() x samples().
  const Eigen::MatrixXf& amplitudes() const { return mAmplitudes; }
  /// Cubic between samples, linear next to the first and last one, constant after that.
  Eigen::VectorXf amplitudesAt(double time) const;

  /// J that cracks could use: vibration and what is stored statically; README eq. 7.
  double energyAt(double time) const override;
  double largestEnergy() const override;

  /// Pa, at every point (6 #points rows), of the columns that are no modes.
  const Eigen::MatrixXf& correctionRows() const { return mCorrectionRows; }
  Mat3 stressAt(const LatticePlace& place, double time) const override;
  Mat3 stressAtFlaw(const FlawRows& flaws, size_t flaw, double time) const override;
  std::optional<double> firstTension(const LatticePlace& place, const Vec3& v, double needed, double from,
                                     double until) const override;
  std::optional<double> firstTensionAtFlaw(const FlawRows& flaws, size_t flaw, const Vec3& v, double needed,
                                           double from, double until) const override;

 private:
  /// The samples around a time and their weights.
  struct Between {
    std::array<Eigen::Index, 4> samples;
    std::array<float, 4> weights;
  };
  Between between(double time) const;
  void sampleModes(Span<const Strike> strikes, const RayleighDamping& damping, Context& context);
  void addCorrections(Span<const Strike> strikes, const Eigen::VectorXd& steady, Context& context);

  void boundBlocks();
  /// The first sample from `from` to `until` at which row . amplitudes is at least `needed`, as a time.
  std::optional<double> firstReach(const Eigen::RowVectorXf& row, double needed, double from,
                                   double until) const;

  const ModalBody& mBody;
  double mStep = 0, mWindow = 0;
  size_t mModes = 0;
  Eigen::MatrixXf mAmplitudes;
  Eigen::MatrixXf mCorrectionRows;
  Eigen::MatrixXf mBlockBounds;  // root of sum of (omega q)^2 and largest other amplitudes, block by block
  std::vector<double> mEnergies;
};

/// Error of the contact's resolution: shortest contact over the half period of the last mode; below 3 peaks
/// are underestimated.
double resolvedHalfPeriods(const ModalBody& body, Span<const Strike> strikes);

}  // namespace hackle
