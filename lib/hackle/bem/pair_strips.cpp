#include <hackle/bem/pair_strips.h>

#include <hackle/core/parallel.h>

namespace hackle {

PairStrip::PairStrip(const BemSurface& surface, const PairIntegrator& integrator, const PairWants& wants)
    : mSurface(surface), mIntegrator(integrator), mWants(wants) {
  const size_t n = surface.triangleCount();
  for (size_t t = 0; t < n; ++t)
    if (wants.rows[t] != 0 || wants.columns[t] != 0) mActive.push_back(static_cast<int32_t>(t));
  mPlaceOf.assign(n, -1);
  mLaneOf.assign(n, -1);
}

void PairStrip::compute(size_t strip, Context& context) {
  chooseOthers(strip * kWidth);
  mPresent.assign(mOthers.size(), 0);
  mNumbers.resize(mOthers.size() * kPairNumbers * kWidth);
  parallelRanges(context, mOthers.size(), 8, [&](size_t begin, size_t end) {
    for (size_t place = begin; place < end; ++place) computePlace(place);
  });
}

void PairStrip::chooseOthers(size_t begin) {
  for (size_t lane = 0; lane < mSize; ++lane) mLaneOf[mTriangles[lane]] = -1;
  for (int32_t g : mOthers) mPlaceOf[g] = -1;
  mOthers.clear();

  // The strip's own triangles
  mSize = std::min(kWidth, mActive.size() - begin);
  uint32_t rows = 0, columns = 0;
  for (auto& corner : mCurls)
    for (Lanes& c : corner) c.setZero();
  for (size_t lane = 0; lane < mSize; ++lane) {
    const size_t f = static_cast<size_t>(mActive[begin + lane]);
    mTriangles[lane] = static_cast<int32_t>(f);
    mLaneOf[f] = static_cast<int32_t>(lane);
    rows |= mWants.rows[f];
    columns |= mWants.columns[f];
    for (size_t v = 0; v < 3; ++v)
      for (size_t k = 0; k < 3; ++k) mCurls[v][k][lane] = mSurface.curls(f)[v][k];
  }

  // Those after them, and themselves
  for (size_t i = begin; i < mActive.size(); ++i) {
    const size_t g = static_cast<size_t>(mActive[i]);
    if (((rows & mWants.columns[g]) | (columns & mWants.rows[g])) == 0) continue;
    mPlaceOf[g] = static_cast<int32_t>(mOthers.size());
    mOthers.push_back(mActive[i]);
  }
}

void PairStrip::computePlace(size_t place) {
  // Pairs inside the strip are left to the later of the two
  const size_t g = static_cast<size_t>(mOthers[place]);
  const size_t last = mLaneOf[g] < 0 ? mSize : static_cast<size_t>(mLaneOf[g]) + 1;
  int32_t fs[kWidth];
  size_t lanes[kWidth], count = 0;
  for (size_t lane = 0; lane < last; ++lane)
    if (mWants.wants(static_cast<size_t>(mTriangles[lane]), g)) {
      fs[count] = mTriangles[lane];
      lanes[count++] = lane;
      mPresent[place] |= 1u << lane;
    }

  double* out = mNumbers.data() + place * kPairNumbers * kWidth;
  if (count == kWidth) {
    mIntegrator.column({fs, count}, g, out, kWidth);
    return;
  }
  double packed[kPairNumbers * kWidth];
  mIntegrator.column({fs, count}, g, packed, kWidth);
  std::fill_n(out, kPairNumbers * kWidth, 0.0);
  for (size_t k = 0; k < kPairNumbers; ++k)
    for (size_t i = 0; i < count; ++i) out[k * kWidth + lanes[i]] = packed[k * kWidth + i];
}

}  // namespace hackle
