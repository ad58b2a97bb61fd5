// Names for how attributes transform, and storages, on both sides of the bridge.
#pragma once

#include <hackle/geometry/attribute.h>

#include <GA/GA_Types.h>

namespace hackle::houdini {

/// "normal" for GA_TYPE_NORMAL; "" for plain numbers and what Geometry has no word for.
Qualifier qualifierOf(GA_TypeInfo info);
/// GA_TYPE_VOID for other words.
GA_TypeInfo typeInfoOf(const Qualifier& qualifier);

/// The storage that holds all values of one of Houdini's; 8 and 16 bits become 32.
Storage storageOf(GA_Storage storage);
GA_Storage houdiniStorage(Storage storage);

GA_AttributeOwner houdiniOwner(Owner owner);

}  // namespace hackle::houdini
