// Rigid bodies of a host that keeps one point per body, with the point attributes of Houdini's rigid bodies:
// what the points and the records of impacts say, and the points of the fragments that replace a body.
#pragma once

#include <hackle/coupling/hosted_step.h>
#include <hackle/fracture/constraints.h>

#include <set>
#include <string>

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

/// Impacts as points: those of Houdini's Impact Analysis, or records that its DOP Import Records made points
/// of, one attribute per field.
std::vector<HostedRecord> recordsOf(const Geometry& points);
/// The host's number of the object that recorded these points; -1 where they do not tell.
int32_t recordingObject(const Geometry& points);

/// Records as contacts. The body is the one that the primitive number says, else the point number, else the
/// nearest. `object` is the host's number for the object that has the pieces.
std::vector<HostedContact> recordedContacts(Span<const HostedRecord> records, Span<const HostedPiece> pieces,
                                            int32_t object, double length);

/// The points of all fragments, in the order of breaks and fragments, in the host's units. They have the
/// attributes of the broken piece's point, but for those that belong to the solver, and name, mass, pose and
/// motion of their own. `time` (s) is stamped on them. `identifiers` are attributes other than `name` by
/// which constraints find their pieces: fragments get values of their own, which no other piece has.
Geometry fragmentPoints(const Geometry& points, Span<const HostedPiece> pieces,
                        Span<const HostedBreak> breaks, double time, double length,
                        const std::set<std::string>& identifiers = {});

/// What `brokenConstraints` needs to know besides the network.
struct BrokenPieces {
  const Geometry& points;  // of all pieces
  Span<const HostedPiece> pieces;
  Span<const HostedBreak> breaks;
  const Geometry& fragments;  // what `fragmentPoints` made of them
  double length = 1;
};
/// A constraint network after the breaks: points of broken pieces go to the nearest fragment. Points of the
/// network and of pieces belong together by the attribute `matchBy`, text or whole numbers. With options,
/// fragments of one piece that touch are constrained to each other.
Geometry brokenConstraints(const Geometry& constraints, const BrokenPieces& broken,
                           const std::optional<ConstraintOptions>& glue, const std::string& matchBy = "name");

}  // namespace hackle
