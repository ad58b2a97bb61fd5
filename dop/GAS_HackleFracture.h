// The microsolver that breaks packed pieces in a simulation.
#pragma once

#include <dop/package/fracture_node.h>
#include <dop/packed_pieces.h>

#include <GAS/GAS_SubSolver.h>

#include <vector>

/// Runs once per object and step, after the rigid body solver. A pure function of the object's data: pieces
/// and impacts of the step, and what it put into HackleState in the step before.
class GAS_HackleFracture : public GAS_SubSolver {
 public:
  /// Makes engines by name; tests bring their own.
  static hackle::EngineMaker& engineMaker();

 protected:
  explicit GAS_HackleFracture(const SIM_DataFactory* factory);
  ~GAS_HackleFracture() override;

  bool solveGasSubclass(SIM_Engine& engine, SIM_Object* object, SIM_Time time, SIM_Time timestep) override;

 private:
  void breakPieces(SIM_Object& object, double time, double timestep, hackle::Context& context);
  /// What broke in a step that ends at that time, s.
  struct Broken {
    const hackle::houdini::FractureNodeOptions& options;
    const hackle::houdini::PackedPieces& packed;
    const std::vector<hackle::HostedBreak>& breaks;
    double end;
  };
  void replaceBroken(SIM_Object& object, SIM_GeometryCopy* geometry, const Broken& broken);
  hackle::Value::Map parameterValues() const;
  std::vector<hackle::HostedRecord> readRecords(SIM_Object& object,
                                                const hackle::houdini::FractureNodeOptions& options);
  /// A constraint network, and the attribute by which it finds pieces.
  struct Network {
    SIM_GeometryCopy* geometry;
    std::string matchBy;
  };
  std::vector<Network> constraintNetworks(SIM_Object& object, const hackle::houdini::FractureNodeOptions&);

  static const SIM_DopDescription* getDopDescription();

  DECLARE_STANDARD_GETCASTTOTYPE();
  DECLARE_DATAFACTORY(GAS_HackleFracture, GAS_SubSolver, "Hackle Fracture", getDopDescription());
};
