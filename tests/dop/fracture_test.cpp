// The DOP in the double: two bodies meet, pieces replace the one that breaks, and time runs back and forth.
#include "../hosted_geometry.h"
#include "../shapes.h"
#include "scene.h"

#include <dop/package/fracture_node.h>
#include <dop/packed_pieces.h>
#include <hackle/geometry/geometry_key.h>
#include <hackle/ops/engines.h>
#include <hackle/ops/registry.h>
#include <sop/detail_bridge.h>

#include <GU/GU_PackedGeometry.h>
#include <SIM/SIM_ConstraintNetworkRelationship.h>
#include <SIM/SIM_Impacts.h>
#include <UT/UT_Interrupt.h>

#include <gtest/gtest.h>

using namespace hackle;
using namespace hackle::test;

namespace {

using Names = std::vector<std::string>;
const Names kBroken{"ball", "bar-0", "bar-1", "bar-2", "bar-3"};

/// Everything that the object has, as the host would cache it.
MemoKey contentOf(SIM_Object& object) {
  MemoKey key("object");
  Context context;
  for (const char* name : {"Geometry", "HackleState"}) {
    const auto* data = dynamic_cast<const SIM_GeometryCopy*>(hdk_double::subdata(object, name));
    if (!data) continue;
    if (std::string(name) == "HackleState") {
      const Blob blob = houdini::blobFromDetail(*data->handle.gdp());
      key.addBytes(blob.bytes.data(), blob.bytes.size());
    } else {
      addToKey(key, houdini::fromDetail(*data->handle.gdp(), context));
    }
  }
  return key;
}

/// The packed primitives of a detail, as a file of it would have them.
Geometry packedGeometry(const GU_Detail& detail) {
  Context context;
  const houdini::PackedPieces packed = houdini::packedPieces(detail, 1);
  Geometry geometry = packed.points;
  for (size_t i = 0; i < packed.primitives.size(); ++i) {
    const auto* primitive = static_cast<const GU_PrimPacked*>(detail.getGEOPrimitive(packed.primitives[i]));
    PackedPrimitive one;
    one.source = std::make_shared<const Geometry>(houdini::fromDetail(*primitive->content.gdp(), context));
    one.transform = packed.pieces[i].body.rotation.transpose();
    one.pivot = one.transform * (packed.pieces[i].body.at - packed.pieces[i].body.offset);
    geometry.addPacked(std::move(one), static_cast<int32_t>(i));
  }
  return geometry;
}

/// Records as DOP Import Records makes points of them.
Geometry impactPoints(const SIM_Impacts& impacts, int object) {
  Geometry points;
  const std::vector<HostedRecord> records = houdini::impactRecords(impacts);
  for (const HostedRecord& record : records) points.addPoint(record.position);
  const auto add = [&](const char* name, int tuple,
                       const std::function<double(const HostedRecord&, int)>& value) {
    Attribute& a = points.addAttribute(Owner::Point, Attribute(name, Storage::Float64, tuple));
    for (size_t i = 0; i < records.size(); ++i)
      for (int c = 0; c < tuple; ++c) a.setNumber(i, c, value(records[i], c));
  };
  add("normal", 3, [](const HostedRecord& r, int c) { return r.normal[c]; });
  add("impulse", 1, [](const HostedRecord& r, int) { return r.impulse; });
  add("primnum", 1, [](const HostedRecord& r, int) { return double(r.primitiveNumber); });
  add("otherobjid", 1, [](const HostedRecord& r, int) { return double(r.otherObject); });
  add("otherprimnum", 1, [](const HostedRecord& r, int) { return double(r.otherPrimitiveNumber); });
  add("objid", 1, [&](const HostedRecord&, int) { return double(object); });
  return points;
}

}  // namespace

