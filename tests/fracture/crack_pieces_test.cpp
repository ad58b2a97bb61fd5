#include "../shapes.h"

#include <gtest/gtest.h>
#include <hackle/core/error.h>
#include <hackle/core/random.h>
#include <hackle/fracture/crack/pieces/crack_pieces.h>
#include <hackle/geometry/mass_properties.h>
#include <hackle/geometry/topology.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>

namespace hackle {
namespace {

/// A height field over [-r, r]^2 as a recorded crack that a front passed along x at 1 m/s.
struct Sheet {
  SheetBand band;
  std::vector<std::array<float, 3>> times;

  explicit Sheet(double voxel) : band(voxel) {}
  void quad(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d, double before = 0, double after = 0) {
    band.addQuad(a, b, c, d);
    const float t0 = static_cast<float>(before), t1 = static_cast<float>(after);
    times.push_back({t0, t1, t1});
    times.push_back({t0, t1, t0});
  }

  template <class Height>
  Sheet(double voxel, double low, double high, const Height& height) : band(voxel) {
    const int n = static_cast<int>(std::lround((high - low) / voxel));
    const auto at = [&](int i, int j) {
      const double x = low + (high - low) * i / n, y = -0.6 + 1.2 * j / n;
      return Vec3(x, y, height(x, y));
    };
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        quad(at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1), at(i, j).x(), at(i + 1, j).x());
  }
  RecordedCrack record() const { return {&band, times}; }
};

struct Broken {
  FracturePieces pieces;
  size_t parts;
};

Broken breakBody(const Geometry& body, const std::vector<RecordedCrack>& cracks, double threshold = 0.5,
                 double crumbs = 0.0, int threads = 0) {
  Context context;
  context.setThreads(threads);
  const TriangleMesh mesh = triangleMesh(body);
  const TriangleBvh bvh(mesh, context);
  const CrackPartition partition(bvh, cracks, {threshold}, context);
  Broken broken{{}, partition.partCount()};
  if (partition.whole()) return broken;
  const Cut cut = partition.cut(body, mesh, context);
  PieceOptions options;
  options.minVolume = crumbs * partition.crumbVolume();
  broken.pieces = makePieces(body, mesh, cut, options, context);
  addDepth(broken.pieces.geometry, body, "inside", context);
  addCrackAttributes(broken.pieces, partition, "inside", context);
  return broken;
}

Broken breakCube(const std::vector<RecordedCrack>& cracks, double threshold = 0.5) {
  return breakBody(shapes::box(Vec3::Constant(-0.5), Vec3::Constant(0.5)), cracks, threshold);
}

void expectSound(const FracturePieces& pieces, double volume) {
  Context context;
  const Topology topology = analyseTopology(pieces.geometry, context);
  EXPECT_TRUE(topology.closed);
  EXPECT_TRUE(topology.manifold);
  double sum = 0;
  for (const double v : pieces.volume) sum += v;
  EXPECT_NEAR(sum, volume, 1e-9 * volume);
}

TEST(CrackPieces, AFlatSheetCutsExactly) {
  const Sheet sheet(0.02, -0.6, 0.6, [](double, double) { return 0.0137; });
  const Broken broken = breakCube({sheet.record()});
  ASSERT_EQ(broken.pieces.names.size(), 2u);
  expectSound(broken.pieces, 1.0);
  EXPECT_NEAR(std::min(broken.pieces.volume[0], broken.pieces.volume[1]), 0.5 - 0.0137, 1e-6);
  const Attribute* time = broken.pieces.geometry.findAttribute(Owner::Point, "crack_time");
  const Attribute* crack = broken.pieces.geometry.findAttribute(Owner::Primitive, "crack");
  ASSERT_TRUE(time && crack);
  for (size_t f = 0; f < broken.pieces.geometry.primitiveCount(); ++f) {
    if (crack->number(f) < 0) continue;
    for (const int32_t p : broken.pieces.geometry.corners(f))
      EXPECT_NEAR(time->number(static_cast<size_t>(p)),
                  broken.pieces.geometry.position(static_cast<size_t>(p)).x(), 1e-4);
  }
}

TEST(CrackPieces, ACurvedSheetCutsToSecondOrder) {
  const auto height = [](double x, double y) { return 0.1 * std::sin(3 * x) + 0.05 * y; };
  const Sheet sheet(0.02, -0.6, 0.6, height);
  const Broken broken = breakCube({sheet.record()});
  ASSERT_EQ(broken.pieces.names.size(), 2u);
  expectSound(broken.pieces, 1.0);
  const Group* inside = broken.pieces.geometry.findGroup(Owner::Primitive, "inside");
  double worst = 0;
  for (size_t f = 0; f < broken.pieces.geometry.primitiveCount(); ++f)
    if (inside->bits[f])
      for (const int32_t i : broken.pieces.geometry.corners(f)) {
        const Vec3 p = broken.pieces.geometry.position(static_cast<size_t>(i));
        worst = std::max(worst, std::abs(p.z() - height(p.x(), p.y())));
      }
  EXPECT_LT(worst, 0.2 * 0.02);
}

TEST(CrackPieces, OfSheetsSideBySideOneCuts) {
  // Between them there is no part; faces that went from one to the other and back would be larger.
  for (const double apart : {0.3, 0.8, 1.3, 1.8, 2.3, 2.6}) {
    SCOPED_TRACE(apart);
    const double voxel = 0.02;
    const Sheet first(voxel, -0.6, 0.6, [](double, double) { return 0.0137; });
    const Sheet second(voxel, -0.6, 0.6, [&](double, double) { return 0.0137 + apart * voxel; });
    const Broken broken = breakCube({first.record(), second.record()});
    ASSERT_EQ(broken.pieces.names.size(), 2u);
    expectSound(broken.pieces, 1.0);
    ASSERT_EQ(broken.pieces.contacts.size(), 1u);
    EXPECT_NEAR(broken.pieces.contacts[0].area, 1.0, 0.02);
    const Group* inside = broken.pieces.geometry.findGroup(Owner::Primitive, "inside");
    for (size_t f = 0; f < broken.pieces.geometry.primitiveCount(); ++f) {
      if (!inside->bits[f]) continue;
      for (const int32_t i : broken.pieces.geometry.corners(f))
        EXPECT_NEAR(broken.pieces.geometry.position(static_cast<size_t>(i)).z(), 0.0137, 0.1 * voxel);
    }
  }
}

TEST(CrackPieces, ThinFlakesJoinAcrossTheLaterSheet) {
  // A voxel or two between the walls: the first sheet is the face, whichever of them is above.
  const double voxel = 0.02;
  const Geometry cube = shapes::box(Vec3::Constant(-0.5), Vec3::Constant(0.5));
  for (const double apart : {2.8, 3.0, 3.3, 3.8, -3.0, -3.8}) {
    SCOPED_TRACE(apart);
    const Sheet first(voxel, -0.6, 0.6, [](double, double) { return 0.0137; });
    const Sheet second(voxel, -0.6, 0.6, [&](double, double) { return 0.0137 + apart * voxel; });
    Context context;
    const TriangleMesh mesh = triangleMesh(cube);
    const TriangleBvh bvh(mesh, context);
    CrackCutOptions options;
    options.minVolume = 0.2;
    const std::vector<RecordedCrack> cracks{first.record(), second.record()};
    const CrackPartition partition(bvh, cracks, options, context);
    const FracturePieces pieces = makePieces(cube, mesh, partition.cut(cube, mesh, context), {}, context);
    ASSERT_EQ(pieces.names.size(), 2u);
    expectSound(pieces, 1.0);
    EXPECT_NEAR(std::min(pieces.volume[0], pieces.volume[1]), 0.5 - 0.0137, 0.003);
  }
}

TEST(CrackPieces, AFlakeEndsWhereItsSheetComesOut) {
  // The sheet rises by 5 degrees and leaves the top at x = 0.1; for 20 voxels before it is below a film that
  // no voxel is in.
  const double voxel = 0.01, slope = std::tan(5 * shapes::kPi / 180), end = 0.1;
  const Sheet sheet(voxel, -0.6, end + 2 * voxel, [&](double x, double) { return 0.5 + slope * (x - end); });
  const Broken broken = breakCube({sheet.record()});
  ASSERT_EQ(broken.pieces.names.size(), 2u);
  expectSound(broken.pieces, 1.0);
  const Geometry& pieces = broken.pieces.geometry;
  const Group* inside = pieces.findGroup(Owner::Primitive, "inside");
  size_t count = 0;
  for (size_t f = 0; f < pieces.primitiveCount(); ++f)
    for (const int32_t i : pieces.corners(f)) {
      const Vec3 p = pieces.position(static_cast<size_t>(i));
      if (!inside->bits[f] || p.z() < 0.5 - 1e-9) continue;
      EXPECT_NEAR(p.x(), end, 3 * voxel);
      ++count;
    }
  EXPECT_GT(count, 10u);
  EXPECT_NEAR(std::min(broken.pieces.volume[0], broken.pieces.volume[1]), slope * 0.6 * 0.6 / 2, 2e-4);
}

TEST(CrackPieces, ASheetThatEndsInsideDividesNothing) {
  const Sheet sheet(0.02, -0.6, 0.3, [](double, double) { return 0.0; });
  const Broken broken = breakCube({sheet.record()});
  EXPECT_EQ(broken.parts, 1u);
}

TEST(CrackPieces, TwoSheetsThatMeetMakeThreePieces) {
  const Sheet whole(0.02, -0.6, 0.6, [](double, double) { return 0.0; });
  // A second one stands on it, and ends half a voxel before.
  Sheet second(0.02);
  second.quad({0.11, -0.6, 0.01}, {0.11, 0.6, 0.01}, {0.11, 0.6, 0.6}, {0.11, -0.6, 0.6});
  const Broken broken = breakCube({whole.record(), second.record()});
  ASSERT_EQ(broken.pieces.names.size(), 3u);
  expectSound(broken.pieces, 1.0);
  std::vector<double> volumes = broken.pieces.volume;
  std::sort(volumes.begin(), volumes.end());
  EXPECT_NEAR(volumes[0], 0.5 * 0.39, 0.002);
  EXPECT_NEAR(volumes[2], 0.5, 0.002);
}

TEST(CrackPieces, CrossingSheetsMakeFour) {
  const Sheet flat(0.02, -0.6, 0.6, [](double, double) { return 0.0137; });
  Sheet upright(0.02);
  upright.quad({0.113, -0.6, -0.6}, {0.113, 0.6, -0.6}, {0.113, 0.6, 0.6}, {0.113, -0.6, 0.6});
  const Broken broken = breakCube({flat.record(), upright.record()});
  ASSERT_EQ(broken.pieces.names.size(), 4u);
  expectSound(broken.pieces, 1.0);
  std::vector<double> volumes = broken.pieces.volume, exact;
  for (const double x : {0.5 - 0.113, 0.5 + 0.113})
    for (const double z : {0.5 - 0.0137, 0.5 + 0.0137}) exact.push_back(x * z);
  std::sort(volumes.begin(), volumes.end());
  std::sort(exact.begin(), exact.end());
  for (size_t i = 0; i < 4; ++i) EXPECT_NEAR(volumes[i], exact[i], 3e-4);
}

TEST(CrackPieces, ALigamentWithinTheThresholdBreaks) {
  // The sheet ends 1.2 voxels before the row of voxels below the surface.
  const Geometry body = shapes::box(Vec3::Constant(-0.505), Vec3::Constant(0.505));
  const Sheet sheet(0.02, -0.604, 0.476, [](double, double) { return 0.0; });
  EXPECT_EQ(breakBody(body, {sheet.record()}, 0.0).parts, 1u);
  const Broken broken = breakBody(body, {sheet.record()}, 0.5);
  ASSERT_EQ(broken.pieces.names.size(), 2u);
  expectSound(broken.pieces, 1.01 * 1.01 * 1.01);
  EXPECT_NEAR(broken.pieces.volume[0], broken.pieces.volume[1], 1e-3);
}

TEST(CrackPieces, SheetsAlongTheSurfaceDoNoHarm) {
  for (const double below : {-0.01, 0.0, 0.004, 0.011, 0.03, 0.06}) {
    SCOPED_TRACE(below);
    const Sheet sheet(0.02, -0.6, 0.6, [&](double, double) { return 0.5 - below; });
    const Broken broken = breakCube({sheet.record()});
    if (!broken.pieces.names.empty()) expectSound(broken.pieces, 1.0);
    EXPECT_EQ(broken.parts, below > 0.05 ? 2u : 1u);
  }
}

TEST(CrackPieces, RingsAndHollowBodiesAreCutThroughAllTheirWalls) {
  const Geometry ring = shapes::torus(32, 16, 0.4, 0.12);
  const Sheet half(0.02, 0.0, 0.6, [](double, double) { return 0.0123; });
  EXPECT_EQ(breakBody(ring, {half.record()}).parts, 1u);  // open, but in one piece
  const Sheet whole(0.02, -0.6, 0.6, [](double, double) { return 0.0123; });
  Context context;
  Broken broken = breakBody(ring, {whole.record()});
  ASSERT_EQ(broken.pieces.names.size(), 2u);
  expectSound(broken.pieces, massProperties(triangleMesh(ring), context).volume);

  Geometry hollow = shapes::box(Vec3::Constant(-0.5), Vec3::Constant(0.5));
  const Geometry cavity = shapes::box(Vec3::Constant(-0.3), Vec3::Constant(0.3));
  const int32_t first = static_cast<int32_t>(hollow.addPoints(8));
  for (size_t p = 0; p < 8; ++p) hollow.editPositions()[first + p] = cavity.position(p);
  for (size_t f = 0; f < 6; ++f) {
    const auto c = cavity.corners(f);
    hollow.addPolygon({first + c[3], first + c[2], first + c[1], first + c[0]});
  }
  broken = breakBody(hollow, {whole.record()});
  ASSERT_EQ(broken.pieces.names.size(), 2u);
  expectSound(broken.pieces, 1 - 0.216);
  EXPECT_NEAR(std::min(broken.pieces.volume[0], broken.pieces.volume[1]),
              0.5 - 0.0123 - 0.36 * (0.3 - 0.0123), 1e-4);
}

TEST(CrackPieces, InsideFacesHaveNormalsTexturesAndDepth) {
  const Sheet sheet(0.02, -0.6, 0.6, [](double x, double y) { return 0.05 * std::sin(5 * x) + 0.1 * y; });
  const Geometry& g = breakCube({sheet.record()}).pieces.geometry;
  const Group* inside = g.findGroup(Owner::Primitive, "inside");
  const Attribute *n = g.findAttribute(Owner::Vertex, "N"), *uv = g.findAttribute(Owner::Vertex, "uv"),
                  *depth = g.findAttribute(Owner::Point, "depth"),
                  *crack = g.findAttribute(Owner::Primitive, "crack");
  ASSERT_TRUE(inside && n && uv && depth && crack);
  std::map<int32_t, Vec3> uvOf;  // of each point: textures run on from face to face
  for (size_t f = 0; f < g.primitiveCount(); ++f) {
    EXPECT_EQ(crack->number(f), inside->bits[f] ? 0 : -1);
    if (!inside->bits[f]) continue;
    const auto corners = g.corners(f);
    for (size_t k = 0; k < corners.size(); ++k) {
      const size_t v = g.firstVertex(f) + k, p = static_cast<size_t>(corners[k]);
      const Vec3 normal(n->number(v, 0), n->number(v, 1), n->number(v, 2));
      const Vec3 at(uv->number(v, 0), uv->number(v, 1), 0);
      EXPECT_NEAR(normal.norm(), 1, 1e-5);
      EXPECT_GT(std::abs(normal.z()), 0.8);
      const auto [known, isNew] = uvOf.try_emplace(corners[k], at);
      EXPECT_LT((known->second - at).norm(), 1e-6);
      const Vec3& x = g.position(p);
      EXPECT_NEAR(depth->number(p), std::max(0.0, 0.5 - x.cwiseAbs().maxCoeff()), 1e-6);
    }
  }
}

TEST(CrackPieces, TimesAreThoseOfARoundFront) {
  // A front that leaves the middle at 2 m/s.
  Sheet disc(0.02);
  const auto at = [](int r, int k) {
    const double a = 2 * shapes::kPi * k / 240;
    return Vec3(0.02 * r * std::cos(a), 0.02 * r * std::sin(a), 0.0137);
  };
  for (int r = 0; r < 40; ++r)
    for (int k = 0; k < 240; ++k)
      disc.quad(at(r, k), at(r + 1, k), at(r + 1, k + 1), at(r, k + 1), 0.01 * r, 0.01 * (r + 1));
  const Geometry& g = breakCube({disc.record()}).pieces.geometry;
  const Attribute* time = g.findAttribute(Owner::Point, "crack_time");
  const Group* inside = g.findGroup(Owner::Primitive, "inside");
  size_t faces = 0;
  for (size_t f = 0; f < g.primitiveCount(); ++f) {
    if (!inside->bits[f]) continue;
    ++faces;
    Vec3 middle = Vec3::Zero();
    double mean = 0;
    for (const int32_t p : g.corners(f)) {
      const double t = time->number(static_cast<size_t>(p));
      // In the middle, triangles are much narrower than voxels.
      const double radius = g.position(static_cast<size_t>(p)).head<2>().norm();
      EXPECT_NEAR(t, radius / 2, (radius > 0.04 ? 0.1 : 0.5) * 0.01);
      middle += g.position(static_cast<size_t>(p)) / static_cast<double>(g.corners(f).size());
      mean += t / static_cast<double>(g.corners(f).size());
    }
    // Within what it needs for a few voxels wherever it is interpolated.
    EXPECT_NEAR(mean, middle.head<2>().norm() / 2, 3 * 0.01);
  }
  EXPECT_LT(faces, 2000u);
}

/// A wavy rectangular sheet, in quads of a voxel, through `centre` across `normal`.
Sheet waves(double voxel, const Vec3& centre, const Vec3& normal, double half, double height, double phase) {
  Sheet sheet(voxel);
  const Vec3 u = normal.unitOrthogonal(), v = normal.cross(u);
  const int n = static_cast<int>(std::ceil(half / voxel));
  const auto at = [&](int i, int j) {
    const double a = i * voxel, b = j * voxel;
    return Vec3(centre + a * u + b * v +
                height * std::sin(9 * a / half / 2 + phase) * std::cos(3 * b / half + phase) * normal);
  };
  for (int i = -n; i < n; ++i)
    for (int j = -n; j < n; ++j)
      sheet.quad(at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1), (i + n) * voxel,
                 (i + n + 1) * voxel);
  return sheet;
}

