// Fracture engines by the name of their operator, for whoever brings bodies and loads itself.
#pragma once

#include <hackle/ops/material.h>
#include <hackle/ops/operator.h>

#include <memory>
#include <string>
#include <vector>

namespace hackle {

/// Ids of all operators that have an engine.
std::vector<std::string> engineIds();

/// The engine of an operator with the given parameters; those of the material are the body's, unless they are
/// given. Error(Usage) that lists the engines for an operator without one, or names a parameter that is
/// wrong.
std::shared_ptr<const FractureEngine> engineOf(const std::string& id, Value::Map given,
                                               const MaterialOptions& material, Context& context);

/// Whether an engine decides by the material if a body breaks. Others break it at any impact that they are
/// asked about.
bool engineKnowsStrength(const std::string& id);

/// "pieces=20 seed=3" as parameters by name, values as text; a value with spaces stands in quotes.
/// Error(Usage) for a word without an equals sign.
Value::Map parametersFromText(const std::string& text);

}  // namespace hackle