TEST(FractureNode, IsRegisteredWithItsTable) {
  Scene scene;
  const SIM_DopDescription& description = *hdk_double::factories().at(0).description;
  EXPECT_TRUE(description.makesNode);
  EXPECT_TRUE(description.uniqueName);
  EXPECT_EQ(description.name, houdini::kFractureNodeName);
  EXPECT_EQ(description.dataType, "GAS_HackleFracture");
  for (const Parameter& p : houdini::fractureNode().parameters) {
    bool found = false;
    for (const PRM_Template& t : *description.templates->list) found = found || t.name == p.name;
    EXPECT_TRUE(found) << p.name;
    EXPECT_FALSE(p.help.empty()) << p.name;
  }
}

TEST(FractureNode, AnImpactReplacesThePieceAndKeepsItsMomentum) {
  Scene scene;
  for (int frame = 0; frame < 10; ++frame) ASSERT_TRUE(scene.frame(frame));
  EXPECT_EQ(scene.names(), (Names{"bar", "ball"}));
  // The solver has stopped the bar already; pieces move as it did before.
  setNumbers(scene.detail(), "v", scene.pointAt(0), {0, 0.5, 0});
  ASSERT_TRUE(scene.frame(10, 1500)) << scene.object.messages.at(0).second;
  ASSERT_EQ(scene.names(), kBroken);
  double mass = 0, momentum = 0, spin = 0;
  for (GA_Index p = 1; p < 5; ++p) {
    const GA_Offset point = scene.pointAt(p);
    const double m = number(scene.detail(), "mass", point);
    mass += m;
    momentum += m * number(scene.detail(), "v", point, 1);
    spin += m * (number(scene.detail(), "P", point, 2) * number(scene.detail(), "v", point, 0) -
                 number(scene.detail(), "P", point, 0) * number(scene.detail(), "v", point, 2)) +
            m * (0.5 * 0.5 + 0.5 * 0.5) / 12 * number(scene.detail(), "w", point, 1);
    EXPECT_EQ(number(scene.detail(), "computemass", point), 0);
    EXPECT_EQ(number(scene.detail(), "active", point), 1);
    EXPECT_EQ(text(scene.detail(), "hackle_parent", point), "bar");
    EXPECT_EQ(number(scene.detail(), "Cd", point, 1), 0.5);
  }
  EXPECT_NEAR(mass, 500, 1e-3);
  EXPECT_NEAR(momentum, 500 * -3, 1e-2);
  EXPECT_NEAR(spin, 500 * (4 + 0.25) / 12 * 0.5, 1e-3);
}

TEST(FractureNode, WhatBelongsToTheSolverIsNotWritten) {
  Scene scene;
  scene.frame(0);
  const double ball = number(scene.detail(), "id", scene.pointAt(1));
  ASSERT_TRUE(scene.frame(1, 1500));
  ASSERT_EQ(scene.names(), kBroken);
  EXPECT_EQ(number(scene.detail(), "id", scene.pointAt(0)), ball);
  for (GA_Index p = 1; p < 5; ++p) {
    EXPECT_EQ(number(scene.detail(), "id", scene.pointAt(p)), 0);
    EXPECT_EQ(number(scene.detail(), "creationtime", scene.pointAt(p)), 0);
  }
}

