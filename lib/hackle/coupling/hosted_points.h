// Rigid bodies of a host that keeps one point per body, with the point attributes of Houdini's rigid bodies:
// what the points and the records of impacts say, and the points of the fragments that replace a body.
#pragma once

#include <hackle/coupling/hosted_step.h>
#include <hackle/fracture/constraints.h>

namespace hackle {

/// A body, and what its point says of it.
struct HostedPiece {
  HostedBody body;               // without shape, pose, engine and limits
  int64_t primitiveNumber = -1;  // of the host; records of impacts refer to one of the two
  int64_t pointNumber = -1;
  std::optional<double> density;      // kg/m^3
  std::optional<std::string> engine;  // hackle_engine, where the point has it
  std::string engineParameters;       // hackle_engine_parameters
  std::optional<double> restitution;  // bounce
  std::optional<double> minImpulse, minForce, minVolume;
  int generation = 0;  // how many fractures it came from
};

/// One per point. `length` is the host's length for a metre. Points without a `name` get one.
std::vector<HostedPiece> hostedPieces(const Geometry& points, double length);

/// An impact as the host recorded it, in the host's units.
struct HostedRecord {
  Vec3 position = Vec3::Zero();
  Vec3 normal = Vec3::Zero();  // in which the body is pushed; for friction, along the surface
  double impulse = 0;
  bool friction = false;
  int64_t primitiveNumber = -1, pointNumber = -1;  // of the body; -1 where the record has none
  int32_t otherObject = -1;
  int64_t otherPrimitiveNumber = -1, otherPointNumber = -1;
};

/// The points of Houdini's Impact Analysis as records.
std::vector<HostedRecord> analysisRecords(const Geometry& analysis);

/// Records as contacts. The body is the one that the primitive number says, else the point number, else the
/// nearest. `object` is the host's number for the object that has the pieces.
std::vector<HostedContact> recordedContacts(Span<const HostedRecord> records, Span<const HostedPiece> pieces,
                                            int32_t object, double length);

/// The points of all fragments, in the order of breaks and fragments, in the host's units. They have the
/// attributes of the broken piece's point, but for those that belong to the solver, and name, mass, pose and
/// motion of their own. `time` (s) is stamped on them.
Geometry fragmentPoints(const Geometry& points, Span<const HostedPiece> pieces,
                        Span<const HostedBreak> breaks, double time, double length);

/// A constraint network after the breaks: points of broken pieces take the name of the nearest fragment.
/// With options, fragments of one piece that touch are constrained to each other.
Geometry brokenConstraints(const Geometry& constraints, Span<const HostedPiece> pieces,
                           Span<const HostedBreak> breaks, const std::optional<ConstraintOptions>& glue,
                           double length);

}  // namespace hackle
