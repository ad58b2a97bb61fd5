// The operators modes, prefracture and modes_impact, from surfaces to pieces.
#include "../shapes.h"

#include <gtest/gtest.h>
#include <hackle/core/archive.h>
#include <hackle/fracture/modes/modes_cache.h>
#include <hackle/geometry/mass_properties.h>
#include <hackle/geometry/topology.h>
#include <hackle/geometry/triangle_mesh.h>
#include <hackle/io/houdini/reader.h>
#include <hackle/io/houdini/writer.h>
#include <hackle/meshing/shapes/shapes.h>
#include <hackle/ops/registry.h>
#include <hackle/volume/grid.h>

#include <fmt/format.h>

#include <chrono>
#include <set>

namespace hackle {
namespace {

Outputs run(const std::string& op, Inputs inputs, const Value::Map& values, Context& context) {
  return runOperator(findOperator(op), std::move(inputs), values, context).outputs;
}

Outputs run(const std::string& op, Inputs inputs, const Value::Map& values = {}) {
  Context context;
  return run(op, std::move(inputs), values, context);
}

/// Two balls and a thin bar between them, along x, turned out of the lattice.
Geometry dumbbell() {
  Geometry g;
  const int around = 16;
  std::vector<std::pair<double, double>> profile{{-1.0, 0.001}, {-0.95, 0.2}, {-0.8, 0.34}, {-0.6, 0.38},
                                                 {-0.4, 0.3},   {-0.25, 0.1}, {0.25, 0.1},  {0.4, 0.3},
                                                 {0.6, 0.38},   {0.8, 0.34},  {0.95, 0.2},  {1.0, 0.001}};
  for (const auto& [x, r] : profile)
    for (int a = 0; a < around; ++a)
      g.addPoint({x, r * std::cos(2 * shapes::kPi * a / around), r * std::sin(2 * shapes::kPi * a / around)});
  const int rings = static_cast<int>(profile.size());
  for (int i = 0; i + 1 < rings; ++i)
    for (int a = 0; a < around; ++a) {
      const int b = (a + 1) % around;
      g.addPolygon({i * around + a, i * around + b, (i + 1) * around + b, (i + 1) * around + a});
    }
  std::vector<int32_t> low, high;
  for (int a = 0; a < around; ++a) {
    low.push_back(around - 1 - a);
    high.push_back((rings - 1) * around + a);
  }
  g.addPrimitive(PrimitiveType::Polygon, low);
  g.addPrimitive(PrimitiveType::Polygon, high);
  g.flipWinding();
  Context context;
  if (massProperties(triangleMesh(g), context).volume < 0) g.flipWinding();
  return g;
}

const Value::Map kQuick{{"modes", 4}, {"elements", 1500}, {"starts", 3}};

Value::Map with(Value::Map values, const Value::Map& more) {
  for (const auto& [name, value] : more) {
    bool known = false;
    for (auto& [n, v] : values)
      if (n == name) v = value, known = true;
    if (!known) values.emplace_back(name, value);
  }
  return values;
}

const Outputs& dumbbellModes() {
  static const Outputs kModes = run("modes", Inputs({dumbbell()}), kQuick);
  return kModes;
}

Blob blobOf(const Outputs& outputs) { return std::get<Blob>(outputs.items[0]); }

void expectSound(const Value& result, double tolerance = 1e-9) {
  EXPECT_TRUE(result.find("closed")->asBool());
  EXPECT_TRUE(result.find("manifold")->asBool());
  EXPECT_LE(result.find("volume_error")->asNumber(), tolerance);
}

int64_t pieces(const Outputs& outputs) { return outputs.result.find("pieces")->asInt(); }

Value::Map blow(double impulse, const std::string& at = "0.9,0.2,0") {
  return {{"at", at}, {"dir", "0,-1,0"}, {"impulse", impulse}, {"threshold", 0.01}};
}

std::string messageOf(const std::string& op, Inputs inputs, const Value::Map& values, ErrorCode code) {
  try {
    run(op, std::move(inputs), values);
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), code) << e.what();
    EXPECT_FALSE(e.remedy().empty()) << e.what();
    return e.what();
  }
  ADD_FAILURE() << "no error";
  return "";
}

