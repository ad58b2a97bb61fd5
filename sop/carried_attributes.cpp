#include <sop/carried_attributes.h>
#include <sop/detail_bridge.h>

#include <GA/GA_AttributeDict.h>
#include <GA/GA_AttributeSet.h>
#include <GA/GA_Handle.h>
#include <GA/GA_Iterator.h>
#include <GU/GU_Detail.h>
#include <GU/GU_PrimPacked.h>

#include <deque>
#include <utility>

namespace hackle::houdini {

const char* const kOriginAttribute = "hackle_origin";

namespace {

std::vector<const GA_Attribute*> carriedOf(const GU_Detail& detail, GA_AttributeOwner owner) {
  std::vector<const GA_Attribute*> found;
  const GA_AttributeDict& dict = detail.getAttributeDict(owner);
  for (GA_AttributeDict::iterator it = dict.begin(GA_SCOPE_PUBLIC); !it.atEnd(); ++it)
    if (isCarried(*it.attrib()) && it.attrib()->getName().toStdString() != kDataAttribute)
      found.push_back(it.attrib());
  return found;
}

/// The attribute of that name, made like `source` where the detail has none.
GA_Attribute* matching(GU_Detail& detail, GA_AttributeOwner owner, const GA_Attribute& source) {
  GA_Attribute* own = detail.findAttribute(owner, source.getName());
  if (own) return isCarried(*own) ? own : nullptr;
  return detail.getAttributes().cloneAttribute(owner, source.getName(), source, /*clone_options=*/true);
}

/// A detail and the number that origins have of it.
using Origin = std::pair<int64, const GU_Detail*>;

void carryElements(const std::vector<Origin>& inputs, GA_AttributeOwner owner, GU_Detail& detail) {
  const GA_ROHandleT<int64> origins(detail.findAttribute(owner, kOriginAttribute));
  for (const auto& [number, input] : inputs)
    for (const GA_Attribute* source : carriedOf(*input, owner)) {
      GA_Attribute* target = matching(detail, owner, *source);
      GA_Iterator blocks{GA_Range(detail.getIndexMap(owner))};
      GA_Offset start, end;
      while (target && blocks.fullBlockAdvance(start, end))
        for (GA_Offset element = start; element < end; ++element) {
          int64 origin[2];
          for (int c = 0; c < 2; ++c) origins.getBlock(element, 1, origin + c, 1, c);
          if (origin[0] == number && origin[1] >= 0) target->copy(element, *source, GA_Offset(origin[1]));
        }
    }
}

/// What is in the packed primitives of an input.
void addPackedOrigins(int64 number, const GU_Detail& input, std::deque<GU_Detail>& unpacked,
                      std::vector<Origin>& origins) {
  GA_Iterator blocks{GA_Range(input.getIndexMap(GA_ATTRIB_PRIMITIVE))};
  GA_Offset start, end;
  while (blocks.fullBlockAdvance(start, end))
    for (GA_Offset primitive = start; primitive < end; ++primitive) {
      const GEO_Primitive* packed = input.getGEOPrimitive(primitive);
      if (!packed || !GU_PrimPacked::isPackedPrimitive(*packed)) continue;
      number += kPackedOrigin;
      static_cast<const GU_PrimPacked*>(packed)->unpack(unpacked.emplace_back());
      origins.emplace_back(number, &unpacked.back());
    }
}

}  // namespace

bool isCarried(const GA_Attribute& attribute) {
  return !GA_ATINumeric::isType(&attribute) && !GA_ATIString::isType(&attribute);
}

bool hasCarried(const GU_Detail& detail, GA_AttributeOwner owner) {
  return !carriedOf(detail, owner).empty();
}

void carryAttributes(const std::vector<const GU_Detail*>& inputs, GU_Detail& detail) {
  std::vector<Origin> origins;
  std::deque<GU_Detail> unpacked;
  for (const GA_AttributeOwner owner : {GA_ATTRIB_POINT, GA_ATTRIB_VERTEX, GA_ATTRIB_PRIMITIVE}) {
    if (!detail.findAttribute(owner, kOriginAttribute)) continue;
    if (origins.empty())
      for (size_t i = 0; i < inputs.size(); ++i)
        if (inputs[i]) {
          origins.emplace_back(i, inputs[i]);
          addPackedOrigins(static_cast<int64>(i), *inputs[i], unpacked, origins);
        }
    carryElements(origins, owner, detail);
    detail.destroyAttribute(owner, kOriginAttribute);
  }
  for (const GU_Detail* input : inputs)
    if (input)
      for (const GA_Attribute* source : carriedOf(*input, GA_ATTRIB_GLOBAL))
        if (!detail.findAttribute(GA_ATTRIB_GLOBAL, source->getName()))
          matching(detail, GA_ATTRIB_GLOBAL, *source)->copy(GA_Offset(0), *source, GA_Offset(0));
}

}  // namespace hackle::houdini
