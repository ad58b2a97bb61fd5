// The DOP over 24 frames of a real rigid-body solver, against the stand-alone simulation of the same scene.
#include "scene.h"

#include <hackle/geometry/geometry_key.h>
#include <hackle/ops/engines.h>
#include <hackle/sim/body_shape.h>
#include <hackle/sim/simulation.h>

#include <gtest/gtest.h>

#include <cmath>

using namespace hackle;
using namespace hackle::test;

namespace {

/// An engine whose loads come in steps of a millimetre. Houdini's records are in single precision and tell
/// the motion before a contact from the frame before: engines would see both in the last digits of their
/// pieces.
class SteppedEngine : public FractureEngine {
 public:
  explicit SteppedEngine(std::shared_ptr<const FractureEngine> engine) : mEngine(std::move(engine)) {}
  std::string id() const override { return mEngine->id(); }
  EngineStatePtr prepare(const SolidPtr& s, Context& c) const override { return mEngine->prepare(s, c); }
  bool mayBreak(const Solid& solid, const EngineState& state, const LoadCase& load) const override {
    return mEngine->mayBreak(solid, state, load);
  }
  FractureResult fracture(const Solid& solid, const EngineState& state, const LoadCase& load,
                          Context& context) const override {
    LoadCase stepped = load;
    for (Impact& impact : stepped.impacts) {
      for (int c = 0; c < 3; ++c) impact.position[c] = std::round(1e3 * impact.position[c]) / 1e3;
      impact.impulse = 1;
      impact.direction = Vec3(0, 1, 0);
      impact.speed.reset();
      impact.striker = {};
    }
    return mEngine->fracture(solid, state, stepped, context);
  }
  std::string save(const EngineState& state) const override { return mEngine->save(state); }
  EngineStatePtr load(const SolidPtr& s, std::string_view bytes, Context& c) const override {
    return mEngine->load(s, bytes, c);
  }

 private:
  std::shared_ptr<const FractureEngine> mEngine;
};

EngineMaker steppedEngines() {
  return [](const std::string& id, Value::Map given, const MaterialOptions& material, Context& context) {
    return std::make_shared<SteppedEngine>(engineOf(id, std::move(given), material, context));
  };
}

constexpr double kMinImpulse = 100;
const char* const kEngineParameters = "pieces=9";

/// A bar that flies onto a block, which is below the DOP's least volume.
hackle::Scene standAlone(Context& context) {
  hackle::Scene scene;
  scene.frames = 25;
  scene.rate = 240;  // a step of Bullet each, with its contacts where the bodies are
  scene.substeps = 1;
  scene.restart = 1000;
  const MaterialOptions material{"custom", 1000, 70e9, 0.22, 45e6, 0.75e6};
  for (const bool bar : {false, true}) {
    SceneBody body;
    body.name = bar ? "bar" : "ball";
    body.geometry = bar ? shapes::box({-1, -0.25, -0.25}, {1, 0.25, 0.25})
                        : shapes::box({-0.25, -0.25, -0.25}, {0.25, 0.25, 0.25});
    body.position = bar ? Vec3(0.25, 1.2, 0) : Vec3(0, 0.5, 0);
    body.velocity = bar ? Vec3(0, -3, 0) : Vec3(0, 1, 0);
    body.material = {material.young, material.poisson, material.density};
    body.limits.impulse = kMinImpulse;
    body.limits.minVolume = 0.2;
    body.limits.delay = 10;
    if (bar)
      body.engine = steppedEngines()("voronoi", parametersFromText(kEngineParameters), material, context);
    scene.bodies.push_back(std::move(body));
  }
  return scene;
}

/// Houdini's rigid body solver: the same world without fracture. What it does goes into the object's data.
class Host {
 public:
  Host(const hackle::Scene& scene, Context& context) : mScene(scene) {
    WorldOptions options;
    options.length = typicalLength(scene.bodies);
    mWorld = std::make_unique<RigidWorld>(options);
    for (const SceneBody& given : scene.bodies) {
      BodySetup setup;
      setup.id = static_cast<int32_t>(mNames.size());
      setup.name = given.name;
      setup.shape = hullShape(given.geometry, 16, context);
      setup.mass = rigidMass(Solid(given.geometry, context).mass, given.material.density);
      setup.motion.position = given.position;  // the boxes are around their origins
      setup.motion.velocity = given.velocity;
      mWorld->add(setup);
      mNames.push_back(given.name);
    }
    mWorld->restartCold();
  }

