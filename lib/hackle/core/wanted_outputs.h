// Which outputs of a run somebody wants; what nobody wants is not computed.
#pragma once

#include <hackle/core/context.h>

#include <cstddef>
#include <vector>

namespace hackle {

/// For fronts, before the run: wanted[i] says whether output i is; those beyond the end are not. All are if
/// this is never called. What is computed is the same bytes whatever else is wanted.
void setWantedOutputs(Context& context, std::vector<bool> wanted);
/// For operators: an optional output that is not wanted may come out empty. Cheap.
bool isOutputWanted(const Context& context, size_t output);

}  // namespace hackle