TEST(Modes, ADumbbellBreaksAtItsNeckFirst) {
  const Outputs& modes = dumbbellModes();
  expectSound(modes.result);
  const Outputs two = run("prefracture", Inputs({blobOf(modes)}), {{"modes", 1}});
  expectSound(two.result);
  EXPECT_EQ(pieces(two), 2);
  // Inside faces lie in the neck.
  const Geometry& g = two.geometry();
  const Group& inside = *g.findGroup(Owner::Primitive, "inside");
  for (size_t f = 0; f < g.primitiveCount(); ++f)
    if (inside.bits[f]) {
      for (const int32_t p : g.corners(f)) EXPECT_LT(std::abs(g.position(static_cast<size_t>(p)).x()), 0.4);
    }
}

TEST(Modes, MoreModesNeverGiveFewerPieces) {
  int64_t before = 1;
  for (int k = 1; k <= 4; ++k) {
    const Outputs out = run("prefracture", Inputs({blobOf(dumbbellModes())}), {{"modes", k}});
    expectSound(out.result);
    EXPECT_GE(pieces(out), before);
    before = pieces(out);
  }
  EXPECT_GE(before, 3);
  for (const double sigma : {0.1, 0.5, 1.0}) {
    const Outputs out =
        run("prefracture", Inputs({blobOf(dumbbellModes())}), {{"modes", 4}, {"sigma", sigma}});
    EXPECT_LE(pieces(out), before);
    before = pieces(out);
  }
  EXPECT_EQ(before, 1);
}

TEST(Modes, ImpactsGiveSoundPiecesAndKeepTheirLaws) {
  int64_t before = 1;
  for (double impulse = 1e-3; impulse < 1e6; impulse *= 10) {
    const Outputs out = run("modes_impact", Inputs({blobOf(dumbbellModes())}), blow(impulse));
    expectSound(out.result);
    EXPECT_GE(pieces(out), before);
    before = pieces(out);
  }
  EXPECT_GT(before, 1);
  for (double sigma = 1; sigma < 1e10; sigma *= 100) {
    const Outputs out = run("modes_impact", Inputs({blobOf(dumbbellModes())}),
                            with(blow(1e5), {{"sigma", std::min(sigma, 1e9)}}));
    EXPECT_LE(pieces(out), before);
    before = pieces(out);
  }
  EXPECT_EQ(before, 1);
}

TEST(Modes, ImpactsSayByWhatFactorTheyFallShort) {
  Context context;
  const Outputs weak = run("modes_impact", Inputs({blobOf(dumbbellModes())}), blow(1e-4), context);
  EXPECT_EQ(pieces(weak), 1);
  EXPECT_EQ(weak.result.find("held")->asString(), "strength");
  const double factor = weak.result.find("held_factor")->asNumber();
  EXPECT_NE(context.warnings().at(0).find(fmt::format("{:.3g} times the impulse", factor)),
            std::string::npos);
  const auto piecesAt = [](double impulse) {
    return pieces(run("modes_impact", Inputs({blobOf(dumbbellModes())}), blow(impulse)));
  };
  EXPECT_EQ(piecesAt(0.999 * factor * 1e-4), 1);
  EXPECT_GT(piecesAt(1.001 * factor * 1e-4), 1);
  EXPECT_EQ(run("modes_impact", Inputs({blobOf(dumbbellModes())}), blow(1e6)).result.find("held"), nullptr);
}

TEST(Modes, ImpactsFarFromTheSurfaceAreRefused) {
  const Blob modes = blobOf(dumbbellModes());
  EXPECT_EQ(messageOf("modes_impact", Inputs({modes}), blow(1, "0,2,0"), ErrorCode::BadInput).substr(0, 21),
            "impact 1 at (0, 2, 0)");
  const Outputs first = run("modes_impact", Inputs({modes}), blow(1e5));
  EXPECT_EQ(messageOf("modes_impact", Inputs({modes, Item(), first.geometry()}), blow(1, "0,2,0"),
                      ErrorCode::BadInput)
                .substr(0, 21),
            "impact 1 at (0, 2, 0)");
}

/// The engine of an operator with some of its parameters.
std::unique_ptr<FractureEngine> engineOf(const std::string& id, const Inputs& inputs,
                                         const Value::Map& values) {
  Context context;
  const Operator& op = findOperator(id);
  const std::shared_ptr<void> options = op.makeOptions();
  for (const Parameter& parameter : op.parameters)
    for (const auto& [name, value] : values)
      if (name == parameter.name) parameter.store(options.get(), value);
  return op.makeEngine(inputs, options.get(), context);
}

