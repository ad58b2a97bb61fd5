#include <hackle/core/archive.h>

#include <hackle/core/random.h>

#include <fmt/format.h>

#include <cstring>

namespace hackle {

namespace {

// Header, 64 bytes: magic (8), kind (16), version (4), sections (4), size of the whole (8), checksum of what
// follows the header (8; its seed is the number of sections), 16 zeros. Then for each section a row of 32
// bytes: length of the name (4), type (4), offset of the name (8), offset of the values (8), their bytes (8).
// Then names and values, at multiples of 16.
constexpr char kMagic[9] = "\x89HACKLE\n";
constexpr size_t kMagicSize = 8, kKindSize = 16, kHeaderSize = 64, kRowSize = 32, kAlign = 16;
constexpr size_t kVersionAt = 24, kCountAt = 28, kSizeAt = 32, kChecksumAt = 40;

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);

template <class T>
T load(std::string_view bytes, size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

template <class T>
void store(std::string& bytes, size_t at, T value) {
  std::memcpy(bytes.data() + at, &value, sizeof value);
}

size_t sizeOf(ArchiveType type) {
  switch (type) {
    case ArchiveType::Bytes:
      return 1;
    case ArchiveType::Int32:
    case ArchiveType::Float32:
      return 4;
    default:
      return 8;
  }
}

[[noreturn]] void damaged(const std::string& why) {
  throw Error(ErrorCode::BadInput, "the file is damaged: " + why, "make it anew");
}

size_t aligned(size_t size) { return (size + kAlign - 1) / kAlign * kAlign; }

}  // namespace

uint64_t checksum64(std::string_view bytes, uint64_t seed) {
  // Four lanes, so that multiplications overlap.
  constexpr uint64_t kPrime = 0x9e3779b97f4a7c15ULL;
  uint64_t lanes[4];
  for (uint64_t i = 0; i < 4; ++i) lanes[i] = mixBits(seed + (i + 1) * kPrime);
  const auto take = [](uint64_t& lane, uint64_t word) {
    lane = (lane ^ word) * 0xd1342543de82ef95ULL;
    lane ^= lane >> 32;
  };
  size_t at = 0;
  for (; at + 32 <= bytes.size(); at += 32)
    for (size_t i = 0; i < 4; ++i) take(lanes[i], load<uint64_t>(bytes, at + 8 * i));
  for (size_t i = 0; at < bytes.size(); at += 8, i = (i + 1) % 4) {
    uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, std::min<size_t>(8, bytes.size() - at));
    take(lanes[i], word);
  }
  uint64_t result = mixBits(bytes.size() + kPrime);
  for (const uint64_t lane : lanes) result = mixBits(result ^ lane) + kPrime;
  return mixBits(result);
}

// Writing -----------------------------------------------------------------------------------------------

template <class T>
void ArchiveWriter::addValues(const std::string& name, ArchiveType type, Span<const T> values) {
  const char* data = reinterpret_cast<const char*>(values.data());
  mSections.push_back({name, type, std::string(data, data + values.size() * sizeof(T))});
}

void ArchiveWriter::add(const std::string& name, Span<const int32_t> values) {
  addValues(name, ArchiveType::Int32, values);
}
void ArchiveWriter::add(const std::string& name, Span<const int64_t> values) {
  addValues(name, ArchiveType::Int64, values);
}
void ArchiveWriter::add(const std::string& name, Span<const float> values) {
  addValues(name, ArchiveType::Float32, values);
}
void ArchiveWriter::add(const std::string& name, Span<const double> values) {
  addValues(name, ArchiveType::Float64, values);
}
void ArchiveWriter::add(const std::string& name, Span<const uint8_t> values) {
  addValues(name, ArchiveType::Bytes, values);
}
void ArchiveWriter::addText(const std::string& name, std::string_view text) {
  mSections.push_back({name, ArchiveType::Bytes, std::string(text)});
}
void ArchiveWriter::addTexts(const std::string& name, const std::vector<std::string>& texts) {
  std::vector<int64_t> ends;
  std::string all;
  for (const std::string& text : texts) {
    all += text;
    ends.push_back(static_cast<int64_t>(all.size()));
  }
  add(name + ".ends", ends);
  addText(name, all);
}

std::string ArchiveWriter::finish() const {
  HACKLE_ASSERT(mKind.size() <= kKindSize);
  size_t size = kHeaderSize + kRowSize * mSections.size();
  for (const Section& s : mSections) size += aligned(s.name.size()) + aligned(s.bytes.size());
  std::string bytes(size, '\0');
  std::memcpy(bytes.data(), kMagic, kMagicSize);
  std::memcpy(bytes.data() + kMagicSize, mKind.data(), mKind.size());
  store(bytes, kVersionAt, mVersion);
  store(bytes, kCountAt, static_cast<uint32_t>(mSections.size()));
  store(bytes, kSizeAt, static_cast<uint64_t>(size));
  size_t row = kHeaderSize, at = kHeaderSize + kRowSize * mSections.size();
  for (const Section& s : mSections) {
    store(bytes, row, static_cast<uint32_t>(s.name.size()));
    store(bytes, row + 4, static_cast<uint32_t>(s.type));
    store(bytes, row + 8, static_cast<uint64_t>(at));
    std::memcpy(bytes.data() + at, s.name.data(), s.name.size());
    at += aligned(s.name.size());
    store(bytes, row + 16, static_cast<uint64_t>(at));
    store(bytes, row + 24, static_cast<uint64_t>(s.bytes.size()));
    std::memcpy(bytes.data() + at, s.bytes.data(), s.bytes.size());
    at += aligned(s.bytes.size());
    row += kRowSize;
  }
  store(bytes, kChecksumAt, checksum64(std::string_view(bytes).substr(kHeaderSize), mSections.size()));
  return bytes;
}

