#include <hackle/io/off.h>

#include <hackle/core/error.h>
#include <hackle/io/byte_colour.h>
#include <hackle/io/left_out.h>
#include <hackle/io/text_emitter.h>
#include <hackle/io/text_scanner.h>

#include <fmt/format.h>

#include <algorithm>

#include <cmath>

namespace hackle {

namespace {

/// What the header's keyword announces about points.
struct OffHeader {
  bool uv = false, colour = false, normal = false, fourth = false, anyDimension = false;
};

/// [ST][C][N][4][n]OFF, the letters in any order.
bool parseKeyword(std::string_view word, OffHeader& header) {
  if (word.size() < 3 || word.substr(word.size() - 3) != "OFF") return false;
  word.remove_suffix(3);
  while (!word.empty()) {
    const bool isUv = word.substr(0, 2) == "ST";
    bool* flag = isUv             ? &header.uv
                 : word[0] == 'C' ? &header.colour
                 : word[0] == 'N' ? &header.normal
                 : word[0] == '4' ? &header.fourth
                 : word[0] == 'n' ? &header.anyDimension
                                  : nullptr;
    if (!flag || *flag) return false;
    *flag = true;
    word.remove_prefix(isUv ? 2 : 1);
  }
  return true;
}

// Reading -----------------------------------------------------------------------------------------------

/// Colours of points or faces, kept only once one has a colour; the others are white.
struct Colours {
  std::vector<float> values;
  void set(size_t element, const std::array<float, 3>& colour) {
    values.resize(3 * element, 1.0f);
    values.insert(values.end(), colour.begin(), colour.end());
  }
};

class OffReader {
 public:
  OffReader(std::string_view bytes, Context& context)
      : mScan(bytes, context, {'#', false, {}}), mContext(context) {}

  Geometry read() {
    // Header and counts.
    mScan.nextItem();
    if (!parseKeyword(mScan.word(), mHeader)) mScan.failAt(0, "the file does not begin with OFF");
    if (mHeader.fourth || mHeader.anyDimension) mScan.failAt(0, "only three-dimensional OFF is supported");
    mScan.nextItem();
    const size_t pointCount = mScan.count("points", 6);  // "0 0 0" and a line end
    const size_t faceCount = mScan.count("faces", 2);
    if (!mScan.atLineEnd()) mScan.integer("the number of edges");

    // Points and faces.
    std::vector<Vec3> positions(pointCount);
    for (size_t p = 0; p < pointCount; ++p) point(p, positions[p]);
    for (size_t f = 0; f < faceCount; ++f) face(f, pointCount);

    Geometry geometry;
    geometry.addPoints(pointCount);
    geometry.editPositions().swap(positions);
    geometry.addPrimitives(PrimitiveType::Polygon, mCounts, mCorners);
    addAttribute(geometry, Owner::Point, "N", "normal", mNormals);
    addAttribute(geometry, Owner::Point, "uv", "texturecoord", mUvs);
    addAttribute(geometry, Owner::Point, "Cd", "color", mPointColours.values);
    addAttribute(geometry, Owner::Primitive, "Cd", "color", mFaceColours.values);
    mLeftOut.warn(mContext);
    return geometry;
  }

 private:
  void point(size_t p, Vec3& position) {
    for (int c = 0; c < 3; ++c) position[c] = next("a coordinate");
    if (mHeader.normal)
      for (int c = 0; c < 3; ++c) mNormals.push_back(static_cast<float>(next("the normal")));
    restOfLine();
    size_t colourCount = mExtra.size();
    if (mHeader.uv) {
      if (mExtra.size() < 2) mScan.fail("expected uv coordinates at the end of the line");
      colourCount -= 2;
      for (size_t c = 0; c < 2; ++c) mUvs.push_back(toFloat(mExtra[colourCount + c]));
      mUvs.push_back(0.0f);
    }
    if (colourCount != 0 && colourCount != 3 && colourCount != 4)
      mScan.fail(fmt::format("{} numbers after a point are no colour", colourCount));
    if (colourCount > 0) mPointColours.set(p, colour(colourCount));
    mScan.nextLine();
  }

  void face(size_t f, size_t pointCount) {
    if (!mScan.nextItem()) mScan.failExpecting(fmt::format("face {}", f));
    const size_t corners = mScan.count("corners", 2);
    for (size_t c = 0; c < corners; ++c) {
      mScan.nextItem();
      mCorners.push_back(mScan.index("point", pointCount, 0));
    }
    mCounts.push_back(static_cast<int32_t>(corners));
    restOfLine();
    if (mExtra.size() == 3 || mExtra.size() == 4)
      mFaceColours.set(f, colour(mExtra.size()));
    else if (mExtra.size() == 1)
      mLeftOut.add("face colour", "map index");
    else if (!mExtra.empty())
      mScan.fail(fmt::format("{} numbers after a face are no colour", mExtra.size()));
    mScan.nextLine();
  }

  double next(const char* what) {
    mScan.nextItem();
    return mScan.number(what);
  }

  void restOfLine() {
    mExtra.clear();
    while (!mScan.atLineEnd()) {
      if (mExtra.size() == 6) mScan.fail("there are too many numbers on this line");
      mExtra.push_back(mScan.word());
    }
  }

  float toFloat(std::string_view word) const {
    const char* at = word.data();
    float value;
    if (!parseNumber(at, at + word.size(), value) || at != word.data() + word.size())
      mScan.fail(fmt::format("expected a number, found '{}'", word.substr(0, 40)));
    return value;
  }