TEST(FractureNode, PiecesAreThoseOfTheCouplingByteForByte) {
  Scene scene;
  scene.frame(0);
  ASSERT_TRUE(scene.frame(1, 1500));
  // The same bodies and contact without Houdini.
  HostedBody bar, ball;
  bar.name = "bar", ball.name = "ball";
  bar.shape = [](Context&) { return shapes::box({-1, -0.25, -0.25}, {1, 0.25, 0.25}); };
  ball.shape = [](Context&) { return shapes::box({-0.25, -0.25, -0.25}, {0.25, 0.25, 0.25}); };
  bar.offset = bar.at = Vec3(0, 1, 0), ball.offset = ball.at = Vec3(0, 0.5, 0);
  bar.velocity = Vec3(0, -3, 0), bar.spin = ball.spin = Vec3(0, 0.5, 0);
  bar.material.density = ball.material.density = 1000;
  bar.engine = std::make_shared<SlabEngine>(4);
  HostedContact hit;
  hit.other = 1, hit.position = Vec3(0, 0.75, 0), hit.normal = Vec3(0, 1, 0), hit.impulse = 1500;
  DecideOptions options;
  HostedStep step(options);
  Context context;
  const HostedResult result =
      step.step(std::vector<HostedBody>{bar, ball}, std::vector<HostedContact>{hit}, kStep, kStep, context);
  ASSERT_EQ(result.breaks.size(), 1u);
  for (size_t i = 0; i < 4; ++i) {
    const auto* packed = static_cast<const GU_PrimPacked*>(
        scene.detail().getGEOPrimitive(scene.detail().primitiveOffset(static_cast<GA_Index>(i + 1))));
    Geometry expected = result.breaks[0].pieces.fragments[i].geometry;
    expected.positionFileStorage = Storage::Float64;
    MemoKey a("piece"), b("piece");
    addToKey(a, houdini::fromDetail(*packed->content.gdp(), context));
    addToKey(b, expected);
    EXPECT_TRUE(a == b) << i;
  }
}

TEST(FractureNode, TheOperatorWithoutHoudiniGivesTheSameBytes) {
  // The node and hackle fracture_step, which is what Houdini runs where the plug-in cannot be installed.
  Scene scene;
  GAS_HackleFracture::engineMaker() = engineOf;
  const Value::Map parameters{{"engine", "voronoi"},
                              {"engine_parameters", "pieces=6"},
                              {"min_impulse", "100"},
                              {"min_volume", "0.2"}};
  for (const auto& [name, value] : parameters) scene.set(name, value.asString());
  Context context;
  Geometry pieces = packedGeometry(scene.detail());
  for (const int frame : {0, 1, 2}) {
    ASSERT_TRUE(scene.frame(frame, frame == 1 ? 1500 : 0));
    Value::Map given = parameters;
    given.emplace_back("time", frame * kStep);
    given.emplace_back("timestep", kStep);
    const Item impacts = frame == 1 ? Item(impactPoints(scene.impacts(), scene.object.id)) : Item();
    pieces = runOperator(findOperator("fracture_step"), Inputs({pieces, impacts}), given, context)
                 .outputs.geometry();
  }
  ASSERT_EQ(scene.names().size(), 7u);
  const Geometry expected = packedGeometry(scene.detail());
  ASSERT_EQ(pieces.primitiveCount(), expected.primitiveCount());
  for (size_t p = 0; p < pieces.primitiveCount(); ++p) {
    MemoKey a("piece"), b("piece");
    GU_Detail own;  // the bridge sorts attributes
    houdini::toDetail(*pieces.packed(p).source, own);
    addToKey(a, houdini::fromDetail(own, context)), addToKey(b, *expected.packed(p).source);
    EXPECT_TRUE(a == b) << p;
    EXPECT_LT((pieces.packed(p).transform - expected.packed(p).transform).norm(), 1e-6) << p;
    EXPECT_LT((pieces.packed(p).pivot - expected.packed(p).pivot).norm(), 1e-6) << p;
    for (const char* name : {"mass", "v", "w", "orient", "hackle_time"})
      EXPECT_EQ(pieces.findAttribute(Owner::Point, name)->number(p),
                expected.findAttribute(Owner::Point, name)->number(p))
          << name << " " << p;
    EXPECT_EQ(pieces.findAttribute(Owner::Point, "name")->string(p),
              expected.findAttribute(Owner::Point, "name")->string(p));
  }
}

