#include <hackle/geometry/attribute.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

namespace hackle {

namespace {

/// A number in another type: what does not fit an integer becomes its least or greatest value, NaN becomes 0.
template <class To, class From>
To converted(From value) {
  if constexpr (std::is_integral_v<To>) {
    using Limits = std::numeric_limits<To>;
    if constexpr (std::is_floating_point_v<From>) {
      // As a floating-point number, the greatest integer can round up to one that no longer fits.
      if (!(value >= static_cast<From>(Limits::min()))) return std::isnan(value) ? To(0) : Limits::min();
      if (value >= static_cast<From>(Limits::max())) return Limits::max();
    } else {
      if (value < Limits::min()) return Limits::min();
      if (value > Limits::max()) return Limits::max();
    }
  }
  return static_cast<To>(value);
}

}  // namespace

const char* ownerName(Owner owner) {
  static const char* kNames[] = {"point", "vertex", "primitive", "detail"};
  return kNames[static_cast<int>(owner)];
}

const char* storageName(Storage storage) {
  static const char* kNames[] = {"float32", "float64", "int32", "int64", "string"};
  return kNames[static_cast<int>(storage)];
}

Attribute::Attribute(std::string name, Storage storage, int tupleSize, size_t elements,
                     Qualifier qualifierName)
    : qualifier(std::move(qualifierName)), mName(std::move(name)), mStorage(storage), mTupleSize(tupleSize) {
  HACKLE_ASSERT(tupleSize >= 0);
  switch (storage) {
    case Storage::Float32:
      mData = CowArray<float>();
      break;
    case Storage::Float64:
      mData = CowArray<double>();
      break;
    case Storage::Int32:
      mData = CowArray<int32_t>();
      break;
    case Storage::Int64:
      mData = CowArray<int64_t>();
      break;
    case Storage::String:
      mData = StringArray();
      break;
  }
  resize(elements);
}

size_t Attribute::elementCount() const {
  if (mTupleSize == 0) return 0;
  const size_t values =
      isString() ? strings().indices.size() : visitNumbers([](auto span) { return span.size(); });
  return values / static_cast<size_t>(mTupleSize);
}

void Attribute::resize(size_t elements) {
  const size_t old = elementCount();
  if (old == elements) return;
  const size_t size = elements * static_cast<size_t>(mTupleSize);
  const auto resizeNumbers = [&](auto& array) {
    auto& values = array.edit();
    values.resize(size);
    if (defaults.empty()) return;
    using T = typename std::decay_t<decltype(values)>::value_type;
    for (size_t e = old; e < elements; ++e)
      for (int c = 0; c < mTupleSize; ++c)
        values[valueIndex(e, c)] =
            converted<T>(defaults[std::min<size_t>(static_cast<size_t>(c), defaults.size() - 1)]);
  };
  switch (mStorage) {
    case Storage::Float32:
      resizeNumbers(std::get<CowArray<float>>(mData));
      break;
    case Storage::Float64:
      resizeNumbers(std::get<CowArray<double>>(mData));
      break;
    case Storage::Int32:
      resizeNumbers(std::get<CowArray<int32_t>>(mData));
      break;
    case Storage::Int64:
      resizeNumbers(std::get<CowArray<int64_t>>(mData));
      break;
    case Storage::String:
      std::get<StringArray>(mData).indices.edit().resize(size, -1);
      break;
  }
}

double Attribute::number(size_t element, int c) const {
  return visitNumbers([&](auto span) { return static_cast<double>(span[valueIndex(element, c)]); });
}

void Attribute::setNumber(size_t element, int c, double value) {
  const size_t i = valueIndex(element, c);
  switch (mStorage) {
    case Storage::Float32:
      edit<float>()[i] = static_cast<float>(value);
      break;
    case Storage::Float64:
      edit<double>()[i] = value;
      break;
    case Storage::Int32:
      edit<int32_t>()[i] = converted<int32_t>(value);
      break;
    case Storage::Int64:
      edit<int64_t>()[i] = converted<int64_t>(value);
      break;
    case Storage::String:
      HACKLE_ASSERT(!"a string attribute has no numbers");
  }
}

const std::string& Attribute::string(size_t element, int c) const {
  static const std::string kEmpty;
  const StringArray& s = strings();
  const int32_t index = s.indices[valueIndex(element, c)];
  return index < 0 || static_cast<size_t>(index) >= s.table.size() ? kEmpty : s.table[index];
}

void Attribute::setString(size_t element, const std::string& value, int c) {
  StringArray& s = std::get<StringArray>(mData);
  int32_t index = -1;
  if (!value.empty()) {
    const auto found = std::find(s.table.begin(), s.table.end(), value);
    index = static_cast<int32_t>(found - s.table.begin());
    if (found == s.table.end()) s.table.edit().push_back(value);
  }
  s.indices.edit()[valueIndex(element, c)] = index;
}

Attribute Attribute::gathered(Span<const int32_t> order) const {
  Attribute result(mName, mStorage, mTupleSize, 0, qualifier);
  result.defaults = defaults;
  result.fileStorage = fileStorage;
  const auto gather = [&](const auto& source) {
    using T = std::decay_t<decltype(source[0])>;
    const size_t width = static_cast<size_t>(mTupleSize);
    std::vector<T> values(order.size() * width);
    if (width == 1) {
      std::transform(order.begin(), order.end(), values.begin(), [&](int32_t i) { return source[i]; });
      return values;
    }
    for (size_t i = 0; i < order.size(); ++i)
      std::copy_n(source.data() + static_cast<size_t>(order[i]) * width, width, values.data() + i * width);
    return values;
  };
  if (isString()) {
    result.mData = StringArray{strings().table, gather(strings().indices.span())};
  } else {
    visitNumbers([&](auto span) {
      using T = std::remove_const_t<std::remove_reference_t<decltype(span[0])>>;
      result.assign(CowArray<T>(gather(span)));
    });
  }
  return result;
}

void Attribute::append(const Attribute& other) {
  if (isString() != other.isString())
    throw Error(ErrorCode::BadInput, "attribute " + mName + " is text in one geometry and numeric in another",
                "rename one of them");
  const size_t old = elementCount();
  const size_t added = other.elementCount();
  resize(old + added);
  const int width = std::min(mTupleSize, other.mTupleSize);
  if (isString()) {
    StringArray& s = std::get<StringArray>(mData);
    // Parts of one geometry share their table: nothing to merge then.
    const CowArray<std::string> theirs = other.strings().table;
    const bool sameTable = s.table.sharesStorageWith(theirs);
    std::vector<int32_t> remap(sameTable ? 0 : theirs.size());
    std::unordered_map<std::string, int32_t> known;
    for (size_t i = 0; i < s.table.size() && !sameTable; ++i)
      known.emplace(s.table[i], static_cast<int32_t>(i));
    for (size_t i = 0; i < remap.size(); ++i) {
      const auto [place, isNew] = known.emplace(theirs[i], static_cast<int32_t>(s.table.size()));
      if (isNew) s.table.edit().push_back(place->first);
      remap[i] = place->second;
    }
    std::vector<int32_t>& indices = s.indices.edit();
    for (size_t e = 0; e < added; ++e)
      for (int c = 0; c < width; ++c) {
        const int32_t index = other.strings().indices[other.valueIndex(e, c)];
        if (index >= 0 && static_cast<size_t>(index) < theirs.size())
          indices[valueIndex(old + e, c)] = sameTable ? index : remap[index];
      }
    return;
  }
  const auto copyFrom = [&](auto& values) {
    using T = typename std::decay_t<decltype(values)>::value_type;
    other.visitNumbers([&](auto span) {
      T* to = values.data() + valueIndex(old, 0);
      if (mTupleSize == other.mTupleSize) {
        std::transform(span.begin(), span.end(), to, [](auto v) { return converted<T>(v); });
        return;
      }
      for (size_t e = 0; e < added; ++e)
        for (int c = 0; c < mTupleSize; ++c)
          to[valueIndex(e, c)] = c < width ? converted<T>(span[other.valueIndex(e, c)]) : T(0);
    });
  };
  switch (mStorage) {
    case Storage::Float32:
      copyFrom(edit<float>());
      break;
    case Storage::Float64:
      copyFrom(edit<double>());
      break;
    case Storage::Int32:
      copyFrom(edit<int32_t>());
      break;
    default:
      copyFrom(edit<int64_t>());
      break;
  }
}

bool Attribute::operator==(const Attribute& other) const {
  if (mName != other.mName || mStorage != other.mStorage || mTupleSize != other.mTupleSize ||
      qualifier != other.qualifier || elementCount() != other.elementCount())
    return false;
  if (isString()) {
    for (size_t e = 0; e < elementCount(); ++e)
      for (int c = 0; c < mTupleSize; ++c)
        if (string(e, c) != other.string(e, c)) return false;
    return true;
  }
  return visitNumbers([&](auto span) {
    using T = std::remove_const_t<std::remove_reference_t<decltype(span[0])>>;
    const auto theirs = other.values<T>();
    return std::equal(span.begin(), span.end(), theirs.begin());
  });
}

}  // namespace hackle
