#include <hackle/render/stroke_font.h>

#include <array>
#include <cctype>
#include <string_view>

namespace hackle {

namespace {

/// Strokes are apart by spaces, points are pairs: x from '0' up, y from 'a' (4 below the base line 'e') up;
/// small letters reach 'm', capitals 'q'. Between its ends a stroke is a quadratic B-spline with these
/// control points; a capital y makes a sharp corner, and a point given twice a dot.
struct GlyphRow {
  char character;
  int width;
  const char* strokes;
};

constexpr GlyphRow kRows[] = {
    {'!', 2, "1q 1i,1e 1e"},
    {'"', 3, "0q 0n,3q 3n"},
    {'#', 7, "2e 2q,5e 5q,0i 7i,0m 7m"},
    {'$', 6, "6n 6p 0p 0l 6j 6f 0f 0h,3r 3d"},
    {'%', 8, "0e 8q,2q 0q 0m 4m 4q 2q,6i 4i 4e 8e 8i 6i"},
    {'&', 8, "8e 2m 2q 6q 6m 0j 0e 5e 8k"},
    {'\'', 2, "1q 1n"},
    {'(', 3, "3r 0o 0f 3c"},
    {')', 3, "0r 3o 3f 0c"},
    {'*', 6, "3p 3j,0o 6k,0k 6o"},
    {'+', 6, "3n 3h,0k 6k"},
    {',', 2, "1e 0c"},
    {'-', 5, "0k 5k"},
    {'.', 2, "1e 1e"},
    {'/', 5, "0d 5r"},
    {'0', 6, "3q 0q 0m 0i 0e 6e 6i 6m 6q 3q"},
    {'1', 6, "1n 4Q 4e"},
    {'2', 6, "0n 0q 6q 6l 0E 6e"},
    {'3', 6, "0o 0q 6q 6k 2k,3k 6k 6e 0e 0g"},
    {'4', 6, "4e 4Q 0H 6h"},
    {'5', 6, "6q 0Q 0K 1m 6m 6e 0e 0g"},
    {'6', 6, "5q 0q 0h 0e 6e 6l 0l 0h"},
    {'7', 6, "0q 6Q 2e"},
    {'8', 6, "3q 0q 0k 6k 6q 3q,3k 0k 0e 6e 6k 3k"},
    {'9', 6, "1e 6e 6n 6q 0q 0j 6j 6n"},
    {':', 2, "1l 1l,1e 1e"},
    {';', 2, "1l 1l,1e 0c"},
    {'<', 6, "6n 0K 6h"},
    {'=', 6, "0m 6m,0i 6i"},
    {'>', 6, "0n 6K 0h"},
    {'?', 6, "0n 0q 6q 6l 3k 3h,3e 3e"},
    {'@', 9, "8e 0e 0q 9q 9h 6g 6l,6k 6m 3m 3h 6h 6j"},
    {'A', 8, "0e 4Q 8e,1h 7h"},
    {'B', 7, "0e 0Q 4q 7q 7k 4k 0k,0k 4k 7k 7e 4e 0e"},
    {'C', 7, "7n 7q 0q 0m 0i 0e 7e 7h"},
    {'D', 7, "0e 0Q 3q 7q 7m 7i 7e 3e 0e"},
    {'E', 6, "6q 0Q 0E 6e,0k 5k"},
    {'F', 6, "6q 0Q 0e,0k 5k"},
    {'G', 7, "7n 7q 0q 0m 0i 0e 7e 7i 7J 4j"},
    {'H', 7, "0e 0q,7e 7q,0k 7k"},
    {'I', 2, "1e 1q"},
    {'J', 5, "5q 5h 5e 0e 0h"},
    {'K', 7, "0e 0q,7q 0i,2k 7e"},
    {'L', 6, "0q 0E 6e"},
    {'M', 8, "0e 0Q 4I 8Q 8e"},
    {'N', 7, "0e 0Q 7E 7q"},
    {'O', 8, "4q 0q 0m 0i 0e 8e 8i 8m 8q 4q"},
    {'P', 7, "0e 0Q 4q 7q 7j 4j 0j"},
    {'Q', 8, "4q 0q 0m 0i 0e 8e 8i 8m 8q 4q,5h 8d"},
    {'R', 7, "0e 0Q 4q 7q 7j 4j 0j,3j 7e"},
    {'S', 7, "7n 7q 0q 0l 7j 7e 0e 0h"},
    {'T', 8, "0q 8q,4q 4e"},
    {'U', 7, "0q 0i 0e 7e 7i 7q"},
    {'V', 8, "0q 4E 8q"},
    {'W', 10, "0q 2E 5N 8E :q"},
    {'X', 7, "0e 7q,0q 7e"},
    {'Y', 8, "0q 4K 8q,4k 4e"},
    {'Z', 7, "0q 7Q 0E 7e"},
    {'[', 3, "3r 0R 0C 3c"},
    {'\\', 5, "0r 5d"},
    {']', 3, "0r 3R 3C 0c"},
    {'^', 6, "0m 3Q 6m"},
    {'_', 6, "0c 6c"},
    {'`', 2, "0q 2o"},
    {'a', 6, "6m 6e,6j 6m 0m 0e 6e 6h"},
    {'b', 6, "0q 0e,0j 0m 6m 6e 0e 0h"},
    {'c', 6, "6k 6m 0m 0e 6e 6g"},
    {'d', 6, "6q 6e,6j 6m 0m 0e 6e 6h"},
    {'e', 6, "0i 6I 6m 0m 0e 6e 6g"},
    {'f', 5, "5q 2q 2m 2e,0m 4m"},
    {'g', 6, "6m 6c 6a 0a 0b,6j 6m 0m 0e 6e 6h"},
    {'h', 6, "0q 0e,0j 0m 6m 6j 6e"},
    {'i', 2, "1m 1e,1p 1p"},
    {'j', 3, "2m 2c 2a 0a,2p 2p"},
    {'k', 6, "0q 0e,5m 0h,2j 6e"},
    {'l', 2, "1q 1e"},
    {'m', 10, "0m 0e,0j 0m 5m 5j 5e,5j 5m :m :j :e"},
    {'n', 6, "0m 0e,0j 0m 6m 6j 6e"},
    {'o', 6, "3m 0m 0e 6e 6m 3m"},
    {'p', 6, "0m 0a,0j 0m 6m 6e 0e 0h"},
    {'q', 6, "6m 6a,6j 6m 0m 0e 6e 6h"},
    {'r', 4, "0m 0e,0i 0m 4m"},
    {'s', 5, "5k 5m 0m 0j 5h 5e 0e 0g"},
    {'t', 4, "1p 1h 1e 4e,0m 4m"},
    {'u', 6, "0m 0h 0e 6e 6h,6m 6e"},
    {'v', 6, "0m 3E 6m"},
    {'w', 8, "0m 2E 4L 6E 8m"},
    {'x', 6, "0m 6e,0e 6m"},
    {'y', 6, "0m 3e,6m 3E 1a"},
    {'z', 6, "0m 6M 0E 6e"},
    {'{', 4, "4r 2r 2k 0k,0k 2k 2c 4c"},
    {'|', 2, "1r 1c"},
    {'}', 4, "0r 2r 2k 4k,4k 2k 2c 0c"},
    {'~', 7, "0j 0l 3l 4j 7j 7l"},
};
constexpr GlyphRow kUnknown{'\0', 6, "0e 0Q 6Q 6E 0e"};

constexpr float kUnitsPerCapital = 12.0f;
constexpr float kGap = 3.2f;    // units between glyphs
constexpr float kSpace = 4.0f;  // width of a blank
constexpr int kArcSteps = 6;

/// The B-spline of a stroke's control points as a polyline.
std::vector<Eigen::Vector2f> flattened(const std::vector<Eigen::Vector2f>& control) {
  std::vector<Eigen::Vector2f> line{control.front()};
  for (size_t i = 1; i + 1 < control.size(); ++i) {
    const bool last = i + 2 == control.size();
    const Eigen::Vector2f from = line.back();
    const Eigen::Vector2f to = last ? control[i + 1] : Eigen::Vector2f(0.5f * (control[i] + control[i + 1]));
    for (int s = 1; s <= kArcSteps; ++s) {
      const float t = static_cast<float>(s) / kArcSteps;
      line.emplace_back((1 - t) * (1 - t) * from + 2 * t * (1 - t) * control[i] + t * t * to);
    }
  }
  if (control.size() == 2) line.push_back(control.back());
  return line;
}

Glyph makeGlyph(const GlyphRow& row) {
  Glyph glyph;
  glyph.advance = (static_cast<float>(row.width) + kGap) / kUnitsPerCapital;
  std::vector<Eigen::Vector2f> control;
  for (const char* c = row.strokes;; c += 3) {
    const bool sharp = std::isupper(static_cast<unsigned char>(c[1])) != 0;
    const float y = static_cast<float>(std::tolower(static_cast<unsigned char>(c[1])) - 'e');
    const Eigen::Vector2f point(static_cast<float>(c[0] - '0') / kUnitsPerCapital, y / kUnitsPerCapital);
    control.push_back(point);
    if (sharp) control.push_back(point);
    if (c[2] == ' ') continue;
    glyph.strokes.push_back(flattened(control));
    control.clear();
    if (c[2] == '\0') return glyph;
  }
}

}  // namespace

const Glyph& strokeGlyph(char character) {
  static const std::array<Glyph, 128> kGlyphs = [] {
    std::array<Glyph, 128> glyphs;
    glyphs.fill(makeGlyph(kUnknown));
    for (const GlyphRow& row : kRows) glyphs[row.character] = makeGlyph(row);
    glyphs[' '] = Glyph{(kSpace + kGap) / kUnitsPerCapital, {}};
    return glyphs;
  }();
  const auto code = static_cast<unsigned char>(character);
  return kGlyphs[code < 128 ? code : 0];
}

}  // namespace hackle