TEST(CrackPieces, AnySheetsThroughAnyBodyGiveSoundPieces) {
  const std::vector<Geometry> bodies{shapes::box(Vec3::Constant(-0.5), Vec3::Constant(0.5)),
                                     shapes::sphere(12, 0.5), shapes::torus(24, 12, 0.4, 0.15)};
  for (uint64_t seed = 0; seed < 9; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed, 7);
    const Geometry& body = bodies[seed % bodies.size()];
    std::vector<std::unique_ptr<Sheet>> sheets;
    std::vector<RecordedCrack> records;
    const int count = 1 + static_cast<int>(random.uniform() * 4);
    for (int i = 0; i < count; ++i) {
      const Vec3 normal =
          Vec3(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)).normalized();
      const Vec3 centre(random.uniform(-0.3, 0.3), random.uniform(-0.1, 0.1), random.uniform(-0.3, 0.3));
      const double half = random.uniform() < 0.7 ? 1.0 : 0.4;
      sheets.push_back(std::make_unique<Sheet>(
          waves(0.025, centre, normal, half, random.uniform(0, 0.06), random.uniform(0, 6))));
      records.push_back(sheets.back()->record());
    }
    const Broken broken = breakBody(body, records);
    if (broken.pieces.names.empty()) continue;  // nothing, or crumbs of a few voxels, came off
    Context context;
    expectSound(broken.pieces, massProperties(triangleMesh(body), context).volume);
  }
}

