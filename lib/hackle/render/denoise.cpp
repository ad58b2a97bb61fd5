#include <hackle/render/denoise.h>

#include <hackle/core/parallel.h>

#include <algorithm>
#include <cmath>

namespace hackle {

namespace {

constexpr int kPasses = 5;         // steps of 1, 2, 4, 8 and 16 px
constexpr int kSurfacePasses = 3;  // surfaces have finer detail than shadows on the floor
constexpr float kKernel[3] = {3.0f / 8, 1.0f / 4, 1.0f / 16};  // B-spline, by distance in steps
constexpr float kPlaneTolerance = 0.015f;    // distance off the plane where neighbours stop to count
constexpr float kSameDirection = 0.90f;      // cosine where normals stop to count
constexpr float kNoiseTolerance = 4.0f;      // standard deviations
constexpr float kFloorOfDeviation = 0.004f;  // differences below are never edges

/// 1 at x = 0, falling smoothly to 0 at x = 1.
float bump(float x) {
  const float y = std::max(0.0f, 1 - x * x);
  return y * y;
}

/// What one pass changes.
struct Estimate {
  Rgb light{0, 0, 0};  // relative to LayeredPixel::open
  float luminance = 0;
  float variance = 0;
  float shade = 1;
  float shadeVariance = 0;
};

class Filter {
 public:
  Filter(LayeredImage& image, const PixelRect& cell) : mImage(image), mCell(cell) {
    mNow.resize(static_cast<size_t>(cell.width) * static_cast<size_t>(cell.height));
    mNext.resize(mNow.size());
  }

  void run(Context& context) {
    const auto rows = static_cast<size_t>(mCell.height);
    parallelFor(context, rows, 4, [&](size_t y) { loadRow(static_cast<int>(y)); });
    for (int pass = 0; pass < kPasses; ++pass) {
      parallelFor(context, rows, 4, [&](size_t y) {
        for (int x = 0; x < mCell.width; ++x)
          next(x, static_cast<int>(y)) = filtered(x, static_cast<int>(y), 1 << pass);
      });
      mNow.swap(mNext);
    }
    parallelFor(context, rows, 4, [&](size_t y) {
      for (int x = 0; x < mCell.width; ++x) {
        LayeredPixel& pixel = guide(x, static_cast<int>(y));
        pixel.light = now(x, static_cast<int>(y)).light * pixel.open;
        pixel.shade = now(x, static_cast<int>(y)).shade;
      }
    });
  }

 private:
  size_t index(int x, int y) const {
    return static_cast<size_t>(y) * static_cast<size_t>(mCell.width) + static_cast<size_t>(x);
  }
  const Estimate& now(int x, int y) const { return mNow[index(x, y)]; }
  Estimate& next(int x, int y) { return mNext[index(x, y)]; }
  LayeredPixel& guide(int x, int y) { return mImage.at(mCell.x + x, mCell.y + y); }
  const LayeredPixel& guide(int x, int y) const { return mImage.at(mCell.x + x, mCell.y + y); }

  /// Variances of so few samples are noisy themselves: each pixel takes the mean of its 3 x 3 surroundings.
  void loadRow(int y) {
    for (int x = 0; x < mCell.width; ++x) {
      const LayeredPixel& p = guide(x, y);
      Estimate& e = mNow[index(x, y)];
      e.light = p.light / p.open;
      e.luminance = e.light.mean();
      e.shade = p.shade;
      float weight = 0, floorWeight = 0;
      for (int qy = std::max(0, y - 1); qy <= std::min(mCell.height - 1, y + 1); ++qy)
        for (int qx = std::max(0, x - 1); qx <= std::min(mCell.width - 1, x + 1); ++qx) {
          const LayeredPixel& q = guide(qx, qy);
          e.variance += q.coverage * q.lightVariance / (q.open * q.open);
          e.shadeVariance += q.floorCoverage * q.shadeVariance;
          weight += q.coverage;
          floorWeight += q.floorCoverage;
        }
      e.variance /= std::max(weight, 1e-6f);
      e.shadeVariance /= std::max(floorWeight, 1e-6f);
    }
  }

  Estimate filtered(int x, int y, int step) const {
    const LayeredPixel& p = guide(x, y);
    Estimate result = now(x, y);
    if (p.coverage > 0 && step < (1 << kSurfacePasses)) filterSurface(x, y, step, p, result);
    if (p.floorCoverage > 0) filterFloor(x, y, step, result);
    return result;
  }

  /// Calls f(x, y, weight) for the 5 x 5 taps inside the cell.
  template <class F>
  void forTaps(int x, int y, int step, const F& f) const {
    for (int j = -2; j <= 2; ++j) {
      const int qy = y + j * step;
      if (qy < 0 || qy >= mCell.height) continue;
      for (int i = -2; i <= 2; ++i) {
        const int qx = x + i * step;
        if (qx >= 0 && qx < mCell.width) f(qx, qy, kKernel[std::abs(i)] * kKernel[std::abs(j)]);
      }
    }
  }

  void filterSurface(int x, int y, int step, const LayeredPixel& p, Estimate& result) const {
    const Estimate centre = result;
    const float deviation = kNoiseTolerance * std::sqrt(centre.variance) + kFloorOfDeviation;
    Rgb light(0, 0, 0);
    float variance = 0, total = 0;
    forTaps(x, y, step, [&](int qx, int qy, float kernel) {
      const LayeredPixel& q = guide(qx, qy);
      const float facing = p.normal.dot(q.normal);
      if (q.coverage <= 0 || facing <= kSameDirection) return;
      const Estimate& e = now(qx, qy);
      const float turned = (1 - facing) / (1 - kSameDirection);
      const float off = std::abs(p.normal.dot(q.position - p.position)) / kPlaneTolerance;
      const float w =
          kernel * q.coverage * bump(turned) * bump(off) * bump((e.luminance - centre.luminance) / deviation);
      light += w * e.light;
      variance += w * w * e.variance;
      total += w;
    });
    if (total <= 0) return;
    result.light = light / total;
    result.luminance = result.light.mean();
    result.variance = variance / (total * total);
  }

  void filterFloor(int x, int y, int step, Estimate& result) const {
    const Estimate centre = result;
    const float deviation = kNoiseTolerance * std::sqrt(centre.shadeVariance) + kFloorOfDeviation;
    float shade = 0, variance = 0, total = 0;
    forTaps(x, y, step, [&](int qx, int qy, float kernel) {
      const LayeredPixel& q = guide(qx, qy);
      if (q.floorCoverage <= 0) return;
      const Estimate& e = now(qx, qy);
      const float w = kernel * q.floorCoverage * bump((e.shade - centre.shade) / deviation);
      shade += w * e.shade;
      variance += w * w * e.shadeVariance;
      total += w;
    });
    if (total <= 0) return;
    result.shade = shade / total;
    result.shadeVariance = variance / (total * total);
  }

  LayeredImage& mImage;
  PixelRect mCell;
  std::vector<Estimate> mNow, mNext;
};

}  // namespace

void denoise(LayeredImage& image, const PixelRect& cell, Context& context) {
  Filter(image, cell).run(context);
}

}  // namespace hackle