TEST(Modes, EnginesBreakAsTheOperatorsDo) {
  Context context;
  const auto solid = std::make_shared<const Solid>(dumbbell(), context);
  LoadCase load;
  load.impacts.resize(1);
  load.impacts[0].position = Vec3(0.9, 0.2, 0);
  load.impacts[0].impulse = 50;
  const Value::Map breaking{{"threshold", 0.01}};
  const int64_t expected = pieces(run("modes_impact", Inputs({blobOf(dumbbellModes())}), blow(50)));
  EXPECT_GT(expected, 1);
  for (const auto& engine : {engineOf("modes", Inputs(), with(kQuick, breaking)),
                             engineOf("modes_impact", Inputs({blobOf(dumbbellModes())}), breaking)}) {
    EXPECT_EQ(engine->id(), "modes");
    const EngineStatePtr state = engine->prepare(solid, context);
    // The operator's file has all but the shapes for collisions, which only bodies of a simulation need.
    const Blob file = blobOf(dumbbellModes());
    ModesCache saved = readModes(engine->save(*state), context);
    EXPECT_EQ(saved.hulls.size(), saved.parts.names.size());
    saved.hulls.clear();
    EXPECT_EQ(writeModes(saved), std::string(file.bytes.begin(), file.bytes.end()));
    const FractureResult result = engine->fracture(*solid, *state, load, context);
    EXPECT_EQ(static_cast<int64_t>(result.pieces.names.size()), expected);
  }
  EXPECT_THROW(engineOf("modes_impact", Inputs(), breaking), Error);
}

TEST(Modes, ImpactsComeInThreeForms) {
  Geometry point;
  point.addPoint({0.9, 0.2, 0});
  Attribute& direction = point.addAttribute(Owner::Point, Attribute("dir", Storage::Float32, 3));
  direction.setNumber(0, 1, -1);
  point.addAttribute(Owner::Point, Attribute("impulse", Storage::Float32, 1)).setNumber(0, 0, 50);
  const Value::Map threshold{{"threshold", 0.01}};
  const Value record = Value::Map{{"at", "0.9,0.2,0"}, {"dir", "0,-1,0"}, {"impulse", 50}};
  Context context;
  std::set<std::string> files;
  for (const Outputs& out : {run("modes_impact", Inputs({blobOf(dumbbellModes())}), blow(50)),
                             run("modes_impact", Inputs({blobOf(dumbbellModes())}),
                                 with(threshold, {{"impact", Value::List{record}}})),
                             run("modes_impact", Inputs({blobOf(dumbbellModes()), point}), threshold)})
    files.insert(houdini::writeGeometryFile(out.geometry(), "bgeo", context));
  EXPECT_EQ(files.size(), 1u);
}

/// A blow on a long box that breaks some of its parts from each other, but not all.
Outputs partlyBroken(const Blob& modes) {
  const int64_t all = pieces(run("modes_impact", Inputs({modes}), blow(1e9, "0.9,0.1,0")));
  EXPECT_GT(all, 2);
  for (double impulse = 1e-3; impulse < 1e9; impulse *= 1.2) {
    Outputs out = run("modes_impact", Inputs({modes}), blow(impulse, "0.9,0.1,0"));
    if (pieces(out) > 1 && pieces(out) < all) return out;
  }
  ADD_FAILURE() << "all parts come apart at once";
  return {};
}

TEST(Modes, PiecesBreakAgainFromTheirFile) {
  Context context;
  const Blob modes = blobOf(
      run("modes", Inputs({shapes::box({-1, -0.15, -0.15}, {1, 0.15, 0.15})}), with(kQuick, {{"modes", 5}})));
  const Outputs first = partlyBroken(modes);
  const std::string file = houdini::writeGeometryFile(first.geometry(), "bgeo", context);
  const Geometry broken = houdini::readGeometryFile(file, {}, context);
  const auto namesOf = [](const Geometry& g) {
    std::set<std::string> names;
    for (size_t f = 0; f < g.primitiveCount(); ++f)
      names.insert(g.findAttribute(Owner::Primitive, "name")->string(f));
    return names;
  };
  const std::set<std::string> before = namesOf(broken);
  // Each piece is hit by name; together they break into all parts, and each blow into parts of one piece.
  int64_t more = 0;
  for (const std::string& name : before) {
    const Value record = Value::Map{{"at", "0,0,0"}, {"impulse", 1e9}, {"piece", name}};
    const Outputs second = run("modes_impact", Inputs({modes, Item(), broken}),
                               {{"impact", Value::List{record}}, {"threshold", 0.01}});
    expectSound(second.result);
    more += pieces(second) - pieces(first);
    for (const std::string& now : namesOf(second.geometry()))
      EXPECT_TRUE(before.count(now) || now.substr(0, now.rfind('-')) == name) << now;
  }
  EXPECT_GT(more, 0);
  // Without a name the nearest piece is hit.
  expectSound(run("modes_impact", Inputs({modes, Item(), broken}), blow(1e9, "-1,0,0")).result);
  EXPECT_EQ(messageOf("modes_impact", Inputs({modes, Item(), dumbbell()}), blow(1), ErrorCode::BadInput),
            "the input broken does not say which parts its pieces are made of");
  EXPECT_EQ(messageOf("modes_impact", Inputs({blobOf(dumbbellModes()), Item(), broken}), blow(1),
                      ErrorCode::BadInput),
            "the input broken was made with another modes file");
}

