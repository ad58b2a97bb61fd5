// Primitives by the value of a string attribute: what the fragments of a packed geometry are.
#pragma once

#include <hackle/core/span.h>
#include <hackle/geometry/geometry.h>

#include <string>
#include <unordered_map>
#include <vector>

namespace hackle {

/// Made in one pass over the primitives. The attribute may be on primitives or, failing that, on points,
/// where a primitive belongs to the fragment of its first corner.
class FragmentIndex {
 public:
  FragmentIndex(const Geometry& geometry, const std::string& attribute);
  /// Primitives of that fragment in ascending order; none if there is no such fragment or attribute.
  Span<const int32_t> members(const std::string& name) const;

 private:
  std::unordered_map<std::string, size_t> mFragments;
  std::vector<size_t> mStart;  // of each fragment in mMembers, and the end of the last
  std::vector<int32_t> mMembers;
};

}  // namespace hackle
