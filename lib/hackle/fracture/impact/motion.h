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
  size_t columns() const { return static_cast<size_t>(mAmplitudes.rows()); }
  /// columns() x samples().
  const Eigen::MatrixXf& amplitudes() const { return mAmplitudes; }
  /// Cubic between samples, linear next to the first and last one, constant after that.
  Eigen::VectorXf amplitudesAt(double time) const;

  /// J that cracks could use: vibration and what is stored statically; README eq. 7.
  double energyAt(double time) const override;
  double largestEnergy() const override;
  /// 2 J: sum of omega^2 q^2 at a sample.
  const std::vector<double>& modalStrain() const { return mModalStrain; }

  /// Pa, at every point (6 #points rows), of the columns that are no modes.
  const Eigen::MatrixXf& correctionRows() const { return mCorrectionRows; }
  Mat3 stressAt(const LatticePlace& place, double time) const override;
  std::optional<double> firstTension(const LatticePlace& place, const Vec3& v, double needed, double from,
                                     double until) const override;

 private:
  void sampleModes(Span<const Strike> strikes, const RayleighDamping& damping, Context& context);
  void addCorrections(Span<const Strike> strikes, const Eigen::VectorXd& steady, Context& context);

  const ModalBody& mBody;
  double mStep = 0, mWindow = 0;
  size_t mModes = 0;
  Eigen::MatrixXf mAmplitudes;
  Eigen::MatrixXf mCorrectionRows;
  std::vector<double> mEnergies, mModalStrain;
};

/// Error of the contact's resolution: shortest contact over the half period of the last mode; below 3 peaks
/// are underestimated.
double resolvedHalfPeriods(const ModalBody& body, Span<const Strike> strikes);

}  // namespace hackle
