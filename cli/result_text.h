// Results of operators such as `info`, for people.
#pragma once

#include <hackle/core/value.h>

#include <string>

namespace hackle::cli {

/// A map as aligned lines: names in words, digits grouped, yes and no; maps inside it indented, lists of maps
/// as tables. Ends with a line break unless it is empty.
std::string resultText(const Value& result);

/// One value on one line: 12,345, 0.333333, yes, "1, 2, 3"; "-" for null.
std::string shortText(const Value& value);

}  // namespace hackle::cli
