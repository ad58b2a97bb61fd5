#include <hackle/volume/grid_names.h>

#include <hackle/volume/grid.h>

namespace hackle {

namespace {

const char* const kName = "name";

const Attribute* namesOf(const Geometry& geometry) {
  const Attribute* names = geometry.findAttribute(Owner::Primitive, kName);
  return names && names->isString() && names->tupleSize() >= 1 ? names : nullptr;
}

/// The primitives whose grid has a name that they have not.
std::vector<size_t> unnamed(const Geometry& geometry) {
  std::vector<size_t> found;
  if (geometry.countOf(PrimitiveType::Volume) == 0) return found;
  const Attribute* names = namesOf(geometry);
  // An attribute of numbers keeps its place.
  if (!names && geometry.findAttribute(Owner::Primitive, kName)) return found;
  for (size_t p = 0; p < geometry.primitiveCount(); ++p)
    if (geometry.primitiveType(p) == PrimitiveType::Volume && !geometry.volume(p)->name().empty() &&
        (!names || names->string(p).empty()))
      found.push_back(p);
  return found;
}

}  // namespace

void takeGridNames(Geometry& geometry) {
  const Attribute* names = namesOf(geometry);
  if (!names || geometry.countOf(PrimitiveType::Volume) == 0) return;
  for (size_t p = 0; p < geometry.primitiveCount(); ++p) {
    if (geometry.primitiveType(p) != PrimitiveType::Volume) continue;
    const std::string& name = names->string(p);
    if (!name.empty() && geometry.volume(p)->name() != name)
      geometry.setVolume(p, renamedGrid(*geometry.volume(p), name));
  }
}

void giveGridNames(Geometry& geometry) {
  const std::vector<size_t> primitives = unnamed(geometry);
  if (primitives.empty()) return;
  Attribute names(kName, Storage::String, 1, geometry.primitiveCount());
  if (const Attribute* known = namesOf(geometry)) names = *known;
  for (const size_t p : primitives) names.setString(p, geometry.volume(p)->name());
  geometry.addAttribute(Owner::Primitive, std::move(names));
}

}  // namespace hackle
