#include <hackle/io/bytes.h>

#include <hackle/core/error.h>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>

namespace hackle {

MappedFile::MappedFile(const std::filesystem::path& path) {
  const auto refuse = [&](const std::string& reason) {
    throw Error(ErrorCode::Io, fmt::format("cannot read {}: {}", path.string(), reason));
  };
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) refuse(std::strerror(errno));
  struct stat info {};
  const bool known = ::fstat(descriptor, &info) == 0;
  std::string reason;
  if (!known)
    reason = std::strerror(errno);
  else if (!S_ISREG(info.st_mode))
    reason = S_ISDIR(info.st_mode) ? "it is a folder" : "it is not a plain file";
  if (reason.empty() && info.st_size > 0) {
    mSize = static_cast<size_t>(info.st_size);
    void* data = ::mmap(nullptr, mSize, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (data == MAP_FAILED)
      reason = std::strerror(errno);
    else
      mData = static_cast<const char*>(data);
  }
  ::close(descriptor);
  if (!reason.empty()) refuse(reason);
}

MappedFile::~MappedFile() {
  if (mData) ::munmap(const_cast<char*>(mData), mSize);
}

AtomicFile::AtomicFile(std::filesystem::path path) : mPath(std::move(path)) {
  // What is there already must be a plain file; through a link, the file that it leads to is replaced.
  std::error_code error;
  const std::filesystem::file_status link = std::filesystem::symlink_status(mPath, error);
  if (std::filesystem::is_symlink(link)) {
    const std::filesystem::path target = std::filesystem::weakly_canonical(mPath, error);
    if (!error) mPath = target;
  }
  const std::filesystem::file_status status = std::filesystem::status(mPath, error);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
    throw Error(ErrorCode::Io,
                fmt::format("cannot write {}: it is {}", mPath.string(),
                            std::filesystem::is_directory(status) ? "a folder" : "no plain file"),
                "give the name of a file");

  static std::atomic<unsigned> serial{0};
  constexpr size_t kLongestName = 200;  // leaves room for the rest within the usual 255 bytes
  mTemporary =
      mPath.parent_path() /
      fmt::format(".{}.{}-{}.part", mPath.filename().string().substr(0, kLongestName), ::getpid(), serial++);
  mDescriptor = ::open(mTemporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (mDescriptor < 0) fail("cannot write");
}

AtomicFile::~AtomicFile() {
  if (mDescriptor >= 0) {
    ::close(mDescriptor);
    ::unlink(mTemporary.c_str());
  }
}

void AtomicFile::fail(const char* what) const {
  const int reason = errno;
  std::string remedy;
  if (reason == ENOENT) remedy = "make the folder first";
  if (reason == EACCES || reason == EROFS) remedy = "write to a folder that you may change";
  if (reason == ENOSPC || reason == EDQUOT || reason == EFBIG)
    remedy = "free some space; the file that was there before is untouched";
  throw Error(ErrorCode::Io, fmt::format("{} {}: {}", what, mPath.string(), std::strerror(reason)), remedy);
}

void AtomicFile::write(std::string_view bytes) {
  constexpr size_t kChunk = size_t(1) << 26;
  while (!bytes.empty()) {
    const ssize_t written = ::write(mDescriptor, bytes.data(), std::min(bytes.size(), kChunk));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("cannot write");
    bytes.remove_prefix(static_cast<size_t>(written));
  }
}

void AtomicFile::commit() {
  const int descriptor = mDescriptor;
  mDescriptor = -1;
  if (::close(descriptor) != 0 || ::rename(mTemporary.c_str(), mPath.c_str()) != 0) {
    const int reason = errno;
    ::unlink(mTemporary.c_str());
    errno = reason;
    fail("cannot write");
  }
}

}  // namespace hackle
