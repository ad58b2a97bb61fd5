#include <hackle/io/bytes.h>
#include <hackle/io/file.h>
#include <io/format_support.h>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <set>
#include <sstream>

namespace hackle {
namespace {

std::string contents(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// The error of a call that must fail.
template <class F>
Error errorOf(const F& call) {
  try {
    call();
  } catch (const Error& e) {
    return e;
  }
  ADD_FAILURE() << "no error";
  return Error(ErrorCode::Internal, "");
}
bool says(const Error& error, const std::string& part) {
  return std::string(error.what()).find(part) != std::string::npos;
}

TEST(AtomicFile, AppearsWithTheCommitOnly) {
  const TemporaryFolder folder;
  {
    AtomicFile file(folder / "a.obj");
    file.write("new");
    EXPECT_FALSE(std::filesystem::exists(folder / "a.obj"));
    file.commit();
  }
  EXPECT_EQ(contents(folder / "a.obj"), "new");
  EXPECT_EQ(folder.entries(), 1u);
}

TEST(AtomicFile, WithoutCommitTheOldFileStays) {
  const TemporaryFolder folder;
  std::ofstream(folder / "a.obj") << "old";
  {
    AtomicFile file(folder / "a.obj");
    file.write("new");
    EXPECT_EQ(folder.entries(), 2u);
  }
  EXPECT_EQ(contents(folder / "a.obj"), "old");
  EXPECT_EQ(folder.entries(), 1u);
}

TEST(AtomicFile, TwoWritersOfOneNameDoNotMix) {
  const TemporaryFolder folder;
  AtomicFile first(folder / "a.obj"), second(folder / "a.obj");
  first.write("first");
  second.write("2");
  first.commit();
  EXPECT_EQ(contents(folder / "a.obj"), "first");
  second.commit();
  EXPECT_EQ(contents(folder / "a.obj"), "2");
}

TEST(AtomicFile, TemporaryNamesCannotBeForeseen) {
  const TemporaryFolder folder;
  std::set<std::string> names;
  for (int k = 0; k < 50; ++k) {
    const AtomicFile file(folder / "a");
    names.insert(file.temporaryPath().filename().string());
  }
  ASSERT_EQ(names.size(), 50u);
  // No name is the last one and a bit: neighbours differ in most of their digits.
  size_t equal = 0, all = 0;
  for (auto a = names.begin(), b = std::next(a); b != names.end(); ++a, ++b)
    for (size_t k = 4; k < a->size() - 5; ++k, ++all) equal += (*a)[k] == (*b)[k] ? 1 : 0;
  EXPECT_LT(equal, all / 3);
}

TEST(AtomicFile, CleansUpAfterRunsThatWereKilled) {
  const TemporaryFolder folder;
  const auto old = std::filesystem::file_time_type::clock::now() - std::chrono::hours(2);
  const std::string abandoned = ".a.obj.0123456789abcdef.part", busy = ".a.obj.00112233aabbccdd.part",
                    fresh = ".a.obj.ffffffffffffffff.part", foreign = ".a.obj.part";
  for (const std::string& name : {abandoned, busy, fresh, foreign}) std::ofstream(folder / name) << "x";
  for (const std::string& name : {abandoned, busy, foreign})
    std::filesystem::last_write_time(folder / name, old);
  const int writer = ::open((folder / busy).c_str(), O_RDONLY);
  ASSERT_EQ(::flock(writer, LOCK_EX), 0);
  AtomicFile(folder / "b.obj").commit();
  EXPECT_FALSE(std::filesystem::exists(folder / abandoned));
  for (const std::string& name : {busy, fresh, foreign})
    EXPECT_TRUE(std::filesystem::exists(folder / name)) << name;
  ::close(writer);
}

TEST(AtomicFile, LinksAreFollowed) {
  const TemporaryFolder folder;
  std::ofstream(folder / "target.obj") << "old";
  std::filesystem::create_symlink("target.obj", folder / "link.obj");
  AtomicFile file(folder / "link.obj");
  file.write("new");
  file.commit();
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link.obj"));
  EXPECT_EQ(contents(folder / "target.obj"), "new");
}

TEST(AtomicFile, LongNamesWork) {
  const TemporaryFolder folder;
  const std::string name = std::string(250, 'x') + ".obj";
  AtomicFile file(folder / name);
  file.write("new");
  file.commit();
  EXPECT_EQ(contents(folder / name), "new");
}

TEST(AtomicFile, SaysWhyItCannotWrite) {
  const TemporaryFolder folder;
  const Error missing = errorOf([&] { AtomicFile file(folder / "no/such/a.obj"); });
  EXPECT_EQ(missing.code(), ErrorCode::Io);
  EXPECT_TRUE(says(missing, "a.obj")) << missing.what();
  EXPECT_TRUE(says(missing, "No such file")) << missing.what();
  EXPECT_EQ(missing.remedy(), "make the folder first");

  std::filesystem::create_directory(folder / "dir.obj");
  EXPECT_TRUE(says(errorOf([&] { AtomicFile file(folder / "dir.obj"); }), "Is a directory"));
  // Devices are written to, also through a link, and never replaced.
  std::filesystem::create_symlink("/dev/full", folder / "full.obj");
  const auto fill = [&] {
    AtomicFile file(folder / "full.obj");
    file.write("x");
    file.commit();
  };
  EXPECT_TRUE(says(errorOf(fill), "No space left"));
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "full.obj"));
  std::ofstream(folder / "file") << "x";
  EXPECT_EQ(errorOf([&] { AtomicFile file(folder / "file/a.obj"); }).code(), ErrorCode::Io);
}

TEST(AtomicFile, ReadOnlyFoldersAreRefused) {
  using std::filesystem::perms;
  const TemporaryFolder folder;
  std::filesystem::permissions(folder / ".", perms::all);
  std::filesystem::create_directory(folder / "locked");
  std::filesystem::permissions(folder / "locked", perms::owner_read | perms::owner_exec | perms::others_exec);
  constexpr uid_t kNobody = 65534;  // root may write anywhere
  const bool isRoot = ::geteuid() == 0;
  if (isRoot && ::seteuid(kNobody) != 0) GTEST_SKIP() << "cannot become somebody who is not root";
  const Error error = errorOf([&] { AtomicFile file(folder / "locked/a.obj"); });
  EXPECT_EQ(isRoot ? ::seteuid(0) : 0, 0);
  EXPECT_EQ(error.code(), ErrorCode::Io);
  EXPECT_TRUE(says(error, "Permission denied")) << error.what();
}

/// A limit on file sizes stands in for a full disk; it holds for a child process only.
TEST(AtomicFile, AFullDiskLeavesTheOldFile) {
  const TemporaryFolder folder;
  std::ofstream(folder / "a.ply") << "old";
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{1000, 1000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    try {
      AtomicFile file(folder / "a.ply");
      file.write(std::string(5000, 'x'));
      file.commit();
      ::_exit(1);
    } catch (const Error& e) {
      ::_exit(e.code() == ErrorCode::Io ? 0 : 2);
    }
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(contents(folder / "a.ply"), "old");
  EXPECT_EQ(folder.entries(), 1u);
}

TEST(FileBytes, SaysWhyItCannotRead) {
  const TemporaryFolder folder;
  Context context;
  const Error missing = errorOf([&] { readGeometry(folder / "none.obj", context); });
  EXPECT_EQ(missing.code(), ErrorCode::Io);
  EXPECT_TRUE(says(missing, "none.obj")) << missing.what();
  std::filesystem::create_directory(folder / "dir.obj");
  EXPECT_TRUE(says(errorOf([&] { readGeometry(folder / "dir.obj", context); }), "it is a folder"));
  EXPECT_TRUE(says(errorOf([&] { FileBytes file("/dev/zero"); }), "not a plain file"));
  std::ofstream(folder / "empty.obj");
  EXPECT_EQ(readGeometry(folder / "empty.obj", context).pointCount(), 0u);
}

TEST(FileBytes, FilesThatBecomeShorterAreRefused) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder / "a.obj";
  std::ofstream(path) << std::string(9 << 20, '#');
  Context context;
  context.setCancelPoll([&] {  // asked first when the size is known and nothing is read yet
    std::filesystem::resize_file(path, 1 << 20);
    return false;
  });
  const Error error = errorOf([&] { FileBytes file(path, &context); });
  EXPECT_EQ(error.code(), ErrorCode::Io);
  EXPECT_TRUE(says(error, "shorter")) << error.what();
}

TEST(FileBytes, ReadingStopsWhenItIsCancelled) {
  const TemporaryFolder folder;
  std::ofstream(folder / "a.obj") << std::string(9 << 20, '#');
  Context context;
  context.cancel();
  EXPECT_EQ(errorOf([&] { FileBytes file(folder / "a.obj", &context); }).code(), ErrorCode::Cancelled);
}

TEST(FileBytes, DoesNotWaitForTheOtherEndOfAPipe) {
  const TemporaryFolder folder;
  const std::filesystem::path pipe = folder / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const Error error = errorOf([&] { FileBytes file(pipe); });
  EXPECT_NE(std::string(error.what()).find("it is not a plain file"), std::string::npos) << error.what();
}

TEST(File, FormatFollowsFromTheBytesThenFromTheName) {
  const TemporaryFolder folder;
  Context context;
  const Geometry g = polygonSample();
  for (const char* extension : {"ply", "ascii.ply", "off", "mesh"}) {
    std::ofstream(folder / "odd.obj") << writeAs(extension, g);
    EXPECT_EQ(readGeometry(folder / "odd.obj", context).pointCount(), 7u) << extension;
  }
  writeGeometry(folder / "UPPER.OBJ", g, context);
  EXPECT_EQ(readGeometry(folder / "UPPER.OBJ", context).pointCount(), 7u);
  EXPECT_EQ(errorOf([&] { writeGeometry(folder / "a.xyz", g, context); }).code(), ErrorCode::Usage);
  EXPECT_EQ(errorOf([&] { writeGeometry(folder / "a.nodes", g, context); }).code(), ErrorCode::Usage);
  std::ofstream(folder / "a.xyz") << "1 2 3";
  EXPECT_EQ(errorOf([&] { readGeometry(folder / "a.xyz", context); }).code(), ErrorCode::BadInput);
}

TEST(File, ErrorsNameTheFile) {
  const TemporaryFolder folder;
  Context context;
  std::ofstream(folder / "bad.obj") << "v 1 2\n";
  const Error error = errorOf([&] { readGeometry(folder / "bad.obj", context); });
  EXPECT_EQ(error.code(), ErrorCode::BadInput);
  EXPECT_TRUE(says(error, "bad.obj: line 1")) << error.what();
}

TEST(File, CancelledWritesLeaveNothing) {
  const TemporaryFolder folder;
  Context context;
  context.cancel();
  for (const char* name : {"a.obj", "a.ply", "a.stl", "a.ascii.stl", "a.off", "a.mesh"})
    EXPECT_EQ(errorOf([&] { writeGeometry(folder / name, polygonSample(), context); }).code(),
              ErrorCode::Cancelled)
        << name;
  EXPECT_EQ(folder.entries(), 0u);
}

TEST(File, BytesDoNotDependOnThreads) {
  const Geometry g = polygonSample();
  for (const Codec& codec : codecs())
    for (const std::string& extension : codec.format.extensions) {
      if (!codec.write) continue;
      Context one, many;
      one.setThreads(1);
      many.setThreads(8);
      try {
        EXPECT_EQ(codec.write(g, extension, one), codec.write(g, extension, many)) << extension;
      } catch (const Error& e) {
        EXPECT_EQ(e.code(), ErrorCode::BadInput) << extension << ": " << e.what();
      }
    }
}

}  // namespace
}  // namespace hackle
