#include <hackle/geometry/piece_names.h>

#include <hackle/geometry/topology.h>

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <sstream>
#include <unordered_map>

namespace hackle {

namespace {

/// Fills in the lists of primitives; `ofPrimitive` and `names` are there already.
Pieces listed(Pieces pieces) {
  pieces.starts.assign(pieces.count() + 1, 0);
  for (const int32_t piece : pieces.ofPrimitive) ++pieces.starts[piece + 1];
  for (size_t i = 1; i < pieces.starts.size(); ++i) pieces.starts[i] += pieces.starts[i - 1];
  std::vector<int32_t> place(pieces.starts.begin(), pieces.starts.end() - 1);
  pieces.primitives.resize(pieces.ofPrimitive.size());
  for (size_t p = 0; p < pieces.ofPrimitive.size(); ++p)
    pieces.primitives[place[pieces.ofPrimitive[p]]++] = static_cast<int32_t>(p);
  return pieces;
}

/// A number for each primitive's text, equal for equal texts: places in the string table can repeat a text.
std::vector<int64_t> textKeys(const Attribute& attribute, size_t count) {
  const CowArray<std::string>& table = attribute.strings().table;
  std::unordered_map<std::string, int64_t> known{{"", -1}};
  std::vector<int64_t> keyOfEntry(table.size());
  for (size_t i = 0; i < table.size(); ++i)
    keyOfEntry[i] = known.emplace(table[i], static_cast<int64_t>(i)).first->second;
  std::vector<int64_t> keys(count, -1);
  const size_t width = static_cast<size_t>(attribute.tupleSize());
  for (size_t p = 0; p < count; ++p) {
    const int32_t entry = attribute.strings().indices[p * width];
    if (entry >= 0 && static_cast<size_t>(entry) < table.size()) keys[p] = keyOfEntry[entry];
  }
  return keys;
}

/// * stands for any text, ? for any letter.
bool matches(const std::string& pattern, const std::string& text) {
  size_t p = 0, t = 0;
  size_t star = std::string::npos, after = 0;  // the last *, and where the text that it stands for ends
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      after = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p, ++t;
    } else if (star != std::string::npos) {
      p = star + 1;
      t = ++after;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string::npos;
}

/// Pieces that one word of a pattern means.
std::vector<uint8_t> piecesOfWord(const Geometry& geometry, const Pieces& pieces, const std::string& word) {
  std::vector<uint8_t> found(pieces.count(), 0);
  for (size_t p = 0; p < pieces.count(); ++p) found[p] = matches(word, pieces.names[p]);
  for (const Group& group : geometry.groups(Owner::Primitive)) {
    if (!matches(word, group.name)) continue;
    for (size_t f = 0; f < pieces.ofPrimitive.size(); ++f)
      if (group.bits[f]) found[pieces.ofPrimitive[f]] = 1;
  }
  return found;
}

}  // namespace

bool hasPieceNames(const Geometry& geometry) {
  const Attribute* name = geometry.findAttribute(Owner::Primitive, "name");
  return name && name->isString() && name->tupleSize() == 1;
}

Pieces findPieces(const Geometry& geometry) {
  return hasPieceNames(geometry) ? piecesByName(geometry) : piecesByConnection(geometry);
}

std::vector<uint8_t> matchingPieces(const Geometry& geometry, const Pieces& pieces,
                                    const std::string& pattern) {
  std::vector<uint8_t> chosen(pieces.count(), 0);
  std::istringstream words(pattern);
  bool first = true;
  for (std::string word; words >> word; first = false) {
    const bool takesOut = word[0] == '^';
    if (takesOut) word.erase(0, 1);
    if (takesOut && first) chosen.assign(pieces.count(), 1);
    const std::vector<uint8_t> found = piecesOfWord(geometry, pieces, word);
    if (std::find(found.begin(), found.end(), 1) == found.end())
      throw Error(ErrorCode::BadInput, fmt::format("no piece and no primitive group matches {}", word),
                  fmt::format("pieces are named {} to {}; * stands for any text", pieces.names.front(),
                              pieces.names.back()));
    for (size_t p = 0; p < found.size(); ++p)
      if (found[p]) chosen[p] = !takesOut;
  }
  return chosen;
}

Pieces piecesByName(const Geometry& geometry, const std::string& attributeName) {
  const Attribute* attribute = geometry.findAttribute(Owner::Primitive, attributeName);
  if (!attribute || attribute->tupleSize() < 1 || attribute->isFloat())
    throw Error(ErrorCode::BadInput, "there is no text or integer primitive attribute " + attributeName,
                "name the pieces first, or go by connection");
  const size_t count = geometry.primitiveCount();
  std::vector<int64_t> keys;
  if (attribute->isString()) {
    keys = textKeys(*attribute, count);
  } else {
    for (size_t p = 0; p < count; ++p) keys.push_back(static_cast<int64_t>(attribute->number(p)));
  }
  Pieces pieces;
  pieces.ofPrimitive.resize(count);
  std::unordered_map<int64_t, int32_t> pieceOfKey;
  for (size_t p = 0; p < count; ++p) {
    const auto [entry, isNew] = pieceOfKey.emplace(keys[p], static_cast<int32_t>(pieces.count()));
    if (isNew) pieces.names.push_back(attribute->isString() ? attribute->string(p) : std::to_string(keys[p]));
    pieces.ofPrimitive[p] = entry->second;
  }
  return listed(std::move(pieces));
}

Pieces piecesByConnection(const Geometry& geometry) {
  const Components components = findComponents(geometry);
  Pieces pieces;
  pieces.ofPrimitive = components.ofPrimitive;
  int32_t count = static_cast<int32_t>(components.count);
  for (int32_t& piece : pieces.ofPrimitive)
    if (piece < 0) piece = count++;
  for (int32_t i = 0; i < count; ++i) pieces.names.push_back("piece" + std::to_string(i));
  return listed(std::move(pieces));
}

std::vector<int32_t> splitPieces(Geometry& geometry, const Pieces& pieces) {
  HACKLE_ASSERT(pieces.ofPrimitive.size() == geometry.primitiveCount());
  std::vector<int32_t> pieceOf(geometry.pointCount(), -1);
  std::vector<int32_t> sources(geometry.pointCount());
  std::iota(sources.begin(), sources.end(), 0);
  std::vector<int32_t> corners(geometry.vertexPoints().begin(), geometry.vertexPoints().end());
  std::unordered_map<uint64_t, int32_t> copies;  // (piece, point) to the piece's own copy of the point
  for (size_t p = 0; p < geometry.primitiveCount(); ++p) {
    const int32_t piece = pieces.ofPrimitive[p];
    for (size_t v = geometry.firstVertex(p); v < geometry.firstVertex(p + 1); ++v) {
      const int32_t point = corners[v];
      int32_t& owner = pieceOf[point];
      if (owner < 0) owner = piece;  // the first to use a point keeps it
      if (owner == piece) continue;
      const uint64_t key = static_cast<uint64_t>(piece) << 32 | static_cast<uint64_t>(point);
      const auto [copy, isNew] = copies.emplace(key, static_cast<int32_t>(sources.size()));
      corners[v] = copy->second;
      if (!isNew) continue;
      sources.push_back(point);
      pieceOf.push_back(piece);
    }
  }
  if (!copies.empty()) geometry.replacePoints(sources, corners);
  return pieceOf;
}

}  // namespace hackle
