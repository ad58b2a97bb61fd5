#include <hackle/io/left_out.h>
#include <hackle/io/ply.h>
#include <hackle/io/ply_rows.h>

#include <algorithm>
#include <array>
#include <limits>
#include <variant>

namespace hackle {

namespace {

using namespace ply;

constexpr size_t kReportRows = 1 << 15;

/// The numbers of one property, in the type they have in memory.
using Column =
    std::variant<std::vector<float>, std::vector<double>, std::vector<int32_t>, std::vector<int64_t>>;

Column makeColumn(Type type) {
  if (type == Type::Float32) return std::vector<float>();
  if (type == Type::Float64) return std::vector<double>();
  if (type == Type::UInt32) return std::vector<int64_t>();
  return std::vector<int32_t>();
}

/// A list property: its items one row after the other.
template <class T>
struct List {
  int property = -1;  // in the element, -1 if it has none
  std::vector<int32_t> counts;
  std::vector<T> items;
};

/// What we keep of an element.
struct Table {
  const Element* element = nullptr;
  std::vector<Column> columns;  // by property; those of lists stay empty
  List<int32_t> indices;
  List<float> texcoords;
  bool kept = false;            // false: an element that we do not know
  bool allowsMinusOne = false;  // as an index: between strips
  size_t offset = 0;            // of its first byte
};

/// Properties that are one attribute together.
struct KnownField {
  const char* attribute;
  const char* qualifier;
  std::array<const char*, 3> properties;
  int tupleSize;
  bool ofPointsOnly;
  bool isColour;  // whole numbers are parts of the type's largest
};
constexpr KnownField kKnownFields[] = {
    {"N", "normal", {"nx", "ny", "nz"}, 3, false, false},
    {"Cd", "color", {"red", "green", "blue"}, 3, false, true},
    {"Cd", "color", {"diffuse_red", "diffuse_green", "diffuse_blue"}, 3, false, true},
    {"Alpha", "", {"alpha"}, 1, false, true},
    {"uv", "texturecoord", {"s", "t"}, 3, true, false},
    {"uv", "texturecoord", {"u", "v"}, 3, true, false},
    {"uv", "texturecoord", {"texture_u", "texture_v"}, 3, true, false},
    {"uv", "texturecoord", {"texture_s", "texture_t"}, 3, true, false},
};

class PlyReader {
 public:
  PlyReader(std::string_view bytes, Context& context) : mBytes(bytes), mContext(context) {}

  Geometry read() {
    mHeader = parseHeader(mBytes, mContext);
    const Element* vertex = mHeader.find("vertex");
    if (!vertex) throw Error(ErrorCode::BadInput, "line 1: the header has no element vertex");
    mPointCount = vertex->count;
    prepareTables();
    if (mHeader.encoding == Encoding::Text) readAll(TextRows(mBytes, mHeader.dataStart, mContext));
    if (mHeader.encoding == Encoding::BinaryLittle)
      readAll(BinaryRows<ByteOrder::Little>(mBytes, mHeader.dataStart, mContext));
    if (mHeader.encoding == Encoding::BinaryBig)
      readAll(BinaryRows<ByteOrder::Big>(mBytes, mHeader.dataStart, mContext));
    build();
    mLeftOut.warn(mContext);
    return std::move(mGeometry);
  }

 private:
  // What to keep ----------------------------------------------------------------------------------------
  void prepareTables() {
    for (const Element& element : mHeader.elements) {
      Table& table = mTables.emplace_back();
      table.element = &element;
      table.kept = isKnown(element);
      for (const Property& p : element.properties) table.columns.push_back(makeColumn(p.type));
      const bool isFace = element.name == "face", isStrip = element.name == "tristrips";
      if (isFace || isStrip) findIndices(table);
      table.allowsMinusOne = isStrip;
      if (isFace) table.texcoords.property = listNamed(element, "texcoord");
      if (element.name == "vertex")
        for (const char* axis : {"x", "y", "z"}) requireNumber(element, axis);
      if (element.name == "edge")
        for (const char* end : {"vertex1", "vertex2"}) requireNumber(element, end);
      leaveOutLists(table);
    }
  }

  static int listNamed(const Element& element, const char* name) {
    const int p = element.find(name);
    return p >= 0 && element.properties[p].isList ? p : -1;
  }

  static void findIndices(Table& table) {
    for (const char* name : {"vertex_index", "vertex_indices"})
      if (const int p = listNamed(*table.element, name); p >= 0) table.indices.property = p;
    const int p = table.indices.property;
    if (table.element->count > 0 && (p < 0 || isReal(table.element->properties[p].type)))
      throw Error(
          ErrorCode::BadInput,
          fmt::format("line 1: element {} has no list of whole numbers vertex_indices", table.element->name));
  }

