#include "../ops/every_type_operator.h"
#include "../shapes.h"
#include "network.h"

#include <hackle/geometry/piece_names.h>

#include <GA/GA_Handle.h>
#include <GU/GU_PrimPacked.h>

#include <GU/GU_PackedGeometry.h>

#include <gtest/gtest.h>
#include <sop/detail_bridge.h>

#include <chrono>
#include <thread>

using namespace hackle;
using namespace hackle::test;

namespace {

/// Counts for as long as it is let; every run makes a box when it comes to its end.
struct SlowOptions {
  double seconds = 5;
};

Outputs runSlow(const Inputs&, const SlowOptions& options, Context& context) {
  const Context::Stage stage(context, "slow", 1.0);
  while (context.seconds() < options.seconds) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    context.advance(context.seconds() / options.seconds);
  }
  return Outputs({shapes::box()});
}

void registerSlow() {
  static const Operator* slow = [] {
    ParameterTable<SlowOptions> table;
    table.add(&SlowOptions::seconds, "seconds", "Seconds").unit("s").range(0, 10).help("How long.");
    auto* op = new Operator;
    op->id = "slow";
    op->label = "Slow";
    op->outputs = {{"geometry", "Geometry", "A box."}};
    op->bind(table, runSlow);
    SOP_Hackle::registerNode(*op, nodeTable());
    return op;
  }();
  (void)slow;
}

/// Stops cooks after a while.
class Stopper {
 public:
  explicit Stopper(int milliseconds)
      : mThread([milliseconds] {
          std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
          UTgetInterrupt()->stop = true;
        }) {}
  ~Stopper() {
    mThread.join();
    UTgetInterrupt()->stop = false;
  }

 private:
  std::thread mThread;
};

/// A box whose faces and points have arrays with their number times ten, and a detail array.
class ArrayNode : public SourceNode {
 public:
  ArrayNode() : SourceNode(shapes::box()) {}

  /// The array of an element; nothing where it is empty.
  static std::vector<int32> arrayAt(const GU_Detail& detail, GA_AttributeOwner owner, GA_Offset element) {
    const GA_Attribute* a = detail.findAttribute(owner, "history");
    UT_Int32Array values;
    a->getAIFNumericArray()->get(a, element, values);
    return {values.getArray(), values.getArray() + values.size()};
  }

 protected:
  OP_ERROR cookMySop(OP_Context& context) override {
    SourceNode::cookMySop(context);
    GU_Detail& detail = *handle.gdpNC();
    for (const GA_AttributeOwner owner : {GA_ATTRIB_POINT, GA_ATTRIB_PRIMITIVE, GA_ATTRIB_GLOBAL}) {
      GA_Attribute* a = detail.addIntArray(owner, "history");
      int32 number = 0;
      for (const GA_Offset element : detail.getIndexMap(owner).offsets) {
        UT_Int32Array values;
        values.append(10 * number++);
        a->getAIFNumericArray()->set(a, element, values);
      }
    }
    return UT_ERROR_NONE;
  }
};

/// Two packed boxes whose faces have arrays.
class PackedArrayNode : public SourceNode {
 public:
  PackedArrayNode() : SourceNode(Geometry()) {}

 protected:
  OP_ERROR cookMySop(OP_Context& context) override {
    SourceNode::cookMySop(context);
    int32 number = 0;
    for (int box = 0; box < 2; ++box) {
      GU_DetailHandle inside;
      inside.allocateAndSet(new GU_Detail);
      GU_Detail& detail = *inside.gdpNC();
      houdini::toDetail(shapes::box(), detail);
      GA_Attribute* a = detail.addIntArray(GA_ATTRIB_PRIMITIVE, "history");
      for (const GA_Offset element : detail.getIndexMap(GA_ATTRIB_PRIMITIVE).offsets) {
        UT_Int32Array values;
        values.append(10 * number++);
        a->getAIFNumericArray()->set(a, element, values);
      }
      GU_PackedGeometry::packGeometry(*handle.gdpNC(), inside);
    }
    return UT_ERROR_NONE;
  }
};

Vec3 normalOf(const Geometry& g, size_t face) {
  const Span<const int32_t> c = g.corners(face);
  const Vec3& a = g.position(c[0]);
  return (g.position(c[1]) - a).cross(g.position(c[2]) - a).normalized();
}

}  // namespace

