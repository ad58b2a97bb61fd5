// Glued pieces: bonds break where the impulse exceeds their strength, and what stays connected is one body.
#include <hackle/fracture/glue/glue_engine.h>

#include <gtest/gtest.h>
#include <shapes.h>

namespace hackle {
namespace {

/// A row of unit cubes along x that share faces.
SolidPtr row(int count, Context& context) {
  Geometry geometry;
  for (int i = 0; i < count; ++i) geometry.append(shapes::box({double(i), 0, 0}, {double(i) + 1, 1, 1}));
  Attribute names("name", Storage::String, 1, geometry.primitiveCount());
  for (size_t p = 0; p < geometry.primitiveCount(); ++p) names.setString(p, "cube" + std::to_string(p / 6));
  geometry.addAttribute(Owner::Primitive, std::move(names));
  return std::make_shared<const Solid>(geometry, context);
}

LoadCase hit(double x, double impulse) {
  LoadCase load;
  Impact impact;
  impact.position = {x, 1, 0.5};
  impact.impulse = impulse;
  load.impacts = {impact};
  return load;
}

TEST(Glue, BreaksWhereTheImpulseExceedsTheStrength) {
  Context context;
  const SolidPtr solid = row(6, context);
  const GlueEngine engine({100, 0.5});
  const EngineStatePtr state = engine.prepare(solid, context);
  EXPECT_FALSE(engine.mayBreak(*solid, *state, hit(0.5, 99)));
  // On the first bond 150, on the next 75.
  const FractureResult one = engine.fracture(*solid, *state, hit(0.5, 150), context);
  ASSERT_EQ(one.pieces.names.size(), 2u);
  EXPECT_NEAR(one.pieces.volume[0], 1, 1e-12);
  EXPECT_NEAR(one.pieces.volume[1], 5, 1e-12);
  EXPECT_NEAR(one.area, 1, 1e-12);
  // In the middle, both bonds of the piece break: 2 + 1 + 3.
  const FractureResult two = engine.fracture(*solid, *state, hit(2.5, 150), context);
  ASSERT_EQ(two.pieces.names.size(), 3u);
  EXPECT_NEAR(two.pieces.volume[0] * two.pieces.volume[1] * two.pieces.volume[2], 6, 1e-9);
  const FractureResult all = engine.fracture(*solid, *state, hit(0.5, 1e9), context);
  EXPECT_EQ(all.pieces.names.size(), 6u);
}

TEST(Glue, SaysHowMuchWouldBreakIt) {
  Context context;
  const SolidPtr solid = row(3, context);
  const GlueEngine engine({100, 0.5});
  const FractureResult held = engine.fracture(*solid, *engine.prepare(solid, context), hit(0.5, 50), context);
  ASSERT_TRUE(held.held);
  EXPECT_NEAR(*held.held->factor, 2, 1e-12);
}

TEST(Glue, PiecesOfABrokenBodyStayGlued) {
  Context context;
  const SolidPtr solid = row(6, context);
  const GlueEngine engine({100, 0.5});
  const FractureResult one = engine.fracture(*solid, *engine.prepare(solid, context), hit(0.5, 150), context);
  std::vector<int32_t> primitives;
  for (size_t p = 0; p < one.pieces.primitivePiece.size(); ++p)
    if (one.pieces.primitivePiece[p] == 1) primitives.push_back(static_cast<int32_t>(p));
  Geometry rest = one.pieces.geometry.extract(primitives);
  Attribute names("name", Storage::String, 1, rest.primitiveCount());  // as a simulation names its bodies
  for (size_t p = 0; p < rest.primitiveCount(); ++p) names.setString(p, "wall-1");
  rest.addAttribute(Owner::Primitive, std::move(names));
  const auto again = std::make_shared<const Solid>(rest, context);
  EXPECT_EQ(
      engine.fracture(*again, *engine.prepare(again, context), hit(1.5, 1e9), context).pieces.names.size(),
      5u);
}

TEST(Glue, WantsPieces) {
  Context context;
  const auto solid = std::make_shared<const Solid>(shapes::box(), context);
  EXPECT_THROW(GlueEngine({100, 0.5}).prepare(solid, context), Error);
}

}  // namespace
}  // namespace hackle
