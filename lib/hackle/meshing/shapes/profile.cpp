#include <hackle/meshing/shapes/profile.h>

#include <hackle/core/error.h>
#include <hackle/core/pi.h>

#include <algorithm>
#include <cmath>

namespace hackle {

namespace {

constexpr size_t kSteps = 128;  // of a piece's table of lengths

double cross(const Vec2& a, const Vec2& b) { return a.x() * b.y() - a.y() * b.x(); }

}  // namespace

Profile& Profile::part(const std::string& name) {
  const auto known = std::find(mPartNames.begin(), mPartNames.end(), name);
  mPart = static_cast<int32_t>(known - mPartNames.begin());
  if (known == mPartNames.end()) mPartNames.push_back(name);
  return *this;
}

Profile& Profile::add(std::function<Vec2(double)> at, const Vec2& end) {
  HACKLE_ASSERT(mPart >= 0);
  Piece piece;
  piece.at = std::move(at);
  piece.end = end;
  piece.part = mPart;
  piece.weight = mNextWeight;
  piece.lengths.assign(kSteps + 1, 0.0);
  Vec2 last = piece.at(0.0), lastStep = Vec2::Zero();
  for (size_t i = 1; i <= kSteps; ++i) {
    const Vec2 p = piece.at(static_cast<double>(i) / kSteps);
    const Vec2 step = p - last;
    piece.lengths[i] = piece.lengths[i - 1] + step.norm();
    if (i > 1) piece.turning += std::abs(std::atan2(cross(lastStep, step), lastStep.dot(step)));
    last = p;
    lastStep = step;
  }
  mPieces.push_back(std::move(piece));
  mPen = end;
  mWeight = mNextWeight;
  return *this;
}

Profile& Profile::lineTo(double x, double y) {
  const Vec2 start = mPen, end(x, y);
  return add([=](double t) { return Vec2(start + t * (end - start)); }, end);
}

Profile& Profile::arcTo(double x, double y, double turn) {
  const Vec2 start = mPen, end(x, y);
  const Vec2 chord = end - start;
  const Vec2 left(-chord.y(), chord.x());
  // The centre is left of the chord by half the chord over tan(turn / 2).
  const Vec2 centre = 0.5 * (start + end) + left * (0.5 / std::tan(0.5 * turn));
  const Vec2 arm = start - centre;
  return add(
      [=](double t) {
        const double c = std::cos(t * turn), s = std::sin(t * turn);
        return Vec2(centre + Vec2(c * arm.x() - s * arm.y(), s * arm.x() + c * arm.y()));
      },
      end);
}

Profile& Profile::curveTo(const Vec2& control1, const Vec2& control2, const Vec2& end) {
  const Vec2 start = mPen;
  return add(
      [=](double t) {
        const double s = 1.0 - t;
        return Vec2(s * s * s * start + 3 * s * s * t * control1 + 3 * s * t * t * control2 +
                    t * t * t * end);
      },
      end);
}

SampledProfile Profile::sample(double spacing, double tolerance) const {
  SampledProfile out;
  out.points.push_back(mStart);
  out.weights.push_back(mStartWeight);
  double weight = mStartWeight;
  for (const Piece& piece : mPieces) {
    const double length = piece.lengths.back();
    // A chord of length l / n that turns by a / n leaves its curve by l a / (8 n^2).
    const double byTolerance = std::sqrt(length * piece.turning / (8.0 * tolerance));
    const double wanted = std::max({std::round(length / spacing), std::ceil(byTolerance),
                                    std::ceil(piece.turning / (0.25 * kPi) - 1e-9), 1.0});
    const int bands = static_cast<int>(wanted);
    for (int i = 1; i <= bands; ++i) {
      const double target = length * i / bands;
      const auto above = std::lower_bound(piece.lengths.begin() + 1, piece.lengths.end() - 1, target);
      const double before = *(above - 1), step = *above - before;
      const double fraction = step > 0 ? (target - before) / step : 0.0;
      const double t = (static_cast<double>(above - piece.lengths.begin()) - 1.0 + fraction) / kSteps;
      out.points.push_back(i == bands ? piece.end : piece.at(t));
      out.weights.push_back(weight + (piece.weight - weight) * i / bands);
      out.bandParts.push_back(piece.part);
    }
    weight = piece.weight;
  }
  return out;
}

double Profile::revolvedArea() const {
  double area = 0;
  for (const Piece& piece : mPieces)
    for (size_t i = 0; i < kSteps; ++i) {
      const double r = piece.at((static_cast<double>(i) + 0.5) / kSteps).x();
      area += 2.0 * kPi * r * (piece.lengths[i + 1] - piece.lengths[i]);
    }
  return area;
}

double Profile::length() const {
  double sum = 0;
  for (const Piece& piece : mPieces) sum += piece.lengths.back();
  return sum;
}

}  // namespace hackle