  /// One step, then the node.
  bool frame(test::Scene& object, int number) {
    std::vector<BodyContact> contacts;
    mWorld->step(1 / mScene.rate, [&](const std::vector<BodyContact>& would) {
      contacts = would;
      return RigidWorld::Swap();
    });
    object.impacts().records.clear();
    const std::vector<std::string> names = object.names();
    if (names.size() == 2) {  // pieces that broke are none of this world's
      for (size_t p = 0; p < 2; ++p) place(object, static_cast<GA_Index>(p), idOf(names[p]));
      for (const BodyContact& contact : contacts) record(object, names, contact);
    }
    SIM_Engine engine;
    return object.solver->solve(engine, object.object, number / mScene.rate, 1 / mScene.rate);
  }

 private:
  int32_t idOf(const std::string& name) const { return name == mNames[0] ? 0 : 1; }

  void place(test::Scene& object, GA_Index primitive, int32_t id) {
    const RigidMotion motion = mWorld->motion(id);
    GU_Detail& detail = object.detail();
    const GA_Offset point = object.pointAt(primitive);
    for (int c = 0; c < 3; ++c)
      GA_RWHandleT<double>(detail.getP()).setBlock(point, 1, &motion.position[c], 1, c);
    setNumbers(detail, "v", point, {motion.velocity.x(), motion.velocity.y(), motion.velocity.z()});
    setNumbers(detail, "w", point, {motion.spin.x(), motion.spin.y(), motion.spin.z()});
    UT_Matrix3D turn(1.0);
    for (unsigned r = 0; r < 3; ++r)
      for (unsigned c = 0; c < 3; ++c) turn(r, c) = motion.rotation(c, r);
    static_cast<GU_PrimPacked*>(detail.getGEOPrimitive(detail.primitiveOffset(primitive)))
        ->setLocalTransform(turn);
  }

  void record(test::Scene& object, const std::vector<std::string>& names, const BodyContact& contact) {
    const auto at = [](const Vec3& v) {
      const Eigen::Vector3f f = v.cast<float>();
      return UT_Vector3(f.x(), f.y(), f.z());
    };
    const double along = contact.impulse.dot(contact.normal);
    const Vec3 across = contact.impulse - along * contact.normal;
    SIM_Impacts::Record hit;
    hit.position = at(contact.position);
    hit.otherObject = object.object.id;
    hit.primitive = idOf(names[0]) == contact.a ? 0 : 1;
    hit.otherPrimitive = 1 - hit.primitive;
    const auto both = [&](const Vec3& normal, double impulse) {
      hit.impulse = impulse;
      for (const double side : {1.0, -1.0}) {
        hit.normal = at(side * normal);
        object.impacts().records.push_back(hit);
        std::swap(hit.primitive, hit.otherPrimitive);
      }
    };
    both(contact.normal, along);
    hit.flags = SIM_IMPACTS_FRICTION;
    if (across.norm() > 0) both(across.normalized(), across.norm());
  }

  hackle::Scene mScene;
  std::unique_ptr<RigidWorld> mWorld;
  std::vector<std::string> mNames;
};

/// Keeps what it was asked to do.
class ListeningEngine : public SlabEngine {
 public:
  explicit ListeningEngine(LoadCase& heard) : SlabEngine(2), mHeard(heard) {}
  FractureResult fracture(const Solid& solid, const EngineState& state, const LoadCase& load,
                          Context& context) const override {
    mHeard = load;
    return SlabEngine::fracture(solid, state, load, context);
  }

