#include <hackle/io/ply_header.h>

#include <hackle/io/text_scanner.h>

#include <fmt/format.h>

#include <algorithm>

namespace hackle::ply {

namespace {

struct TypeName {
  Type type;
  const char* name;
  const char* sizedName;
  size_t bytes;
};
constexpr TypeName kTypes[] = {
    {Type::Int8, "char", "int8", 1},        {Type::UInt8, "uchar", "uint8", 1},
    {Type::Int16, "short", "int16", 2},     {Type::UInt16, "ushort", "uint16", 2},
    {Type::Int32, "int", "int32", 4},       {Type::UInt32, "uint", "uint32", 4},
    {Type::Float32, "float", "float32", 4}, {Type::Float64, "double", "float64", 8},
};
constexpr size_t kMostProperties = 1000;  // of an element; more is no mesh

class HeaderParser {
 public:
  HeaderParser(std::string_view bytes, Context& context) : mScan(bytes, context) {}

  Header parse() {
    if (mScan.word() != "ply") mScan.failAt(0, "the file does not begin with ply");
    bool hasFormat = false;
    while (true) {
      mScan.nextLine();
      const std::string_view keyword = mScan.word();
      if (keyword == "end_header") break;
      if (keyword == "format") {
        format();
        hasFormat = true;
      } else if (keyword == "element") {
        element();
      } else if (keyword == "property") {
        property();
      } else if (keyword.empty() && mScan.remaining() == 0) {
        mScan.fail("the header has no end_header");
      } else if (!keyword.empty() && keyword != "comment" && keyword != "obj_info") {
        mScan.fail(fmt::format("unknown header line '{}'", keyword.substr(0, 40)));
      }
    }
    if (!hasFormat) mScan.fail("the header has no format");
    mScan.nextLine();
    mHeader.dataStart = mScan.offset();
    return std::move(mHeader);
  }

 private:
  void format() {
    const std::string_view name = mScan.word();
    if (name == "ascii")
      mHeader.encoding = Encoding::Text;
    else if (name == "binary_little_endian")
      mHeader.encoding = Encoding::BinaryLittle;
    else if (name == "binary_big_endian")
      mHeader.encoding = Encoding::BinaryBig;
    else
      mScan.fail(fmt::format("unknown format '{}'", name.substr(0, 40)));
  }

  void element() {
    Element element;
    element.name = mScan.word();
    const int64_t count = mScan.integer("the number of elements");
    if (count < 0) mScan.fail("the number of elements is negative");
    if (mHeader.find(element.name)) mScan.fail(fmt::format("element {} is there twice", element.name));
    if (mHeader.elements.size() == kMostProperties) mScan.fail("there are too many elements");
    element.count = static_cast<size_t>(count);
    mHeader.elements.push_back(std::move(element));
  }

  void property() {
    if (mHeader.elements.empty()) mScan.fail("a property comes before the first element");
    Element& element = mHeader.elements.back();
    Property property;
    std::string_view word = mScan.word();
    if (word == "list") {
      property.isList = true;
      property.countType = type(mScan.word());
      if (isReal(property.countType)) mScan.fail("the count of a list must be a whole number");
      word = mScan.word();
    }
    property.type = type(word);
    property.name = mScan.word();
    if (property.name.empty()) mScan.failExpecting("the name of a property");
    if (element.find(property.name) >= 0)
      mScan.fail(fmt::format("property {} is there twice", property.name));
    if (element.properties.size() == kMostProperties)
      mScan.fail(fmt::format("element {} has more than {} properties", element.name, kMostProperties));
    element.properties.push_back(std::move(property));
  }

  Type type(std::string_view word) const {
    for (const TypeName& t : kTypes)
      if (word == t.name || word == t.sizedName) return t.type;
    mScan.fail(fmt::format("unknown type '{}'", word.substr(0, 40)));
  }

  TextScanner mScan;
  Header mHeader;
};

}  // namespace

size_t sizeOf(Type type) { return kTypes[static_cast<size_t>(type)].bytes; }
const char* nameOf(Type type) { return kTypes[static_cast<size_t>(type)].name; }

int Element::find(std::string_view property) const {
  for (size_t p = 0; p < properties.size(); ++p)
    if (properties[p].name == property) return static_cast<int>(p);
  return -1;
}

bool Element::hasLists() const {
  return std::any_of(properties.begin(), properties.end(), [](const Property& p) { return p.isList; });
}

size_t Element::rowBytes() const {
  size_t bytes = 0;
  for (const Property& p : properties) bytes += sizeOf(p.isList ? p.countType : p.type);
  return bytes;
}

const Element* Header::find(std::string_view element) const {
  for (const Element& e : elements)
    if (e.name == element) return &e;
  return nullptr;
}

Header parseHeader(std::string_view bytes, Context& context) { return HeaderParser(bytes, context).parse(); }

}  // namespace hackle::ply
