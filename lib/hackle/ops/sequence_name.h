// Names of numbered files.
#pragma once

#include <cstddef>
#include <string>

namespace hackle {

/// Error(Usage) for a name that no geometry can be written to, or without # for the number.
void checkSequenceName(const std::string& name);

/// The last run of # becomes the number, with zeros in front up to its length.
std::string sequenceName(const std::string& name, size_t number);

}  // namespace hackle