  static void requireNumber(const Element& element, const char* name) {
    const int p = element.find(name);
    if (p < 0 || element.properties[p].isList)
      throw Error(ErrorCode::BadInput,
                  fmt::format("line 1: element {} has no property {}", element.name, name));
  }

  static bool isKnown(const Element& element) {
    return element.name == "vertex" || element.name == "face" || element.name == "tristrips" ||
           element.name == "edge";
  }

  void leaveOutLists(const Table& table) {
    const Element& element = *table.element;
    if (!table.kept) return mLeftOut.add("element", element.name);
    const bool fixedAttributes = element.name == "edge" || element.name == "tristrips";
    for (size_t p = 0; p < element.properties.size(); ++p) {
      const Property& property = element.properties[p];
      const bool used = property.isList
                            ? static_cast<int>(p) == table.indices.property ||
                                  static_cast<int>(p) == table.texcoords.property
                            : !fixedAttributes || property.name == "vertex1" || property.name == "vertex2";
      if (!used) mLeftOut.add(element.name + (property.isList ? " list" : " property"), property.name);
    }
  }

  // Rows ------------------------------------------------------------------------------------------------
  template <class Rows>
  void readAll(Rows rows) {
    for (Table& table : mTables) {
      const Element& element = *table.element;
      table.offset = rows.offset();
      rows.expect(element.count, Rows::leastBytes(element), element.name, "elements");
      if (element.properties.empty()) continue;
      if constexpr (!std::is_same_v<Rows, TextRows>)
        if (!element.hasLists()) {
          readFixed(rows, table);
          continue;
        }
      reserve(table);
      for (size_t r = 0; r < element.count; ++r) {
        if (r % kReportRows == 0) rows.report();
        readRow(rows, table);
      }
    }
  }

  static void reserve(Table& table) {
    const size_t count = table.element->count;
    if (!table.kept) return;
    for (size_t p = 0; p < table.columns.size(); ++p)
      if (!table.element->properties[p].isList)
        std::visit([&](auto& column) { column.reserve(count); }, table.columns[p]);
    if (table.indices.property >= 0) table.indices.counts.reserve(count);
    if (table.indices.property >= 0) table.indices.items.reserve(3 * count);
  }

  template <class Rows>
  void readRow(Rows& rows, Table& table) {
    for (size_t p = 0; p < table.columns.size(); ++p) {
      const Property& property = table.element->properties[p];
      if (property.isList) {
        readList(rows, table, static_cast<int>(p), property);
        continue;
      }
      const double value = rows.number(property.type);
      if (table.kept)
        std::visit(
            [&](auto& column) {
              column.push_back(static_cast<typename std::decay_t<decltype(column)>::value_type>(value));
            },
            table.columns[p]);
    }
  }

  template <class Rows>
  void readList(Rows& rows, Table& table, int p, const Property& property) {
    const double announced = rows.number(property.countType);
    if (!(announced >= 0)) rows.fail(fmt::format("the list {} has {} items", property.name, announced));
    const size_t count = static_cast<size_t>(announced);
    rows.expect(count, Rows::leastItemBytes(property.type), property.name, "items");
    if (p == table.indices.property) {
      const int64_t least = table.allowsMinusOne ? -1 : 0;
      const int64_t most = static_cast<int64_t>(mPointCount) - 1;
      rows.items(property.type, count, [&](auto item) {
        const int64_t index = static_cast<int64_t>(item);
        if (index < least || index > most)
          rows.fail(fmt::format("vertex {} does not exist, there are {}", index, mPointCount));
        table.indices.items.push_back(static_cast<int32_t>(index));
      });
      table.indices.counts.push_back(static_cast<int32_t>(count));
    } else if (p == table.texcoords.property) {
      rows.items(property.type, count,
                 [&](auto item) { table.texcoords.items.push_back(static_cast<float>(item)); });
      table.texcoords.counts.push_back(static_cast<int32_t>(count));
    } else {
      rows.skipItems(property.type, count);
    }
  }

  /// Binary rows without lists, one column at a time: all loads of a loop have one type.
  template <ByteOrder order>
  void readFixed(BinaryRows<order>& rows, Table& table) {
    const Element& element = *table.element;
    const size_t stride = element.rowBytes();
    if (!table.kept) {
      rows.take(element.count * stride);
      return;
    }
    for (Column& column : table.columns) std::visit([&](auto& c) { c.resize(element.count); }, column);
    for (size_t first = 0; first < element.count; first += kReportRows) {
      const size_t count = std::min(kReportRows, element.count - first);
      rows.report();
      const char* at = rows.take(count * stride);
      for (size_t p = 0; p < table.columns.size(); ++p) {
        const Type type = element.properties[p].type;
        withType(type, [&](auto zero) {
          std::visit(
              [&](auto& column) { loadColumn<order, decltype(zero)>(at, stride, count, &column[first]); },
              table.columns[p]);
        });
        at += sizeOf(type);
      }
    }
  }

