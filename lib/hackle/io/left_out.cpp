#include <hackle/io/left_out.h>

#include <fmt/format.h>

#include <algorithm>

namespace hackle {

namespace {

constexpr size_t kListedNames = 12;

/// Every fracture gives points their depth below the surface; nobody misses it in a file for other programs.
bool isMissed(Owner owner, const Attribute& attribute) {
  return owner != Owner::Point || attribute.name() != "depth";
}

struct PrimitiveNames {
  PrimitiveType type;
  const char* one;
  const char* many;
};
constexpr PrimitiveNames kPrimitiveNames[] = {
    {PrimitiveType::Polygon, "polygon", "polygons"},
    {PrimitiveType::Polyline, "polyline", "polylines"},
    {PrimitiveType::Tetrahedron, "tetrahedron", "tetrahedra"},
    {PrimitiveType::Volume, "volume", "volumes"},
    {PrimitiveType::Packed, "packed primitive", "packed primitives"}};

}  // namespace

void LeftOut::compare(const Geometry& geometry, const Carried& carried) {
  for (const PrimitiveNames& names : kPrimitiveNames)
    if (!carried.primitives || !carried.primitives(names.type))
      addCount(geometry.countOf(names.type), names.one, names.many);
  for (int o = 0; o < kOwnerCount; ++o) {
    const Owner owner = static_cast<Owner>(o);
    for (const Attribute& attribute : geometry.attributes(owner))
      if (isMissed(owner, attribute) && (!carried.attributes || !carried.attributes(owner, attribute)))
        add(fmt::format("{} attribute", ownerName(owner)), attribute.name());
    for (const Group& group : geometry.groups(owner))
      if (!carried.groups || !carried.groups(owner, group))
        add(fmt::format("{} group", ownerName(owner)), group.name);
  }
  if (!carried.edgeGroups)
    for (const EdgeGroup& group : geometry.edgeGroups()) add("edge group", group.name);
}

void LeftOut::add(const std::string& kind, const std::string& name) {
  auto place = std::find_if(mKinds.begin(), mKinds.end(), [&](const Kind& k) { return k.name == kind; });
  if (place == mKinds.end()) place = mKinds.insert(mKinds.end(), Kind{kind, {}, false});
  if (std::find(place->members.begin(), place->members.end(), name) != place->members.end()) return;
  if (place->members.size() < kListedNames)
    place->members.push_back(name);
  else
    place->more = true;
}

void LeftOut::addCount(size_t count, const std::string& one, const std::string& many) {
  if (count > 0) mCounts.push_back(fmt::format("{} {}", count, count == 1 ? one : many));
}

void LeftOut::warn(Context& context) const {
  if (empty()) return;
  std::vector<std::string> parts = mCounts;
  for (const Kind& kind : mKinds) {
    parts.push_back(
        fmt::format("{}{} {}", kind.name, kind.members.size() > 1 ? "s" : "", fmt::join(kind.members, ", ")));
    if (kind.more) parts.back() += " and others";
  }
  context.warn(fmt::format("{}: left out {}", mFormat, fmt::join(parts, "; ")));
}

}  // namespace hackle
