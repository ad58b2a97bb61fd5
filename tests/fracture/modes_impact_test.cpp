// Impacts on modes: laws of the projection, of gluing, and of the cache.
#include "modes_support.h"

#include <gtest/gtest.h>
#include <hackle/core/archive.h>
#include <hackle/core/error.h>
#include <hackle/fracture/modes/impact_projection.h>
#include <hackle/fracture/modes/modes_restriction.h>

#include <set>

namespace hackle {
namespace {

using namespace modes_support;

ProjectionOptions atSpeed(double speed) {
  ProjectionOptions options;
  options.limits.speed = speed;
  return options;
}

size_t piecesAfter(const ModesCache& cache, const std::vector<Impact>& impacts,
                   const ProjectionOptions& options) {
  Context context;
  const ImpactProjector projector(cache, context);
  return glueContacts(cache.parts, projector.project(impacts, options).glued, "piece").names.size();
}

/// Contacts of the bar from left to right: at -0.5, 0, 0.5.
std::vector<size_t> contactsAlongX(const ModesCache& cache) {
  std::vector<size_t> order{0, 1, 2};
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return cache.parts.contacts[a].centre.x() < cache.parts.contacts[b].centre.x();
  });
  return order;
}

TEST(ModesImpact, MovesPartsByTheWholeImpulse) {
  const Prefracture bar = broken(slicedBar());
  Context context;
  const ImpactProjector projector(bar.cache, context);
  const Vec3 impulse(3, -4, 12);
  for (const Vec3& at : {Vec3(-1, 0.1, 0), Vec3(0.3, 0.2, 0.2), Vec3(5, 5, 5)}) {
    const ProjectionResult result = projector.project(std::vector<Impact>{impactOf(at, impulse)}, atSpeed(1));
    Vec3 momentum = Vec3::Zero();
    for (size_t p = 0; p < bar.cache.masses.size(); ++p) momentum += bar.cache.masses[p] * result.velocity[p];
    EXPECT_LT((momentum - impulse).norm(), 1e-9 * impulse.norm());
  }
}

TEST(ModesImpact, NearABoundaryPicksIt) {
  const Prefracture bar = broken(slicedBar());
  const std::vector<size_t> order = contactsAlongX(bar.cache);
  Context context;
  const ImpactProjector projector(bar.cache, context);
  ProjectionOptions options;
  options.projection = Projection::Parts;
  for (size_t k : {0u, 1u, 2u}) {
    const double x = -0.5 + 0.5 * static_cast<double>(k);
    // A blow on the boundary itself moves both sides alike. Beside it, the weakest blow that breaks anything
    // breaks there. At the middle of the bar, by symmetry, one of the boundaries next to the part that is
    // hit.
    double low = 1e-9, high = 1e9;
    options.limits.speed = 1;
    for (int step = 0; step < 100; ++step) {
      const double middle = std::sqrt(low * high);
      const auto glued = projector
                             .project(std::vector<Impact>{impactOf(Vec3(x + (k == 0 ? -0.17 : 0.17), 0.2, 0),
                                                                   Vec3(0, -middle, 0))},
                                      options)
                             .glued;
      (std::count(glued.begin(), glued.end(), 0) > 0 ? high : low) = middle;
    }
    const auto glued =
        projector
            .project(
                std::vector<Impact>{impactOf(Vec3(x + (k == 0 ? -0.17 : 0.17), 0.2, 0), Vec3(0, -high, 0))},
                options)
            .glued;
    EXPECT_EQ(std::count(glued.begin(), glued.end(), 0), 1);
    if (k != 1) {
      EXPECT_EQ(glued[order[k]], 0) << x;
    }
  }
}

TEST(ModesImpact, LoweringTheImpulseOrRaisingSigmaNeverAddsPieces) {
  const Prefracture bar = broken(slicedBar());
  for (const Projection projection : {Projection::Modes, Projection::Parts})
    for (const Vec3& at : {Vec3(-1, 0, 0), Vec3(0.1, 0.2, 0), Vec3(0.6, 0, 0.2)}) {
      ProjectionOptions options = atSpeed(0.01);
      options.limits.energy = 0.002;
      options.projection = projection;
      size_t before = 0;
      std::set<size_t> seen;
      for (double impulse = 1e-3; impulse < 1e4; impulse *= 1.3) {
        const size_t count = piecesAfter(bar.cache, {impactOf(at, Vec3(0, 0, -impulse))}, options);
        EXPECT_GE(count, before);
        seen.insert(before = count);
      }
      EXPECT_EQ(*seen.begin(), 1u);
      EXPECT_GE(*seen.rbegin(), 3u);
      for (options.sigma = 1; options.sigma < 1e7; options.sigma *= 1.7) {
        const size_t count = piecesAfter(bar.cache, {impactOf(at, Vec3(0, 0, -1e4))}, options);
        EXPECT_LE(count, before);
        before = count;
      }
      EXPECT_EQ(before, 1u);
    }
}