TEST(Cook, ArraysFollowTheElementsThatHaveThem) {
  ArrayNode source;
  const auto node = makeNode("voronoi", {&source});
  node->set("pieces", "4");
  ASSERT_EQ(node->cookAt(), UT_ERROR_NONE) << joined(node->errors);
  EXPECT_EQ(joined(node->warnings), "");
  const Geometry pieces = result(*node), box = shapes::box();
  const GU_Detail& detail = node->detail();
  const Group& inside = *pieces.findGroup(Owner::Primitive, "inside");
  size_t outside = 0;
  for (size_t p = 0; p < pieces.primitiveCount(); ++p) {
    const GA_Offset offset = detail.primitiveOffset(static_cast<GA_Index>(p));
    const std::vector<int32> values = ArrayNode::arrayAt(detail, GA_ATTRIB_PRIMITIVE, offset);
    if (inside.bits[p]) {
      EXPECT_TRUE(values.empty());
      continue;
    }
    ++outside;
    ASSERT_EQ(values.size(), 1u);
    EXPECT_GT(normalOf(pieces, p).dot(normalOf(box, static_cast<size_t>(values[0] / 10))), 0.999);
  }
  EXPECT_GE(outside, 6u);
  EXPECT_EQ(ArrayNode::arrayAt(detail, GA_ATTRIB_GLOBAL, GA_Offset(0)), std::vector<int32>{0});
  for (const GA_AttributeOwner owner : {GA_ATTRIB_POINT, GA_ATTRIB_PRIMITIVE})
    EXPECT_EQ(detail.findAttribute(owner, "hackle_origin"), nullptr);
}

TEST(Cook, ArraysInPackedPrimitivesFollowToo) {
  // Two packed boxes; the faces of the second have numbers from 60 on.
  PackedArrayNode source;
  const auto node = makeNode("transform", {&source});
  ASSERT_EQ(node->cookAt(), UT_ERROR_NONE) << joined(node->errors);
  EXPECT_EQ(joined(node->warnings), "");
  const GU_Detail& detail = node->detail();
  ASSERT_EQ(detail.getNumPrimitives(), 12);
  for (GA_Index p = 0; p < 12; ++p)
    EXPECT_EQ(ArrayNode::arrayAt(detail, GA_ATTRIB_PRIMITIVE, detail.primitiveOffset(p)),
              std::vector<int32>{static_cast<int32>(10 * p)})
        << p;
  EXPECT_EQ(detail.findAttribute(GA_ATTRIB_PRIMITIVE, "hackle_origin"), nullptr);
}

TEST(Cook, VoronoiBreaksABox) {
  SourceNode box(shapes::box());
  const auto node = makeNode("voronoi", {&box});
  node->set("pieces", "5");
  ASSERT_EQ(node->cookAt(), UT_ERROR_NONE) << joined(node->errors);
  const Geometry pieces = result(*node);
  EXPECT_EQ(piecesByName(pieces).count(), 5u);
  EXPECT_NE(pieces.findGroup(Owner::Primitive, "inside"), nullptr);
  EXPECT_NE(joined(node->messages).find("pieces: 5"), std::string::npos) << joined(node->messages);
  EXPECT_EQ(node->detail().getP()->getAIFTuple()->getStorage(node->detail().getP()), GA_STORE_REAL32);
}

TEST(Cook, NodesOfDoublePrecisionStayDouble) {
  Geometry box = shapes::box();
  SourceNode source(box);
  box.positionFileStorage = Storage::Float64;
  source.change(box);
  const auto node = makeNode("transform", {&source});
  node->cookAt();
  EXPECT_EQ(node->detail().getP()->getAIFTuple()->getStorage(node->detail().getP()), GA_STORE_REAL64);
}

TEST(Cook, OneOfSeveralStreamsIsChosen) {
  SourceNode box(shapes::box());
  const auto node = makeNode("voronoi", {&box});
  node->set("pieces", "4");
  node->set("hackle_stream", "constraints");
  ASSERT_EQ(node->cookAt(), UT_ERROR_NONE) << joined(node->errors);
  const Geometry constraints = result(*node);
  EXPECT_EQ(constraints.countOf(PrimitiveType::Polyline), constraints.primitiveCount());
  EXPECT_NE(constraints.findAttribute(Owner::Primitive, "constraint_name"), nullptr);
  node->set("hackle_stream", "proxies");
  node->cookAt();
  EXPECT_EQ(piecesByName(result(*node)).count(), 4u);
  // The fracture itself was run once.
  EXPECT_EQ(cacheOf(*node).runs(), 1);
}