  template <ByteOrder order, class Stored, class Kept>
  static void loadColumn(const char* at, size_t stride, size_t count, Kept* to) {
    for (size_t r = 0; r < count; ++r, at += stride) to[r] = static_cast<Kept>(loadNumber<Stored, order>(at));
  }

  // The geometry ----------------------------------------------------------------------------------------
  void build() {
    // Points before anything that refers to them, then primitives, then attributes.
    mGeometry.addPoints(mPointCount);
    for (const char* name : {"face", "tristrips", "edge"})
      for (Table& table : mTables) {
        if (table.element->name != name) continue;
        if (table.element->name == "face")
          mGeometry.addPrimitives(PrimitiveType::Polygon, table.indices.counts, table.indices.items);
        if (table.element->name == "tristrips") addStrips(table.indices);
        if (table.element->name == "edge") addEdges(table);
      }
    for (Table& table : mTables) {
      if (table.element->name == "vertex") {
        addPositions(table);
        addFields(table, Owner::Point);
      }
      if (table.element->name == "face") {
        addFields(table, Owner::Primitive);
        if (table.texcoords.property >= 0) addTexcoords(table);
      }
    }
  }

  void addStrips(const List<int32_t>& strips) {
    std::vector<int32_t> triangles;
    size_t at = 0;
    for (const int32_t count : strips.counts) {
      const size_t end = at + static_cast<size_t>(count);
      for (size_t start = at; at < end; ++at) {
        const int32_t c = strips.items[at];
        if (c < 0) start = at + 1;
        if (c < 0 || at < start + 2) continue;
        const int32_t a = strips.items[at - 2], b = strips.items[at - 1];
        if (a == b || b == c || a == c) continue;
        const bool odd = (at - start) % 2 != 0;
        for (const int32_t corner : {odd ? b : a, odd ? a : b, c}) triangles.push_back(corner);
      }
    }
    mGeometry.addPrimitives(PrimitiveType::Polygon, triangles.size() / 3, 3, triangles);
  }

  void addEdges(const Table& table) {
    std::vector<int32_t> points(2 * table.element->count);
    for (size_t end = 0; end < 2; ++end) {
      const char* name = end == 0 ? "vertex1" : "vertex2";
      const auto p = static_cast<size_t>(table.element->find(name));
      std::visit(
          [&](const auto& column) {
            for (size_t e = 0; e < column.size(); ++e) {
              const double index = static_cast<double>(column[e]);
              if (!(index >= 0 && index < static_cast<double>(mPointCount)))
                throw Error(ErrorCode::BadInput,
                            fmt::format("edges from byte {}: {} {} of edge {} does not exist, there are {}",
                                        table.offset, name, index, e, mPointCount));
              points[2 * e + end] = static_cast<int32_t>(index);
            }
          },
          table.columns[p]);
    }
    mGeometry.addPrimitives(PrimitiveType::Polyline, points.size() / 2, 2, points);
  }

  void addPositions(const Table& table) {
    std::vector<Vec3>& positions = mGeometry.editPositions();
    for (int c = 0; c < 3; ++c) {
      static constexpr const char* kAxes[] = {"x", "y", "z"};
      const auto p = static_cast<size_t>(table.element->find(kAxes[c]));
      std::visit(
          [&](const auto& column) {
            for (size_t e = 0; e < column.size(); ++e) positions[e][c] = static_cast<double>(column[e]);
          },
          table.columns[p]);
      if (c == 0)
        mGeometry.positionFileStorage =
            table.element->properties[p].type == Type::Float32 ? Storage::Float32 : Storage::Float64;
    }
  }

  // Attributes ------------------------------------------------------------------------------------------
  void addFields(Table& table, Owner owner) {
    const std::vector<Property>& properties = table.element->properties;
    std::vector<bool> used(properties.size());
    for (size_t p = 0; p < properties.size(); ++p) used[p] = properties[p].isList;
    if (owner == Owner::Point)
      for (const char* axis : {"x", "y", "z"}) used[table.element->find(axis)] = true;
    for (const KnownField& field : kKnownFields)
      if (owner == Owner::Point || !field.ofPointsOnly) addKnownField(table, owner, field, used);
    for (size_t p = 0; p < properties.size(); ++p) {
      if (used[p]) continue;
      const size_t size = tupleAt(properties, used, p);
      std::string name = properties[p].name;
      if (size > 1) name.resize(name.size() - 2);
      std::vector<size_t> columns;
      for (size_t c = 0; c < size; ++c) columns.push_back(p + c);
      std::visit([&](const auto& first) { addAttribute(table, owner, name, "", columns, size, 1.0, first); },
                 table.columns[p]);
      p += size - 1;
    }
  }

