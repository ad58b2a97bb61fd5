// How materials break, as values of the parameters of voronoi.
#pragma once

#include <hackle/ops/parameter.h>

namespace hackle {

/// "custom", then the recipes.
std::vector<MenuItem> recipeMenu();

/// A recipe's values by parameter name, none for "custom"; Error(Usage) for an unknown one.
Value::Map recipeValues(const std::string& name);

}  // namespace hackle
