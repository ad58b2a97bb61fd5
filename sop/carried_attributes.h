// Arrays and dictionaries: Geometry has no place for them, so they stay in Houdini's details and follow the
// elements from the inputs of a node to its output.
#pragma once

#include <GA/GA_Types.h>

#include <vector>

class GA_Attribute;
class GU_Detail;

namespace hackle::houdini {

/// Integer attribute of two components that goes through the operator: number of the input and offset of the
/// element there that this one came from; -1 where it is new. What was in the packed primitive number p of an
/// input has the number of the input plus (p + 1) * kPackedOrigin.
extern const char* const kOriginAttribute;
constexpr int kPackedOrigin = 10000;

/// False for numbers and strings, which Geometry takes.
bool isCarried(const GA_Attribute& attribute);
bool hasCarried(const GU_Detail& detail, GA_AttributeOwner owner);

/// Gives every element with an origin the carried attributes of the element that it came from, then drops the
/// origins. Those of the whole detail come from the first input that has them. `inputs` may hold nulls.
void carryAttributes(const std::vector<const GU_Detail*>& inputs, GU_Detail& detail);

}  // namespace hackle::houdini
