// Levels of fracture, as the names of pieces tell them: piece3-1 is a part of piece3.
#pragma once

#include <string>

namespace hackle {

/// How often a piece was broken out of another: 0 for piece3, 1 for piece3-1, 2 for piece3-1-0.
int pieceLevel(const std::string& name);

/// The level at which two pieces came apart: 0 for parts of different first pieces, 1 for parts of one of
/// them (piece3-1 and piece3-2-0), and so on.
int contactLevel(const std::string& a, const std::string& b);

}  // namespace hackle