TEST(Cook, AllStreamsComePacked) {
  SourceNode box(shapes::box());
  const auto one = makeNode("voronoi", {&box}), all = makeNode("voronoi", {&box});
  all->set("hackle_stream", "all");
  ASSERT_EQ(all->cookAt(), UT_ERROR_NONE) << joined(all->errors);
  const GU_Detail& packed = all->detail();
  ASSERT_EQ(packed.getNumPrimitives(), 3);
  const GA_ROHandleS names(packed.findAttribute(GA_ATTRIB_PRIMITIVE, "hackle_stream"));
  for (const char* stream : {"geometry", "constraints", "proxies"}) {
    one->set("hackle_stream", stream);
    one->cookAt();
    for (GA_Size p = 0; p < 3; ++p) {
      const GA_Offset at = packed.primitiveOffset(p);
      if (names.get(at).toStdString() != stream) continue;
      GU_Detail inside;
      static_cast<const GU_PrimPacked*>(packed.getGEOPrimitive(at))->unpack(inside);
      EXPECT_EQ(inside.getNumPrimitives(), one->detail().getNumPrimitives()) << stream;
      // Constraints have names on points, pieces on primitives: they never mix.
      EXPECT_EQ(inside.findAttribute(GA_ATTRIB_POINT, "name") != nullptr,
                std::string(stream) == "constraints");
    }
  }
}

TEST(Cook, OnlyWhatChangedIsDoneAgain) {
  SourceNode box(shapes::box()), sites(shapes::sphere(4));
  const auto node = makeNode("voronoi", {&box, &sites});
  node->cookAt();
  EXPECT_EQ(cacheOf(*node).conversions(), 2);
  EXPECT_EQ(cacheOf(*node).runs(), 1);
  // A parameter: the inputs stay converted.
  node->set("prefix", "bit");
  node->cookAt();
  EXPECT_EQ(cacheOf(*node).conversions(), 2);
  EXPECT_EQ(cacheOf(*node).runs(), 2);
  // One input: the other stays converted.
  sites.change(shapes::sphere(5));
  node->cookAt();
  EXPECT_EQ(cacheOf(*node).conversions(), 3);
  EXPECT_EQ(cacheOf(*node).runs(), 3);
  // Nothing: no cook at all. The same values again: a cook, but no run.
  node->cookAt();
  EXPECT_EQ(node->cooks, 3);
  node->set("prefix", "bit");
  node->cookAt();
  EXPECT_EQ(node->cooks, 4);
  EXPECT_EQ(cacheOf(*node).runs(), 3);
}

TEST(Cook, CompiledBlocksTakeNothingFromAnEarlierCook) {
  SourceNode box(shapes::box());
  const auto node = makeNode("transform", {&box});
  node->compiled = true;
  ASSERT_EQ(node->cookAt(), UT_ERROR_NONE) << joined(node->errors);
  EXPECT_NEAR(result(*node).bounds().max.x(), 1, 1e-6);
  // A block may change its detail in place: the key stays, the content does not.
  Geometry longer = shapes::box();
  for (Vec3& p : longer.editPositions()) p.x() *= 3;
  longer.positionFileStorage = Storage::Float32;
  const int64 count = box.detail().getMetaCacheCount();
  houdini::toDetail(longer, *box.handle.gdpNC());
  ASSERT_EQ(box.detail().getMetaCacheCount(), count);
  node->dirty = true;
  ASSERT_EQ(node->cookAt(), UT_ERROR_NONE) << joined(node->errors);
  EXPECT_NEAR(result(*node).bounds().max.x(), 3, 1e-6);
}

