#include <hackle/io/houdini/read_scope.h>

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <vector>

namespace hackle::houdini {

namespace {

constexpr uint64_t kAlwaysAllowed = uint64_t(64) << 20;
constexpr uint64_t kLargestRatio = 256;
constexpr size_t kNamesInWarning = 8;

}  // namespace

void ReadScope::claim(uint64_t count, uint64_t bytesEach) {
  const uint64_t most = std::max(kAlwaysAllowed, kLargestRatio * mFileBytes);
  const bool tooMany = bytesEach != 0 && count > std::numeric_limits<uint64_t>::max() / 2 / bytesEach;
  if (!tooMany) mClaimed += count * bytesEach;
  if (tooMany || mClaimed > most)
    throw Error(ErrorCode::BadInput,
                fmt::format("asks for more than {} MB of memory, {} times its own size", most >> 20,
                            most / std::max<uint64_t>(mFileBytes, 1)),
                "the file is damaged, or no geometry");
}

std::string ReadScope::text(std::string_view view) {
  claim(1, sizeof(std::string) + view.size());
  return std::string(view);
}

void ReadScope::skipAttribute(std::string_view type, const std::string& name) {
  mAttributes[std::string(type)].insert(name);
}

void ReadScope::skipPrimitives(std::string_view type, size_t count) {
  mPrimitives[std::string(type)] += count;
}

std::string ReadScope::skippedPrimitives() const {
  std::vector<std::string> parts;
  for (const auto& [type, count] : mPrimitives) parts.push_back(fmt::format("{} {}", count, type));
  return fmt::format("{}", fmt::join(parts, ", "));
}

void ReadScope::reportSkipped() const {
  for (const auto& [type, names] : mAttributes) {
    const size_t shown = std::min(names.size(), kNamesInWarning);
    const std::string more =
        names.size() > shown ? fmt::format(" and {} more", names.size() - shown) : std::string();
    mContext.warn(fmt::format(
        "attributes of type {} were left out: {}{}", type,
        fmt::join(names.begin(), std::next(names.begin(), static_cast<std::ptrdiff_t>(shown)), ", "), more));
  }
  for (const auto& [type, count] : mPrimitives)
    mContext.warn(fmt::format("{} {} primitive{} left out", count, type, count == 1 ? " was" : "s were"));
}

}  // namespace hackle::houdini