// Reading -----------------------------------------------------------------------------------------------

bool isArchive(std::string_view bytes, const std::string& kind) {
  std::string known(kMagic, kMagicSize);
  known += kind;
  known.resize(kMagicSize + kKindSize, '\0');
  return bytes.substr(0, known.size()) == known;
}

ArchiveReader::ArchiveReader(std::string_view bytes, const std::string& kind, uint32_t version) {
  if (bytes.substr(0, kMagicSize) != std::string_view(kMagic, kMagicSize))
    throw Error(ErrorCode::BadInput, fmt::format("this is no {} file", kind),
                fmt::format("give a file that the operator {} wrote", kind));
  if (bytes.size() < kHeaderSize) damaged("it is cut off in its first 64 bytes");
  if (!isArchive(bytes, kind))
    throw Error(ErrorCode::BadInput, fmt::format("this is another kind of cache, not a {} file", kind),
                fmt::format("give a file that the operator {} wrote", kind));
  const uint32_t found = load<uint32_t>(bytes, kVersionAt);
  if (found != version)
    throw Error(ErrorCode::BadInput,
                fmt::format("the file has version {} of the {} format, this program reads version {}", found,
                            kind, version),
                "make it anew with this program");
  const uint64_t size = load<uint64_t>(bytes, kSizeAt);
  if (size != bytes.size()) damaged(fmt::format("it should have {} bytes and has {}", size, bytes.size()));
  const uint64_t count = load<uint32_t>(bytes, kCountAt);
  if (checksum64(bytes.substr(kHeaderSize), count) != load<uint64_t>(bytes, kChecksumAt))
    damaged("its checksum does not fit");
  if (count > (bytes.size() - kHeaderSize) / kRowSize) damaged("its list of sections is too long");
  const auto part = [&](uint64_t offset, uint64_t length) {
    if (offset > bytes.size() || length > bytes.size() - offset) damaged("a section ends outside of it");
    return bytes.substr(offset, length);
  };
  for (size_t s = 0; s < count; ++s) {
    const size_t row = kHeaderSize + kRowSize * s;
    const uint32_t type = load<uint32_t>(bytes, row + 4);
    if (type > static_cast<uint32_t>(ArchiveType::Float64)) damaged("a section has an unknown type");
    const Section section{part(load<uint64_t>(bytes, row + 8), load<uint32_t>(bytes, row)),
                          static_cast<ArchiveType>(type),
                          part(load<uint64_t>(bytes, row + 16), load<uint64_t>(bytes, row + 24))};
    if (section.bytes.size() % sizeOf(section.type) != 0) damaged("a section ends within a number");
    mSections.push_back(section);
  }
}

bool ArchiveReader::has(const std::string& name) const {
  for (const Section& s : mSections)
    if (s.name == name) return true;
  return false;
}

const ArchiveReader::Section& ArchiveReader::find(const std::string& name, ArchiveType type) const {
  for (const Section& s : mSections) {
    if (s.name != name) continue;
    if (s.type != type) damaged(fmt::format("the section {} is of another type", name));
    return s;
  }
  damaged(fmt::format("the section {} is missing", name));
}

template <class T>
std::vector<T> ArchiveReader::values(const std::string& name, ArchiveType type) const {
  const Section& section = find(name, type);
  std::vector<T> result(section.bytes.size() / sizeof(T));
  if (!result.empty()) std::memcpy(result.data(), section.bytes.data(), section.bytes.size());
  return result;
}

std::vector<int32_t> ArchiveReader::int32s(const std::string& name) const {
  return values<int32_t>(name, ArchiveType::Int32);
}
std::vector<int64_t> ArchiveReader::int64s(const std::string& name) const {
  return values<int64_t>(name, ArchiveType::Int64);
}
std::vector<float> ArchiveReader::float32s(const std::string& name) const {
  return values<float>(name, ArchiveType::Float32);
}
std::vector<double> ArchiveReader::float64s(const std::string& name) const {
  return values<double>(name, ArchiveType::Float64);
}
std::vector<uint8_t> ArchiveReader::bytes(const std::string& name) const {
  return values<uint8_t>(name, ArchiveType::Bytes);
}
std::string ArchiveReader::text(const std::string& name) const {
  return std::string(find(name, ArchiveType::Bytes).bytes);
}
std::vector<std::string> ArchiveReader::texts(const std::string& name) const {
  const std::string_view all = find(name, ArchiveType::Bytes).bytes;
  std::vector<std::string> result;
  int64_t begin = 0;
  for (const int64_t end : int64s(name + ".ends")) {
    if (end < begin || end > static_cast<int64_t>(all.size()))
      damaged(fmt::format("the texts {} end outside of it", name));
    result.emplace_back(all.substr(static_cast<size_t>(begin), static_cast<size_t>(end - begin)));
    begin = end;
  }
  return result;
}

}  // namespace hackle