TEST(ModesImpact, ContactsThatBreakAreNested) {
  const Prefracture bar = broken(slicedBar());
  Context context;
  const ImpactProjector projector(bar.cache, context);
  std::vector<uint8_t> before(3, 1);
  for (double impulse = 1e-3; impulse < 1e4; impulse *= 1.2) {
    const auto glued =
        projector
            .project(std::vector<Impact>{impactOf(Vec3(0.2, 0.2, 0), Vec3(0, -impulse, 0)),
                                         impactOf(Vec3(-0.8, -0.2, 0), Vec3(0, 2 * impulse, 0))},
                     atSpeed(0.05))
            .glued;
    for (size_t c = 0; c < 3; ++c) EXPECT_LE(glued[c], before[c]);
    before = glued;
  }
  EXPECT_EQ(before, std::vector<uint8_t>(3, 0));
}

TEST(ModesImpact, SeveralAddUp) {
  const Prefracture bar = broken(slicedBar());
  const Vec3 at(0.2, 0.2, 0), impulse(0, -5, 0);
  Context context;
  const ImpactProjector projector(bar.cache, context);
  const auto one = projector.project(std::vector<Impact>{impactOf(at, impulse)}, atSpeed(1));
  const auto halves = projector.project(
      std::vector<Impact>{impactOf(at, impulse / 2), impactOf(at, impulse / 2)}, atSpeed(1));
  EXPECT_NEAR(one.largestLoad, halves.largestLoad, 1e-12 * one.largestLoad);
  // Blows that cancel in one place do nothing.
  const auto none =
      projector.project(std::vector<Impact>{impactOf(at, impulse), impactOf(at, -impulse)}, atSpeed(1e-6));
  EXPECT_LT(none.largestLoad, 1e-6);
  EXPECT_EQ(std::count(none.glued.begin(), none.glued.end(), 0), 0);
}

TEST(ModesImpact, AllModesSpanAllMovementsOfParts) {
  // Three modes and the translations span what four parts can do: both projections agree.
  const Prefracture bar = broken(slicedBar());
  Context context;
  const ImpactProjector projector(bar.cache, context);
  for (const double speed : {0.001, 0.01, 0.1, 1.0}) {
    ProjectionOptions modes = atSpeed(speed), parts = atSpeed(speed);
    parts.projection = Projection::Parts;
    const std::vector<Impact> impacts{impactOf(Vec3(0.3, 0.2, 0.1), Vec3(1, -2, 0.5))};
    const auto a = projector.project(impacts, modes), b = projector.project(impacts, parts);
    EXPECT_NEAR(a.largestLoad, b.largestLoad, 1e-3 * b.largestLoad);
    EXPECT_EQ(a.glued, b.glued);
  }
}

TEST(ModesImpact, FewModesLinkFarPartsAndPartsDoNot) {
  // One mode that opens both ends at once: a blow at one end opens the other as well, unless parts count.
  Body body = enclosed(shapes::box({-1, -0.2, -0.2}, {1, 0.2, 0.2}), 16);
  addModes(body, {[](const Vec3& p) { return std::abs(p.x()) > 0.6 ? 1.0 : 0.0; }});
  const Prefracture bar = broken(body);
  ASSERT_EQ(bar.cache.parts.names.size(), 3u);
  Context context;
  const ImpactProjector projector(bar.cache, context);
  const std::vector<Impact> impacts{impactOf(Vec3(1, 0, 0), Vec3(0, -1, 0))};
  ProjectionOptions options = atSpeed(1e-3);
  const auto linked = projector.project(impacts, options);
  EXPECT_EQ(std::count(linked.glued.begin(), linked.glued.end(), 0), 2);
  options.projection = Projection::Parts;
  const auto alone = projector.project(impacts, options);
  ASSERT_EQ(std::count(alone.glued.begin(), alone.glued.end(), 0), 1);
  const size_t cut =
      static_cast<size_t>(std::find(alone.glued.begin(), alone.glued.end(), 0) - alone.glued.begin());
  EXPECT_GT(bar.cache.parts.contacts[cut].centre.x(), 0);
}