/// A bowl below the top of the cube, whose corners are off by voxels at random as grains leave them.
Sheet flake(double voxel, const Vec2& centre, double depth, double slope, double off, uint64_t seed) {
  return Sheet(voxel, -0.6, 0.6, [&](double x, double y) {
    const uint64_t i = static_cast<uint64_t>(std::lround(x / voxel) + 1000),
                   j = static_cast<uint64_t>(std::lround(y / voxel) + 1000);
    return 0.5 - depth + slope * (Vec2(x, y) - centre).norm() +
           off * voxel * Random(mixBits(seed + i), j).uniform(-1, 1);
  });
}

TEST(CrackPieces, RoughFlakesLeaveFlatSurfacesAlone) {
  // Beyond the mouth of such a sheet its planes say nothing about sides, and no face is where it ends.
  const Geometry cube = shapes::box(Vec3::Constant(-0.5), Vec3::Constant(0.5));
  for (uint64_t seed = 0; seed < 12; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed, 3);
    const Vec2 centre(random.uniform(-0.3, 0.3), random.uniform(-0.3, 0.3));
    const double slope = random.uniform(0.5, 1.2);
    const Sheet a = flake(0.02, centre, 0.2, slope, random.uniform(0, 1), seed);
    const Broken broken = breakCube({a.record()});
    ASSERT_EQ(broken.parts, 2u);
    expectSound(broken.pieces, 1.0);
    // What comes off lies in the sheet's cone.
    const Geometry& g = broken.pieces.geometry;
    const int32_t small = broken.pieces.volume[0] < broken.pieces.volume[1] ? 0 : 1;
    double farthest = 0;
    for (size_t f = 0; f < g.primitiveCount(); ++f)
      for (const int32_t p : g.corners(f))
        if (broken.pieces.primitivePiece[f] == small)
          farthest = std::max(farthest, (g.position(static_cast<size_t>(p)).head<2>() - centre).norm());
    EXPECT_LT(farthest, 0.2 / slope + 0.1);
  }
}

