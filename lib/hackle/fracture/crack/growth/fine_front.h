// The front of a crack at the fine resolution: markers that move by themselves.
#pragma once

#include <hackle/core/context.h>
#include <hackle/fracture/crack/growth/propagation.h>
#include <hackle/geometry/bvh.h>
#include <hackle/volume/scalar_field.h>
#include <hackle/volume/sheet_band.h>

#include <array>
#include <functional>
#include <vector>

namespace hackle {

enum class MarkerState : uint8_t {
  Active,
  Left,     // is outside of the body
  Blocked,  // met another crack, or its own
};

struct FrontMarker {
  Vec3 position = Vec3::Zero();   // m
  Vec3 inner = Vec3::Zero();      // m, where it left the body; else the position
  Vec3 direction = Vec3::Zero();  // unit, of the last move without steering; zero before the first
  double path = 0.0;              // m that it has gone since the crack began
  MarkerState state = MarkerState::Active;
  AngleRange valid;  // of the last step of the solver, relative to the direction of then

  // Of the present step of the solver:
  Vec3 normal = Vec3::Zero(), outward = Vec3::Zero();    // unit, orthogonal
  double forward = 0.0, sliding = 0.0, effective = 0.0;  // intensities that drive it, Pa m^(1/2)
  double before = 0.0;                                   // angle of `direction` in the present frame
};

/// What made a recorded triangle: how far its marker had gone, and where to. All zero for initial sheets.
struct FrontTrace {
  float path = 0.0f;  // m
  std::array<float, 3> direction{};
};

/// What the markers ask of the world.
struct FrontWorld {
  const TriangleBvh* body = nullptr;       // the surface that cracks may not leave
  const ScalarField* toughness = nullptr;  // Pa m^(1/2)
  double rayleighSpeed = 0.0;              // m/s
  double poisson = 0.0;
  double compressionRatio = 1.0;
  double fine = 0.0;                     // r_f, m
  double coarse = 0.0;                   // r_c, m
  double pace = 1.0;                     // times as far as the speed says in a sub step, at most a voxel
  double capture = 0.0;                  // m: nearer than this to another crack a front turns towards it
  std::vector<const SheetBand*> others;  // of other cracks
  std::vector<const TriangleBvh*> otherTrees;  // of their records, where fronts are captured
  const SheetBand* own = nullptr;
  const std::vector<FrontTrace>* traces = nullptr;  // of the triangles of `own`

  /// m, half the thickness of a crack on the grid: sqrt(3) / 2 r_f.
  double wall() const { return 0.8660254037844386 * fine; }
};

/// The state at a node of the coarse front, between which markers interpolate.
struct FrontFrame {
  Vec3 normal = Vec3::Zero(), outward = Vec3::Zero();
  Vec3 k = Vec3::Zero();  // Pa m^(1/2)
};

FrontTrace traceOf(const FrontMarker& marker);

/// A closed loop, counter-clockwise around the crack's normal: outward = tangent × normal. Every coarse edge
/// has the same number n of markers, of which the first sits on its first node.
class FineFront {
 public:
  FineFront() = default;
  /// Markers on straight edges. Those outside of the body and those of edges in the mouth (a flag per edge)
  /// have left it from the start.
  FineFront(Span<const Vec3> nodes, Span<const char> mouth, size_t perEdge, const FrontWorld& world);

  size_t perEdge() const { return mPerEdge; }
  size_t edgeCount() const { return mMarkers.size() / mPerEdge; }
  const std::vector<FrontMarker>& markers() const { return mMarkers; }
  const FrontMarker& nodeMarker(size_t node) const { return mMarkers[node * mPerEdge]; }
  bool active() const;

  /// Begins a step of the solver: interpolates frames and intensities of the nodes ([Hahn17] ch. 4.5.2).
  void setFrames(Span<const FrontFrame> nodes, const FrontWorld& world);

  /// One sub step of r_f / c_R; `weight` is w_t of eq. 4.12, 0 in the first and 1 in the last of a step.
  /// Markers that meet something stop; those that left the body end 2 r_f outside of it. Ends of the front
  /// that has left slide along with their neighbours. `before` becomes the front at the start, for recording:
  /// quads between equal indices of it and the markers. Call `spread` afterwards. Returns how many moved.
  size_t subStep(double weight, const FrontWorld& world, std::vector<Vec3>& before, Context& context);
  /// Stops active markers at such places.
  void stop(const std::function<bool(const Vec3&)>& where);
  /// Slides active markers along the front so that they are equally far apart between nodes and ends.
  void spread();

  /// A new loop whose nodes sit on these markers (ascending, at least three), with n markers on every edge.
  void resample(Span<const size_t> nodes);

 private:
  friend struct CrackStateAccess;  // crack_state.cpp saves all members
  void turnForward(size_t marker);
  void moveMarker(FrontMarker& marker, double weight, const FrontWorld& world) const;
  static void step(FrontMarker& marker, double length, const Vec3& direction, const FrontWorld& world);
  void closeGaps(const FrontWorld& world);
  void slideEnds(Span<const Vec3> before, const FrontWorld& world);

  std::vector<FrontMarker> mMarkers;
  size_t mPerEdge = 1;
};

/// True if a point lies inside of a closed surface, by the parity of a ray's crossings.
bool insideSurface(const TriangleBvh& surface, const Vec3& p);

}  // namespace hackle
