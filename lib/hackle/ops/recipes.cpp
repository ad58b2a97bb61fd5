#include <hackle/ops/recipes.h>

#include <algorithm>

namespace hackle {

namespace {

struct Recipe {
  const char* name;
  const char* label;
  Value::Map values;
};

/// Chosen by eye on a wall, a pane, a plank, a column and a figure (examples/recipes.sh).
const std::vector<Recipe>& recipes() {
  static const std::vector<Recipe> all{
      {"glass",
       "Glass",
       {{"pattern", "radial"},
        {"pieces", 80},
        {"edge_amount", 0.06},
        {"edge_size", 1.5},
        {"edge_roughness", 0.3}}},
      {"tempered", "Tempered Glass", {{"pieces", 500}, {"clustered", 0.0}, {"relaxation", 3}}},
      {"concrete",
       "Concrete",
       {{"pieces", 14},
        {"levels", 2},
        {"level_pieces", 3},
        {"level_strength", 4.0},
        {"edge_amount", 0.14},
        {"edge_size", 0.5},
        {"edge_roughness", 0.6},
        {"chip_amount", 0.08},
        {"chip_size", 0.02}}},
      {"stone",
       "Stone",
       {{"pieces", 20},
        {"edge_amount", 0.12},
        {"edge_size", 0.8},
        {"edge_roughness", 0.4},
        {"edge_ridges", true},
        {"chip_amount", 0.06},
        {"chip_size", 0.025}}},
      {"wood",
       "Wood",
       {{"pieces", 30},
        {"splinter", 10.0},
        {"edge_amount", 0.04},
        {"edge_size", 0.35},
        {"edge_ridges", true}}},
      {"brick",
       "Brick",
       {{"pieces", 5},
        {"edge_amount", 0.12},
        {"edge_size", 0.4},
        {"edge_roughness", 0.6},
        {"chip_amount", 0.1},
        {"chip_size", 0.04}}},
      {"ceramic",
       "Ceramic",
       {{"pieces", 25},
        {"edge_amount", 0.08},
        {"edge_size", 1.0},
        {"edge_roughness", 0.3},
        {"chip_amount", 0.02},
        {"chip_size", 0.012}}},
      {"ice",
       "Ice",
       {{"pieces", 30}, {"relaxation", 1}, {"edge_amount", 0.1}, {"edge_size", 1.2}, {"edge_ridges", true}}},
  };
  return all;
}

}  // namespace

std::vector<MenuItem> recipeMenu() {
  std::vector<MenuItem> items{{"custom", "Custom"}};
  for (const Recipe& recipe : recipes()) items.push_back({recipe.name, recipe.label});
  return items;
}

Value::Map recipeValues(const std::string& name) {
  if (name == "custom") return {};
  const auto found = std::find_if(recipes().begin(), recipes().end(),
                                  [&](const Recipe& recipe) { return recipe.name == name; });
  if (found == recipes().end())
    throw Error(ErrorCode::Usage, "there is no recipe " + name, "take one of the menu, or custom");
  return found->values;
}

}  // namespace hackle