TEST(Cook, DraggingALoadKeepsTheFactor) {
  SourceNode ball(shapes::sphere(8));
  const auto load = [](SOP_Node& node, const char* force) {
    node.set("condition", "2");
    node.set("condition_at1", {"0", "-1", "0"});
    node.set("condition_radius1", "0.7");
    node.set("condition_kind2", "force");
    node.set("condition_force2", {"0", force, "0"});
    node.set("condition_at2", {"0", "1", "0"});
    node.set("condition_radius2", "0.7");
  };
  const auto node = makeNode("stress", {&ball}), fresh = makeNode("stress", {&ball});
  load(*node, "-100");
  ASSERT_EQ(node->cookAt(), UT_ERROR_NONE) << joined(node->errors);
  const Memo& memo = cacheOf(*node).memo();
  EXPECT_EQ(memo.made(), 3u);  // solid, mesh to solve on, factor
  load(*node, "-300");
  load(*fresh, "-300");
  node->cookAt();
  fresh->cookAt();
  EXPECT_EQ(memo.made(), 3u);
  EXPECT_EQ(cacheOf(*node).runs(), 2);
  EXPECT_TRUE(contentOf(*node) == contentOf(*fresh));
  EXPECT_EQ(node->messages[0], fresh->messages[0]);
  // The fresh node had to do all by itself: what a node keeps is its own.
  EXPECT_EQ(cacheOf(*fresh).memo().made(), 3u);
  // Other geometry: all anew, and the old is gone.
  const size_t bytes = memo.bytes();
  ball.change(shapes::sphere(7));
  node->cookAt();
  EXPECT_EQ(memo.made(), 6u);
  EXPECT_EQ(memo.count(), 3u);
  EXPECT_LT(memo.bytes(), bytes);
  const auto after = makeNode("stress", {&ball});
  load(*after, "-300");
  after->cookAt();
  EXPECT_TRUE(contentOf(*node) == contentOf(*after));
}

TEST(Cook, DraggingAnImpactKeepsLatticeAndFactor) {
  SourceNode box(shapes::box());
  const auto hit = [](SOP_Node& node, const char* x) {
    node.set("cells", "5");
    node.set("pieces", "5");
    node.set("impact", "1");
    node.set("impact_at1", {x, "1", "0.5"});
    node.set("impact_impulse1", "100");
  };
  const auto node = makeNode("cvd", {&box}), fresh = makeNode("cvd", {&box});
  hit(*node, "0.2");
  ASSERT_EQ(node->cookAt(), UT_ERROR_NONE) << joined(node->errors);
  EXPECT_EQ(cacheOf(*node).memo().made(), 3u);
  hit(*node, "0.8");
  hit(*fresh, "0.8");
  node->cookAt();
  fresh->cookAt();
  EXPECT_EQ(cacheOf(*node).memo().made(), 3u);
  EXPECT_TRUE(contentOf(*node) == contentOf(*fresh));
  // Another output of the same run asks for nothing, and loses nothing.
  node->set("hackle_stream", "proxies");
  node->cookAt();
  EXPECT_EQ(cacheOf(*node).memo().count(), 3u);
}

TEST(Cook, ResultsDoNotDependOnEarlierCooks) {
  SourceNode box(shapes::box()), other(shapes::torus(12, 6));
  const auto fresh = makeNode("voronoi", {&box}), used = makeNode("voronoi", {&other});
  used->set("pieces", "9");
  used->cookAt();
  used->setInput(0, &box);
  used->set("pieces", "20");
  used->cookAt();
  fresh->cookAt();
  EXPECT_EQ(result(*used).primitiveCount(), result(*fresh).primitiveCount());
  EXPECT_TRUE(*result(*used).findAttribute(Owner::Primitive, "name") ==
              *result(*fresh).findAttribute(Owner::Primitive, "name"));
}

TEST(Cook, AnInterruptLeavesAnErrorAndNoGeometry) {
  registerSlow();
  const auto node = makeNode("slow");
  node->set("seconds", "0");
  ASSERT_EQ(node->cookAt(), UT_ERROR_NONE);
  EXPECT_EQ(node->detail().getNumPrimitives(), 6);
  node->set("seconds", "10");
  const auto start = std::chrono::steady_clock::now();
  {
    const Stopper stopper(50);
    EXPECT_EQ(node->cookAt(), UT_ERROR_NONE);
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(3));
  // Who pressed Esc is warned, not told of an error.
  EXPECT_TRUE(node->errors.empty()) << joined(node->errors);
  ASSERT_EQ(node->warnings.size(), 1u);
  EXPECT_EQ(node->warnings[0], "Slow was interrupted");
  EXPECT_EQ(node->detail().getNumPrimitives(), 0);
  EXPECT_EQ(node->detail().getNumPoints(), 0);
  EXPECT_EQ(UTgetInterrupt()->opened, UTgetInterrupt()->closed);
  EXPECT_GE(UTgetInterrupt()->lastPercent, 0);
  node->set("seconds", "0");
  EXPECT_EQ(node->cookAt(), UT_ERROR_NONE);
  EXPECT_EQ(node->detail().getNumPrimitives(), 6);
}

