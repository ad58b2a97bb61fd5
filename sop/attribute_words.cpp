#include <sop/attribute_words.h>

#include <utility>

namespace hackle::houdini {

namespace {

const std::pair<const char*, GA_TypeInfo> kWords[] = {
    {"point", GA_TYPE_POINT},
    {"hpoint", GA_TYPE_HPOINT},
    {"vector", GA_TYPE_VECTOR},
    {"normal", GA_TYPE_NORMAL},
    {"color", GA_TYPE_COLOR},
    {"quaternion", GA_TYPE_QUATERNION},
    {"matrix", GA_TYPE_TRANSFORM},
    {"texturecoord", GA_TYPE_TEXTURE_COORD},
    {"nonarithmetic_integer", GA_TYPE_NONARITHMETIC_INTEGER},
};

}  // namespace

Qualifier qualifierOf(GA_TypeInfo info) {
  for (const auto& [word, type] : kWords)
    if (type == info) return word;
  return {};
}

GA_TypeInfo typeInfoOf(const Qualifier& qualifier) {
  for (const auto& [word, type] : kWords)
    if (qualifier == word) return type;
  return GA_TYPE_VOID;
}

Storage storageOf(GA_Storage storage) {
  switch (storage) {
    case GA_STORE_REAL16:
    case GA_STORE_REAL32:
      return Storage::Float32;
    case GA_STORE_REAL64:
      return Storage::Float64;
    case GA_STORE_INT64:
      return Storage::Int64;
    default:
      return Storage::Int32;
  }
}

GA_Storage houdiniStorage(Storage storage) {
  switch (storage) {
    case Storage::Float32:
      return GA_STORE_REAL32;
    case Storage::Float64:
      return GA_STORE_REAL64;
    case Storage::Int64:
      return GA_STORE_INT64;
    default:
      return GA_STORE_INT32;
  }
}

GA_AttributeOwner houdiniOwner(Owner owner) {
  switch (owner) {
    case Owner::Point:
      return GA_ATTRIB_POINT;
    case Owner::Vertex:
      return GA_ATTRIB_VERTEX;
    case Owner::Primitive:
      return GA_ATTRIB_PRIMITIVE;
    default:
      return GA_ATTRIB_GLOBAL;
  }
}

}  // namespace hackle::houdini
