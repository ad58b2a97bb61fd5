#include <hackle/geometry/piece_levels.h>

#include <vector>

namespace hackle {

namespace {

/// "piece3-1-0" as piece3, 1, 0. Only numbers at the end count: a prefix may have hyphens of its own.
std::vector<std::string> partsOf(std::string name) {
  std::vector<std::string> numbers;
  for (;;) {
    const size_t hyphen = name.rfind('-');
    if (hyphen == std::string::npos || hyphen == 0 || hyphen + 1 == name.size() ||
        name.find_first_not_of("0123456789", hyphen + 1) != std::string::npos)
      break;
    numbers.push_back(name.substr(hyphen + 1));
    name.erase(hyphen);
  }
  std::vector<std::string> parts{name};
  parts.insert(parts.end(), numbers.rbegin(), numbers.rend());
  return parts;
}

}  // namespace

int pieceLevel(const std::string& name) { return static_cast<int>(partsOf(name).size()) - 1; }

int contactLevel(const std::string& a, const std::string& b) {
  const std::vector<std::string> one = partsOf(a), other = partsOf(b);
  size_t common = 0;
  while (common < one.size() && common < other.size() && one[common] == other[common]) ++common;
  return static_cast<int>(common);
}

}  // namespace hackle
