#include <hackle/volume/vdb_check.h>

#include <hackle/core/error.h>

#include <blosc.h>
#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <map>
#include <tuple>

namespace hackle {

namespace {

constexpr uint32_t kOldestVersion = 222;
constexpr uint32_t kNewestVersion = 224;
constexpr std::string_view kHalfSuffix = "_HalfFloat";
constexpr std::string_view kHalfMetadata = "is_saved_as_half_float";
constexpr std::string_view kDelayedLoad = "__delayedload";

// Flags and marks of OpenVDB's compression.
constexpr uint32_t kZip = 1, kActiveMask = 2, kBlosc = 4;
constexpr uint8_t kAllValues = 6;

/// Bytes of the values of a tree, by the name of its type.
struct ValueLayout {
  size_t size = 0;
  size_t halfSize = 0;  // where they are stored as half floats
  enum class Leaf { Values, Bool, Mask } leaf = Leaf::Values;
};

const std::map<std::string_view, ValueLayout> kValueLayouts{
    {"float", {4, 2}},
    {"double", {8, 2}},
    {"int32", {4, 4}},
    {"int64", {8, 8}},
    {"vec3i", {12, 12}},
    {"vec3s", {12, 6}},
    {"vec3d", {24, 6}},
    {"bool", {1, 1, ValueLayout::Leaf::Bool}},
    {"mask", {1, 1, ValueLayout::Leaf::Mask}},
};

/// Bytes of metadata of types that OpenVDB reads by their own size, whatever the file says.
const std::map<std::string_view, uint32_t> kMetadataSizes{
    {"bool", 1},    {"double", 8}, {"float", 4},  {"int32", 4}, {"int64", 8},  {"mat4s", 64},
    {"mat4d", 128}, {"vec2d", 16}, {"vec2i", 8},  {"vec2s", 8}, {"vec3d", 24}, {"vec3i", 12},
    {"vec3s", 12},  {"vec4d", 32}, {"vec4i", 16}, {"vec4s", 16}};

const std::map<std::string_view, size_t> kMapSizes{
    {"AffineMap", 128},       {"UnitaryMap", 128},        {"ScaleMap", 120},
    {"UniformScaleMap", 120}, {"ScaleTranslateMap", 144}, {"UniformScaleTranslateMap", 144},
    {"TranslationMap", 24}};

/// Bits of a node's mask.
class Mask {
 public:
  explicit Mask(std::string_view bytes) : mBytes(bytes) {}
  size_t countOn() const {
    size_t count = 0;
    for (const char c : mBytes) count += static_cast<size_t>(__builtin_popcount(static_cast<uint8_t>(c)));
    return count;
  }
  bool overlaps(const Mask& other) const {
    for (size_t i = 0; i < mBytes.size(); ++i)
      if (mBytes[i] & other.mBytes[i]) return true;
    return false;
  }
  size_t size() const { return 8 * mBytes.size(); }
  std::string_view bytes() const { return mBytes; }

 private:
  std::string_view mBytes;
};

class VdbChecker {
 public:
  explicit VdbChecker(std::string_view bytes) : mBytes(bytes) {}

  CheckedVdb check() {
    readHeader();
    readMetadata();
    const size_t countAt = mAt;
    const int32_t count = number<int32_t>();
    if (count < 0) fail(countAt, fmt::format("{} grids", count));
    copyUpTo(mAt);
    int32_t kept = 0;
    for (int32_t i = 0; i < count; ++i) kept += readGrid() ? 1 : 0;
    std::memcpy(mResult.bytes.data() + countAt, &kept, sizeof kept);
    return std::move(mResult);
  }

 private:
  [[noreturn]] static void fail(size_t byte, const std::string& reason) {
    throw Error(ErrorCode::BadInput, fmt::format("byte {}: damaged OpenVDB data: {}", byte, reason));
  }

  std::string_view take(uint64_t count) {
    if (count > mBytes.size() - mAt)
      fail(mAt, fmt::format("{} bytes should follow, but the file ends {} bytes later", count,
                            mBytes.size() - mAt));
    const std::string_view taken = mBytes.substr(mAt, static_cast<size_t>(count));
    mAt += static_cast<size_t>(count);
    return taken;
  }

  template <class T>
  T number() {
    T value;
    std::memcpy(&value, take(sizeof(T)).data(), sizeof(T));
    return value;
  }

  std::string_view text() { return take(number<uint32_t>()); }

  /// Hands the bytes since the last call to OpenVDB.
  void copyUpTo(size_t end) {
    mResult.bytes.append(mBytes.substr(mCopied, end - mCopied));
    mCopied = end;
  }

  // The parts of a file -----------------------------------------------------------------------------------

  void readHeader() {
    take(8);  // the mark
    const uint32_t version = number<uint32_t>();
    if (version < kOldestVersion || version > kNewestVersion)
      throw Error(ErrorCode::BadInput,
                  fmt::format("OpenVDB files of version {} are not supported (only {} to {})", version,
                              kOldestVersion, kNewestVersion),
                  "save the file again with OpenVDB 3 to 12 or Houdini 14 and later");
    take(8);  // the library's version
    mHasOffsets = number<uint8_t>() != 0;
    take(36);  // identity
  }