TEST(FractureNode, RewindingAndRepeatingGiveTheSameBytes) {
  Scene scene;
  std::vector<std::unique_ptr<SIM_Data>> cache;
  std::vector<MemoKey> contents;
  const auto play = [&](int frame) { ASSERT_TRUE(scene.frame(frame, frame == 5 || frame == 12 ? 1500 : 0)); };
  for (int frame = 0; frame < 24; ++frame) {
    cache.push_back(scene.object.clone());
    play(frame);
    contents.push_back(contentOf(scene.object));
  }
  for (const int start : {0, 4, 5, 6, 11, 12, 20}) {
    std::unique_ptr<SIM_Data> copy = cache[start]->clone();
    scene.object.subdata = std::move(copy->subdata);
    for (int frame = start; frame < 24; ++frame) {
      play(frame);
      EXPECT_TRUE(contentOf(scene.object) == contents[frame]) << "from " << start << " at " << frame;
    }
  }
}

TEST(FractureNode, AnInterruptLeavesTheOldGeometry) {
  Scene scene;
  scene.frame(0);
  const MemoKey before = contentOf(scene.object);
  UTgetInterrupt()->stop = true;
  EXPECT_FALSE(scene.frame(1, 1500));
  UTgetInterrupt()->stop = false;
  EXPECT_TRUE(contentOf(scene.object) == before);
  EXPECT_EQ(scene.object.messages.back().second, "Fracture was interrupted");
  EXPECT_TRUE(scene.frame(1, 1500));
  EXPECT_EQ(scene.names(), kBroken);
}

TEST(FractureNode, ThresholdsOfPiecesTakePrecedence) {
  Scene scene;
  scene.set("min_impulse", "2000");
  scene.frame(0);
  scene.frame(1, 1500);
  EXPECT_EQ(scene.names(), (Names{"bar", "ball"}));
  setNumbers(scene.detail(), "hackle_min_impulse", scene.pointAt(0), {100});
  setNumbers(scene.detail(), "hackle_min_impulse", scene.pointAt(1), {1e9});
  scene.frame(6, 1600);
  EXPECT_EQ(scene.names(), kBroken);
}

TEST(FractureNode, PiecesThatAreNotActiveOrHaveNoEngineStayWhole) {
  Scene scene;
  setNumbers(scene.detail(), "active", scene.pointAt(0), {0}, GA_STORE_INT32);
  setNumbers(scene.detail(), "active", scene.pointAt(1), {0}, GA_STORE_INT32);
  scene.frame(0);
  scene.frame(1, 1500);
  EXPECT_EQ(scene.names().size(), 2u);
  Scene other;
  GA_Attribute* engines = other.detail().addStringTuple(GA_ATTRIB_POINT, "hackle_engine", 1);
  GA_RWHandleS(engines).set(other.pointAt(1), UT_StringHolder("slabs"));
  other.set("min_volume", "0");
  other.frame(0);
  other.frame(1, 1500);
  EXPECT_EQ(other.names().size(), 5u);
  EXPECT_EQ(other.names()[0], "bar");
}

TEST(FractureNode, FindsPiecesByPointNumberAndByPlaceToo) {
  for (const bool byPoint : {true, false}) {
    Scene scene;
    scene.frame(0);
    scene.impacts().records.clear();
    SIM_Impacts::Record hit;
    hit.position = UT_Vector3(0.1f, 0.9f, 0);
    hit.normal = UT_Vector3(0, 1, 0);
    hit.impulse = 1500;
    hit.otherObject = 77;
    if (byPoint) hit.point = 0;
    scene.impacts().records.push_back(hit);
    SIM_Engine engine;
    ASSERT_TRUE(scene.solver->solve(engine, scene.object, kStep, kStep));
    EXPECT_EQ(scene.names(), kBroken) << byPoint;
  }
}

TEST(FractureNode, ConstraintsGoToTheNearestPiece) {
  Scene scene;
  auto wires = std::make_unique<SIM_GeometryCopy>();
  houdini::toDetail(constraintLine("bar", "ball"), *wires->handle.gdpNC());
  const GU_Detail& detail = *wires->handle.gdp();
  scene.object.subdata["ConstraintGeometry"] = std::move(wires);
  scene.frame(0);
  scene.frame(1, 1500);
  EXPECT_EQ(text(detail, "name", detail.pointOffset(0)), "bar-3");
  EXPECT_EQ(text(detail, "name", detail.pointOffset(1)), "ball");
}