TEST(Modes, OutsideFacesKeepTheirAttributes) {
  Geometry solid = dumbbell();
  Attribute& cd = solid.addAttribute(Owner::Point, Attribute("Cd", Storage::Float32, 3, 0, "color"));
  for (size_t p = 0; p < solid.pointCount(); ++p) cd.setNumber(p, 0, solid.position(p).x());
  const Outputs modes = run("modes", Inputs({solid}), with(kQuick, {{"modes", 2}}));
  const Outputs out = run("modes_impact", Inputs({blobOf(modes)}), with(blow(1e4), {{"velocity", true}}));
  const Geometry& g = out.geometry();
  const Attribute& colour = *g.findAttribute(Owner::Point, "Cd");
  const Group& outside = *g.findGroup(Owner::Primitive, "outside");
  for (size_t f = 0; f < g.primitiveCount(); ++f)
    if (outside.bits[f]) {
      for (const int32_t p : g.corners(f))
        EXPECT_NEAR(colour.number(static_cast<size_t>(p)), g.position(static_cast<size_t>(p)).x(), 1e-5);
    }
  EXPECT_TRUE(g.findAttribute(Owner::Point, "depth"));
  EXPECT_TRUE(g.findAttribute(Owner::Vertex, "uv"));
  EXPECT_TRUE(g.findAttribute(Owner::Point, "v"));
}

TEST(Modes, AHeavyWeightKeepsARegionWhole) {
  // The neck must not break: paint it, on points or as a volume.
  Geometry painted = dumbbell();
  Attribute& hard = painted.addAttribute(Owner::Point, Attribute("hard", Storage::Float32, 1));
  for (size_t p = 0; p < painted.pointCount(); ++p)
    hard.setNumber(p, 0, std::abs(painted.position(p).x()) < 0.35 ? 1000 : 1);
  const Outputs modes =
      run("modes", Inputs({painted}), with(kQuick, {{"weight_attribute", "hard"}, {"modes", 3}}));
  const Outputs out = run("prefracture", Inputs({blobOf(modes)}));
  expectSound(out.result);
  EXPECT_GT(pieces(out), 1);
  const Geometry& g = out.geometry();
  const Group& inside = *g.findGroup(Owner::Primitive, "inside");
  for (size_t f = 0; f < g.primitiveCount(); ++f)
    if (inside.bits[f]) {
      for (const int32_t p : g.corners(f)) EXPECT_GT(std::abs(g.position(static_cast<size_t>(p)).x()), 0.2);
    }
  for (size_t p = 0; p < painted.pointCount(); ++p) hard.setNumber(p, 0, 0);
  EXPECT_EQ(messageOf("modes", Inputs({painted}), with(kQuick, {{"weight_attribute", "hard"}}),
                      ErrorCode::BadInput),
            "weights must be above 0 everywhere; there is 0");
}

TEST(Modes, WeightsPerAxisGiveModesOfOneAxis) {
  const Outputs out = run("modes", Inputs({dumbbell()}), with(kQuick, {{"weight", "10,10,1"}, {"modes", 1}}));
  std::set<int64_t> axes;
  for (const Value& mode : out.result.find("modes")->asList()) axes.insert(mode.find("axes")->asInt());
  EXPECT_EQ(axes, (std::set<int64_t>{1, 2, 4}));
}

