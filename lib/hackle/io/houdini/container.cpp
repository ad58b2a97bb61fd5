#include <hackle/io/houdini/container.h>

#include <hackle/core/error.h>
#include <hackle/core/memory.h>
#include <hackle/core/parallel.h>
#include <hackle/io/houdini/json_tree_builder.h>

#include <blosc.h>
#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

namespace hackle::houdini {

namespace {

constexpr uint64_t kUsualSize = uint64_t(64) << 20;
constexpr uint64_t kUsualRatio = 100;      // of larger files
constexpr uint64_t kPossibleRatio = 1100;  // deflate reaches 1032, LZ4 255
constexpr double kShareOfMemory = 0.25;    // that a file of constant values may fill
constexpr size_t kGzipStep = size_t(1) << 22;

/// Refuses what cannot be, and what shrank more than geometry does and would fill the memory.
void checkRatio(uint64_t inside, size_t outside) {
  const uint64_t possible = (uint64_t(1) << 20) + kPossibleRatio * outside;
  if (inside > possible)
    throw Error(ErrorCode::BadInput,
                fmt::format("{} compressed bytes expand to more than {} bytes; this is no geometry", outside,
                            possible),
                "decompress the file yourself if you trust it");
  const auto share = static_cast<uint64_t>(kShareOfMemory * availableMemory());
  const uint64_t allowed = std::max({kUsualSize, kUsualRatio * outside, share});
  if (inside > allowed)
    throw Error(ErrorCode::BadInput,
                fmt::format("{} compressed bytes expand to more than {} bytes, a quarter of the memory, and "
                            "to more than geometry does",
                            outside, allowed),
                "use a machine with more memory, or decompress the file yourself if you trust it");
}

// The .sc container: every number in it is big-endian, in the chunks little-endian.

constexpr size_t kScfBlock = size_t(1) << 20;
constexpr size_t kScfHead = 12;  // mark and length of the metadata
constexpr size_t kScfTail = 12;  // length of the index and mark

uint64_t bigEndian64(const char* data) {
  uint64_t value = 0;
  for (int i = 0; i < 8; ++i) value = value << 8 | static_cast<uint8_t>(data[i]);
  return value;
}

void appendBigEndian64(std::string& out, uint64_t value) {
  for (int shift = 56; shift >= 0; shift -= 8) out.push_back(static_cast<char>(value >> shift & 0xff));
}

struct Chunk {
  size_t offset, compressed, payloadOffset, payload;
};

std::vector<Chunk> findChunks(std::string_view bytes) {
  if (bytes.size() < kScfHead + kScfTail || bytes.substr(bytes.size() - 4) != "1fcs")
    failAtByte(bytes.size(), "the end mark of the .sc container is missing (the file is cut off)");
  const uint64_t metadata = bigEndian64(bytes.data() + 4);
  const size_t tail = bytes.size() - kScfTail;
  const uint64_t index = bigEndian64(bytes.data() + tail);
  if (index > tail - kScfHead || metadata > tail - kScfHead - index)
    failAtByte(tail, "the index of the .sc container is longer than the file");

  std::vector<Chunk> chunks;
  const size_t end = tail - static_cast<size_t>(index);
  size_t payload = 0;
  for (size_t at = kScfHead + static_cast<size_t>(metadata); at < end;) {
    size_t inside = 0, compressed = 0, blockSize = 0;
    if (end - at >= BLOSC_MIN_HEADER_LENGTH)
      blosc_cbuffer_sizes(bytes.data() + at, &inside, &compressed, &blockSize);
    if (compressed < BLOSC_MIN_HEADER_LENGTH || compressed > end - at ||
        blosc_cbuffer_validate(bytes.data() + at, compressed, &inside) != 0)
      failAtByte(at, "a damaged chunk in the .sc container");
    chunks.push_back({at, compressed, payload, inside});
    payload += inside;
    at += compressed;
  }
  return chunks;
}

}  // namespace

bool isGzip(std::string_view bytes) { return bytes.substr(0, 2) == "\x1f\x8b"; }
bool isScf(std::string_view bytes) { return bytes.substr(0, 4) == "scf1"; }

std::string unwrapGzip(std::string_view bytes, Context& context) {
  z_stream stream{};
  if (inflateInit2(&stream, 15 + 16) != Z_OK) throw Error(ErrorCode::Failed, "zlib cannot start");
  const std::unique_ptr<z_stream, int (*)(z_stream*)> guard(&stream, inflateEnd);

  std::string out;
  size_t fed = 0;
  int status = Z_OK;
  while (status != Z_STREAM_END) {
    context.checkCancel();
    if (stream.avail_in == 0 && fed < bytes.size()) {
      const size_t step = std::min(kGzipStep, bytes.size() - fed);
      stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data() + fed));
      stream.avail_in = static_cast<uInt>(step);
      fed += step;
    }
    const size_t before = out.size();
    out.resize(before + std::max<size_t>(std::min(kGzipStep, before), 4 * std::min(kGzipStep, bytes.size())));
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + before);
    stream.avail_out = static_cast<uInt>(out.size() - before);
    status = inflate(&stream, Z_NO_FLUSH);
    const size_t byte = fed - stream.avail_in;
    const bool stuck = status == Z_BUF_ERROR && fed == bytes.size();
    out.resize(out.size() - stream.avail_out);
    if (stuck) failAtByte(byte, "the gzip data ends too early (the file is cut off)");
    if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR)
      failAtByte(byte, fmt::format("damaged gzip data ({})", stream.msg ? stream.msg : "unknown reason"));
    checkRatio(out.size(), bytes.size());
  }
  return out;
}