TEST(CrackPieces, CrumbsJoinTheirNeighbours) {
  // Three sheets that almost meet in one line leave slivers between them.
  const Sheet a = waves(0.025, Vec3(0, 0, 0), Vec3(1, 0, 0), 1.0, 0.0, 0),
              b = waves(0.025, Vec3(0.02, 0, 0), Vec3(0.6, 0.8, 0), 1.0, 0.0, 0),
              c = waves(0.025, Vec3(-0.1, 0.09, 0), Vec3(0.28, 0.96, 0), 1.0, 0.02, 1);
  const std::vector<RecordedCrack> records{a.record(), b.record(), c.record()};
  const Geometry cube = shapes::box(Vec3::Constant(-0.5), Vec3::Constant(0.5));
  const Broken broken = breakBody(cube, records, 0.5, 1.0);
  expectSound(broken.pieces, 1.0);
  for (const double v : broken.pieces.volume) EXPECT_GE(v, 8 * 0.025 * 0.025 * 0.025);
  const Broken more = breakBody(cube, records, 0.5, 1000.0);
  expectSound(more.pieces, 1.0);
  EXPECT_LT(more.pieces.names.size(), broken.pieces.names.size());
}

TEST(CrackPieces, PartsBelowTheLimitJoinBeforeTheCut) {
  // Two flat sheets, and one across them close to a side: six boxes.
  const Sheet a = waves(0.02, Vec3(0, 0, 0.003), Vec3(0, 0, 1), 1.0, 0, 0),
              b = waves(0.02, Vec3(0, 0, 0.153), Vec3(0, 0, 1), 1.0, 0, 0),
              c = waves(0.02, Vec3(0.4, 0, 0), Vec3(1, 0, 0), 1.0, 0, 0);
  const std::vector<RecordedCrack> records{a.record(), b.record(), c.record()};
  Context context;
  const TriangleMesh mesh = triangleMesh(shapes::box(Vec3::Constant(-0.5), Vec3::Constant(0.5)));
  const TriangleBvh bvh(mesh, context);
  // 0.1 x 0.15 x 1 joins 0.9 x 0.15 x 1, then 0.1 x 0.347 x 1 what is beside it, ...
  const std::vector<std::pair<double, size_t>> limits{{0, 6},    {0.02, 5}, {0.04, 4},
                                                      {0.06, 3}, {0.2, 2},  {0.9, 1}};
  uint64_t voxels = 0;
  for (const auto& [limit, expected] : limits) {
    SCOPED_TRACE(limit);
    CrackCutOptions options;
    options.minVolume = limit;
    const CrackPartition partition(bvh, records, options, context);
    EXPECT_EQ(partition.partCount(), expected);
    EXPECT_EQ(partition.whole(), expected == 1);
    uint64_t sum = 0;
    for (const uint64_t v : partition.fragments().voxels()) sum += v;
    if (voxels == 0) voxels = sum;
    EXPECT_EQ(sum, voxels);  // nothing is lost
  }
}