TEST(Modes, AreTheSameOnAnyNumberOfThreads) {
  std::set<std::string> files;
  for (const int threads : {1, 3}) {
    Context context;
    context.setThreads(threads);
    const Blob blob = blobOf(run("modes", Inputs({dumbbell()}), with(kQuick, {{"modes", 2}}), context));
    files.insert(std::string(blob.bytes.begin(), blob.bytes.end()));
  }
  EXPECT_EQ(files.size(), 1u);
}

TEST(Modes, CanBeStopped) {
  for (const double after : {0.0, 0.05, 0.3}) {
    Context context;
    const auto start = std::chrono::steady_clock::now();
    const auto seconds = [&] {
      return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    };
    context.setCancelPoll([&] { return seconds() > after; });
    EXPECT_THROW(run("modes", Inputs({dumbbell()}), {{"modes", 30}, {"elements", 20000}}, context), Error);
  }
}

TEST(Modes, BadInputIsAnsweredClearly) {
  const Blob good = blobOf(dumbbellModes());
  const auto bent = [&](const std::function<void(std::vector<uint8_t>&)>& change) {
    Blob blob{good.kind, good.bytes};  // with a memory of its own
    change(blob.bytes.edit());
    return messageOf("modes_impact", Inputs({blob}), blow(1), ErrorCode::BadInput);
  };
  EXPECT_EQ(bent([](auto& b) { b[b.size() / 2] ^= 1; }),
            "input cache: the file is damaged: its checksum does not fit");
  EXPECT_EQ(bent([](auto& b) { b[24] = 7; }),
            "input cache: the file has version 7 of the modes format, this program reads version 1");
  EXPECT_EQ(bent([](auto& b) { b[0] = 'x'; }), "input cache: this is no modes file");
  EXPECT_NE(bent([](auto& b) { b.resize(b.size() - 1); }).find("damaged"), std::string::npos);
  EXPECT_EQ(
      messageOf("modes_impact", Inputs({good, Item(), Item(), shapes::box()}), blow(1), ErrorCode::BadInput),
      "the modes were computed for another mesh than the one on the input geometry");
  EXPECT_NO_THROW(run("modes_impact", Inputs({good, Item(), Item(), dumbbell()}), blow(1)));
  EXPECT_EQ(messageOf("modes_impact", Inputs({good}), with(blow(1), {{"modes", 50}}), ErrorCode::Usage)
                .find("50 modes are asked for, the file has "),
            0u);
  Context context;
  EXPECT_EQ(pieces(run("modes_impact", Inputs({good}), {}, context)), 1);
  EXPECT_EQ(context.warnings().at(0).substr(0, 39), "there is no impact, so nothing breaks; ");
  EXPECT_EQ(messageOf("modes_impact", Inputs({good}), with(blow(1), {{"dir", "0,0,0"}}), ErrorCode::Usage),
            "impact 1 has no direction");
  EXPECT_EQ(
      messageOf("modes", Inputs({shapes::box()}), {{"modes", 900}, {"elements", 60}}, ErrorCode::BadInput)
          .substr(0, 28),
      "900 modes are asked for, but");
  Geometry two = shapes::box();
  two.append(shapes::box({5, 0, 0}, {6, 1, 1}));
  EXPECT_EQ(messageOf("modes", Inputs({two}), kQuick, ErrorCode::BadInput),
            "the input consists of 2 parts that do not touch; the largest has 50 % of the mass");
  EXPECT_EQ(messageOf("modes", Inputs({Geometry()}), kQuick, ErrorCode::BadInput),
            "the input has no polygons");
}

TEST(Modes, OpenAndCrossingSurfacesAreBrokenAsClosedCopies) {
  Geometry open = dumbbell();
  std::vector<int32_t> faces(open.primitiveCount() - 1);
  for (size_t f = 0; f < faces.size(); ++f) faces[f] = static_cast<int32_t>(f);
  open = open.extract(faces);
  Context context;
  const Outputs out = run("modes", Inputs({open}), with(kQuick, {{"modes", 1}}), context);
  expectSound(out.result, 1e-6);
  EXPECT_EQ(pieces(out), 3);  // a neck, and its image
  bool told = false;
  for (const std::string& warning : context.warnings())
    told = told || warning.find("closed copy") != std::string::npos;
  EXPECT_TRUE(told);
  messageOf("modes", Inputs({open}), with(kQuick, {{"resurface", false}}), ErrorCode::BadInput);
}

}  // namespace
}  // namespace hackle
