// Data of a kind of its own as whole numbers, which is how details carry it; needs no Houdini.
#pragma once

#include <hackle/core/span.h>

#include <cstdint>
#include <vector>

namespace hackle::houdini {

/// The number of bytes, then the bytes, four to a word. Error(Failed) beyond 2 GB.
std::vector<int32_t> blobWords(Span<const uint8_t> bytes);
/// Error(BadInput) if these are no such words.
std::vector<uint8_t> blobBytes(Span<const int32_t> words);

}  // namespace hackle::houdini