TEST(CrackPieces, NecksThinnerThanAVoxelAreNotCut) {
  // Two cubes and a bar of half a voxel between them; the sheet goes through one of the cubes.
  Geometry body;
  const auto ring = [&](double x, double half) {
    const int32_t first = static_cast<int32_t>(body.addPoints(4));
    for (int k = 0; k < 4; ++k)
      body.editPositions()[first + k] =
          Vec3(x, (k == 0 || k == 3 ? -half : half) + 0.011, (k < 2 ? -half : half) + 0.011);
    return first;
  };
  const double x[6] = {-0.3, -0.06, -0.06, 0.06, 0.06, 0.5}, half[6] = {0.1, 0.1, 0.005, 0.005, 0.3, 0.3};
  int32_t last = -1;
  for (size_t s = 0; s < 6; ++s) {
    const int32_t first = ring(x[s], half[s]);
    if (s == 0) body.addPolygon({first + 3, first + 2, first + 1, first});
    for (int32_t k = 0; s > 0 && k < 4; ++k) {
      const int32_t m = (k + 1) % 4;
      body.addPolygon({last + k, last + m, first + m, first + k});
    }
    if (s == 5) body.addPolygon({first, first + 1, first + 2, first + 3});
    last = first;
  }
  Context context;
  const double volume = massProperties(triangleMesh(body), context).volume;
  ASSERT_GT(volume, 0);
  const Sheet sheet = waves(0.02, Vec3(0.283, 0, 0), Vec3(1, 0, 0), 1.0, 0, 0);
  const Broken broken = breakBody(body, {sheet.record()});
  ASSERT_EQ(broken.pieces.names.size(), 2u);
  expectSound(broken.pieces, volume);
  EXPECT_NEAR(std::min(broken.pieces.volume[0], broken.pieces.volume[1]), 0.36 * 0.217, 1e-6);
}

