// A plane curve drawn with a pen: lines, circular arcs and cubic curves, each piece belonging to a named
// part.
#pragma once

#include <hackle/geometry/vec.h>

#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace hackle {

/// A profile cut into straight bands; band i runs from point i to point i + 1.
struct SampledProfile {
  std::vector<Vec2> points;
  std::vector<double> weights;     // one per point; see Profile::weight
  std::vector<int32_t> bandParts;  // one per band; index into Profile::partNames
};

/// For surfaces of revolution, a point is (radius, height), and the surface's outside is on the right of the
/// pen.
class Profile {
 public:
  /// Starts the curve.
  Profile(const Vec2& start, double weight = 0.0)
      : mPen(start), mWeight(weight), mStart(start), mStartWeight(weight) {}

  /// Pieces that follow belong to this part.
  Profile& part(const std::string& name);
  /// A number that samples carry along: it changes linearly over the next piece and then stays.
  Profile& weight(double value) { return mNextWeight = value, *this; }
  Profile& lineTo(double x, double y);
  /// A circular arc that turns left by `turn` radians (right if negative).
  Profile& arcTo(double x, double y, double turn);
  /// A cubic Bézier curve with two control points.
  Profile& curveTo(const Vec2& control1, const Vec2& control2, const Vec2& end);

  const Vec2& pen() const { return mPen; }
  const std::vector<std::string>& partNames() const { return mPartNames; }

  /// Cuts every piece into equal bands of about `spacing`, so that the ends of pieces are kept. Chords stay
  /// within `tolerance` of the curve, and turn by at most an eighth of a circle.
  SampledProfile sample(double spacing, double tolerance = std::numeric_limits<double>::infinity()) const;

  /// Area of the surface that the profile sweeps when it turns about the axis x = 0.
  double revolvedArea() const;
  double length() const;

 private:
  struct Piece {
    std::function<Vec2(double)> at;  // of [0, 1]
    Vec2 end;                        // exactly; at(1) is rounded
    std::vector<double> lengths;     // along the piece, at equal steps of its parameter
    double turning = 0.0;            // sum of all turns, radians
    double weight = 0.0;             // at the end
    int32_t part = 0;
  };
  Profile& add(std::function<Vec2(double)> at, const Vec2& end);

  Vec2 mPen;
  double mWeight;
  Vec2 mStart;
  double mStartWeight;
  double mNextWeight = mWeight;
  int32_t mPart = -1;
  std::vector<Piece> mPieces;
  std::vector<std::string> mPartNames;
};

}  // namespace hackle
