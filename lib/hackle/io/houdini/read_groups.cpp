#include <hackle/io/houdini/detail_parts.h>

#include <fmt/format.h>

#include <algorithm>

namespace hackle::houdini {

namespace {

struct Section {
  const char* key;
  Owner owner;
};
constexpr Section kSections[] = {
    {"pointgroups", Owner::Point}, {"vertexgroups", Owner::Vertex}, {"primitivegroups", Owner::Primitive}};

/// Runs of equal bits: length, bit, length, bit, ...
void readRuns(const JsonValue& runs, std::vector<uint8_t>& bits) {
  if (runs.size() % 2 != 0) throw Error(ErrorCode::BadInput, "a run has no value");
  size_t at = 0;
  for (size_t i = 0; i < runs.size(); i += 2) {
    const int64_t length = runs.at(i).asInt();
    if (length < 0 || static_cast<uint64_t>(length) > bits.size() - at)
      throw Error(ErrorCode::BadInput, fmt::format("a run of {} elements does not fit", length));
    std::fill_n(bits.begin() + static_cast<std::ptrdiff_t>(at), length, runs.at(i + 1).asBool() ? 1 : 0);
    at += static_cast<size_t>(length);
  }
  if (at != bits.size())
    throw Error(ErrorCode::BadInput, fmt::format("the runs cover {} of {} elements", at, bits.size()));
}

/// Members in order, each once.
std::vector<int32_t> readOrder(const JsonValue& members, std::vector<uint8_t>& bits) {
  std::vector<int32_t> order;
  order.reserve(members.size());
  for (size_t i = 0; i < members.size(); ++i) {
    const int64_t member = members.at(i).asInt();
    if (member < 0 || static_cast<uint64_t>(member) >= bits.size())
      throw Error(ErrorCode::BadInput, fmt::format("its member {} is not there", member));
    uint8_t& bit = bits[member];
    if (bit == 0) order.push_back(static_cast<int32_t>(member));
    bit = 1;
  }
  return order;
}

/// The order in terms of our elements: all that came from a member, in place of it.
std::vector<int32_t> movedOrder(const std::vector<int32_t>& order, const std::vector<int32_t>& source,
                                size_t fileCount) {
  std::vector<size_t> start(fileCount + 1, 0);
  for (const int32_t s : source) ++start[s + 1];
  for (size_t i = 0; i < fileCount; ++i) start[i + 1] += start[i];
  std::vector<int32_t> ours(source.size());
  std::vector<size_t> next(start.begin(), start.end() - 1);
  for (size_t i = 0; i < source.size(); ++i) ours[next[source[i]]++] = static_cast<int32_t>(i);
  std::vector<int32_t> moved;
  for (const int32_t member : order)
    for (size_t i = start[member]; i < start[member + 1]; ++i) moved.push_back(ours[i]);
  return moved;
}

void readGroup(const JsonValue& selection, Owner owner, const FileElements& elements, Group& group,
               ReadScope& scope) {
  const size_t count = elements.count(owner);
  scope.claim(count, 1);
  std::vector<uint8_t> bits(count, 0);
  std::vector<int32_t> order;
  if (const JsonValue ordered = selection["ordered"]; !ordered.isNull()) {
    order = readOrder(ordered, bits);
  } else {
    const JsonValue unordered = selection["unordered"];
    if (const JsonValue runs = unordered["boolRLE"]; !runs.isNull()) {
      readRuns(runs, bits);
    } else if (const JsonValue bytes = unordered["i8"]; !bytes.isNull()) {
      if (bytes.size() != count)
        throw Error(ErrorCode::BadInput, fmt::format("it has {} of {} elements", bytes.size(), count));
      for (size_t i = 0; i < count; ++i) bits[i] = bytes.at(i).asBool() ? 1 : 0;
    } else {
      throw Error(ErrorCode::BadInput, "its members are in no known form (boolRLE, i8, ordered)");
    }
  }
  if (const std::vector<int32_t>* source = elements.source(owner)) {
    scope.claim(source->size() + count, 16);
    std::vector<uint8_t> moved(source->size());
    for (size_t i = 0; i < moved.size(); ++i) moved[i] = bits[(*source)[i]];
    if (!order.empty()) order = movedOrder(order, *source, count);
    bits = std::move(moved);
  }
  group.bits = std::move(bits);
  group.order = std::move(order);
}

void readEdges(const JsonValue& points, size_t pointCount, EdgeGroup& group) {
  if (points.size() % 2 != 0) throw Error(ErrorCode::BadInput, "an edge has one point only");
  std::vector<int32_t> ends(points.size());
  points.copyNumbers(0, ends.size(), ends.data());
  std::vector<Edge> edges;
  edges.reserve(ends.size() / 2);
  for (size_t i = 0; i < ends.size(); i += 2) {
    for (const int32_t end : {ends[i], ends[i + 1]})
      if (end < 0 || static_cast<size_t>(end) >= pointCount)
        throw Error(ErrorCode::BadInput, fmt::format("its point {} is not there", end));
    edges.push_back({ends[i], ends[i + 1]});
  }
  group.edges = std::move(edges);
}

}  // namespace

void readGroups(const JsonValue& root, const FileElements& elements, Geometry& geometry, ReadScope& scope) {
  for (const Section& section : kSections) {
    const JsonValue list = root[section.key];
    for (size_t i = 0; i < list.size(); ++i) {
      scope.context().checkCancel();
      const std::string name = scope.text(list.at(i).at(0)["name"].asString());
      at(fmt::format("{} group \"{}\"", ownerName(section.owner), name), [&] {
        readGroup(list.at(i).at(1)["selection"], section.owner, elements,
                  geometry.addGroup(section.owner, name), scope);
      });
    }
  }
  const JsonValue list = root["edgegroups"];
  for (size_t i = 0; i < list.size(); ++i) {
    const std::string name = scope.text(list.at(i).at(0)["name"].asString());
    at(fmt::format("edge group \"{}\"", name),
       [&] { readEdges(list.at(i).at(1)["points"], elements.points, geometry.addEdgeGroup(name)); });
  }
}

}  // namespace hackle::houdini
