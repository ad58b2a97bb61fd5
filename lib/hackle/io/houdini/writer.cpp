#include <hackle/io/houdini/writer.h>

#include <hackle/core/version.h>
#include <hackle/geometry/geometry_key.h>
#include <hackle/io/houdini/container.h>
#include <hackle/io/houdini/detail_writer.h>
#include <hackle/volume/grid_names.h>

#include <fmt/format.h>

namespace hackle::houdini {

namespace {

void writeSelection(const Group& group, JsonWriter& out) {
  if (!group.order.empty()) {
    out.word("ordered");
    return out.numbers(group.order.span());
  }
  out.word("unordered");
  out.beginArray();
  const size_t count = group.bits.size();
  size_t runs = 0;
  for (size_t i = 0; i < count; ++i) runs += i == 0 || group.bits[i] != group.bits[i - 1];
  if (runs > count / 4 && count > 64) {  // a run costs four bytes or more
    std::vector<int8_t> bytes(count);
    for (size_t i = 0; i < count; ++i) bytes[i] = group.bits[i] ? 1 : 0;
    out.word("i8");
    out.numbers(Span<const int8_t>(bytes));
  } else {
    out.word("boolRLE");
    out.beginArray();
    for (size_t first = 0, last = 0; first < count; first = last) {
      while (last < count && (group.bits[last] != 0) == (group.bits[first] != 0)) ++last;
      out.integer(static_cast<int64_t>(last - first));
      out.boolean(group.bits[first] != 0);
    }
    out.endArray();
  }
  out.endArray();
}

void writeGroupList(const char* key, const std::vector<Group>& groups, JsonWriter& out) {
  if (groups.empty()) return;
  out.word(key);
  out.beginArray();
  for (const Group& group : groups) {
    out.beginArray();
    out.beginArray();
    out.word("name");
    out.text(group.name);
    out.endArray();
    out.beginArray();
    out.word("selection");
    out.beginArray();
    writeSelection(group, out);
    out.endArray();
    out.endArray();
    out.endArray();
  }
  out.endArray();
}

}  // namespace

void writeGroups(const Geometry& geometry, JsonWriter& out, Context& context) {
  context.checkCancel();
  writeGroupList("pointgroups", geometry.groups(Owner::Point), out);
  writeGroupList("vertexgroups", geometry.groups(Owner::Vertex), out);
  writeGroupList("primitivegroups", geometry.groups(Owner::Primitive), out);
  if (geometry.edgeGroups().empty()) return;
  out.word("edgegroups");
  out.beginArray();
  for (const EdgeGroup& group : geometry.edgeGroups()) {
    std::vector<int32_t> points;
    points.reserve(2 * group.edges.size());
    for (const Edge& edge : group.edges) points.insert(points.end(), edge.begin(), edge.end());
    out.beginArray();
    out.beginArray();
    out.word("name");
    out.text(group.name);
    out.endArray();
    out.beginArray();
    out.word("points");
    out.numbers(Span<const int32_t>(points));
    out.endArray();
    out.endArray();
  }
  out.endArray();
}

void writeDetail(const Geometry& geometry, JsonWriter& out, Context& context) {
  Geometry turned = geometry;
  turned.flipWinding();
  giveGridNames(turned);
  context.checkCancel();
  out.beginArray();
  out.field("fileversion", "19.5.0");
  out.field("hasindex", false);
  out.field("pointcount", static_cast<int64_t>(turned.pointCount()));
  out.field("vertexcount", static_cast<int64_t>(turned.vertexCount()));
  out.field("primitivecount", static_cast<int64_t>(turned.primitiveCount()));
  out.word("info");
  out.beginMap();
  out.field("software", fmt::format("Hackle {}", version()));
  out.endMap();
  out.word("topology");
  out.beginArray();
  out.word("pointref");
  out.beginArray();
  out.word("indices");
  out.numbers(turned.vertexPoints().span());
  out.endArray();
  out.endArray();
  writeAttributes(turned, out, context);
  writePrimitives(turned, out, context);
  out.endArray();
}

std::string writeGeometryFile(const Geometry& geometry, const std::string& extension, Context& context) {
  JsonWriter out(extension[0] == 'b');
  if (out.binary()) out.reserve(bytesOf(geometry));
  writeDetail(geometry, out, context);
  std::string bytes = out.take();
  const auto endsWith = [&](const std::string& ending) {
    return extension.size() > ending.size() &&
           extension.compare(extension.size() - ending.size(), ending.size(), ending) == 0;
  };
  if (endsWith(".gz")) return wrapGzip(bytes, context);
  if (endsWith(".sc")) return wrapScf(bytes, context);
  return bytes;
}

}  // namespace hackle::houdini