TEST(ModesImpact, DirectionMattersAlongTheAxesOfAModeOnly) {
  Body body = enclosed(shapes::box({-1, -0.2, -0.2}, {1, 0.2, 0.2}), 16);
  addModes(body, {beyond({1, 0, 0}, 0)}, 2);  // opens along y only
  const Prefracture bar = broken(body);
  const Vec3 at(0.9, 0, 0);
  EXPECT_EQ(piecesAfter(bar.cache, {impactOf(at, Vec3(1, 0, 0))}, atSpeed(1e-6)), 1u);
  EXPECT_EQ(piecesAfter(bar.cache, {impactOf(at, Vec3(0, 0, 1))}, atSpeed(1e-6)), 1u);
  EXPECT_EQ(piecesAfter(bar.cache, {impactOf(at, Vec3(0, 1, 0))}, atSpeed(1e-6)), 2u);
}

TEST(ModesImpact, TurnsWithTheSolid) {
  Body body = slicedBar();
  const Prefracture straight = broken(body);
  const Mat3 turn = shapes::randomRotation(5);
  for (Vec3& p : body.solid.editPositions()) p = turn * p;
  for (Vec3& p : body.lattice.points) p = turn * p;
  const Prefracture turned = broken(body);
  Context context;
  const ImpactProjector a(straight.cache, context), b(turned.cache, context);
  for (const Vec3& at : {Vec3(-1, 0, 0), Vec3(0.1, 0.2, 0.1)}) {
    const Vec3 impulse(0.3, -1, 0.2);
    const auto l = a.project(std::vector<Impact>{impactOf(at, impulse)}, atSpeed(0.01));
    const auto r = b.project(std::vector<Impact>{impactOf(turn * at, turn * impulse)}, atSpeed(0.01));
    EXPECT_EQ(l.glued, r.glued);
    EXPECT_NEAR(l.largestLoad, r.largestLoad, 1e-5 * l.largestLoad);
    for (size_t p = 0; p < l.velocity.size(); ++p)
      EXPECT_LT((turn * l.velocity[p] - r.velocity[p]).norm(), 1e-5 * impulse.norm());
  }
}

TEST(ModesImpact, AShockGoesThroughTheSolidAndAGaussianThroughTheAir) {
  // A horseshoe of boxes: its ends are near each other, far apart along the solid.
  Geometry horseshoe;
  for (const double z : {0.0, 0.3})
    for (const auto& [x, y] : std::vector<std::pair<double, double>>{
             {0, 0}, {1, 0}, {1, 0.3}, {0.3, 0.3}, {0.3, 0.5}, {1, 0.5}, {1, 0.8}, {0, 0.8}})
      horseshoe.addPoint({x, y, z});
  horseshoe.addPolygon({7, 6, 5, 4, 3, 2, 1, 0});
  horseshoe.addPolygon({8, 9, 10, 11, 12, 13, 14, 15});
  for (int32_t i = 0; i < 8; ++i) horseshoe.addPolygon({i, (i + 1) % 8, (i + 1) % 8 + 8, i + 8});
  Body body = enclosed(horseshoe, 13);
  addModes(body, {[](const Vec3& p) { return p.x() > 0.6 && p.y() < 0.4 ? 1.0 : 0.0; },
                  [](const Vec3& p) { return p.x() > 0.6 && p.y() > 0.4 ? 1.0 : 0.0; }});
  double upper[2];
  for (const ImpulseFilter filter : {ImpulseFilter::Shock, ImpulseFilter::Gaussian}) {
    PrefractureOptions options;
    options.impulse = {filter, 0.2};
    const Prefracture result = broken(body, options);
    Context context;
    const ImpactProjector projector(result.cache, context);
    const auto hit =
        projector.project(std::vector<Impact>{impactOf(Vec3(0.95, 0.3, 0.15), Vec3(0, 1, 0))}, atSpeed(1));
    for (size_t p = 0; p < hit.velocity.size(); ++p)
      if (result.cache.parts.centre[p].x() > 0.6 && result.cache.parts.centre[p].y() > 0.4)
        upper[filter == ImpulseFilter::Gaussian] = hit.velocity[p].norm() * result.cache.masses[p];
  }
  EXPECT_LT(upper[0], 0.02);  // of the impulse
  EXPECT_GT(upper[1], 0.1);
}

TEST(ModesImpact, LimitsOfMaterials) {
  const BreakLimits glass = breakLimits(70e9, 0.22, 2500, 45e6, 0.75e6);
  EXPECT_NEAR(glass.speed, 2 * 45e6 / std::sqrt(70e9 * 2500), 1e-12);
  EXPECT_NEAR(glass.energy, 0.75e6 * 0.75e6 * (1 - 0.22 * 0.22) / 70e9, 1e-12);
  EXPECT_NEAR(glass.energy, 7.65, 0.01);  // J/m^2
}

