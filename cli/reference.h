// The reference: one Markdown page an operator, made from the registry.
#pragma once

#include <hackle/ops/operator.h>

#include <filesystem>
#include <string>
#include <vector>

namespace hackle::cli {

/// The page of one operator.
std::string referencePage(const Operator& op);

/// Writes ID.md for every operator and README.md, the index, making the folder if it is missing. The same
/// registry gives the same bytes. Pages of operators that are gone are removed.
void writeReference(const std::vector<Operator>& operators, const std::filesystem::path& folder);

}  // namespace hackle::cli
