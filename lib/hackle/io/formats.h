// The readers and writers, one pair a format. Readers take bytes, so that fuzzers and tests can feed them;
// each throws Error(BadInput) for malformed data and never allocates more than a small multiple of what it
// was given.
#pragma once

#include <hackle/core/context.h>
#include <hackle/geometry/geometry.h>

#include <string>
#include <string_view>

namespace hackle {}  // namespace hackle
