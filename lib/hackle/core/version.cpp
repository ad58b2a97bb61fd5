#include <hackle/core/version.h>

namespace hackle {

const char* version() { return HACKLE_VERSION; }

}  // namespace hackle