TEST(ModesImpact, SecondImpactsStayInTheirPiece) {
  const Prefracture bar = broken(slicedBar());
  const std::vector<size_t> order = contactsAlongX(bar.cache);
  Context context;
  const ImpactProjector projector(bar.cache, context);
  std::vector<uint8_t> glued(3, 1);
  glued[order[1]] = 0;  // broken in the middle before
  const Gluing halves = glueContacts(bar.cache.parts, glued, "piece");
  ASSERT_EQ(halves.names.size(), 2u);
  int32_t left = 0;
  for (size_t p = 0; p < 4; ++p)
    if (bar.cache.parts.centre[p].x() < -0.6) left = halves.groupOf[p];
  const EarlierPieces earlier{halves, {left}};
  const auto result = projector.project(std::vector<Impact>{impactOf(Vec3(-0.95, 0, 0), Vec3(0, -1, 0))},
                                        atSpeed(1e-6), &earlier);
  EXPECT_EQ(result.glued[order[0]], 0);
  EXPECT_EQ(result.glued[order[1]], 0);
  EXPECT_EQ(result.glued[order[2]], 1);
  Vec3 momentum = Vec3::Zero();
  for (size_t p = 0; p < 4; ++p) {
    momentum += bar.cache.masses[p] * result.velocity[p];
    if (halves.groupOf[p] != left) {
      EXPECT_EQ(result.velocity[p], Vec3(0, 0, 0));
    }
  }
  EXPECT_LT((momentum - Vec3(0, -1, 0)).norm(), 1e-9);
  const Gluing after = glueWithin(bar.cache.parts, result.glued, halves);
  const std::string parent = halves.names[left];
  const std::string other = halves.names[1 - left];
  EXPECT_EQ(std::set<std::string>(after.names.begin(), after.names.end()),
            (std::set<std::string>{parent + "-0", parent + "-1", other}));
}

TEST(ModesImpact, RestrictedModesMoveAnEarlierPieceAlike) {
  const Prefracture bar = broken(slicedBar());
  const std::vector<size_t> order = contactsAlongX(bar.cache);
  Context context;
  const ImpactProjector projector(bar.cache, context);
  std::vector<uint8_t> glued(3, 1);
  glued[order[2]] = 0;  // three quarters and the rest
  const Gluing pieces = glueContacts(bar.cache.parts, glued, "piece");
  for (int32_t piece = 0; piece < 2; ++piece) {
    std::vector<int32_t> parts;
    for (size_t p = 0; p < 4; ++p)
      if (pieces.groupOf[p] == piece) parts.push_back(static_cast<int32_t>(p));
    const ModesCache own = restrictedModes(bar.cache, parts, context);
    const ImpactProjector restricted(own, context);
    const EarlierPieces earlier{pieces, {piece}};
    for (const Projection projection : {Projection::Modes, Projection::Parts})
      for (const size_t face : {0u, 3u, 9u}) {
        ProjectionOptions options = atSpeed(1e-3);
        options.projection = projection;
        const std::vector<Impact> impacts{impactOf(own.parts.geometry.position(face), Vec3(1, -2, 3))};
        const ProjectionResult mine = restricted.project(impacts, options);
        const ProjectionResult theirs = projector.project(impacts, options, &earlier);
        EXPECT_NEAR(mine.largestLoad, theirs.largestLoad, 1e-12 * theirs.largestLoad);
        EXPECT_EQ(mine.opened, theirs.opened);
        for (size_t p = 0; p < parts.size(); ++p)
          EXPECT_LT((mine.velocity[p] - theirs.velocity[parts[p]]).norm(), 1e-12 * mine.velocity[p].norm());
      }
    EXPECT_EQ(writeModes(readModes(writeModes(own), context)), writeModes(own));
  }
}

TEST(ModesImpact, FirstModesGiveFewerPieces) {
  const Prefracture bar = broken(slicedBar());
  Context context;
  const ImpactProjector projector(bar.cache, context);
  for (size_t k = 0; k <= 3; ++k) {
    const auto glued = projector.gluedByModes(k, 0);
    EXPECT_EQ(glueContacts(bar.cache.parts, glued, "").names.size(), k + 1);
  }
  EXPECT_EQ(projector.gluedByModes({}, 0), projector.gluedByModes(3, 0));
  EXPECT_EQ(projector.gluedByModes(3, 1.0), std::vector<uint8_t>(3, 1));
  EXPECT_THROW(projector.gluedByModes(4, 0), Error);
}

