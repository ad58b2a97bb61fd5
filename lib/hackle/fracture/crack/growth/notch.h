// Sharp edges at which the surface of a solid turns inwards, and the stress ahead of them, which has no
// limit: a mean over a length decides on starts (../README.md, "Loads in time").
#pragma once

#include <hackle/core/context.h>
#include <hackle/geometry/bvh.h>
#include <hackle/geometry/triangle_mesh.h>

#include <vector>

namespace hackle {

/// A place of a sharp re-entrant edge.
struct Notch {
  Vec3 along = Vec3::Zero();    // unit, the edge's direction
  Vec3 inwards = Vec3::Zero();  // unit, into the solid, halfway between its faces
  double angle = 0;             // rad, of the solid around the edge: from pi to 2 pi
};

/// An edge of a mesh with it.
struct NotchEdge {
  Vec3 from = Vec3::Zero(), to = Vec3::Zero();
  Notch notch;
};

/// Edges at which the surface turns inwards by kSharpAngle (sharp_edges.h) or more.
std::vector<NotchEdge> notchEdges(const TriangleMesh& mesh, Context& context);

/// Whether the faces at a place of an edge go on straight for this length (m): if not, it is a crease of the
/// surface and no notch in the solid at that length.
bool isNotch(const TriangleBvh& surface, const Vec3& place, const Notch& notch, double length);

/// The exponent a of the stress r^-a at a distance r from the edge when it is opened, of plane elasticity:
/// 1/2 for a crack, 0 for a flat surface [Williams52].
double notchExponent(double angle);

/// The stress ahead of an edge, r^-a (k + c r) at the distance r.
struct NotchStress {
  /// From the stress at the distances r/2 and r.
  NotchStress(double exponent, double r, double atHalf, double at);
  /// Mean over a length from the edge.
  double mean(double length) const;

  double exponent, k, c;
};

/// The plane through an edge on which the stress is greatest, taken as that of a crack, from the stress
/// across the plane that goes straight into the solid: the stress on it over that, and its normal.
struct NotchPlane {
  double stress = 0;
  Vec3 normal = Vec3::Zero();
};
NotchPlane notchPlane(const Notch& notch, double opening, double shear);

}  // namespace hackle