TEST(FractureNode, ConstraintNetworksOfRelationshipsAreRewiredToo) {
  Scene scene;
  auto network = std::make_unique<SIM_ConstraintNetworkRelationship>();
  const GU_Detail& detail = *network->geometry->handle.gdp();
  houdini::toDetail(constraintLine("bar", "ball"), *network->geometry->handle.gdpNC());
  SIM_Relationship constraint, other;
  constraint.type = std::move(network);
  scene.object.relationships.append(&other);  // has no type yet
  scene.object.relationships.append(&constraint);
  scene.frame(0);
  scene.frame(1, 1500);
  ASSERT_EQ(scene.names(), kBroken);
  EXPECT_EQ(text(detail, "name", detail.pointOffset(0)), "bar-3");
}

TEST(FractureNode, NetworksMayMatchPiecesByAnotherAttribute) {
  for (const bool enabled : {true, false}) {
    Scene scene;
    setNumbers(scene.detail(), "key", scene.pointAt(0), {12}, GA_STORE_INT32);
    setNumbers(scene.detail(), "key", scene.pointAt(1), {30}, GA_STORE_INT32);
    auto network = std::make_unique<SIM_ConstraintNetworkRelationship>();
    network->options.values.insert_or_assign("enablematchbyattrib", UT_OptionEntry(enabled ? "1" : "0"));
    network->options.values.insert_or_assign("matchbyattrib", UT_OptionEntry("key"));
    GU_Detail& detail = *network->geometry->handle.gdpNC();
    houdini::toDetail(constraintLine("bar", "ball"), detail);
    setNumbers(detail, "key", detail.pointOffset(0), {12}, GA_STORE_INT32);
    setNumbers(detail, "key", detail.pointOffset(1), {30}, GA_STORE_INT32);
    SIM_Relationship constraint;
    constraint.type = std::move(network);
    scene.object.relationships.append(&constraint);
    scene.frame(0);
    scene.frame(1, 1500);
    ASSERT_EQ(scene.names(), kBroken);
    // The bar's fragments have 31 to 34, and the last is at the end of the constraint.
    EXPECT_EQ(number(scene.detail(), "key", scene.pointAt(4)), enabled ? 34 : 12);
    EXPECT_EQ(number(detail, "key", detail.pointOffset(0)), enabled ? 34 : 12);
    EXPECT_EQ(number(detail, "key", detail.pointOffset(1)), 30);
    EXPECT_EQ(text(detail, "name", detail.pointOffset(0)), enabled ? "bar" : "bar-3");
  }
}

TEST(FractureNode, FragmentsAreGluedWhereAskedFor) {
  Scene scene;
  auto wires = std::make_unique<SIM_GeometryCopy>();
  houdini::toDetail(constraintLine("bar", "ball"), *wires->handle.gdpNC());
  const GU_Detail& detail = *wires->handle.gdp();
  scene.object.subdata["ConstraintGeometry"] = std::move(wires);
  scene.set("fragment_constraint", "Glue");
  scene.set("fragment_strength", "100");
  scene.frame(0);
  scene.frame(1, 1500);
  Context context;
  const Geometry g = houdini::fromDetail(detail, context);
  // Four slabs in a row touch at three faces of 0.25 m^2.
  ASSERT_EQ(g.primitiveCount(), 4u);
  const Attribute& names = *g.findAttribute(Owner::Point, "name");
  for (size_t p = 1; p < 4; ++p) {
    EXPECT_EQ(names.string(g.corners(p)[0]), "bar-" + std::to_string(p - 1));
    EXPECT_EQ(names.string(g.corners(p)[1]), "bar-" + std::to_string(p));
    EXPECT_EQ(g.findAttribute(Owner::Primitive, "constraint_name")->string(p), "Glue");
    EXPECT_NEAR(g.findAttribute(Owner::Primitive, "strength")->number(p), 25, 1e-4);
  }
}

