#include <hackle/core/warning_callback.h>

#include <hackle/core/context_shared.h>

namespace hackle {

void setWarningCallback(Context& context, std::function<void(const std::string&)> callback) {
  const std::lock_guard<std::mutex> lock(context.shared().mutex);
  context.shared().warningCallback = std::move(callback);
}

}  // namespace hackle
