// Notches: edges and narrow round grooves at which the surface of a solid turns inwards, and the stress ahead
// of them, which has no limit or falls off quickly: a mean over a length decides on starts (../README.md,
// "Loads in time").
#pragma once

#include <hackle/core/context.h>
#include <hackle/geometry/bvh.h>
#include <hackle/geometry/triangle_mesh.h>

#include <optional>
#include <vector>

namespace hackle {

/// A place at the root of a notch.
struct Notch {
  Vec3 along = Vec3::Zero();    // unit, the root's direction
  Vec3 inwards = Vec3::Zero();  // unit, into the solid, halfway between its faces
  double angle = 0;             // rad, of the solid around the root: from pi to 2 pi
  double rootRadius = 0;        // m; 0: a sharp edge
};

/// A notch where its root is.
struct NotchPlace {
  Vec3 place = Vec3::Zero();
  Notch notch;
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

/// The round notch on whose root a place of the surface is: one with a root radius between a hundredth of a
/// length (m) and the whole of it, and two walls within 45 degrees of its middle that go on for that length.
/// `surface` is the tree of the mesh, `normal` the unit normal at the place, outwards. Nothing on edges, in
/// holes, pits and shallow grooves.
std::optional<NotchPlace> roundNotch(const TriangleMesh& mesh, const TriangleBvh& surface, const Vec3& place,
                                     const Vec3& normal, double length);

/// The exponent a of the stress r^-a at a distance r from the edge when it is opened, of plane elasticity:
/// 1/2 for a crack, 0 for a flat surface [Williams52].
double notchExponent(double angle);

/// The stress at the distance x ahead of a root, with r = x + o:
///
///     k r^-a (1 + a / (1 - a) o / r) + c r^(1 - a)
///
/// Ahead of a sharp edge o is 0 and the first term that of [Williams52]. Ahead of a slit with a round end
/// (a = 1/2, o half its radius) it is that of [Creager67], whose mean over a length d goes with
/// (d + o)^-1/2; between it and a flat surface the form interpolates, with o as in [Filippi02].
struct NotchStress {
  /// From the stress at the distances `at` / 2 and `at` (m).
  NotchStress(const Notch& notch, double at, double stressAtHalf, double stressAt);
  /// Mean over a length from the root.
  double mean(double length) const;

  double exponent, offset, k, c;
};

/// The plane through an edge on which the stress is greatest, taken as that of a crack, from the stress
/// across the plane that goes straight into the solid: the stress on it over that, and its normal.
struct NotchPlane {
  double stress = 0;
  Vec3 normal = Vec3::Zero();
};
NotchPlane notchPlane(const Notch& notch, double opening, double shear);

}  // namespace hackle