std::string wrapGzip(std::string_view payload, Context& context) {
  z_stream stream{};
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
    throw Error(ErrorCode::Failed, "zlib cannot start");
  const std::unique_ptr<z_stream, int (*)(z_stream*)> guard(&stream, deflateEnd);

  std::string out;
  std::vector<char> buffer(kGzipStep);
  for (size_t fed = 0; fed < payload.size() || fed == 0;) {
    context.checkCancel();
    const size_t step = std::min(kGzipStep / 4, payload.size() - fed);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(payload.data() + fed));
    stream.avail_in = static_cast<uInt>(step);
    fed += step;
    const int flush = fed == payload.size() ? Z_FINISH : Z_NO_FLUSH;
    do {
      stream.next_out = reinterpret_cast<Bytef*>(buffer.data());
      stream.avail_out = static_cast<uInt>(buffer.size());
      deflate(&stream, flush);
      out.append(buffer.data(), buffer.size() - stream.avail_out);
    } while (stream.avail_out == 0);
    if (flush == Z_FINISH) break;
  }
  return out;
}

std::string unwrapScf(std::string_view bytes, Context& context) {
  const std::vector<Chunk> chunks = findChunks(bytes);
  const size_t total = chunks.empty() ? 0 : chunks.back().payloadOffset + chunks.back().payload;
  checkRatio(total, bytes.size());
  std::string out(total, '\0');
  parallelFor(context, chunks.size(), 1, [&](size_t c) {
    const Chunk& chunk = chunks[c];
    const int done =
        blosc_decompress_ctx(bytes.data() + chunk.offset, out.data() + chunk.payloadOffset, chunk.payload, 1);
    if (done < 0 || static_cast<size_t>(done) != chunk.payload)
      failAtByte(chunk.offset, "a damaged chunk in the .sc container");
  });
  return out;
}

std::string wrapScf(std::string_view payload, Context& context) {
  constexpr int kLevel = 5;
  const size_t count = std::max<size_t>(1, (payload.size() + kScfBlock - 1) / kScfBlock);
  std::vector<std::string> chunks(count);
  parallelFor(context, count, 1, [&](size_t c) {
    const std::string_view block = payload.substr(c * kScfBlock, kScfBlock);
    std::string& out = chunks[c];
    out.resize(block.size() + BLOSC_MAX_OVERHEAD);
    const int size = blosc_compress_ctx(kLevel, BLOSC_SHUFFLE, 4, block.size(), block.data(), out.data(),
                                        out.size(), BLOSC_LZ4_COMPNAME, 0, 1);
    HACKLE_ASSERT(size > 0);
    out.resize(static_cast<size_t>(size));
  });

  std::string out = "scf1";
  appendBigEndian64(out, 0);
  std::string index;
  uint64_t end = 0;
  for (size_t c = 0; c < count; ++c) {
    out += chunks[c];
    end += chunks[c].size();
    if (c + 1 < count) appendBigEndian64(index, end);
  }
  appendBigEndian64(index, kScfBlock);
  appendBigEndian64(index, payload.size() - (count - 1) * kScfBlock);
  out += index;
  appendBigEndian64(out, index.size());
  return out + "1fcs";
}

}  // namespace hackle::houdini
