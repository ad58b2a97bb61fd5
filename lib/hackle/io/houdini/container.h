// Wrappers around geometry files: gzip (.gz) and SideFX's seekable container of Blosc chunks (.sc).
#pragma once

#include <hackle/core/context.h>

#include <string>
#include <string_view>

namespace hackle::houdini {

bool isGzip(std::string_view bytes);
bool isScf(std::string_view bytes);

/// What is inside. Error(BadInput) with the byte if the container is damaged, or if it claims to hold more
/// than a hundred times its size (and more than 64 MB): no geometry compresses like that.
std::string unwrapGzip(std::string_view bytes, Context& context);
std::string unwrapScf(std::string_view bytes, Context& context);

/// The same payload gives the same bytes on any number of threads.
std::string wrapGzip(std::string_view payload, Context& context);
std::string wrapScf(std::string_view payload, Context& context);

}  // namespace hackle::houdini
