#include <hackle/ops/catalogue.h>

#include <fmt/format.h>

#include <map>
#include <set>

namespace hackle {

namespace {

struct MergeOptions {
  std::string prefix;
  std::string groups;
};

/// Puts a text in front of every name that is not empty. Only the table of texts changes.
void prefixNames(Geometry& geometry, Owner owner, const std::string& prefix) {
  Attribute* name = geometry.findAttribute(owner, "name");
  if (!name || !name->isString()) return;
  StringArray strings = name->strings();
  for (std::string& text : strings.table.edit())
    if (!text.empty()) text.insert(0, prefix);
  name->assignStrings(std::move(strings));
}

std::set<std::string> pieceNames(const Geometry& geometry) {
  std::set<std::string> names;
  const Attribute* name = geometry.findAttribute(Owner::Primitive, "name");
  if (!name || !name->isString()) return names;
  std::vector<uint8_t> used(name->strings().table.size(), 0);
  for (const int32_t i : name->strings().indices)
    if (i >= 0 && static_cast<size_t>(i) < used.size()) used[i] = 1;
  for (size_t i = 0; i < used.size(); ++i)
    if (used[i]) names.insert(name->strings().table[i]);
  names.erase("");
  return names;
}

void warnAboutEqualNames(const std::vector<Geometry>& parts, Context& context) {
  std::map<std::string, size_t> firstInput;
  std::set<std::string> repeated;
  std::string example;
  for (size_t i = 0; i < parts.size(); ++i)
    for (const std::string& name : pieceNames(parts[i])) {
      const auto [known, isNew] = firstInput.emplace(name, i);
      if (isNew) continue;
      if (repeated.empty()) example = fmt::format("{} in inputs {} and {}", name, known->second + 1, i + 1);
      repeated.insert(name);
    }
  if (!repeated.empty())
    context.warn(
        fmt::format("{} piece name{} in several inputs ({}): pieces of equal name become one; set prefix to "
                    "keep them apart",
                    repeated.size(), repeated.size() == 1 ? " is" : "s are", example));
}

void warnAboutAttributes(const std::vector<Geometry>& parts, Owner owner, Context& context) {
  std::map<std::string, std::pair<const Attribute*, size_t>> known;  // with the first input that has it
  for (size_t i = 0; i < parts.size(); ++i)
    for (const Attribute& a : parts[i].attributes(owner)) {
      const auto [first, isNew] = known.emplace(a.name(), std::make_pair(&a, i));
      const Attribute& kept = *first->second.first;
      if (!isNew && !a.isString() && !kept.isString() &&
          (a.storage() != kept.storage() || a.tupleSize() != kept.tupleSize()))
        context.warn(fmt::format(
            "{} attribute {} is {} x {} in input {} but {} x {} in input {}: converted to the former",
            ownerName(owner), a.name(), storageName(kept.storage()), kept.tupleSize(),
            first->second.second + 1, storageName(a.storage()), a.tupleSize(), i + 1));
    }
  for (size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].elementCount(owner) == 0) continue;
    std::vector<std::string> missing;
    for (const auto& [name, first] : known)
      if (!parts[i].findAttribute(owner, name)) missing.push_back(name);
    if (!missing.empty())
      context.warn(fmt::format("input {} has no {} attribute {}: filled with defaults", i + 1,
                               ownerName(owner), fmt::join(missing, ", ")));
  }
}

Outputs merge(const Inputs& inputs, const MergeOptions& options, Context& context) {
  std::vector<Geometry> parts;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!inputs.has(i)) continue;
    Geometry part = inputs.geometry(i);
    const std::string number = std::to_string(i + 1);
    if (!options.prefix.empty())
      for (const Owner owner : {Owner::Primitive, Owner::Point})
        prefixNames(part, owner, options.prefix + number + "_");
    if (!options.groups.empty())
      for (const Owner owner : {Owner::Primitive, Owner::Point})
        part.addGroup(owner, options.groups + number).bits =
            CowArray<uint8_t>(part.elementCount(owner), uint8_t(1));
    parts.push_back(std::move(part));
  }
  if (options.prefix.empty()) warnAboutEqualNames(parts, context);
  for (const Owner owner : {Owner::Point, Owner::Vertex, Owner::Primitive})
    warnAboutAttributes(parts, owner, context);
  Geometry result = merged(parts);
  Value figures;
  figures.set("inputs", parts.size());
  figures.set("points", result.pointCount());
  figures.set("primitives", result.primitiveCount());
  return Outputs({std::move(result)}, std::move(figures));
}

}  // namespace

Operator mergeOperator() {
  Operator op;
  op.id = "merge";
  op.label = "Merge";
  op.summary = "Put several geometries into one";
  op.help =
      "Points and primitives of all inputs, in their order. Attributes and groups of any input are kept; "
      "elements of inputs that lack an attribute get its default value, which is warned about. Where inputs "
      "disagree about the type of an attribute, the first input decides.\n\n"
      "Pieces are told apart by their name, so two fractured objects that both have a piece0 would become "
      "one body. Give a prefix to rename the pieces of each input: with prefix in, the first input's piece0 "
      "becomes in1_piece0 and the second's in2_piece0.\n\n"
      "Packed primitives stay packed.";
  op.category = "Geometry";
  op.examples = {"merge wall.bgeo floor.bgeo roof.bgeo -o house.bgeo"};
  op.inputs = {{"geometry", "Geometry", "Any number of geometries.", PortType::Geometry, false, true}};
  op.outputs = {{"geometry", "Geometry", "All inputs in one."}};
  op.keepsPacked = true;
  op.takesNonFinite = true;
  ParameterTable<MergeOptions> table;
  table.add(&MergeOptions::prefix, "prefix", "Name Prefix")
      .help(
          "Goes in front of each input's piece names, followed by the input's number and an underscore. "
          "Empty: names are kept.");
  table.add(&MergeOptions::groups, "groups", "Groups")
      .help(
          "Makes a primitive and a point group for each input, with this name and the input's number. Empty: "
          "no groups.");
  op.bind(table, merge);
  return op;
}

}  // namespace hackle
