// From the inputs and parameters of the operator sheet to a simulation that is ready to step.
#pragma once

#include <hackle/fracture/sheet/sheet_output.h>
#include <hackle/fracture/sheet/sheet_simulation.h>
#include <hackle/ops/operator.h>

#include <memory>

namespace hackle {

struct SheetMaterialOptions {
  std::string preset = "custom";
  double thickness = 3e-3;       // m
  double density = 2500.0;       // kg/m^3
  double young = 70e9;           // Pa
  double poisson = 0.22;         // none
  double strength = 45e6;        // Pa
  double toughness = 0.75e6;     // Pa m^(1/2)
  double yield = 0.0;            // Pa; 0: never
  double elongation = 0.2;       // plastic strain at which a crack starts
  double damping = 1e-6;         // s
  double grainRatio = 1.0;       // none
  double interlayer = 0.0;       // N/m^2
  double interlayerTear = 0.01;  // m
  double branching = 0.0;        // none; 0: never
  double stored = 0.0;           // Pa
};

struct SheetPinRecord {
  Vec3 at = Vec3::Zero();
  Vec3 size = Vec3::Constant(0.02);
  bool clamp = true;
  double stiffness = 0.0;  // N/m; 0: rigid
  double release = 0.0;    // s; 0: never
};

struct SheetKeyRecord {
  int pin = 0;
  double time = 1.0;  // s
  Vec3 move = Vec3::Zero();
  Vec3 turn = Vec3::Zero();  // degrees
};

enum class SheetObstacleShape { Ball, Plane };

struct SheetObstacleRecord {
  SheetObstacleShape shape = SheetObstacleShape::Ball;
  Vec3 at = Vec3::Zero();
  Vec3 normal{0, 1, 0};
  double radius = 0.05;  // m
  Vec3 velocity = Vec3::Zero();
  double mass = 0.0;  // kg; 0: as it is told
};

struct SheetCrackRecord {
  Vec3 from = Vec3::Zero(), to = Vec3::Zero();
};

struct SheetOperatorOptions {
  SheetMaterialOptions material;
  bool births = true;
  int cracks = 200;
  double weibull = 0.0, flawSpacing = 0.0;
  int seed = 0;
  Vec3 grain = Vec3::Zero();
  double guideFactor = 0.1;
  std::vector<SheetPinRecord> pins;
  std::vector<SheetKeyRecord> keys;
  std::vector<SheetObstacleRecord> obstacles;
  std::vector<SheetCrackRecord> initial;
  std::string pinGroup = "pin", solidGroup = "nobreak";
  Vec3 gravity{0, -9.81, 0};
  double pressure = 0.0;
  double friction = 0.3;
  bool selfContact = false;
  Vec3 colliderVelocity = Vec3::Zero();  // m/s
  double colliderMass = 0.0;             // kg; 0: as they are told
  double fine = 0.0, coarse = 0.0;       // m; 0: from the size of the sheet
  double refineAngle = 0.15;             // rad
  double step = 1e-3;                    // s
  int frames = 24;
  double frameTime = 1.0 / 24;  // s
  bool quasistatic = false;
  std::string sequence, state;
  bool resume = false;
  bool thick = true;
  double shrink = 0.0;
};

struct SheetInput {
  enum Index : size_t { Sheet, Pins, Colliders, Guides, Cracks };
};

ParameterTable<SheetOperatorOptions> sheetTable();

/// Checks everything, reads painted attributes and groups, meshes the sheet and cuts its initial cracks.
/// Errors name the input, the record or the parameter, and a remedy.
std::unique_ptr<SheetSimulation> setUpSheet(const Inputs& inputs, const SheetOperatorOptions& options,
                                            bool resumed, Context& context);

}  // namespace hackle
