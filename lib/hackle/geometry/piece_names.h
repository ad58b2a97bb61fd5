// The pieces of a geometry: its primitives in parts, by name or by connection.
#pragma once

#include <hackle/geometry/geometry.h>

#include <string>
#include <vector>

namespace hackle {

/// Every primitive is in exactly one piece. Pieces are in order of first appearance, a piece's primitives in
/// ascending order.
struct Pieces {
  std::vector<std::string> names;
  std::vector<int32_t> starts;      // piece i has primitives[starts[i]] to starts[i + 1]
  std::vector<int32_t> primitives;  // primitiveCount() of them
  std::vector<int32_t> ofPrimitive;

  size_t count() const { return names.size(); }
  Span<const int32_t> primitivesOf(size_t piece) const {
    return Span<const int32_t>(primitives.data() + starts[piece],
                               static_cast<size_t>(starts[piece + 1] - starts[piece]));
  }
};

/// By the primitive attribute `name` where there is one (text, one per primitive), else by connection.
Pieces findPieces(const Geometry& geometry);

/// By `attribute`, a text or integer primitive attribute; primitives with an empty name form a piece too.
/// Error(BadInput) if there is no such attribute.
Pieces piecesByName(const Geometry& geometry, const std::string& attribute = "name");

/// By shared points; names are piece0, piece1, ... Primitives without vertices are pieces of their own.
Pieces piecesByConnection(const Geometry& geometry);

/// Which pieces a pattern means, one flag per piece: words separated by spaces, each a name or the name of a
/// primitive group (pieces with a face in it), with * for any text and ? for any letter; ^ before a word
/// takes pieces out again. A pattern that starts with ^ means all others. Error(BadInput) if a word matches
/// nothing.
std::vector<uint8_t> matchingPieces(const Geometry& geometry, const Pieces& pieces,
                                    const std::string& pattern);

/// Gives every piece points of its own: points that several pieces share are split, with their attributes.
/// Returns the piece of each point, -1 for points that no primitive uses.
std::vector<int32_t> splitPieces(Geometry& geometry, const Pieces& pieces);

/// True if findPieces goes by name.
bool hasPieceNames(const Geometry& geometry);

}  // namespace hackle
