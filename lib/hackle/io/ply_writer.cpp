#include <hackle/io/byte_colour.h>
#include <hackle/io/byte_order.h>
#include <hackle/io/left_out.h>
#include <hackle/io/ply.h>
#include <hackle/io/ply_header.h>
#include <hackle/io/text_emitter.h>

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace hackle {

namespace {

using namespace ply;

constexpr size_t kCheckRows = 1 << 15;

/// A scalar property: component `component` of an attribute, or of P where there is none.
struct OutColumn {
  std::string name;
  Type type;
  const Attribute* attribute;
  int component;
  bool asByte;  // a colour
};

bool isFloatTuple(const Attribute& a, int size) { return a.isFloat() && a.tupleSize() == size; }

/// The narrowest type that holds all values; double holds those beyond 2^53 only nearly.
Type typeOf(const Attribute& a) {
  if (a.storage() == Storage::Float32) return Type::Float32;
  if (a.storage() == Storage::Float64) return Type::Float64;
  if (a.storage() == Storage::Int32) return Type::Int32;
  const auto values = a.values<int64_t>();
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  if (values.empty() || (*least >= INT32_MIN && *most <= INT32_MAX)) return Type::Int32;
  return *least >= 0 && *most <= int64_t(UINT32_MAX) ? Type::UInt32 : Type::Float64;
}

class PlyWriter {
 public:
  PlyWriter(const Geometry& geometry, Context& context) : mGeometry(geometry), mContext(context) {
    collectColumns();
    collectFaces();
  }

  std::string write(Encoding encoding) {
    leaveOut();
    const std::string header = headerText(encoding);
    if (encoding == Encoding::Text) return writeText(header);
    return encoding == Encoding::BinaryLittle ? writeBinary<ByteOrder::Little>(header)
                                              : writeBinary<ByteOrder::Big>(header);
  }

 private:
  // What is written -------------------------------------------------------------------------------------
  void collectColumns() {
    const Type real = mGeometry.positionFileStorage == Storage::Float32 ? Type::Float32 : Type::Float64;
    static constexpr const char* kAxes[] = {"x", "y", "z"};
    for (int c = 0; c < 3; ++c) mPointColumns.push_back({kAxes[c], real, nullptr, c, false});
    for (const Owner owner : {Owner::Point, Owner::Primitive})
      for (const Attribute& a : mGeometry.attributes(owner))
        if (isCarried(owner, a)) addColumns(owner == Owner::Point ? mPointColumns : mFaceColumns, owner, a);
    const Attribute* uv = mGeometry.findAttribute(Owner::Vertex, "uv");
    if (uv && isFloatTuple(*uv, 3)) mVertexUv = uv;
  }

  static bool isCarried(Owner owner, const Attribute& a) {
    return (owner == Owner::Point || owner == Owner::Primitive) && !a.isString() && a.tupleSize() > 0;
  }

  void addColumns(std::vector<OutColumn>& columns, Owner owner, const Attribute& a) {
    std::vector<std::string> names;
    if (a.name() == "N" && isFloatTuple(a, 3)) names = {"nx", "ny", "nz"};
    if (a.name() == "uv" && owner == Owner::Point && isFloatTuple(a, 3) && isFlat(a)) names = {"s", "t"};
    if (a.name() == "Cd" && isFloatTuple(a, 3)) names = {"red", "green", "blue"};
    if (a.name() == "Alpha" && isFloatTuple(a, 1)) names = {"alpha"};
    const bool isColour = !names.empty() && (a.name() == "Cd" || a.name() == "Alpha");
    if (names.empty())
      for (int c = 0; c < a.tupleSize(); ++c)
        names.push_back(a.tupleSize() == 1 ? a.name() : fmt::format("{}_{}", a.name(), c));
    const bool asByte = isColour && a.storage() == Storage::Float32 && hasByteColours(a);
    for (size_t c = 0; c < names.size(); ++c)
      columns.push_back(
          {freeName(columns, names[c]), asByte ? Type::UInt8 : typeOf(a), &a, static_cast<int>(c), asByte});
  }

  static bool isFlat(const Attribute& uv) {
    for (size_t e = 0; e < uv.elementCount(); ++e)
      if (uv.number(e, 2) != 0) return false;
    return true;
  }

  /// One word that no other column has.
  static std::string freeName(const std::vector<OutColumn>& columns, std::string name) {
    for (char& c : name)
      if (static_cast<unsigned char>(c) <= ' ') c = '_';
    while (std::any_of(columns.begin(), columns.end(), [&](const OutColumn& c) { return c.name == name; }))
      name += '_';
    return name;
  }

  void collectFaces() {
    size_t most = 0;
    for (size_t p = 0; p < mGeometry.primitiveCount(); ++p) {
      if (mGeometry.primitiveType(p) != PrimitiveType::Polygon) continue;
      mFaces.push_back(p);
      mCorners += mGeometry.vertexCount(p);
      most = std::max(most, mGeometry.vertexCount(p));
    }
    mCountType = most <= UINT8_MAX / 2 ? Type::UInt8 : Type::Int32;
  }

  std::string headerText(Encoding encoding) const {
    static constexpr const char* kFormats[] = {"ascii", "binary_little_endian", "binary_big_endian"};
    std::string text = fmt::format("ply\nformat {} 1.0\ncomment made by Hackle\nelement vertex {}\n",
                                   kFormats[static_cast<int>(encoding)], mGeometry.pointCount());
    const auto add = [&](const std::vector<OutColumn>& columns) {
      for (const OutColumn& c : columns) text += fmt::format("property {} {}\n", nameOf(c.type), c.name);
    };
    add(mPointColumns);
    text += fmt::format("element face {}\nproperty list {} int vertex_indices\n", mFaces.size(),
                        nameOf(mCountType));
    if (mVertexUv) text += fmt::format("property list {} float texcoord\n", nameOf(mCountType));
    add(mFaceColumns);
    return text + "end_header\n";
  }

  double value(const OutColumn& column, size_t element) const {
    if (!column.attribute) return mGeometry.position(element)[column.component];
    const double number = column.attribute->number(element, column.component);
    return column.asByte ? double(colourByte(static_cast<float>(number))) : number;
  }

  // Text ------------------------------------------------------------------------------------------------
  std::string writeText(const std::string& header) const {
    TextEmitter out(mContext);
    out.text(header);
    for (size_t p = 0; p < mGeometry.pointCount(); ++p) {
      for (size_t c = 0; c < mPointColumns.size(); ++c) {
        if (c > 0) out.character(' ');
        emit(out, mPointColumns[c], p);
      }
      out.endLine();
    }
    for (const size_t face : mFaces) {
      out.number(mGeometry.vertexCount(face));
      for (const int32_t point : mGeometry.corners(face)) out.next(point);
      if (mVertexUv) {
        out.next(2 * mGeometry.vertexCount(face));
        for (size_t v = mGeometry.firstVertex(face); v < mGeometry.firstVertex(face + 1); ++v)
          for (int c = 0; c < 2; ++c) out.next(static_cast<float>(mVertexUv->number(v, c)));
      }
      for (const OutColumn& column : mFaceColumns) {
        out.character(' ');
        emit(out, column, face);
      }
      out.endLine();
    }
    return out.take();
  }

  void emit(TextEmitter& out, const OutColumn& column, size_t element) const {
    const double number = value(column, element);
    if (column.type == Type::Float32)
      out.number(static_cast<float>(number));
    else if (column.type == Type::Float64)
      out.number(number);
    else
      out.number(static_cast<int64_t>(number));
  }

  // Binary ----------------------------------------------------------------------------------------------
  template <ByteOrder order>
  std::string writeBinary(const std::string& header) const {
    const size_t pointBytes = rowBytes(mPointColumns), faceBytes = rowBytes(mFaceColumns);
    const size_t lists = mVertexUv ? 2 : 1;
    std::string bytes(header.size() + pointBytes * mGeometry.pointCount() +
                          mFaces.size() * (faceBytes + lists * sizeOf(mCountType)) +
                          mCorners * (sizeof(int32_t) + (mVertexUv ? 2 * sizeof(float) : 0)),
                      '\0');
    char* at = std::copy(header.begin(), header.end(), bytes.data());
    writePoints<order>(at, pointBytes);
    at += pointBytes * mGeometry.pointCount();
    if (mCountType == Type::UInt8)
      at = writeFaces<order, uint8_t>(at);
    else
      at = writeFaces<order, int32_t>(at);
    HACKLE_ASSERT(at == bytes.data() + bytes.size());
    return bytes;
  }

  static size_t rowBytes(const std::vector<OutColumn>& columns) {
    size_t bytes = 0;
    for (const OutColumn& c : columns) bytes += sizeOf(c.type);
    return bytes;
  }

  /// Some rows at a time, one column after the other, so that all stores of a loop have one type.
  template <ByteOrder order>
  void writePoints(char* at, size_t stride) const {
    for (size_t first = 0; first < mGeometry.pointCount(); first += kCheckRows) {
      mContext.checkCancel();
      const size_t last = std::min(first + kCheckRows, mGeometry.pointCount());
      char* to = at + first * stride;
      for (const OutColumn& column : mPointColumns) {
        withType(column.type,
                 [&](auto zero) { storeColumn<order, decltype(zero)>(column, first, last, to, stride); });
        to += sizeOf(column.type);
      }
    }
  }

  template <ByteOrder order, class Stored>
  void storeColumn(const OutColumn& column, size_t first, size_t last, char* to, size_t stride) const {
    if (column.asByte) {
      for (size_t e = first; e < last; ++e, to += stride)
        storeNumber<Stored, order>(to, static_cast<Stored>(value(column, e)));
    } else if (!column.attribute) {
      for (size_t e = first; e < last; ++e, to += stride)
        storeNumber<Stored, order>(to, static_cast<Stored>(mGeometry.position(e)[column.component]));
    } else {
      const size_t width = static_cast<size_t>(column.attribute->tupleSize());
      column.attribute->visitNumbers([&](auto numbers) {
        const auto* from = numbers.data() + static_cast<size_t>(column.component);
        for (size_t e = first; e < last; ++e, to += stride)
          storeNumber<Stored, order>(to, static_cast<Stored>(from[width * e]));
      });
    }
  }

  template <ByteOrder order, class Count>
  char* writeFaces(char* at) const {
    for (size_t f = 0; f < mFaces.size(); ++f) {
      if (f % kCheckRows == 0) mContext.checkCancel();
      const size_t face = mFaces[f];
      const Span<const int32_t> corners = mGeometry.corners(face);
      at = storeNumber<Count, order>(at, static_cast<Count>(corners.size()));
      for (const int32_t point : corners) at = storeNumber<int32_t, order>(at, point);
      if (mVertexUv) {
        at = storeNumber<Count, order>(at, static_cast<Count>(2 * corners.size()));
        for (size_t v = mGeometry.firstVertex(face); v < mGeometry.firstVertex(face + 1); ++v)
          for (int c = 0; c < 2; ++c)
            at = storeNumber<float, order>(at, static_cast<float>(mVertexUv->number(v, c)));
      }
      for (const OutColumn& column : mFaceColumns)
        withType(column.type, [&](auto zero) {
          at = storeNumber<decltype(zero), order>(at, static_cast<decltype(zero)>(value(column, face)));
        });
    }
    return at;
  }

  // -----------------------------------------------------------------------------------------------------
  void leaveOut() const {
    LeftOut leftOut("PLY");
    Carried carried;
    carried.primitives = [](PrimitiveType type) { return type == PrimitiveType::Polygon; };
    carried.attributes = [&](Owner owner, const Attribute& a) {
      return isCarried(owner, a) || &a == mVertexUv;
    };
    leftOut.compare(mGeometry, carried);
    if (mVertexUv && !isFlat(*mVertexUv)) leftOut.add("third component of vertex attribute", "uv");
    leftOut.warn(mContext);
  }

  const Geometry& mGeometry;
  Context& mContext;
  std::vector<OutColumn> mPointColumns, mFaceColumns;
  const Attribute* mVertexUv = nullptr;
  std::vector<size_t> mFaces;  // primitives that are polygons
  size_t mCorners = 0;
  Type mCountType = Type::UInt8;
};

}  // namespace

std::string writePly(const Geometry& geometry, const std::string& extension, Context& context) {
  const Encoding encoding = extension == "ascii.ply"       ? Encoding::Text
                            : extension == "bigendian.ply" ? Encoding::BinaryBig
                                                           : Encoding::BinaryLittle;
  return PlyWriter(geometry, context).write(encoding);
}

}  // namespace hackle
