// What a node tells its user after a cook: figures, seconds, memory, or why it failed.
#pragma once

#include <hackle/core/context.h>
#include <hackle/ops/operator.h>

#include <exception>
#include <string>

namespace hackle::houdini {

/// The operator's figures in one line: "pieces: 20, volume_error: 0"; empty without any.
std::string figuresText(const Value& result);
/// "seconds: cut 0.2, pieces 1.3"; empty where nothing was timed.
std::string stagesText(const Context& context);
/// "memory kept for the next cook: 12 MB"; empty below a megabyte.
std::string memoryText(size_t bytes);

/// Memory of what went through a port, about.
size_t itemBytes(const Item& item);

struct CookFailure {
  std::string text;  // with the remedy, where there is one
  bool interrupted = false;
};
/// What `thrown` means to the user of the node with that label.
CookFailure cookFailure(const std::exception_ptr& thrown, const std::string& label);

}  // namespace hackle::houdini