  void readMetadata() {
    mSaysHalf = false;
    for (uint32_t left = number<uint32_t>(); left > 0; --left) {
      const std::string_view name = text();
      const size_t typeAt = mAt + sizeof(uint32_t);
      const std::string_view type = text();
      const size_t sizeAt = mAt;
      const uint32_t size = number<uint32_t>();
      const auto known = kMetadataSizes.find(type);
      if (known != kMetadataSizes.end() && known->second != size)
        fail(sizeAt, fmt::format("metadata of type {} with {} bytes", type, size));
      const std::string_view value = take(size);
      if (name == kHalfMetadata) {
        if (type != "bool" || static_cast<uint8_t>(value[0]) > 1) fail(sizeAt, "no flag for half floats");
        mSaysHalf = value[0] != 0;
      }
      // Hints for delayed loading are another format that could be damaged. OpenVDB drops types that it does
      // not know if they start with two underscores.
      if (type == kDelayedLoad) {
        copyUpTo(typeAt);
        mResult.bytes.append("__").append(kDelayedLoad.size() - 2, '_');
        mCopied = typeAt + kDelayedLoad.size();
      }
    }
  }

  /// False if the grid was left out.
  bool readGrid() {
    const std::string_view name = text();
    std::string_view type = text();
    const bool isInstance = !text().empty();
    take(2 * sizeof(int64_t));  // where the grid and its voxels are
    const int64_t end = number<int64_t>();
    if (type.substr(0, 7) == "Tree_pt") {
      if (!mHasOffsets || end < static_cast<int64_t>(mAt) || end > static_cast<int64_t>(mBytes.size()))
        throw Error(ErrorCode::BadInput, "the file holds points as an OpenVDB grid",
                    "save them as points of a .bgeo file");
      mAt = mCopied = static_cast<size_t>(end);
      mResult.skipped.emplace_back(name.substr(0, name.find('\x1e')));
      return false;
    }
    mHalf = type.size() > kHalfSuffix.size() && type.substr(type.size() - kHalfSuffix.size()) == kHalfSuffix;
    if (mHalf) type.remove_suffix(kHalfSuffix.size());
    mLayout = layoutOf(type);
    const size_t compressionAt = mAt;
    mCompression = number<uint32_t>();
    if (mCompression & ~(kZip | kActiveMask | kBlosc))
      fail(compressionAt, fmt::format("unknown compression {:#x}", mCompression));
    const size_t metadataAt = mAt;
    readMetadata();
    // OpenVDB goes by the metadata, whatever the type says.
    if (mSaysHalf != mHalf) fail(metadataAt, "type and metadata disagree about half floats");
    readTransform(0);
    if (!isInstance) readTree();
    copyUpTo(mAt);
    return true;
  }

  ValueLayout layoutOf(std::string_view type) const {
    constexpr std::string_view kPrefix = "Tree_", kSuffix = "_5_4_3";
    if (type.size() > kPrefix.size() + kSuffix.size() && type.substr(0, kPrefix.size()) == kPrefix &&
        type.substr(type.size() - kSuffix.size()) == kSuffix) {
      const auto found =
          kValueLayouts.find(type.substr(kPrefix.size(), type.size() - kPrefix.size() - kSuffix.size()));
      if (found != kValueLayouts.end()) return found->second;
    }
    throw Error(ErrorCode::BadInput, fmt::format("OpenVDB grids of type {} are not supported", type));
  }

  void readTransform(int depth) {
    const size_t at = mAt;
    const std::string_view type = text();
    if (type == "NonlinearFrustumMap" && depth == 0) {
      take(8 * sizeof(double));  // box, taper, depth
      return readTransform(depth + 1);
    }
    const auto known = kMapSizes.find(type);
    if (known == kMapSizes.end()) fail(at, fmt::format("unknown kind of transform \"{}\"", type));
    take(known->second);
  }

  // Trees -------------------------------------------------------------------------------------------------

  void readTree() {
    if (number<int32_t>() != 1) fail(mAt - 4, "more than one buffer in a tree");
    takeValues(mLayout.size);  // background
    const uint32_t tiles = number<uint32_t>(), children = number<uint32_t>();
    for (uint32_t i = 0; i < tiles; ++i) {
      readRootCoordinate(nullptr);
      takeValues(mLayout.size);
      checkFlag();
    }
    mLeafMasks.clear();
    std::array<int32_t, 3> last{};
    for (uint32_t i = 0; i < children; ++i) {
      readRootCoordinate(i == 0 ? nullptr : &last);
      std::memcpy(last.data(), mBytes.data() + mAt - sizeof last, sizeof last);
      readInternal(5);
    }
    // OpenVDB reads the voxels in a second pass, in the same order.
    for (const std::string_view& mask : mLeafMasks) readLeafBuffer(mask);
  }

  void checkFlag() {
    if (number<uint8_t>() > 1) fail(mAt - 1, "a flag that is neither 0 nor 1");
  }

