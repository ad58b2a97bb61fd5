#include <hackle/fracture/engine.h>

namespace hackle {

const char* heldByName(HeldBy by) {
  switch (by) {
    case HeldBy::NoLoad:
      return "no_load";
    case HeldBy::Strength:
      return "strength";
    case HeldBy::Toughness:
      return "toughness";
    case HeldBy::Resolution:
      return "resolution";
    case HeldBy::Limit:
      return "limit";
  }
  return "";
}

double crackArea(const FracturePieces& pieces) {
  double area = 0;
  for (const PieceContact& contact : pieces.contacts) area += contact.area;
  return area;
}

}  // namespace hackle
