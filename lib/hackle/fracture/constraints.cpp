#include <hackle/fracture/constraints.h>
#include <hackle/geometry/piece_levels.h>

#include <algorithm>
#include <cmath>

namespace hackle {

namespace {

/// A text per primitive: that of its number.
void addTexts(Geometry& geometry, const char* name, std::vector<std::string> texts,
              std::vector<int32_t> numbers) {
  Attribute& attribute = geometry.addAttribute(Owner::Primitive, Attribute(name, Storage::String, 1));
  attribute.assignStrings({std::move(texts), std::move(numbers)});
}

/// Of each contact.
std::vector<int32_t> levelsOf(const FracturePieces& pieces) {
  std::vector<int32_t> levels;
  for (const PieceContact& contact : pieces.contacts)
    levels.push_back(contactLevel(pieces.names[contact.a], pieces.names[contact.b]));
  return levels;
}

void addLevels(Geometry& network, const std::vector<int32_t>& levels) {
  Attribute& level = network.addAttribute(Owner::Primitive, Attribute("level", Storage::Int32, 1));
  for (size_t c = 0; c < levels.size(); ++c) level.setNumber(c, 0, levels[c]);
}

}  // namespace

Geometry constraintNetwork(const FracturePieces& pieces, const ConstraintOptions& options) {
  Geometry network;
  network.addPoints(pieces.centre.size());
  network.editPositions() = pieces.centre;
  std::vector<int32_t> counts(pieces.contacts.size(), 2), ends, indices;
  for (const PieceContact& contact : pieces.contacts) ends.insert(ends.end(), {contact.a, contact.b});
  network.addPrimitives(PrimitiveType::Polyline, counts, ends);

  for (size_t p = 0; p < pieces.names.size(); ++p) indices.push_back(static_cast<int32_t>(p));
  network.addAttribute(Owner::Point, Attribute("name", Storage::String, 1))
      .assignStrings({pieces.names, indices});
  const std::vector<int32_t> levels = levelsOf(pieces), none(levels.size(), 0);
  const int32_t deepest = levels.empty() ? 0 : *std::max_element(levels.begin(), levels.end());
  std::vector<std::string> names;
  for (int32_t level = 0; level <= deepest; ++level) names.push_back(options.name + std::to_string(level));
  if (options.nameLevels)
    addTexts(network, "constraint_name", names, levels);
  else
    addTexts(network, "constraint_name", {options.name}, none);
  addTexts(network, "constraint_type", {options.type}, none);
  for (const char* name : {"strength", "area", "length"})
    network.addAttribute(Owner::Primitive, Attribute(name, Storage::Float32, 1));
  Attribute& strength = *network.findAttribute(Owner::Primitive, "strength");
  Attribute& area = *network.findAttribute(Owner::Primitive, "area");
  Attribute& length = *network.findAttribute(Owner::Primitive, "length");
  for (size_t c = 0; c < pieces.contacts.size(); ++c) {
    const PieceContact& contact = pieces.contacts[c];
    strength.setNumber(c, 0, options.strength * std::pow(options.levelStrength, levels[c]) * contact.area);
    area.setNumber(c, 0, contact.area);
    length.setNumber(c, 0, (pieces.centre[contact.a] - pieces.centre[contact.b]).norm());
  }
  if (deepest > 0) addLevels(network, levels);
  return network;
}

}  // namespace hackle
