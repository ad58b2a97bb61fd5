// Recipes of voronoi: each breaks solids soundly, at any scale, and gives way to what is set.
#include "run_checks.h"

#include <hackle/ops/recipes.h>
#include <hackle/ops/registry.h>
#include <shapes.h>

namespace hackle {
namespace {

Outputs breakBox(double size, Value::Map parameters) {
  Context context;
  const Geometry pane = shapes::box({0, 0, 0}, {size, 0.75 * size, 0.125 * size});
  const Value cluster = Value::List{
      Value::Map{{"at", Value::numbers(Vec3(0.5 * size, 0.5 * size, 0))}, {"radius", 0.125 * size}}};
  parameters.emplace_back("cluster", cluster);
  return runOperator(findOperator("voronoi"), Inputs({pane}), parameters, context).outputs;
}

TEST(Recipes, BreakSoundly) {
  for (const MenuItem& recipe : recipeMenu()) {
    SCOPED_TRACE(recipe.token);
    const Outputs broken = breakBox(1, {{"recipe", recipe.token}});
    EXPECT_TRUE(broken.result.find("closed")->asBool());
    EXPECT_TRUE(broken.result.find("manifold")->asBool());
    EXPECT_LE(number(broken, "volume_error"), 1e-12);
    EXPECT_GE(number(broken, "pieces"), 5);
  }
}

TEST(Recipes, AreTheSameAtAnyScale) {
  for (const char* recipe : {"stone", "wood"}) {
    SCOPED_TRACE(recipe);
    const Outputs one = breakBox(1, {{"recipe", recipe}}), large = breakBox(50, {{"recipe", recipe}});
    // A chip may be there or not by the last digit.
    EXPECT_NEAR(number(large, "pieces"), number(one, "pieces"), 0.05 * number(one, "pieces"));
    EXPECT_NEAR(number(large, "inside_faces"), number(one, "inside_faces"),
                0.05 * number(one, "inside_faces"));
  }
}

TEST(Recipes, GiveWayToWhatIsSet) {
  const Outputs all = breakBox(1, {{"recipe", "concrete"}});
  EXPECT_GT(number(all, "chips"), 0);
  const Outputs none =
      breakBox(1, {{"recipe", "concrete"}, {"chip_amount", 0.0}, {"levels", 1}, {"pieces", 3}});
  EXPECT_EQ(number(none, "chips"), 0);
  EXPECT_EQ(number(none, "sites"), 3);
  // Every name is a parameter, and "custom" fills in nothing.
  for (const MenuItem& recipe : recipeMenu())
    for (const auto& [name, value] : recipeValues(recipe.token))
      EXPECT_TRUE(findParameter(findOperator("voronoi").parameters, name)) << name;
  EXPECT_TRUE(recipeValues("custom").empty());
  EXPECT_NE(refusal([] { recipeValues("cheese"); }), "");
}

}  // namespace
}  // namespace hackle
