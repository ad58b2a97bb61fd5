#include <hackle/fracture/constraints.h>

namespace hackle {

namespace {

void addText(Geometry& geometry, const char* name, const std::string& text) {
  Attribute& attribute = geometry.addAttribute(Owner::Primitive, Attribute(name, Storage::String, 1));
  attribute.assignStrings({{text}, std::vector<int32_t>(geometry.primitiveCount(), 0)});
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
  addText(network, "constraint_name", options.name);
  addText(network, "constraint_type", options.type);
  for (const char* name : {"strength", "area", "length"})
    network.addAttribute(Owner::Primitive, Attribute(name, Storage::Float32, 1));
  Attribute& strength = *network.findAttribute(Owner::Primitive, "strength");
  Attribute& area = *network.findAttribute(Owner::Primitive, "area");
  Attribute& length = *network.findAttribute(Owner::Primitive, "length");
  for (size_t c = 0; c < pieces.contacts.size(); ++c) {
    const PieceContact& contact = pieces.contacts[c];
    strength.setNumber(c, 0, options.strength * contact.area);
    area.setNumber(c, 0, contact.area);
    length.setNumber(c, 0, (pieces.centre[contact.a] - pieces.centre[contact.b]).norm());
  }
  return network;
}

}  // namespace hackle