  /// Where a child of the root is; in ascending order, else OpenVDB would pair masks and voxels wrongly.
  void readRootCoordinate(const std::array<int32_t, 3>* after) {
    const size_t at = mAt;
    std::array<int32_t, 3> coordinate;
    std::memcpy(coordinate.data(), take(sizeof coordinate).data(), sizeof coordinate);
    for (const int32_t c : coordinate)
      if (c & 4095) fail(at, "a node off the grid of nodes");
    if (after && !(*after < coordinate)) fail(at, "nodes out of order");
  }

  /// A node of (2^log2)^3 entries, log2 5 or 4, and all below it.
  void readInternal(int log2) {
    const size_t at = mAt, maskBytes = (size_t(1) << (3 * log2)) / 8;
    const Mask children(take(maskBytes)), values(take(maskBytes));
    if (children.overlaps(values)) fail(at, "entries that are both nodes and values");
    readValues(values, true);
    for (size_t left = children.countOn(); left > 0; --left) {
      if (log2 == 5)
        readInternal(4);
      else
        mLeafMasks.push_back(take(64));
    }
  }

  void readLeafBuffer(std::string_view mask) {
    if (take(64) != mask) fail(mAt - 64, "a leaf whose two masks differ");
    if (mLayout.leaf == ValueLayout::Leaf::Values) return readValues(Mask(mask), false);
    for (int axis = 0; axis < 3; ++axis)
      if (number<int32_t>() & 7) fail(mAt - 4, "a leaf off the grid of leaves");
    if (mLayout.leaf == ValueLayout::Leaf::Bool) take(64);
  }

  /// Values of a node, with those of inactive entries left out where a mark says so.
  void readValues(const Mask& mask, bool decompress) {
    const uint8_t mark = number<uint8_t>();
    if (mark > kAllValues) fail(mAt - 1, "unknown mark of compressed values");
    const size_t inactive = mark == 2 || mark == 4 ? 1 : mark == 5 ? 2 : 0;
    takeValues(inactive * mLayout.size);
    if (mark >= 3 && mark <= 5) take(mask.size() / 8);  // which of the two inactive values
    const bool activeOnly = (mCompression & kActiveMask) && mark != kAllValues;
    const size_t count = activeOnly ? mask.countOn() : mask.size();
    const bool half = mHalf && mLayout.halfSize != mLayout.size;
    if (half && count == 0) return;
    readData(count * (half ? mLayout.halfSize : mLayout.size), decompress);
  }

  void readData(size_t size, bool decompress) {
    if (!(mCompression & (kZip | kBlosc))) return takeValues(size);
    const size_t at = mAt;
    const int64_t stored = number<int64_t>();
    if (stored <= 0) {
      if (uint64_t(0) - static_cast<uint64_t>(stored) != size)
        fail(at, fmt::format("{} bytes of values instead of {}", uint64_t(0) - static_cast<uint64_t>(stored),
                             size));
      return takeValues(size);
    }
    const std::string_view data = take(static_cast<uint64_t>(stored));
    mBuffer.resize(std::max<size_t>(size, 1));
    if (mCompression & kBlosc) {
      size_t inside = 0;
      if (data.size() < BLOSC_MIN_HEADER_LENGTH ||
          blosc_cbuffer_validate(data.data(), data.size(), &inside) != 0 || inside != size)
        fail(at, "a damaged Blosc chunk");
      // Nodes of a tree that fails half way would leak: look before OpenVDB does.
      if (decompress && blosc_decompress_ctx(data.data(), mBuffer.data(), size, 1) != static_cast<int>(size))
        fail(at, "a damaged Blosc chunk");
    } else if (decompress) {
      uLongf inside = size;
      if (uncompress(reinterpret_cast<Bytef*>(mBuffer.data()), &inside,
                     reinterpret_cast<const Bytef*>(data.data()), data.size()) != Z_OK ||
          inside != size)
        fail(at, "damaged zlib data");
    }
    if (decompress) checkTruth(at, std::string_view(mBuffer).substr(0, size));
  }

  void takeValues(uint64_t count) {
    const size_t at = mAt;
    checkTruth(at, take(count));
  }

  /// OpenVDB reads bytes of truth values as they are; C++ has no other than 0 and 1.
  void checkTruth(size_t at, std::string_view values) const {
    if (mLayout.leaf == ValueLayout::Leaf::Values) return;
    for (const char value : values)
      if (static_cast<uint8_t>(value) > 1) fail(at, "a truth value that is neither 0 nor 1");
  }

  std::string_view mBytes;
  size_t mAt = 0;
  size_t mCopied = 0;
  CheckedVdb mResult;
  bool mHasOffsets = false;

  // Of the current grid.
  ValueLayout mLayout;
  bool mHalf = false;      // by its type
  bool mSaysHalf = false;  // by its metadata
  uint32_t mCompression = 0;
  std::vector<std::string_view> mLeafMasks;
  std::string mBuffer;
};

}  // namespace

CheckedVdb checkVdb(std::string_view bytes) { return VdbChecker(bytes).check(); }

}  // namespace hackle
