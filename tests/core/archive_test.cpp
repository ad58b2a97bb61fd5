#include <gtest/gtest.h>
#include <hackle/core/archive.h>

namespace hackle {
namespace {

ArchiveWriter sample() {
  ArchiveWriter archive("test", 3);
  archive.add("whole", std::vector<int32_t>{1, -2, 3});
  archive.add("long", std::vector<int64_t>{int64_t(1) << 40});
  archive.add("single", std::vector<float>{0.5f});
  archive.add("double", std::vector<double>{0.1, 1e300});
  archive.add("bytes", std::vector<uint8_t>{7, 0});
  archive.add("nothing", std::vector<double>{});
  archive.addText("text", "caf\xc3\xa9");
  archive.addTexts("texts", {"a", "", "b\nc"});
  return archive;
}

TEST(Archive, GivesBackWhatWasPutIn) {
  const std::string bytes = sample().finish();
  const ArchiveReader archive(bytes, "test", 3);
  EXPECT_EQ(archive.int32s("whole"), (std::vector<int32_t>{1, -2, 3}));
  EXPECT_EQ(archive.int64s("long"), (std::vector<int64_t>{int64_t(1) << 40}));
  EXPECT_EQ(archive.float32s("single"), (std::vector<float>{0.5f}));
  EXPECT_EQ(archive.float64s("double"), (std::vector<double>{0.1, 1e300}));
  EXPECT_EQ(archive.bytes("bytes"), (std::vector<uint8_t>{7, 0}));
  EXPECT_TRUE(archive.float64s("nothing").empty());
  EXPECT_EQ(archive.text("text"), "caf\xc3\xa9");
  EXPECT_EQ(archive.texts("texts"), (std::vector<std::string>{"a", "", "b\nc"}));
  EXPECT_TRUE(archive.has("whole"));
  EXPECT_FALSE(archive.has("half"));
  EXPECT_EQ(sample().finish(), bytes);
  EXPECT_TRUE(isArchive(bytes, "test"));
  EXPECT_FALSE(isArchive(bytes, "tes"));
  EXPECT_FALSE(isArchive("", "test"));
}

TEST(Archive, NamesWhatIsMissing) {
  const std::string bytes = sample().finish();
  const ArchiveReader archive(bytes, "test", 3);
  const auto message = [&](const auto& call) -> std::string {
    try {
      call();
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::BadInput);
      return e.what();
    }
    return "";
  };
  EXPECT_EQ(message([&] { archive.int32s("half"); }), "the file is damaged: the section half is missing");
  EXPECT_EQ(message([&] { archive.int32s("double"); }),
            "the file is damaged: the section double is of another type");
  EXPECT_EQ(message([&] { ArchiveReader(bytes, "test", 4); }),
            "the file has version 3 of the test format, this program reads version 4");
  EXPECT_EQ(message([&] { ArchiveReader(bytes, "text", 3); }),
            "this is another kind of cache, not a text file");
}

TEST(Archive, NoticesEveryChangedBit) {
  const std::string bytes = sample().finish();
  for (size_t at = 0; at < bytes.size(); ++at)
    for (int bit = 0; bit < 8; ++bit) {
      if (at >= 48 && at < 64) continue;  // zeros that nobody reads
      std::string bent = bytes;
      bent[at] = static_cast<char>(bent[at] ^ (1 << bit));
      EXPECT_THROW(ArchiveReader(bent, "test", 3), Error) << at;
    }
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_THROW(ArchiveReader(bytes.substr(0, size), "test", 3), Error);
}

TEST(Archive, ChecksumsTellBytesApart) {
  EXPECT_NE(checksum64(""), checksum64(std::string(1, '\0')));
  EXPECT_NE(checksum64("ab"), checksum64("ba"));
  EXPECT_NE(checksum64("ab"), checksum64("ab", 1));
  std::string words(64, '\0');
  const uint64_t zero = checksum64(words);
  words[8] = 1;
  const uint64_t second = checksum64(words);
  words[8] = 0;
  words[16] = 1;
  EXPECT_NE(second, checksum64(words));
  EXPECT_NE(second, zero);
}

}  // namespace
}  // namespace hackle
