#include <hackle/geometry/fragment_index.h>

namespace hackle {

FragmentIndex::FragmentIndex(const Geometry& geometry, const std::string& attributeName) : mStart(1, 0) {
  const auto usable = [](const Attribute* a) { return a && a->isString() && a->tupleSize() > 0; };
  const Attribute* onPrimitives = geometry.findAttribute(Owner::Primitive, attributeName);
  const Attribute* onPoints = geometry.findAttribute(Owner::Point, attributeName);
  const bool byPrimitive = usable(onPrimitives);
  if (!byPrimitive && !usable(onPoints)) return;
  const Attribute& names = byPrimitive ? *onPrimitives : *onPoints;

  // Number the fragments: one per distinct string, the last for the empty one.
  const StringArray& strings = names.strings();
  std::vector<size_t> fragmentOf(strings.table.size());
  for (size_t i = 0; i < strings.table.size(); ++i)
    fragmentOf[i] = mFragments.emplace(strings.table[i], mFragments.size()).first->second;
  const size_t unnamed = mFragments.emplace("", mFragments.size()).first->second;
  constexpr size_t kNone = size_t(-1);
  const auto fragment = [&](size_t primitive) {
    if (!byPrimitive && geometry.vertexCount(primitive) == 0) return kNone;
    const size_t element = byPrimitive ? primitive : static_cast<size_t>(geometry.corners(primitive)[0]);
    const int32_t index = strings.indices[element * static_cast<size_t>(names.tupleSize())];
    const bool inTable = index >= 0 && static_cast<size_t>(index) < fragmentOf.size();
    return inTable ? fragmentOf[index] : unnamed;
  };

  // Sort the primitives by fragment, by counting.
  mStart.assign(mFragments.size() + 1, 0);
  for (size_t p = 0; p < geometry.primitiveCount(); ++p)
    if (const size_t f = fragment(p); f != kNone) ++mStart[f + 1];
  for (size_t f = 0; f < mFragments.size(); ++f) mStart[f + 1] += mStart[f];
  mMembers.resize(mStart.back());
  std::vector<size_t> next(mStart.begin(), mStart.end() - 1);
  for (size_t p = 0; p < geometry.primitiveCount(); ++p)
    if (const size_t f = fragment(p); f != kNone) mMembers[next[f]++] = static_cast<int32_t>(p);
}

Span<const int32_t> FragmentIndex::members(const std::string& name) const {
  const auto found = mFragments.find(name);
  if (found == mFragments.end()) return {};
  const size_t first = mStart[found->second];
  return Span<const int32_t>(mMembers).subspan(first, mStart[found->second + 1] - first);
}

}  // namespace hackle
