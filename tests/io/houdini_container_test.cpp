// The .gz and .sc wrappers.
#include <hackle/core/error.h>
#include <hackle/core/random.h>
#include <hackle/io/houdini/container.h>

#include <gtest/gtest.h>
#include <sys/resource.h>

namespace hackle::houdini {
namespace {

/// Bytes that compress a little, like real geometry.
std::string payload(size_t size) {
  std::string bytes(size, '\0');
  Random random(size);
  for (size_t i = 0; i < size; i += 4) bytes[i] = static_cast<char>(random.below(256));
  return bytes;
}

TEST(HoudiniContainer, KeepsPayloadsOfEverySize) {
  Context context;
  for (const size_t size : {0, 1, 3, 1000, (1 << 20) - 1, 1 << 20, (1 << 20) + 1, 3'000'000}) {
    const std::string bytes = payload(size);
    EXPECT_TRUE(unwrapGzip(wrapGzip(bytes, context), context) == bytes) << size;
    EXPECT_TRUE(unwrapScf(wrapScf(bytes, context), context) == bytes) << size;
  }
}

TEST(HoudiniContainer, DoesNotDependOnThreads) {
  const std::string bytes = payload(3'500'000);
  Context one, two;
  one.setThreads(1);
  two.setThreads(2);
  EXPECT_TRUE(wrapScf(bytes, one) == wrapScf(bytes, two));
  EXPECT_TRUE(wrapGzip(bytes, one) == wrapGzip(bytes, two));
}

/// The layout that Houdini writes: numbers big-endian, last of the index the size of the last block.
TEST(HoudiniContainer, HasTheLayoutOfHoudini) {
  Context context;
  const std::string bytes = wrapScf(payload((1 << 20) + 5), context);
  EXPECT_EQ(bytes.substr(0, 4), "scf1");
  EXPECT_EQ(bytes.substr(bytes.size() - 4), "1fcs");
  const auto number = [&](size_t fromEnd) {
    uint64_t value = 0;
    for (size_t i = 0; i < 8; ++i)
      value = value << 8 | static_cast<uint8_t>(bytes[bytes.size() - fromEnd + i]);
    return value;
  };
  EXPECT_EQ(number(12), 24u);       // bytes of the index
  EXPECT_EQ(number(20), 5u);        // last block
  EXPECT_EQ(number(28), 1u << 20);  // other blocks
  EXPECT_EQ(bytes[12], 2);          // Blosc's format version
  EXPECT_EQ(bytes[15], 4);          // size of a number
}

TEST(HoudiniContainer, ReadsConstantValuesThatItWrote) {
  Context context;
  const std::string zeros(80'000'000, '\0');  // a thousandth of it when compressed
  EXPECT_TRUE(unwrapGzip(wrapGzip(zeros, context), context) == zeros);
  EXPECT_TRUE(unwrapScf(wrapScf(zeros, context), context) == zeros);
}

TEST(HoudiniContainer, RefusesWhatIsCutOffOrDamaged) {
  Context context;
  const std::string gz = wrapGzip(payload(300'000), context), sc = wrapScf(payload(1'300'000), context);
  for (size_t cut = 1; cut < 100'000; cut = cut * 3 + 1) {
    EXPECT_THROW(unwrapGzip(gz.substr(0, gz.size() - cut), context), Error) << cut;
    EXPECT_THROW(unwrapScf(sc.substr(0, sc.size() - cut), context), Error) << cut;
  }
  Random random(5);
  for (int trial = 0; trial < 100; ++trial) {
    std::string damaged = trial % 2 ? gz : sc;
    damaged[random.below(trial < 40 ? 64 : damaged.size())] ^= static_cast<char>(1 + random.below(255));
    try {
      trial % 2 ? unwrapGzip(damaged, context) : unwrapScf(damaged, context);
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::BadInput);
    }
  }
}

TEST(HoudiniContainer, RefusesWhatWouldFillTheMemory) {
  Context context;
  const std::string bytes = wrapScf(std::string(size_t(70) << 20, '\0'), context);
  rlimit limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_AS, &limit), 0);
  const rlimit little{rlim_t(250) << 20, limit.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_AS, &little), 0);
  std::string message;
  try {
    unwrapScf(bytes, context);
  } catch (const Error& e) {
    message = e.what();
  }
  ::setrlimit(RLIMIT_AS, &limit);
  EXPECT_NE(message.find("a quarter of the memory"), std::string::npos) << message;
}

TEST(HoudiniContainer, RefusesSizesThatNoCompressorReaches) {
  Context context;
  std::string bytes = wrapScf(payload(620), context);
  bytes[12 + 4 + 3] = 2;  // Blosc's header says 32 MB
  try {
    unwrapScf(bytes, context);
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::BadInput);
    EXPECT_NE(std::string(e.what()).find("this is no geometry"), std::string::npos) << e.what();
  }
}

TEST(HoudiniContainer, CanBeCancelled) {
  Context context;
  context.cancel();
  EXPECT_THROW(wrapScf(payload(3'000'000), context), Error);
  EXPECT_THROW(wrapGzip(payload(3'000'000), context), Error);
}

}  // namespace
}  // namespace hackle::houdini
