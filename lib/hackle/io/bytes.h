// Bytes of files: whole files in, whole files out under a temporary name.
#pragma once

#include <hackle/core/context.h>
#include <hackle/core/span.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace hackle {

/// All bytes of a file. Throws Error(Io) with the system's reason. Empty files are fine; folders and other
/// things that are no plain file are refused.
class FileBytes {
 public:
  /// Stops where the context, if there is one, is cancelled.
  explicit FileBytes(const std::filesystem::path& path, const Context* context = nullptr);
  FileBytes(const FileBytes&) = delete;
  FileBytes& operator=(const FileBytes&) = delete;
  std::string_view bytes() const { return {mData.get(), mSize}; }

 private:
  std::unique_ptr<char[]> mData;
  size_t mSize = 0;
};

/// Writes to a temporary name beside `path`; `commit` renames it there. Destroyed without commit, nothing is
/// left behind and an older file at `path` stays as it was. Links are followed; devices and pipes are written
/// to directly. Throws Error(Io) with the reason (disk full, no such folder).
class AtomicFile {
 public:
  explicit AtomicFile(std::filesystem::path path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  void write(std::string_view bytes);
  void commit();
  /// For writers that want a name, not bytes (OpenVDB).
  const std::filesystem::path& temporaryPath() const { return mTemporary; }

 private:
  void openTemporary();
  [[noreturn]] void fail(const char* what) const;
  std::filesystem::path mPath;
  std::filesystem::path mTemporary;
  int mDescriptor = -1;
  bool mDirect = false;  // to a device or a pipe
};

}  // namespace hackle
