// Named arrays of numbers and text in one block of bytes: what caches are made of.
#pragma once

#include <hackle/core/error.h>
#include <hackle/core/span.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hackle {

enum class ArchiveType : uint8_t { Bytes, Int32, Int64, Float32, Float64 };

/// Collects sections and puts them together. Numbers are little endian; the same sections give the same
/// bytes.
class ArchiveWriter {
 public:
  /// `kind` says what the archive is ("modes", at most 16 letters), `version` of its kind.
  ArchiveWriter(std::string kind, uint32_t version) : mKind(std::move(kind)), mVersion(version) {}

  void add(const std::string& name, Span<const int32_t> values);
  void add(const std::string& name, Span<const int64_t> values);
  void add(const std::string& name, Span<const float> values);
  void add(const std::string& name, Span<const double> values);
  void add(const std::string& name, Span<const uint8_t> values);
  void addText(const std::string& name, std::string_view text);
  /// Several texts, of any letters.
  void addTexts(const std::string& name, const std::vector<std::string>& texts);

  std::string finish() const;

 private:
  struct Section {
    std::string name;
    ArchiveType type;
    std::string bytes;
  };
  template <class T>
  void addValues(const std::string& name, ArchiveType type, Span<const T> values);
  std::string mKind;
  uint32_t mVersion;
  std::vector<Section> mSections;
};

/// Views the sections of an archive; the bytes must outlive it. Whatever the bytes are, nothing outside of
/// them is read and no more memory is taken than they have.
class ArchiveReader {
 public:
  /// Error(BadInput), in this order, for bytes that are no archive, one of another kind, another version, cut
  /// off, or damaged (checksum).
  ArchiveReader(std::string_view bytes, const std::string& kind, uint32_t version);

  bool has(const std::string& name) const;
  // Each is an Error(BadInput) that names the section if it is missing or of another type.
  std::vector<int32_t> int32s(const std::string& name) const;
  std::vector<int64_t> int64s(const std::string& name) const;
  std::vector<float> float32s(const std::string& name) const;
  std::vector<double> float64s(const std::string& name) const;
  std::vector<uint8_t> bytes(const std::string& name) const;
  std::string text(const std::string& name) const;
  std::vector<std::string> texts(const std::string& name) const;

 private:
  struct Section {
    std::string_view name;
    ArchiveType type;
    std::string_view bytes;
  };
  template <class T>
  std::vector<T> values(const std::string& name, ArchiveType type) const;
  const Section& find(const std::string& name, ArchiveType type) const;
  std::vector<Section> mSections;
};

/// True if the bytes begin as an archive of that kind does, damaged or not.
bool isArchive(std::string_view bytes, const std::string& kind);

/// 64 bits that change with any change of the bytes but for one chance in 2^64; the same on every machine.
uint64_t checksum64(std::string_view bytes, uint64_t seed = 0);

}  // namespace hackle