TEST(Cook, OnlyTheCookingThreadAsksForTheInterruptAndItsNameLasts) {
  SourceNode knot(shapes::torus(60, 30));
  const auto node = makeNode("voronoi", {&knot});
  node->set("pieces", "200");
  const int polls = UTgetInterrupt()->polls;
  ASSERT_EQ(node->cookAt(), UT_ERROR_NONE) << joined(node->errors);
  EXPECT_GT(UTgetInterrupt()->polls, polls);
  EXPECT_EQ(UTgetInterrupt()->foreignPolls, 0);
  EXPECT_EQ(UTgetInterrupt()->lastName, "Hackle: Voronoi Fracture");
}

TEST(Cook, TellsWhatItKeepsAndHowLongStagesTook) {
  SourceNode ball(shapes::sphere(6));
  const auto node = makeNode("voronoi", {&ball});
  ASSERT_EQ(node->cookAt(), UT_ERROR_NONE) << joined(node->errors);
  ASSERT_EQ(node->messages.size(), 2u);
  EXPECT_NE(node->messages[0].find("pieces: "), std::string::npos) << node->messages[0];
  EXPECT_EQ(node->messages[1].find("seconds: "), 0u) << node->messages[1];
  const int64 small = cacheOf(*node).getMemoryUsage(false);
  EXPECT_GT(small, 0);
  ball.change(shapes::sphere(24));
  node->cookAt();
  EXPECT_GT(cacheOf(*node).getMemoryUsage(false), 2 * small);
}

TEST(Cook, AFractureStopsInTheMiddle) {
  SourceNode knot(shapes::torus(300, 150));
  const auto node = makeNode("voronoi", {&knot});
  node->set("pieces", "2000");
  knot.cookAt();
  const Stopper stopper(100);
  EXPECT_EQ(node->cookAt(), UT_ERROR_NONE);
  EXPECT_EQ(joined(node->warnings), "Voronoi Fracture was interrupted\n");
  EXPECT_EQ(node->detail().getNumPoints(), 0);
}

TEST(Cook, BadInputIsAnErrorWithItsRemedy) {
  Geometry bad = shapes::box();
  bad.editPositions()[2].x() = std::nan("");
  SourceNode source(bad);
  const auto node = makeNode("voronoi", {&source});
  EXPECT_EQ(node->cookAt(), UT_ERROR_ABORT);
  ASSERT_EQ(node->errors.size(), 1u);
  EXPECT_NE(node->errors[0].find("point 2 is not finite. Remedy: "), std::string::npos) << node->errors[0];
  EXPECT_EQ(node->detail().getNumPoints(), 0);
  // Mended, it cooks.
  source.change(shapes::box());
  EXPECT_EQ(node->cookAt(), UT_ERROR_NONE) << joined(node->errors);
  EXPECT_GT(node->detail().getNumPoints(), 8);
}

TEST(Cook, WarningsReachTheNode) {
  Geometry sites;
  for (int i = 0; i < 4; ++i) sites.addPoint(Vec3(0.2 + 0.2 * (i % 3), 0.5, 0.5));
  SourceNode box(shapes::box()), points(sites);
  const auto node = makeNode("voronoi", {&box, &points});
  ASSERT_EQ(node->cookAt(), UT_ERROR_NONE) << joined(node->errors);
  EXPECT_NE(joined(node->warnings).find("sites at the place of another"), std::string::npos);
  // Also when the run is taken from the last cook.
  node->set("hackle_stream", "proxies");
  node->cookAt();
  EXPECT_NE(joined(node->warnings).find("sites at the place of another"), std::string::npos);
}

TEST(Cook, DataGoesFromNodeToNode) {
  // The operator of all types gives data as its third output.
  SourceNode box(shapes::box());
  static const Operator* op = [] {
    auto* made = new Operator(everyOperator());
    made->id = "every_data";
    SOP_Hackle::registerNode(*made, nodeTable());
    return made;
  }();
  const auto node = makeNode(op->id, {&box});
  node->set("hackle_stream", "modes");
  ASSERT_EQ(node->cookAt(), UT_ERROR_NONE) << joined(node->errors);
  const Blob blob = houdini::blobFromDetail(node->detail());
  EXPECT_EQ(blob.kind, "modes");
  EXPECT_EQ(blob.bytes.size(), 3u);
}
