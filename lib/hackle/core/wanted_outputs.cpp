#include <hackle/core/context_shared.h>
#include <hackle/core/wanted_outputs.h>

namespace hackle {

void setWantedOutputs(Context& context, std::vector<bool> wanted) {
  context.shared().wantedOutputs = std::move(wanted);
}

bool isOutputWanted(const Context& context, size_t output) {
  const std::optional<std::vector<bool>>& wanted = context.shared().wantedOutputs;
  return !wanted || (output < wanted->size() && (*wanted)[output]);
}

}  // namespace hackle
