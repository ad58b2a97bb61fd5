// Cracks that are there from the beginning: shapes, clipped to the body, whose surface they open.
#pragma once

#include <hackle/bem/boundary_data.h>
#include <hackle/bem/surface.h>
#include <hackle/core/context.h>
#include <hackle/core/error.h>
#include <hackle/geometry/geometry.h>

#include <vector>

namespace hackle {

enum class InitialShape { Disc, Ellipse, Rectangle };

/// A crack that is there from the beginning, as people give it.
struct InitialCrack {
  InitialShape shape = InitialShape::Disc;
  Vec3 at = Vec3::Zero();  // m, its middle
  Vec3 normal{0, 1, 0};
  Vec3 along = Vec3::Zero();  // in which `radius` is measured; zero: any
  double radius = 0.1;        // m, of a disc; half the extent along `along`
  double across = 0.1;        // m, half the extent across it
};

/// Initial cracks that cannot be meshed, ended at the body's surface or solved for: without them the body is
/// fine.
class InitialCrackError : public Error {
 public:
  using Error::Error;
};
/// Work on initial cracks, whose errors become InitialCrackErrors unless they are cancels or bugs.
template <class Work>
auto onInitialCracks(const Work& work) {
  try {
    return work();
  } catch (const Error& e) {
    if (e.code() == ErrorCode::Cancelled || e.code() == ErrorCode::Internal) throw;
    throw InitialCrackError(e.code(), e.what(), e.remedy());
  }
}

/// A sheet of triangles, all oriented alike; its rim is one loop or several.
struct InitialSheet {
  std::vector<Vec3> points;  // m
  std::vector<Triangle> triangles;
  size_t number = 0;  // for messages, from 1
};

// Planar shapes, meshed with edges of about `edge` (m). Error(Usage) without normal, size or edge length.

/// Half axes (m) along `along`, made perpendicular to the normal, and across it. A disc if they are equal.
/// `along` may be zero: any direction then.
InitialSheet ellipseCrack(const Vec3& centre, const Vec3& normal, const Vec3& along, double halfAlong,
                          double halfAcross, double edge);
InitialSheet rectangleCrack(const Vec3& centre, const Vec3& normal, const Vec3& along, double halfAlong,
                            double halfAcross, double edge);
/// A simple polygon near a plane, in either direction.
InitialSheet polygonCrack(Span<const Vec3> outline, double edge);

/// One that is given, with edges of at most `edge` (m): smaller cracks get a mesh of their own size.
/// Error(Usage) names it by its number (from 1).
InitialSheet sheetOf(const InitialCrack& crack, size_t number, double edge);
/// The connected parts of open surfaces. Flat ones are meshed again from their outline. Error(BadInput) if
/// there are no polygons.
std::vector<InitialSheet> sheetsOf(const Geometry& surfaces, double edge);
double areaOf(const InitialSheet& sheet);  // m^2

/// The rim of a sheet in order, if it is one loop; else nothing.
std::vector<Vec3> singleRim(const InitialSheet& sheet);

/// A body whose surface has edges along the mouths of its cracks (bem/mouth.h), with its conditions.
struct CrackedBody {
  BemSurface body;
  BoundaryData data;
  std::vector<int32_t> source;  // per triangle: the one of the body before that it is part of
  std::vector<InitialSheet> cracks;
};

/// Ends cracks at the surface of the body. Those inside stay as they are, but bent ones with edges that are
/// much shorter than `edge` are meshed again where that can be. One that reaches out is meshed again up to
/// the surface, whose triangles are split along the line where they meet: the crack opens there. Nodes close
/// to that line move onto it along edges. Pieces are cracks of their own; those outside of the body are gone.
/// Error(BadInput), naming the crack by its number, for one of which nothing is left, and for one that
/// reaches out and is bent so far that it cannot be seen whole from one side (cut_shape.h), has several rims,
/// or goes around a cavity.
CrackedBody clipCracks(const BemSurface& body, const BoundaryData& data, Span<const InitialSheet> cracks,
                       double edge, Context& context);

/// How two sheets lie to each other.
enum class SheetMeeting {
  Apart,   // they may touch
  Along,   // parts of them are in the same place
  Across,  // they pass through each other
};
SheetMeeting meetingOf(const InitialSheet& a, const InitialSheet& b, double edge, Context& context);
/// Error(BadInput) that names two cracks in the same place: their openings could not be told apart.
void checkSheetsApart(Span<const InitialSheet> sheets, double edge, Context& context);

/// Whether a part of a crack is inside of a body.
bool reachesInto(const BemSurface& body, const InitialSheet& crack, Context& context);

}  // namespace hackle
