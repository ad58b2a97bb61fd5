// Moving pictures as animated WebP files.
#pragma once

#include <hackle/core/context.h>
#include <hackle/geometry/image.h>

#include <string>
#include <vector>

namespace hackle {

/// Frames of equal size, shown for 1 / rate (s) each, over and over. `quality` 0 to 100. Equal pictures give
/// equal bytes. Error(BadInput) if there is no frame or sizes differ, Error(Failed) if the encoder gives up.
std::string animatedWebp(const std::vector<Image>& frames, double rate, double quality, Context& context);

}  // namespace hackle