TEST(FractureNode, FeedbackCountsOnlyWhereAskedFor) {
  for (const bool wanted : {false, true}) {
    Scene scene;
    scene.set("feedback", wanted ? "1" : "0");
    scene.frame(0);
    auto feedback = std::make_unique<SIM_Impacts>();
    SIM_Impacts::Record hit;
    hit.position = UT_Vector3(0, 0.75f, 0);
    hit.normal = UT_Vector3(0, 1, 0);
    hit.impulse = 1500;
    hit.primitive = 0;
    hit.otherObject = 12;
    feedback->records.push_back(hit);
    scene.object.subdata["Feedback"] = std::move(feedback);
    scene.frame(1);
    EXPECT_EQ(scene.names().size(), wanted ? 5u : 2u);
  }
}

TEST(FractureNode, ImpactAnalysisIsReadOnlyWhereAskedFor) {
  // Pre-solve: the impacts of the step before are points, and Impacts of this one do not count.
  for (const bool wanted : {false, true}) {
    Scene scene;
    scene.set("analysis", wanted ? "1" : "0");
    scene.frame(0);
    Geometry points;
    points.addPoint(Vec3(0, 0.75, 0));
    const auto add = [&](const char* name, const std::vector<double>& values) {
      Attribute a(name, Storage::Float32, static_cast<int>(values.size()));
      Attribute& added = points.addAttribute(Owner::Point, std::move(a));
      for (size_t c = 0; c < values.size(); ++c) added.setNumber(0, static_cast<int>(c), values[c]);
    };
    add("N", {0, 1, 0});
    add("impulse", {1500});
    add("parentprimnum", {0});
    auto analysis = std::make_unique<SIM_GeometryCopy>();
    analysis->handle.allocateAndSet(new GU_Detail);
    houdini::toDetail(points, *analysis->handle.gdpNC());
    scene.object.subdata["ImpactAnalysis"] = std::move(analysis);
    ASSERT_TRUE(scene.frame(1)) << scene.object.messages.at(0).second;
    EXPECT_EQ(scene.names().size(), wanted ? 5u : 2u);
  }
}

TEST(FractureNode, WorldScaleConvertsLengthsAndImpulses) {
  // Ten units to a metre: what is a blow of 1500 N s for a bar of 2 m is one of 150 for one of 0.2 m.
  Scene scene;
  scene.strength = 1000;
  scene.set("world_scale", "10");
  scene.set("min_volume", "0.0002");
  scene.set("gravity", "1");
  scene.set("resting", "0");
  scene.frame(0);
  scene.frame(1, 1500);
  EXPECT_EQ(scene.names().size(), 2u);
  scene.frame(8, 15000);
  EXPECT_EQ(scene.names(), kBroken);
  const GA_Offset point = scene.pointAt(1);
  EXPECT_NEAR(number(scene.detail(), "mass", point), 0.125, 1e-6);
  EXPECT_NEAR(number(scene.detail(), "P", point, 0), -0.75, 1e-5);
}

TEST(FractureNode, BadParametersAreErrorsWithRemedies) {
  Scene scene;
  scene.set("engine", "slbas");
  EXPECT_FALSE(scene.frame(0));
  EXPECT_EQ(scene.object.messages.back().first, UT_ERROR_ABORT);
  EXPECT_NE(scene.object.messages.back().second.find("Remedy: "), std::string::npos);
  scene.set("engine", "slabs");
  scene.set("engine_parameters", "pieces 20");
  EXPECT_FALSE(scene.frame(0));
  EXPECT_NE(scene.object.messages.back().second.find("write name=value"), std::string::npos);
  scene.set("engine_parameters", "");
  scene.set("world_scale", "0");
  EXPECT_FALSE(scene.frame(0));
  EXPECT_NE(scene.object.messages.back().second.find("world_scale"), std::string::npos);
}
