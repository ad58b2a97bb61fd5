#pragma once

namespace hackle {

/// "0.1.0"
const char* version();

}  // namespace hackle
