#include <hackle/io/seams.h>

#include <hackle/geometry/union_find.h>
#include <hackle/io/unique_triples.h>

#include <algorithm>
#include <array>
#include <numeric>

namespace hackle {

namespace {

/// A side of a triangle, from the lower to the higher place.
struct Side {
  int32_t lowPlace, highPlace;
  int32_t low, high;  // vertices
};

std::vector<Side> sidesByPlace(Span<const int32_t> places, size_t placeCount, Span<const int32_t> triangles) {
  const auto forEachSide = [&](const auto& visit) {
    for (size_t t = 0; t + 2 < triangles.size(); t += 3)
      for (size_t c = 0; c < 3; ++c) {
        int32_t a = triangles[t + c], b = triangles[t + (c + 1) % 3];
        if (places[a] == places[b]) continue;
        if (places[a] > places[b]) std::swap(a, b);
        visit(Side{places[a], places[b], a, b});
      }
  };
  // Count those of each place, and put them there: quicker than a sort of all.
  std::vector<size_t> end(placeCount + 1, 0);
  forEachSide([&](const Side& side) { ++end[static_cast<size_t>(side.lowPlace) + 1]; });
  for (size_t p = 1; p < end.size(); ++p) end[p] += end[p - 1];
  std::vector<Side> sides(end.back());
  forEachSide([&](const Side& side) { sides[end[static_cast<size_t>(side.lowPlace)]++] = side; });
  for (size_t p = 0, begin = 0; p < placeCount; begin = end[p++])
    std::sort(sides.begin() + static_cast<std::ptrdiff_t>(begin),
              sides.begin() + static_cast<std::ptrdiff_t>(end[p]),
              [](const Side& a, const Side& b) { return a.highPlace < b.highPlace; });
  return sides;
}

/// Joins the sides of one place that no other is joined with yet, if there are 2 to `most` of them.
void joinLonelySides(Span<const Side> sides, size_t most, UnionFind& joined) {
  std::vector<std::array<int32_t, 2>> ends;
  for (const Side& side : sides) ends.push_back({joined.find(side.low), joined.find(side.high)});
  std::sort(ends.begin(), ends.end());
  std::vector<std::array<int32_t, 2>> lonely;
  for (size_t i = 0; i < ends.size(); ++i) {
    const bool shared = (i > 0 && ends[i - 1] == ends[i]) || (i + 1 < ends.size() && ends[i + 1] == ends[i]);
    if (!shared) lonely.push_back(ends[i]);
  }
  if (lonely.size() > most) return;
  for (size_t i = 1; i < lonely.size(); ++i)
    for (size_t end = 0; end < 2; ++end) joined.unite(lonely[0][end], lonely[i][end]);
}

}  // namespace

std::vector<int32_t> joinSeams(Span<const Vec3> positions, Span<const int32_t> triangles) {
  std::vector<int32_t> points(positions.size());
  std::iota(points.begin(), points.end(), 0);
  std::vector<int32_t> places;
  UniqueTriples unique;
  places.reserve(positions.size());
  for (const Vec3& position : positions) places.push_back(unique.add(position));
  if (unique.values().size() == positions.size()) return points;

  // Seams of two sides first: they tell the bodies apart that meet at the others.
  const std::vector<Side> sides = sidesByPlace(places, unique.values().size(), triangles);
  UnionFind joined(positions.size());
  for (const size_t most : {size_t(2), sides.size()})
    for (size_t first = 0, end = 0; first < sides.size(); first = end) {
      while (end < sides.size() && sides[end].lowPlace == sides[first].lowPlace &&
             sides[end].highPlace == sides[first].highPlace)
        ++end;
      if (end - first > 1) joinLonelySides(Span<const Side>(sides).subspan(first, end - first), most, joined);
    }
  for (int32_t& point : points) point = joined.find(point);
  return points;
}

}  // namespace hackle
