// What the operators on centroidal Voronoi fracture share: the solid in its lattice, its metric, its strain.
#pragma once

#include <hackle/core/memo.h>
#include <hackle/fem/impact_response.h>
#include <hackle/fracture/voronoi/cvd.h>
#include <hackle/geometry/mass_properties.h>
#include <hackle/ops/material.h>
#include <hackle/ops/operator.h>

#include <memory>

namespace hackle {

struct CvdSetupOptions {
  double granularity = 1.0;
  std::string fragility;
  Metric metric = Metric::Interior;
  Vec3 stretch = Vec3::Ones();
  double waveAmount = 0;
  double waveLength = 0.2;
  Vec3 waveAlong{1, 0, 0};
  Vec3 waveDirection{0, 1, 0};
  std::string warp;
  double cells = 24;
  MaterialOptions material;
};

/// Rows under "Shape" and "Material".
ParameterTable<CvdSetupOptions> cvdSetupTable();

/// Numbers of the inputs that matter here; the solid is the first.
struct CvdPorts {
  size_t fragility = 0, warp = 0;
};
/// The two ports, for an operator's list.
Port cvdFragilityPort();
Port cvdWarpPort();

/// The first VDB of an input, or nothing; Error(BadInput) that says `what` is missing.
VolumePtr firstGrid(const Inputs& inputs, size_t input, const char* what);
/// Error(Usage) that names a direction without length.
Vec3 unitDirection(const Vec3& v, const std::string& name);

/// Options and inputs must outlive it. What does not depend on impacts is kept in the run's memo.
class CvdSetup {
 public:
  CvdSetup(const Inputs& inputs, const CvdPorts& ports, const CvdSetupOptions& options, Context& context);

  const Geometry& solid() const { return mSolid->solid; }
  const TriangleMesh& mesh() const { return mSolid->mesh; }
  const TriangleBvh& bvh() const { return mSolid->bvh; }
  /// Of volume 1 a cubic metre and density 1.
  const MassProperties& mass() const { return mSolid->mass; }

  /// Lattice and metric. Called once, before all below.
  void prepareBody(Context& context);
  const CvdBody& body() const { return mBody->body; }

  /// Factorises the elastic body. Called once, before `strain`.
  void prepareStrain(Context& context);
  /// J a node under impacts at the same time. May be called from several threads.
  std::vector<double> strain(Span<const Impact> impacts, std::vector<Contact>* contacts,
                             Context& context) const;

  /// Granularity and painted fragility.
  NodeEnergyOptions energyOptions() const;

 private:
  /// The solid, checked.
  struct Solid {
    Solid(const Geometry& input, Context& context);
    size_t bytes() const;
    Geometry solid;
    TriangleMesh mesh;
    TriangleBvh bvh;
    MassProperties mass;
  };
  struct Body {
    size_t bytes() const;
    CvdBody body;
    double cellSize = 0;  // m
  };
  struct Elastic {
    Elastic(std::shared_ptr<const Body> inside, const MaterialOptions& material, Context& context);
    size_t bytes() const;
    std::shared_ptr<const Body> inside;
    FreeBody body;
    SurfaceEmbedding embedding;
  };

  std::function<Vec3(const Vec3&)> reference() const;
  MemoKey bodyKey() const;
  Body makeBody(Context& context) const;

  const Inputs& mInputs;
  CvdPorts mPorts;
  const CvdSetupOptions& mOptions;
  std::shared_ptr<const Solid> mSolid;
  std::shared_ptr<const Body> mBody;
  std::shared_ptr<const Elastic> mElastic;
};

}  // namespace hackle
