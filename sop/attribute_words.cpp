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
const std::pair<Storage, GA_Storage> kStorages[] = {
    {Storage::Float32, GA_STORE_REAL32},
    {Storage::Float64, GA_STORE_REAL64},
    {Storage::Int32, GA_STORE_INT32},
    {Storage::Int64, GA_STORE_INT64},
};
const std::pair<Owner, GA_AttributeOwner> kOwners[] = {
    {Owner::Point, GA_ATTRIB_POINT},
    {Owner::Vertex, GA_ATTRIB_VERTEX},
    {Owner::Primitive, GA_ATTRIB_PRIMITIVE},
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
  for (const auto& [own, houdini] : kStorages)
    if (houdini == storage) return own;
  return storage == GA_STORE_REAL16 ? Storage::Float32 : Storage::Int32;
}

GA_Storage houdiniStorage(Storage storage) {
  for (const auto& [own, houdini] : kStorages)
    if (own == storage) return houdini;
  return GA_STORE_INT32;
}

GA_AttributeOwner houdiniOwner(Owner owner) {
  for (const auto& [own, houdini] : kOwners)
    if (own == owner) return houdini;
  return GA_ATTRIB_GLOBAL;
}

}  // namespace hackle::houdini
