#include <hackle/io/houdini/detail_parts.h>

#include <fmt/format.h>

#include <algorithm>

namespace hackle::houdini {

namespace {

void expectSize(size_t found, size_t wanted, const char* what) {
  if (found != wanted)
    throw Error(ErrorCode::BadInput, fmt::format("expected {} {}, found {}", wanted, what, found));
}

template <class T>
void readTuples(const JsonValue& tuples, size_t count, size_t width, T* out) {
  expectSize(tuples.size(), count, "tuples");
  for (size_t i = 0; i < count; ++i) {
    const JsonValue tuple = tuples.at(i);
    if (tuple.size() != width)
      throw Error(ErrorCode::BadInput,
                  fmt::format("tuple {} has {} numbers instead of {}", i, tuple.size(), width));
    tuple.copyNumbers(0, width, out + i * width);
  }
}

template <class T>
void readComponents(const JsonValue& arrays, size_t count, size_t width, T* out) {
  expectSize(arrays.size(), width, "arrays of components");
  std::vector<T> component(width == 1 ? 0 : count);
  for (size_t c = 0; c < width; ++c) {
    const JsonValue array = arrays.at(c);
    expectSize(array.size(), count, "numbers");
    if (width == 1) {
      array.copyNumbers(0, count, out);
    } else {
      array.copyNumbers(0, count, component.data());
      for (size_t i = 0; i < count; ++i) out[i * width + c] = component[i];
    }
  }
}

/// Part of every tuple that is stored on its own, and the flags of its pages in which all tuples are equal.
struct SubVector {
  size_t offset, width;
  std::vector<uint8_t> constant;  // empty if there is none
};

std::vector<SubVector> subVectors(const JsonValue& values, size_t width, size_t pages) {
  std::vector<SubVector> parts;
  const JsonValue packing = values["packing"];
  size_t offset = 0;
  for (size_t i = 0; i < packing.size(); ++i) {
    const int64_t part = packing.at(i).asInt();
    if (part <= 0 || static_cast<uint64_t>(part) > width - offset)
      throw Error(ErrorCode::BadInput, fmt::format("a packing of {} in tuples of {}", part, width));
    parts.push_back({offset, static_cast<size_t>(part), {}});
    offset += static_cast<size_t>(part);
  }
  if (parts.empty()) parts.push_back({0, offset = width, {}});
  expectSize(offset, width, "components in the packing");

  const JsonValue flags = values["constantpageflags"];
  if (flags.isNull()) return parts;
  expectSize(flags.size(), parts.size(), "lists of page flags");
  for (size_t i = 0; i < parts.size(); ++i) {
    const JsonValue list = flags.at(i);
    if (list.size() == 0) continue;
    expectSize(list.size(), pages, "page flags");
    parts[i].constant.resize(pages);
    list.copyNumbers(0, pages, parts[i].constant.data());
  }
  return parts;
}

template <class T>
void readPages(const JsonValue& values, const JsonValue& raw, size_t count, size_t width, T* out) {
  const int64_t pageSize = values["pagesize"].asInt();
  if (pageSize <= 0) throw Error(ErrorCode::BadInput, fmt::format("pages of {} elements", pageSize));
  const size_t perPage = static_cast<size_t>(pageSize);
  const size_t pages = count / perPage + (count % perPage ? 1 : 0);
  const std::vector<SubVector> parts = subVectors(values, width, pages);
  if (parts.size() == 1 && parts[0].constant.empty()) {
    expectSize(raw.size(), count * width, "numbers in the pages");
    return raw.copyNumbers(0, count * width, out);
  }

  size_t at = 0;
  std::vector<T> buffer;
  for (size_t page = 0; page < pages; ++page) {
    const size_t first = page * perPage, n = std::min(perPage, count - first);
    for (const SubVector& part : parts) {
      const bool constant = !part.constant.empty() && part.constant[page] != 0;
      buffer.resize(part.width * (constant ? 1 : n));
      raw.copyNumbers(at, buffer.size(), buffer.data());
      at += buffer.size();
      for (size_t i = 0; i < n; ++i)
        std::copy_n(buffer.data() + (constant ? 0 : i * part.width), part.width,
                    out + (first + i) * width + part.offset);
    }
  }
  expectSize(raw.size(), at, "numbers in the pages");
}

}  // namespace

template <class T>
void readValues(const JsonValue& values, size_t count, size_t width, T* out) {
  if (const JsonValue size = values["size"]; !size.isNull() && static_cast<uint64_t>(size.asInt()) != width)
    throw Error(ErrorCode::BadInput,
                fmt::format("tuples of {} inside an attribute of {}", size.asInt(), width));
  if (width == 0) return;
  if (const JsonValue raw = values["rawpagedata"]; !raw.isNull())
    readPages(values, raw, count, width, out);
  else if (const JsonValue tuples = values["tuples"]; !tuples.isNull())
    readTuples(tuples, count, width, out);
  else if (const JsonValue arrays = values["arrays"]; !arrays.isNull())
    readComponents(arrays, count, width, out);
  else
    throw Error(ErrorCode::BadInput, "it has no values (neither rawpagedata, tuples nor arrays)");
}

template void readValues(const JsonValue&, size_t, size_t, float*);
template void readValues(const JsonValue&, size_t, size_t, double*);
template void readValues(const JsonValue&, size_t, size_t, int32_t*);
template void readValues(const JsonValue&, size_t, size_t, int64_t*);

}  // namespace hackle::houdini