  /// How many properties from p on are called a_0, a_1, ... and have one type; 1 if that is no tuple.
  static size_t tupleAt(const std::vector<Property>& properties, const std::vector<bool>& used, size_t p) {
    const std::string& name = properties[p].name;
    if (name.size() < 3 || name.substr(name.size() - 2) != "_0") return 1;
    const std::string stem = name.substr(0, name.size() - 1);
    size_t size = 1;
    while (p + size < properties.size() && !used[p + size] &&
           properties[p + size].type == properties[p].type &&
           properties[p + size].name == stem + std::to_string(size))
      ++size;
    return size;
  }

  void addKnownField(Table& table, Owner owner, const KnownField& field, std::vector<bool>& used) {
    std::vector<size_t> columns;
    for (const char* name : field.properties) {
      if (!name) continue;
      const int p = table.element->find(name);
      if (p < 0 || used[p]) return;
      columns.push_back(static_cast<size_t>(p));
    }
    const Type type = table.element->properties[columns[0]].type;
    for (const size_t c : columns)
      if (table.element->properties[c].type != type) return;
    for (const size_t c : columns) used[c] = true;
    double most = 1.0;
    if (field.isColour && !isReal(type))
      withType(type,
               [&](auto zero) { most = static_cast<double>(std::numeric_limits<decltype(zero)>::max()); });
    const size_t size = static_cast<size_t>(field.tupleSize);
    if (type == Type::Float64)
      addAttribute(table, owner, field.attribute, field.qualifier, columns, size, most,
                   std::vector<double>());
    else
      addAttribute(table, owner, field.attribute, field.qualifier, columns, size, most, std::vector<float>());
  }

  /// An attribute of columns divided by `most`, in the type of `sample`'s items.
  template <class T>
  void addAttribute(const Table& table, Owner owner, std::string name, const char* qualifier,
                    const std::vector<size_t>& columns, size_t size, double most, const std::vector<T>&) {
    while ((owner == Owner::Point && name == "P") || mGeometry.findAttribute(owner, name)) name += '_';
    std::vector<T> values(size * table.element->count);
    for (size_t c = 0; c < columns.size(); ++c)
      std::visit(
          [&](const auto& column) {
            if (most == 1.0)
              for (size_t e = 0; e < column.size(); ++e) values[size * e + c] = static_cast<T>(column[e]);
            else
              for (size_t e = 0; e < column.size(); ++e)
                values[size * e + c] = static_cast<T>(static_cast<double>(column[e]) / most);
          },
          table.columns[columns[c]]);
    constexpr Storage storage = std::is_same_v<T, float>     ? Storage::Float32
                                : std::is_same_v<T, double>  ? Storage::Float64
                                : std::is_same_v<T, int32_t> ? Storage::Int32
                                                             : Storage::Int64;
    Attribute a(std::move(name), storage, static_cast<int>(size), 0, qualifier);
    a.assign(CowArray<T>(std::move(values)));
    mGeometry.addAttribute(owner, std::move(a));
  }

  void addTexcoords(const Table& table) {
    std::vector<float> uv(3 * mGeometry.vertexCount(), 0.0f);
    size_t vertex = 0, item = 0;
    for (size_t f = 0; f < table.element->count; ++f) {
      const size_t corners = static_cast<size_t>(table.indices.counts[f]);
      const size_t items = static_cast<size_t>(table.texcoords.counts[f]);
      if (items == 2 * corners)
        for (size_t c = 0; c < items; ++c) uv[3 * (vertex + c / 2) + c % 2] = table.texcoords.items[item + c];
      else if (items > 0)
        mLeftOut.add("face list", "texcoord where it does not have two numbers per corner");
      vertex += corners;
      item += items;
    }
    Attribute a("uv", Storage::Float32, 3, 0, "texturecoord");
    a.assign(CowArray<float>(std::move(uv)));
    mGeometry.addAttribute(Owner::Vertex, std::move(a));
  }

  std::string_view mBytes;
  Context& mContext;
  LeftOut mLeftOut{"PLY"};
  Header mHeader;
  size_t mPointCount = 0;
  std::vector<Table> mTables;
  Geometry mGeometry;
};

}  // namespace

bool isPly(std::string_view bytes) {
  return bytes.substr(0, 4) == "ply\n" || bytes.substr(0, 5) == "ply\r\n";
}

Geometry readPly(std::string_view bytes, const std::filesystem::path&, Context& context) {
  return PlyReader(bytes, context).read();
}

}  // namespace hackle
