#include <hackle/io/bytes.h>

#include <hackle/core/error.h>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <mutex>
#include <random>
#include <set>

namespace hackle {

namespace {

struct Descriptor {
  int number;
  ~Descriptor() {
    if (number >= 0) ::close(number);
  }
};

/// ".name.0123456789abcdef.part"
bool isTemporaryName(std::string_view name) {
  constexpr std::string_view kEnd = ".part", kDigits = "0123456789abcdef";
  constexpr size_t kTail = 1 + 16 + kEnd.size();
  if (name.size() < kTail + 2 || name[0] != '.' || name.substr(name.size() - kEnd.size()) != kEnd)
    return false;
  const std::string_view tail = name.substr(name.size() - kTail, 17);
  return tail[0] == '.' && tail.find_first_not_of(kDigits, 1) == std::string_view::npos;
}

/// Temporary files of earlier runs that were killed: nobody holds their lock any more. Once a folder.
void removeAbandoned(const std::filesystem::path& folder) {
  constexpr auto kOld = std::chrono::hours(1);  // longer than between making a file and locking it
  static std::mutex mutex;
  static std::set<std::filesystem::path> seen;
  const std::lock_guard<std::mutex> lock(mutex);
  if (!seen.insert(folder).second) return;
  std::error_code failure;
  const std::filesystem::path place = folder.empty() ? "." : folder;
  for (std::filesystem::directory_iterator it(place, failure), end; !failure && it != end;
       it.increment(failure)) {
    if (!isTemporaryName(it->path().filename().string())) continue;
    std::error_code gone;
    const auto age = std::filesystem::file_time_type::clock::now() - it->last_write_time(gone);
    if (gone || age < kOld || it->symlink_status(gone).type() != std::filesystem::file_type::regular)
      continue;
    const Descriptor file{::open(it->path().c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW)};
    if (file.number >= 0 && ::flock(file.number, LOCK_EX | LOCK_NB) == 0) ::unlink(it->path().c_str());
  }
}

}  // namespace

FileBytes::FileBytes(const std::filesystem::path& path, const Context* context) {
  const auto refuse = [&](const std::string& reason, const char* remedy = "") {
    throw Error(ErrorCode::Io, fmt::format("cannot read {}: {}", path.string(), reason), remedy);
  };
  // Without waiting for the other end of a pipe, which is refused below.
  const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  struct stat info {};
  if (file.number < 0 || ::fstat(file.number, &info) != 0) refuse(std::strerror(errno));
  if (!S_ISREG(info.st_mode)) refuse(S_ISDIR(info.st_mode) ? "it is a folder" : "it is not a plain file");
  // Read, not mapped: a file that somebody shortens meanwhile would end the whole process.
  mSize = static_cast<size_t>(info.st_size);
  mData.reset(new char[mSize]);
  constexpr size_t kSlice = size_t(1) << 22;  // small enough to notice a cancel in time
  for (size_t at = 0; at < mSize;) {
    if (context) context->checkCancel();
    const ssize_t got = ::read(file.number, mData.get() + at, std::min(kSlice, mSize - at));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) refuse(std::strerror(errno));
    if (got == 0) refuse("it became shorter while it was read", "try again once it is complete");
    at += static_cast<size_t>(got);
  }
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
  removeAbandoned(mPath.parent_path());
  for (int attempt = 0; mDescriptor < 0 && attempt < kAttempts; ++attempt) {
    mTemporary = mPath.parent_path() / fmt::format(".{}.{:08x}{:08x}.part", name, random(), random());
    mDescriptor = ::open(mTemporary.c_str(), O_WRONLY | O_CLOEXEC | O_CREAT | O_EXCL | O_NOFOLLOW, 0666);
    if (mDescriptor < 0 && errno != EEXIST) return;
  }
  if (mDescriptor >= 0) ::flock(mDescriptor, LOCK_EX | LOCK_NB);  // "somebody writes this"
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
