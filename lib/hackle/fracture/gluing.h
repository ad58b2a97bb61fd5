// Pieces put together from smaller ones that were cut before.
#pragma once

#include <hackle/core/context.h>
#include <hackle/fracture/pieces.h>

#include <string>
#include <vector>

namespace hackle {

/// For each primitive of pieces that makePieces gave: the one on the other side of an inside face, which has
/// the same corners in the opposite order; -1 for outside faces, and for all where `pointVertex` is empty.
std::vector<int32_t> findTwins(const FracturePieces& pieces, Context& context);

/// Parts that belong together: part i goes to group groupOf[i], named names[group].
struct Gluing {
  std::vector<int32_t> groupOf;
  std::vector<std::string> names;
};

/// One piece per group, without the faces between its parts; the others keep their order, corners and
/// attributes. Where the parts of a group meet in an edge or a point only, the piece has points of its own on
/// either side, so pieces that are closed and 2-manifold give such pieces again. `cell` is the group;
/// volumes, centres and contacts are summed up. `twins` is what findTwins gave.
FracturePieces gluePieces(const FracturePieces& parts, Span<const int32_t> twins, const Gluing& gluing,
                          Context& context);

/// Groups of parts that are connected by contacts with glued[contact] != 0, numbered by their first part;
/// names are prefix0, prefix1, ...
Gluing glueContacts(const FracturePieces& parts, Span<const uint8_t> glued, const std::string& prefix);

}  // namespace hackle
