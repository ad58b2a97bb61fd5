#include <hackle/core/error.h>
#include <sop/package/blob_words.h>

#include <cstring>

namespace hackle::houdini {

std::vector<int32_t> blobWords(Span<const uint8_t> bytes) {
  if (bytes.size() > size_t{INT32_MAX})
    throw Error(ErrorCode::Failed, "the data is larger than 2 GB, which a detail cannot carry",
                "use fewer modes or a coarser mesh");
  std::vector<int32_t> words(1 + (bytes.size() + 3) / 4, 0);
  words[0] = static_cast<int32_t>(bytes.size());
  if (!bytes.empty()) std::memcpy(words.data() + 1, bytes.data(), bytes.size());
  return words;
}

std::vector<uint8_t> blobBytes(Span<const int32_t> words) {
  if (words.empty() || words[0] < 0 || (static_cast<size_t>(words[0]) + 3) / 4 + 1 > words.size())
    throw Error(ErrorCode::BadInput, "there is no Hackle data on the input",
                "connect the node that makes it and choose its data as output");
  const auto* bytes = reinterpret_cast<const uint8_t*>(words.data() + 1);
  return {bytes, bytes + words[0]};
}

}  // namespace hackle::houdini