TEST(CrackPieces, AreTheSameOnAnyNumberOfThreadsAndCanBeCancelled) {
  const Sheet a = waves(0.02, Vec3(0, 0.02, 0), Vec3(0.6, 0.8, 0), 1.0, 0.05, 1),
              b = waves(0.02, Vec3::Zero(), Vec3(0, 0, 1), 1.0, 0.1, 2);
  const Geometry cube = shapes::box(Vec3::Constant(-0.5), Vec3::Constant(0.5));
  const Geometry one = breakBody(cube, {a.record(), b.record()}, 0.5, 0, 1).pieces.geometry;
  const Geometry many = breakBody(cube, {a.record(), b.record()}, 0.5, 0, 4).pieces.geometry;
  ASSERT_EQ(one.pointCount(), many.pointCount());
  for (size_t p = 0; p < one.pointCount(); ++p) ASSERT_EQ(one.position(p), many.position(p));
  ASSERT_EQ(one.primitiveCount(), many.primitiveCount());
  for (size_t f = 0; f < one.primitiveCount(); ++f)
    ASSERT_TRUE(std::equal(one.corners(f).begin(), one.corners(f).end(), many.corners(f).begin()));
  Context context;
  const TriangleBvh tree(triangleMesh(cube), context);
  const std::vector<RecordedCrack> records{a.record(), b.record()};
  context.cancel();
  EXPECT_THROW(CrackPartition(tree, records, {}, context), Error);
}

}  // namespace
}  // namespace hackle
