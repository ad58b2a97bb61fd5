// What the tests of all file formats share.
#pragma once

#include <gtest/gtest.h>
#include <hackle/core/error.h>
#include <hackle/io/codec.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace hackle {

/// The codec of an extension.
inline const Codec& codecOf(const std::string& extension) {
  for (const Codec& codec : codecs())
    for (const std::string& e : codec.format.extensions)
      if (e == extension) return codec;
  throw Error(ErrorCode::Internal, "no codec for " + extension);
}

inline Geometry readAs(const std::string& extension, std::string_view bytes, Context& context) {
  Geometry geometry = codecOf(extension).read(bytes, {}, context);
  geometry.checkInvariants();
  return geometry;
}
inline Geometry readAs(const std::string& extension, std::string_view bytes) {
  Context context;
  return readAs(extension, bytes, context);
}
inline std::string writeAs(const std::string& extension, const Geometry& geometry, Context& context) {
  return codecOf(extension).write(geometry, extension, context);
}
inline std::string writeAs(const std::string& extension, const Geometry& geometry) {
  Context context;
  return writeAs(extension, geometry, context);
}

/// Written and read again; neither may warn.
inline Geometry roundTrip(const std::string& extension, const Geometry& geometry) {
  Context context;
  Geometry result = readAs(extension, writeAs(extension, geometry, context), context);
  EXPECT_EQ(context.warnings(), std::vector<std::string>());
  return result;
}

/// Reading must throw Error(BadInput) with a message that contains all the parts.
inline void expectBad(const std::string& extension, std::string_view bytes, std::vector<std::string> parts) {
  try {
    readAs(extension, bytes);
    ADD_FAILURE() << "no error for:\n" << bytes;
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::BadInput) << e.what();
    for (const std::string& part : parts)
      EXPECT_NE(std::string(e.what()).find(part), std::string::npos)
          << "'" << part << "' is not in: " << e.what();
  }
}

/// Every beginning of a file must read or be refused, nothing else.
inline void expectPrefixesAreSafe(const std::string& extension, std::string_view bytes) {
  for (size_t size = 0; size < bytes.size(); ++size) {
    const std::string copy(bytes.substr(0, size));  // of its own, so that a sanitizer sees a step too far
    try {
      readAs(extension, copy);
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::BadInput) << e.what();
    }
  }
}

inline std::vector<int32_t> cornersOf(const Geometry& geometry, size_t primitive) {
  const Span<const int32_t> corners = geometry.corners(primitive);
  return {corners.begin(), corners.end()};
}

inline void expectSameTopology(const Geometry& a, const Geometry& b) {
  ASSERT_EQ(a.pointCount(), b.pointCount());
  ASSERT_EQ(a.primitiveCount(), b.primitiveCount());
  for (size_t p = 0; p < a.primitiveCount(); ++p) {
    EXPECT_EQ(a.primitiveType(p), b.primitiveType(p)) << p;
    EXPECT_EQ(cornersOf(a, p), cornersOf(b, p)) << p;
  }
}
inline void expectSamePositions(const Geometry& a, const Geometry& b) {
  ASSERT_EQ(a.pointCount(), b.pointCount());
  for (size_t p = 0; p < a.pointCount(); ++p)
    for (int c = 0; c < 3; ++c) EXPECT_EQ(a.position(p)[c], b.position(p)[c]) << p;
}
inline void expectSameAttribute(const Geometry& a, const Geometry& b, Owner owner, const std::string& name) {
  ASSERT_TRUE(a.findAttribute(owner, name)) << name;
  ASSERT_TRUE(b.findAttribute(owner, name)) << name;
  EXPECT_TRUE(*a.findAttribute(owner, name) == *b.findAttribute(owner, name)) << name;
}
inline std::vector<uint8_t> groupBits(const Geometry& geometry, Owner owner, const std::string& name) {
  const Group* group = geometry.findGroup(owner, name);
  if (!group) return {};
  return {group->bits.begin(), group->bits.end()};
}

/// Adds an attribute with the given numbers.
template <class T>
Attribute& addNumbers(Geometry& geometry, Owner owner, const std::string& name, Storage storage, int size,
                      std::vector<T> numbers, const std::string& qualifier = {}) {
  Attribute a(name, storage, size, 0, qualifier);
  a.assign(CowArray<T>(std::move(numbers)));
  return geometry.addAttribute(owner, std::move(a));
}
inline Attribute& addStrings(Geometry& geometry, Owner owner, const std::string& name,
                             const std::vector<std::string>& strings) {
  Attribute& a = geometry.addAttribute(owner, Attribute(name, Storage::String, 1));
  for (size_t e = 0; e < strings.size(); ++e) a.setString(e, strings[e]);
  return a;
}

/// A triangle, a quadrilateral and a pentagon on seven points, with coordinates that want many digits.
inline Geometry polygonSample() {
  Geometry geometry;
  geometry.addPoints(7);
  std::vector<Vec3>& p = geometry.editPositions();
  p = {Vec3(0, 0, 0),
       Vec3(1.0 / 3, 0, 1e-9),
       Vec3(1, 1, -0.1),
       Vec3(0, 1, 0.1),
       Vec3(-1, 0.1 + 0.2, 0.5),
       Vec3(-1, -1, 123456.789),
       Vec3(0, -1, 6.02214076e23)};
  geometry.addPolygon({0, 1, 2});
  geometry.addPolygon({0, 2, 3, 4});
  geometry.addPolygon({0, 4, 5, 6, 1});
  return geometry;
}

/// The same with coordinates that single precision holds.
inline Geometry singleSample() {
  Geometry geometry = polygonSample();
  for (Vec3& p : geometry.editPositions())
    for (double& x : p) {
      volatile float single = static_cast<float>(x);  // GCC 12 leaves out the conversion of vectors and back
      x = static_cast<double>(single);
    }
  geometry.positionFileStorage = Storage::Float32;
  return geometry;
}

/// A folder that goes away with its contents.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "hackle_io_XXXXXX").string();
    mPath = ::mkdtemp(name.data());
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(mPath, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  std::filesystem::path operator/(const std::string& name) const { return mPath / name; }
  size_t entries() const {
    return static_cast<size_t>(std::distance(std::filesystem::directory_iterator(mPath), {}));
  }

 private:
  std::filesystem::path mPath;
};

}  // namespace hackle
