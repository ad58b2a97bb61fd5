// Feeds random bytes to the reader of one format; the environment variable HACKLE_FUZZ_FORMAT names an
// extension of it, or "modes" for the cache of fracture modes. An Error(BadInput) is fine. Anything else is a
// bug: another error, a crash, a hang, a geometry that is not sound, more memory than a small multiple of the
// input.
#include <hackle/core/archive.h>
#include <hackle/core/error.h>
#include <hackle/fracture/modes/impact_projection.h>
#include <hackle/io/codec.h>
#include <hackle/io/elmer.h>

#include <sanitizer/allocator_interface.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

using namespace hackle;

/// A format of several files: the input is their contents with a zero byte between.
Geometry readParts(std::string_view bytes, Context& context) {
  std::string_view parts[3];
  for (std::string_view& part : parts) {
    const size_t end = std::min(bytes.find('\0'), bytes.size());
    part = bytes.substr(0, end);
    bytes.remove_prefix(std::min(end + 1, bytes.size()));
  }
  return readElmer({parts[0], parts[1], parts[2]}, context);
}

/// A cache, and an impact on it. Size and checksum are made to fit first, or nothing would get past them.
void readCache(std::string bytes, Context& context) {
  constexpr size_t kHeader = 64, kCountAt = 28, kSizeAt = 32, kChecksumAt = 40;
  if (bytes.size() >= kHeader) {
    const uint64_t size = bytes.size();
    uint32_t sections = 0;
    std::memcpy(&sections, bytes.data() + kCountAt, sizeof sections);
    const uint64_t sum = checksum64(std::string_view(bytes).substr(kHeader), sections);
    std::memcpy(bytes.data() + kSizeAt, &size, sizeof size);
    std::memcpy(bytes.data() + kChecksumAt, &sum, sizeof sum);
  }
  const ModesCache cache = readModes(bytes, context);
  cache.parts.geometry.checkInvariants();
  const ImpactProjector projector(cache, context);
  Impact impact;
  impact.position = Vec3(0.1, 0.2, 0.3);
  const ProjectionResult result = projector.project(Span<const Impact>(&impact, 1), ProjectionOptions());
  gluePieces(cache.parts, cache.twins, glueContacts(cache.parts, result.glued, "piece"), context)
      .geometry.checkInvariants();
}

bool wantsCache() {
  const char* wanted = std::getenv("HACKLE_FUZZ_FORMAT");
  return wanted && std::string_view(wanted) == "modes";
}

/// What an input may take at most: compressed formats shrink by up to a thousand, text grows when read, and a
/// node of an OpenVDB tree, a quarter of a megabyte, stands in a file of some kilobytes.
constexpr int64_t kBytesAlways = 16 << 20, kBytesPerInputByte = 4096;

std::atomic<int64_t> gLiveBytes{0}, gByteLimit{INT64_MAX};

void onAllocation(const volatile void*, size_t size) {
  const int64_t bytes = static_cast<int64_t>(size);
  if (gLiveBytes.fetch_add(bytes, std::memory_order_relaxed) + bytes <= gByteLimit) return;
  gByteLimit = INT64_MAX;
  std::fprintf(stderr, "more memory than a small multiple of the input: %zu bytes at once\n", size);
  std::abort();
}

void onRelease(const volatile void* pointer) {
  gLiveBytes.fetch_sub(static_cast<int64_t>(__sanitizer_get_allocated_size(const_cast<const void*>(pointer))),
                       std::memory_order_relaxed);
}

/// Watches what is allocated while it lives.
struct MemoryLimit {
  explicit MemoryLimit(size_t inputSize) {
    static const bool kInstalled = __sanitizer_install_malloc_and_free_hooks(onAllocation, onRelease) != 0;
    if (!kInstalled) std::abort();
    gByteLimit = gLiveBytes + kBytesAlways + kBytesPerInputByte * static_cast<int64_t>(inputSize);
  }
  ~MemoryLimit() { gByteLimit = INT64_MAX; }
};

const Codec& chosenCodec() {
  const char* wanted = std::getenv("HACKLE_FUZZ_FORMAT");
  for (const Codec& codec : codecs())
    for (const std::string& extension : codec.format.extensions)
      if (wanted && extension == wanted && codec.read) return codec;
  std::fprintf(stderr, "HACKLE_FUZZ_FORMAT must be the extension of a format that is read\n");
  std::exit(2);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const Codec* const codec = wantsCache() ? nullptr : &chosenCodec();
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  Context context;
  context.setThreads(1);
  const MemoryLimit limit(size);
  try {
    if (!codec) {
      readCache(std::string(bytes), context);
      return 0;
    }
    if (codec->recognises) codec->recognises(bytes);
    const Geometry geometry =
        codec->read == readElmerFile ? readParts(bytes, context) : codec->read(bytes, {}, context);
    geometry.checkInvariants();
  } catch (const Error& e) {
    if (e.code() == ErrorCode::BadInput) return 0;
    std::fprintf(stderr, "%s: %s\n", errorCodeName(e.code()), e.what());
    std::abort();
  }
  return 0;
}
