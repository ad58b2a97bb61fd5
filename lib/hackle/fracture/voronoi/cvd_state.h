// What CVD fracture prepares for one solid: a lattice around it, distances inside, its elastic response.
#pragma once

#include <hackle/core/memo.h>
#include <hackle/fem/impact_response.h>
#include <hackle/fracture/engine.h>
#include <hackle/fracture/voronoi/cvd.h>
#include <hackle/volume/painted_field.h>

#include <memory>
#include <mutex>
#include <optional>

namespace hackle {

/// What shapes the pieces of a solid whatever hits it.
struct CvdShape {
  double granularity = 1.0;  // exponent of the strain energy; see NodeEnergyOptions
  Paint fragility;           // multiplies the strain energy
  Metric metric = Metric::Interior;
  Vec3 stretch = Vec3::Ones();  // lengthens pieces along each axis
  double waveAmount = 0;        // m, height of the waves in which pieces are bent; 0 for none
  double waveLength = 0.2;      // m, from crest to crest
  Vec3 waveAlong{1, 0, 0};      // from crest to crest; any length above 0
  Vec3 waveDirection{0, 1, 0};  // in which waves rise, and warps of one number; any length above 0
  Paint warp;                   // m, moves the space in which distances are measured
  double cells = 24;            // of the lattice, along the longest side of the solid
  ElasticMaterial material;
};

/// The lattice in which the solid lies, with distances inside it.
struct CvdLattice {
  CvdBody body;
  double cellSize = 0;  // m
  size_t bytes() const;
};

/// The lattice as an elastic body, factorised.
struct CvdElastic {
  CvdElastic(std::shared_ptr<const CvdLattice> lattice, const ElasticMaterial& material, Context& context);
  size_t bytes() const;

  std::shared_ptr<const CvdLattice> lattice;  // which `embedding` refers to
  FreeBody body;
  SurfaceEmbedding embedding;
};

/// Bounds the energy E_D of one piece (README, eq. 2) under any load.
///
/// With the elastic modes phi_k of the free body, orthonormal in its mass M, and lambda_1 the lowest of their
/// eigenvalues, a load f strains it by U = sum (phi_k . f)^2 / (2 lambda_k) <= f . M^-1 f / (2 lambda_1). The
/// mass of a linear tetrahedron is at least a fifth of its lumped mass, so M^-1 <= 5 / m_n. Then
/// E_D <= beta r^2 U: beta is the greatest fragility, r the greatest distance of a node from the mean of all.
struct CvdBound {
  double eigenvalue = 0;  // s^-2, lambda_1
  double fragility = 1;   // beta
  double reach = 0;       // m, r
};

/// A load case as CVD fracture takes it: what is on the surface was moved there.
struct CvdLoad {
  std::vector<Impact> impacts;
  std::vector<PointForce> forces;
  Vec3 spin = Vec3::Zero();  // rad/s

  /// True also for impacts without impulse and forces of zero.
  bool isNothing() const;
};
/// Error(BadInput) names an impact or a steady force that is off the surface. Accelerations of the load case
/// are left out: on a free body, inertia balances the forces whatever they are.
CvdLoad placedLoad(const Solid& solid, const LoadCase& load);

struct CvdStrain {
  std::vector<double> energies;   // J per node of the lattice
  std::vector<Contact> contacts;  // one per impact
};

/// Lattice, metric and elastic body of one solid. It never changes, but for the elastic body, which is made
/// when it is first needed.
class CvdState : public EngineState {
 public:
  /// Lattice and elastic body are kept in the run's memo. `bounded`: also computes what `wholeEnergyBound`
  /// needs, about as much work as the elastic body. Error(Usage) for a direction without length,
  /// Error(BadInput) for paint that the solid does not have.
  CvdState(SolidPtr solid, const CvdShape& shape, bool bounded, Context& context);
  /// From what `save` gave for the same solid and shape; Error(BadInput) for other bytes.
  CvdState(SolidPtr solid, const CvdShape& shape, std::string_view bytes, Context& context);
  std::string save() const;

  /// With the elastic body, once that is made.
  size_t bytes() const override;

  const Solid& solid() const { return *mSolid; }
  const CvdBody& body() const { return mLattice->body; }
  double density() const { return mShape.material.density; }
  /// May be asked from several threads; those that ask at the same time may each make one, and the first is
  /// kept.
  std::shared_ptr<const CvdElastic> elastic(Context& context) const;
  /// Granularity and painted fragility; must not outlive the state.
  NodeEnergyOptions energyOptions() const;
  /// Strain energies at the height of a load. May be asked from several threads.
  CvdStrain strain(const CvdLoad& load, Context& context) const;
  /// E_D (J m^2) of one piece is surely not above this; not set where there is no bound. Solves nothing.
  std::optional<double> wholeEnergyBound(const CvdLoad& load) const;

 private:
  ImpactLoad nodalLoad(const CvdElastic& elastic, const CvdLoad& load, Context& context) const;
  using Move = std::function<Vec3(const Vec3&)>;
  Move reference() const;
  std::vector<int64_t> fingerprints(const std::vector<Vec3>& points, Context& context) const;
  MemoKey latticeKey() const;
  CvdLattice makeLattice(Context& context) const;
  std::optional<CvdBound> makeBound(Context& context) const;
  std::shared_ptr<const CvdElastic> madeElastic() const;

  SolidPtr mSolid;
  CvdShape mShape;
  PaintedField mFragility, mWarp;
  std::shared_ptr<const CvdLattice> mLattice;
  std::optional<CvdBound> mBound;
  mutable std::mutex mMutex;  // of what follows
  mutable std::shared_ptr<const CvdElastic> mElastic;
};

}  // namespace hackle
