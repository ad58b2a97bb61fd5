// From the record of a crack to pieces: a cube of 1 m with a crack of 333 by 333 voxels, CPU seconds by
// stage.
#include "shapes.h"

#include <hackle/fracture/crack/pieces/crack_pieces.h>

#include <benchmark/benchmark.h>

#include <cmath>
#include <ctime>
#include <map>

namespace {

using namespace hackle;

constexpr double kVoxel = 0.003;

double flat(double, double) { return 0.0137; }
double curved(double x, double y) { return 0.06 * std::sin(4 * x) + 0.03 * std::cos(5 * y + x); }
/// Steps of up to two voxels between grains of about ten.
double rough(double x, double y) {
  const auto grain = [](double u) {
    return static_cast<double>(mixBits(static_cast<uint64_t>(std::lround(u)) + 12345) % 1000) / 1000 - 0.5;
  };
  const double s = 1 / (10 * kVoxel);
  return curved(x, y) + 2 * kVoxel * (grain(x * s + 0.3 * y * s) + grain(y * s - 0.2 * x * s));
}

struct Record {
  SheetBand band{kVoxel};
  std::vector<std::array<float, 3>> times;
};

/// As a straight front of markers along y leaves it that moves along x at 1 m/s.
template <class Height>
Record record(const Height& height) {
  const int n = static_cast<int>(1.0 / kVoxel) + 4;
  const auto at = [&](int i, int j) {
    const double x = (i - n / 2) * kVoxel, y = (j - n / 2) * kVoxel;
    return Vec3(x, y, height(x, y));
  };
  Record result;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      const Vec3 a = at(i, j), b = at(i, j + 1), c = at(i + 1, j + 1), d = at(i + 1, j);
      const float before = static_cast<float>(a.x()), after = static_cast<float>(c.x());
      result.band.addQuad(a, d, c, b);
      result.times.push_back({before, after, after});
      result.times.push_back({before, after, before});
    }
  return result;
}

class Clock {
 public:
  void lap(const char* name) {
    const std::clock_t now = std::clock();
    mSeconds[name] += static_cast<double>(now - mLast) / CLOCKS_PER_SEC;
    mLast = now;
  }
  void report(benchmark::State& state) const {
    double sum = 0;
    for (const auto& [name, seconds] : mSeconds) {
      state.counters[name + "_s"] = seconds / static_cast<double>(state.iterations());
      sum += seconds;
    }
    state.counters["cpu_s"] = sum / static_cast<double>(state.iterations());
  }

 private:
  std::map<std::string, double> mSeconds;
  std::clock_t mLast = std::clock();
};

template <class Height>
void crackedCube(benchmark::State& state, const Height& height) {
  const Geometry cube = shapes::box({-0.5, -0.5, -0.5}, {0.5, 0.5, 0.5});
  const TriangleMesh mesh = triangleMesh(cube);
  size_t faces = 0, bytes = 0;
  Clock clock;
  for (auto _ : state) {
    Context context;
    clock.lap("between");
    const Record crack = record(height);
    bytes = crack.band.bytes();
    clock.lap("record");
    const TriangleBvh bvh(mesh, context);
    const RecordedCrack recorded{&crack.band, crack.times};
    const CrackPartition partition(bvh, Span<const RecordedCrack>(&recorded, 1), {}, context);
    clock.lap("partition");
    const Cut cut = partition.cut(cube, mesh, context);
    clock.lap("cut");
    FracturePieces pieces = makePieces(cube, mesh, cut, {}, context);
    clock.lap("pieces");
    addDepth(pieces.geometry, cube, "inside", context);
    addCrackAttributes(pieces, partition, "inside", context);
    clock.lap("attributes");
    faces = pieces.geometry.primitiveCount();
  }
  clock.report(state);
  state.counters["faces"] = static_cast<double>(faces);
  state.counters["band_mb"] = static_cast<double>(bytes) * 1e-6;
}

BENCHMARK_CAPTURE(crackedCube, flat, flat)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(crackedCube, curved, curved)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(crackedCube, rough, rough)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