 private:
  LoadCase& mHeard;
};

}  // namespace

TEST(HostedStep, ImpactsActWhereTheBodyWasAtThatMoment) {
  // A bar that falls by 0.8 m in one step of the host and is hit from below in the middle of it.
  LoadCase heard;
  HostedBody bar;
  bar.name = "bar";
  bar.shape = [](Context&) { return shapes::box({-1, -0.25, -0.25}, {1, 0.25, 0.25}); };
  bar.engine = std::make_shared<ListeningEngine>(heard);
  bar.material.density = 1000;
  Context context;
  HostedStep step{DecideOptions()};
  bar.offset = bar.at = Vec3(0, 1, 0);
  bar.velocity = Vec3(0, -19.2, 0);
  step.step(std::vector<HostedBody>{bar}, {}, 0, kStep, context);
  bar.offset = bar.at = Vec3(0, 0.2, 0);
  HostedContact hit;
  hit.position = Vec3(0.5, 0.6 - 0.25, 0), hit.normal = Vec3(0, 1, 0), hit.impulse = 1500;
  const HostedResult result =
      step.step(std::vector<HostedBody>{bar}, std::vector<HostedContact>{hit}, kStep, kStep, context);
  ASSERT_EQ(result.breaks.size(), 1u);
  ASSERT_FALSE(heard.impacts.empty());
  for (const Impact& impact : heard.impacts) EXPECT_NEAR(impact.position.y(), -0.25, 1e-9);
  // The pieces are where the host has the bar now.
  EXPECT_NEAR(result.breaks[0].pieces.fragments[0].motion.position.y(), 0.2, 1e-9);
}

TEST(FractureNode, EqualsTheStandAloneSimulationByteForByte) {
  Context context;
  const hackle::Scene scene = standAlone(context);
  Simulation simulation(scene, context);
  std::vector<SimEvent> events;
  while (!simulation.done()) {
    simulation.advance(context);
    for (const SimEvent& event : simulation.events())
      if (event.number > 0) events.push_back(event);
  }
  ASSERT_EQ(events.size(), 1u);

  test::Scene object;
  GAS_HackleFracture::engineMaker() = steppedEngines();
  object.set("engine", "voronoi");
  object.set("engine_parameters", kEngineParameters);
  object.set("min_impulse", std::to_string(kMinImpulse));
  object.set("delay", "10");
  Host host(scene, context);
  std::vector<size_t> counts;
  for (int frame = 0; frame < 24; ++frame) {
    ASSERT_TRUE(host.frame(object, frame));
    counts.push_back(object.names().size());
  }
  // The same frame, names and bytes of all pieces.
  const size_t broke = static_cast<size_t>(std::find(counts.begin(), counts.end(), 10u) - counts.begin());
  EXPECT_EQ(static_cast<int>(broke) + 2, events[0].frame);
  ASSERT_EQ(counts.back(), 1 + events[0].pieces.size());
  std::vector<Geometry> pieces;
  for (size_t i = 0; i < events[0].pieces.size(); ++i) {
    const auto primitive = static_cast<GA_Index>(i + 1);
    EXPECT_EQ(object.names()[i + 1], events[0].pieces[i]);
    const auto* packed = static_cast<const GU_PrimPacked*>(
        object.detail().getGEOPrimitive(object.detail().primitiveOffset(primitive)));
    pieces.push_back(houdini::fromDetail(*packed->content.gdp(), context));
  }
  const Geometry all = merged(pieces);
  ASSERT_EQ(all.pointCount(), events[0].geometry.pointCount());
  ASSERT_EQ(all.primitiveCount(), events[0].geometry.primitiveCount());
  for (size_t p = 0; p < all.pointCount(); ++p)
    ASSERT_EQ(all.position(p), events[0].geometry.position(p)) << p;
  EXPECT_TRUE(std::equal(all.vertexPoints().begin(), all.vertexPoints().end(),
                         events[0].geometry.vertexPoints().begin()));
}