TEST(ModesCacheFile, ComesBackEqual) {
  Context context;
  const Prefracture bar = broken(slicedBar());
  const std::string bytes = writeModes(bar.cache);
  const ModesCache back = readModes(bytes, context);
  EXPECT_EQ(writeModes(back), bytes);
  EXPECT_EQ(back.values, bar.cache.values);
  EXPECT_EQ(back.parts.names, bar.cache.parts.names);
  EXPECT_EQ(back.parts.geometry.findGroup(Owner::Primitive, "inside")->count(),
            bar.cache.parts.geometry.findGroup(Owner::Primitive, "inside")->count());
  back.parts.geometry.checkInvariants();
}

std::string messageOf(const std::string& bytes) {
  Context context;
  try {
    readModes(bytes, context);
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::BadInput);
    EXPECT_FALSE(e.remedy().empty());
    return e.what();
  }
  return "";
}

TEST(ModesCacheFile, BadOnesAreNamed) {
  const Prefracture bar = broken(slicedBar(10));
  const std::string bytes = writeModes(bar.cache);
  EXPECT_EQ(messageOf(bytes), "");
  EXPECT_EQ(messageOf(""), "this is no modes file");
  EXPECT_EQ(messageOf("v 0 0 0\n"), "this is no modes file");
  EXPECT_EQ(messageOf(bytes.substr(0, 30)), "the file is damaged: it is cut off in its first 64 bytes");
  EXPECT_NE(messageOf(bytes.substr(0, bytes.size() / 2)).find("bytes and has"), std::string::npos);
  EXPECT_NE(messageOf(bytes + "x").find("bytes and has"), std::string::npos);
  std::string other = bytes;
  other[24] = 9;
  EXPECT_EQ(messageOf(other), "the file has version 9 of the modes format, this program reads version 1");
  EXPECT_EQ(messageOf(ArchiveWriter("model", 1).finish()), "this is another kind of cache, not a modes file");
  EXPECT_EQ(messageOf(ArchiveWriter("modes", 1).finish()),
            "the file is damaged: the section fingerprint is missing");
  // Any byte that changes is noticed, but for those of the header that nobody reads.
  for (size_t at = 64; at < bytes.size(); at += 1 + bytes.size() / 300) {
    std::string bent = bytes;
    bent[at] = static_cast<char>(bent[at] ^ 0x10);
    EXPECT_EQ(messageOf(bent), "the file is damaged: its checksum does not fit");
  }
}

/// Bytes whose checksum is made to fit again.
std::string signedAgain(std::string bytes) {
  uint32_t sections = 0;
  std::copy_n(bytes.begin() + 28, 4, reinterpret_cast<char*>(&sections));
  const uint64_t sum = checksum64(std::string_view(bytes).substr(64), sections);
  std::copy_n(reinterpret_cast<const char*>(&sum), 8, bytes.begin() + 40);
  return bytes;
}

TEST(ModesCacheFile, HostileOnesAreRefusedOrSound) {
  Context context;
  const Prefracture bar = broken(slicedBar(6));
  const std::string bytes = writeModes(bar.cache);
  Random random(7);
  for (int round = 0; round < 1500; ++round) {
    std::string bent = bytes;
    const size_t low = round % 2 ? 64 : 28, span = round % 2 ? bytes.size() - 64 : 3000;
    for (int k = 0; k < 1 + round % 3; ++k) bent[low + random.below(span)] = static_cast<char>(random.next());
    bent = signedAgain(bent);
    try {
      const ModesCache cache = readModes(bent, context);
      cache.parts.geometry.checkInvariants();
      const ImpactProjector projector(cache, context);
      const auto glued =
          projector.project(std::vector<Impact>{impactOf(Vec3(0, 0, 0), Vec3(1, 0, 0))}, atSpeed(0.01)).glued;
      gluePieces(cache.parts, cache.twins, glueContacts(cache.parts, glued, "piece"), context);
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::BadInput) << e.what();
    }
  }
}

TEST(ModesCacheFile, IsTheSameOnAnyNumberOfThreads) {
  const Body body = slicedBar();
  std::string bytes[2];
  for (int i = 0; i < 2; ++i) {
    Context context;
    context.setThreads(i == 0 ? 1 : 4);
    PrefractureOptions options;
    options.smoothing = body.cellSize;
    bytes[i] =
        writeModes(prefracture(Solid(body.solid, context), body.lattice, body.modes, options, context).cache);
  }
  EXPECT_EQ(bytes[0], bytes[1]);
}

}  // namespace
}  // namespace hackle
