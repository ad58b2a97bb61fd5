#include <hackle/io/bytes.h>

#include <hackle/core/error.h>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <random>

namespace hackle {

MappedFile::MappedFile(const std::filesystem::path& path) {
  const auto refuse = [&](const std::string& reason) {
    throw Error(ErrorCode::Io, fmt::format("cannot read {}: {}", path.string(), reason));
  };
  // Without waiting for the other end of a pipe, which is refused below.
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
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

/// What a chain of links ends in, whether that exists or not.
static std::filesystem::path linkTarget(std::filesystem::path path) {
  constexpr int kLongestChain = 40;  // as Linux has it
  std::error_code failure;
  for (int i = 0; i < kLongestChain && std::filesystem::is_symlink(path, failure); ++i) {
    const std::filesystem::path target = std::filesystem::read_symlink(path, failure);
    if (failure) break;
    path = path.parent_path() / target;  // an absolute target stands alone
  }
  return path;
}

AtomicFile::AtomicFile(std::filesystem::path path) : mPath(linkTarget(std::move(path))) {
  // A link keeps pointing where it did; a device or a pipe is written to, never replaced.
  struct stat known {};
  const bool exists = ::stat(mPath.c_str(), &known) == 0;
  if (exists && S_ISDIR(known.st_mode)) {
    errno = EISDIR;
    fail("cannot write");
  }
  mDirect = exists && !S_ISREG(known.st_mode);
  if (mDirect) {
    mTemporary = mPath;
    mDescriptor = ::open(mTemporary.c_str(), O_WRONLY | O_CLOEXEC);
  } else {
    openTemporary();
  }
  if (mDescriptor < 0) fail("cannot write");
  if (exists && !mDirect) ::fchmod(mDescriptor, known.st_mode & 07777);  // as it was, where we may
}

/// A new file under a name that nobody can foresee: what is there already, a planted link too, is left alone.
void AtomicFile::openTemporary() {
  constexpr size_t kLongestName = 200;  // leaves room for the rest within the usual 255 bytes
  constexpr int kAttempts = 100;
  const std::string name = mPath.filename().string().substr(0, kLongestName);
  std::random_device random;
  for (int attempt = 0; mDescriptor < 0 && attempt < kAttempts; ++attempt) {
    mTemporary = mPath.parent_path() / fmt::format(".{}.{:08x}{:08x}.part", name, random(), random());
    mDescriptor = ::open(mTemporary.c_str(), O_WRONLY | O_CLOEXEC | O_CREAT | O_EXCL | O_NOFOLLOW, 0666);
    if (mDescriptor < 0 && errno != EEXIST) return;
  }
}

AtomicFile::~AtomicFile() {
  if (mDescriptor < 0) return;
  ::close(mDescriptor);
  if (!mDirect) ::unlink(mTemporary.c_str());
}

void AtomicFile::fail(const char* what) const {
  const int reason = errno;
  std::string remedy;
  if (reason == ENOENT) remedy = "make the folder first";
  if (reason == EISDIR) remedy = "give the name of a file in it";
  if (reason == EACCES || reason == EROFS) remedy = "write to a folder that you may change";
  if (reason == ENOSPC || reason == EFBIG || reason == EDQUOT)
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
  // On disk before it takes the name: a machine that stops in between leaves the old file.
  const bool kept = mDirect || ::fsync(descriptor) == 0 || errno == EINVAL || errno == EROFS;
  int reason = kept ? 0 : errno;
  if (::close(descriptor) != 0 && reason == 0) reason = errno;
  if (reason == 0 && (mDirect || ::rename(mTemporary.c_str(), mPath.c_str()) == 0)) return;
  if (reason == 0) reason = errno;
  if (!mDirect) ::unlink(mTemporary.c_str());
  errno = reason;
  fail("cannot write");
}

}  // namespace hackle