  /// The first three of `count` words on the rest of the line.
  std::array<float, 3> colour(size_t count) {
    const auto isReal = [](std::string_view word) { return word.find_first_of(".eEnN") != word.npos; };
    const bool real = std::any_of(mExtra.begin(), mExtra.begin() + static_cast<ptrdiff_t>(count), isReal);
    std::array<float, 3> rgb;
    for (size_t c = 0; c < 3; ++c) rgb[c] = real ? toFloat(mExtra[c]) : toFloat(mExtra[c]) / 255.0f;
    if (count == 4 && toFloat(mExtra[3]) != (real ? 1.0f : 255.0f)) mLeftOut.add("channel", "alpha");
    return rgb;
  }

  static void addAttribute(Geometry& geometry, Owner owner, const char* name, const char* qualifier,
                           std::vector<float>& values) {
    if (values.empty()) return;
    values.resize(3 * geometry.elementCount(owner), 1.0f);
    Attribute a(name, Storage::Float32, 3, 0, qualifier);
    a.assign(CowArray<float>(std::move(values)));
    geometry.addAttribute(owner, std::move(a));
  }

  TextScanner mScan;
  Context& mContext;
  LeftOut mLeftOut{"OFF"};
  OffHeader mHeader;
  std::vector<float> mNormals, mUvs;
  Colours mPointColours, mFaceColours;
  std::vector<int32_t> mCounts, mCorners;
  std::vector<std::string_view> mExtra;  // words after a point or a face
};

// Writing -----------------------------------------------------------------------------------------------

const Attribute* floatVector(const Geometry& geometry, Owner owner, const char* name) {
  const Attribute* a = geometry.findAttribute(owner, name);
  return a && a->isFloat() && a->tupleSize() == 3 ? a : nullptr;
}

class OffWriter {
 public:
  OffWriter(const Geometry& geometry, Context& context)
      : mGeometry(geometry), mContext(context), mOut(context) {}

  std::string write() {
    const size_t faces = mGeometry.countOf(PrimitiveType::Polygon);
    mOut.text(fmt::format("{}{}{}OFF\n{} {} 0\n", mUv ? "ST" : "", mColour.attribute ? "C" : "",
                          mNormal ? "N" : "", mGeometry.pointCount(), faces));
    if (mGeometry.positionFileStorage == Storage::Float32)
      points<float>();
    else
      points<double>();
    for (size_t p = 0; p < mGeometry.primitiveCount(); ++p) {
      if (mGeometry.primitiveType(p) != PrimitiveType::Polygon) continue;
      mOut.number(mGeometry.vertexCount(p));
      for (const int32_t point : mGeometry.corners(p)) mOut.next(point);
      if (mFaceColour.attribute) colour(mFaceColour, p, false);
      mOut.endLine();
    }
    leaveOut();
    return mOut.take();
  }

 private:
  struct ColourSource {
    const Attribute* attribute;
    bool asBytes;
    explicit ColourSource(const Attribute* a) : attribute(a), asBytes(a && hasByteColours(*a)) {}
  };

  template <class Real>
  void points() {
    for (size_t p = 0; p < mGeometry.pointCount(); ++p) {
      const Vec3& position = mGeometry.position(p);
      mOut.number(static_cast<Real>(position[0]));
      for (const double x : {position[1], position[2]}) mOut.next(static_cast<Real>(x));
      for (int c = 0; mNormal && c < 3; ++c) mOut.next(static_cast<float>(mNormal->number(p, c)));
      if (mColour.attribute) colour(mColour, p, true);
      for (int c = 0; mUv && c < 2; ++c) mOut.next(static_cast<float>(mUv->number(p, c)));
      mOut.endLine();
    }
  }

  void colour(const ColourSource& source, size_t element, bool alpha) {
    for (int c = 0; c < 3; ++c) {
      const float value = static_cast<float>(source.attribute->number(element, c));
      if (source.asBytes)
        mOut.next(static_cast<int>(colourByte(value)));
      else
        real(value);
    }
    if (alpha) mOut.text(source.asBytes ? " 255" : " 1.0");
  }

  /// A number that cannot be taken for a whole one.
  void real(float value) {
    if (std::isfinite(value) && std::trunc(value) == value && std::abs(value) < 1e6f) {
      mOut.next(static_cast<int>(value));
      mOut.text(".0");
    } else {
      mOut.next(value);
    }
  }

  void leaveOut() {
    LeftOut leftOut("OFF");
    Carried carried;
    carried.primitives = [](PrimitiveType type) { return type == PrimitiveType::Polygon; };
    carried.attributes = [&](Owner, const Attribute& a) {
      return &a == mNormal || &a == mUv || &a == mColour.attribute || &a == mFaceColour.attribute;
    };
    leftOut.compare(mGeometry, carried);
    for (size_t p = 0; mUv && p < mGeometry.pointCount(); ++p)
      if (mUv->number(p, 2) != 0) leftOut.add("third component of point attribute", "uv");
    leftOut.warn(mContext);
  }

  const Geometry& mGeometry;
  Context& mContext;
  TextEmitter mOut;
  const Attribute* mNormal = floatVector(mGeometry, Owner::Point, "N");
  const Attribute* mUv = floatVector(mGeometry, Owner::Point, "uv");
  ColourSource mColour{floatVector(mGeometry, Owner::Point, "Cd")};
  ColourSource mFaceColour{floatVector(mGeometry, Owner::Primitive, "Cd")};
};

}  // namespace

bool isOff(std::string_view bytes) {
  const size_t end = std::min(bytes.find_first_of(" \t\r\n"), bytes.size());
  OffHeader header;
  return parseKeyword(bytes.substr(0, end), header);
}

Geometry readOff(std::string_view bytes, const std::filesystem::path&, Context& context) {
  return OffReader(bytes, context).read();
}

std::string writeOff(const Geometry& geometry, const std::string&, Context& context) {
  return OffWriter(geometry, context).write();
}

}  // namespace hackle
