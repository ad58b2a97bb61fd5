#include <hackle/core/progress_detail.h>

#include <hackle/core/context_shared.h>

namespace hackle {

void setProgressDetail(Context& context, std::string detail) {
  const std::lock_guard<std::mutex> lock(context.shared().detailMutex);
  context.shared().detail = std::move(detail);
}

std::string progressDetail(const Context& context) {
  const std::lock_guard<std::mutex> lock(context.shared().detailMutex);
  return context.shared().detail;
}

}  // namespace hackle
