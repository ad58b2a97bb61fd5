#include <hackle/io/text_scanner.h>

#include <hackle/core/error.h>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

namespace hackle {

namespace {

constexpr ptrdiff_t kReportBytes = 1 << 20;

bool isDigit(char c) { return static_cast<unsigned char>(c - '0') < 10; }

/// The parts of a decimal number, as far as they decide its value.
struct Decimal {
  bool negative = false;
  uint64_t mantissa = 0;  // all digits; meaningless if there are more than 19
  int64_t digits = 0;
  int64_t exponent = 0;  // of ten, to multiply the mantissa with
  const char* end = nullptr;
};

const char* scanDigits(const char* at, const char* end, uint64_t& value) {
  while (at != end && isDigit(*at)) value = value * 10 + static_cast<uint64_t>(*at++ - '0');
  return at;
}

/// False if there is not a single digit.
bool scanDecimal(const char* at, const char* end, Decimal& d) {
  if (at != end && (*at == '-' || *at == '+')) d.negative = *at++ == '-';
  const char* whole = at;
  at = scanDigits(at, end, d.mantissa);
  d.digits = at - whole;
  if (at != end && *at == '.') {
    const char* fraction = ++at;
    at = scanDigits(at, end, d.mantissa);
    d.digits += at - fraction;
    d.exponent = fraction - at;
  }
  if (d.digits == 0) return false;
  d.end = at;
  if (at == end || (*at | 0x20) != 'e') return true;
  ++at;
  bool negative = false;
  if (at != end && (*at == '-' || *at == '+')) negative = *at++ == '-';
  uint64_t exponent = 0;
  const char* first = at;
  while (at != end && isDigit(*at)) {
    exponent = std::min<uint64_t>(exponent * 10 + static_cast<uint64_t>(*at - '0'), 1000000000);
    ++at;
  }
  if (at == first) return true;  // an e that starts no exponent: not ours
  d.exponent += negative ? -static_cast<int64_t>(exponent) : static_cast<int64_t>(exponent);
  d.end = at;
  return true;
}

/// Both the mantissa and the power of ten are exact doubles, so one rounding gives the nearest double.
bool exactProduct(const Decimal& d, double& value) {
  static constexpr double kPowers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                       1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  if (d.digits > 19 || d.mantissa > (uint64_t(1) << 53) || d.exponent < -22 || d.exponent > 22) return false;
  const double mantissa = static_cast<double>(d.mantissa);
  value = d.exponent < 0 ? mantissa / kPowers[-d.exponent] : mantissa * kPowers[d.exponent];
  if (d.negative) value = -value;
  return true;
}

/// What a number stands for that is too large or too small for its type: infinity or zero, with its sign.
template <class Real>
Real outOfRange(const char* at, const char* end) {
  Decimal d;
  scanDecimal(at, end, d);
  int64_t significant = d.digits;
  for (; at != d.end && !(*at >= '1' && *at <= '9'); ++at)
    if (*at == '0') --significant;
  const Real value = significant + d.exponent > 0 ? std::numeric_limits<Real>::infinity() : Real(0);
  return d.negative ? -value : value;
}

/// The standard library's parser, which knows no plus sign and leaves what is out of range alone.
template <class Real>
bool parseSlowly(const char*& at, const char* end, Real& value) {
  const char* first = at;
  if (first != end && *first == '+') ++first;
  if (first != at && first != end && *first == '-') return false;
  const auto [stop, error] = std::from_chars(first, end, value);
  if (error == std::errc::invalid_argument) return false;
  if (error == std::errc::result_out_of_range) value = outOfRange<Real>(at, end);
  at = stop;
  return true;
}

/// True if rounding this double to single may differ from rounding the text to single: it lies halfway
/// between two singles, or among the subnormal ones.
bool roundsTwice(double value) {
  uint64_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  constexpr uint64_t kBelowSingle = (uint64_t(1) << 29) - 1;
  return (bits & kBelowSingle) == uint64_t(1) << 28 ||
         (std::abs(value) < double(std::numeric_limits<float>::min()) && value != 0.0);
}

}  // namespace

bool parseNumber(const char*& at, const char* end, double& value) {
  Decimal d;
  if (scanDecimal(at, end, d) && exactProduct(d, value)) {
    at = d.end;
    return true;
  }
  return parseSlowly(at, end, value);
}

bool parseNumber(const char*& at, const char* end, float& value) {
  Decimal d;
  double exact;
  if (scanDecimal(at, end, d) && exactProduct(d, exact) && !roundsTwice(exact)) {
    value = static_cast<float>(exact);
    at = d.end;
    return true;
  }
  return parseSlowly(at, end, value);
}

TextScanner::TextScanner(std::string_view text, Context& context, TextSyntax syntax)
    : mBegin(text.data()),
      mAt(mBegin),
      mEnd(mBegin + text.size()),
      mNextReport(mBegin),
      mComment(syntax.comment ? syntax.comment : '\n'),
      mContinuations(syntax.continuations),
      mFileName(std::move(syntax.fileName)),
      mContext(context) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";  // as some editors of Windows begin UTF-8 with
  if (text.substr(0, kByteOrderMark.size()) == kByteOrderMark) mAt += kByteOrderMark.size();
}

void TextScanner::report() {
  const double size = static_cast<double>(mEnd - mBegin);
  mContext.advance(size > 0 ? static_cast<double>(offset()) / size : 1.0);
  mNextReport = mEnd - mAt > kReportBytes ? mAt + kReportBytes : mEnd;
}

void TextScanner::nextLine() {
  const bool inComment = mAt != mEnd && *mAt == mComment && mComment != '\n';
  bool joined = true;
  while (joined && mAt != mEnd) {
    const char* lineEnd = static_cast<const char*>(std::memchr(mAt, '\n', remaining()));
    if (!lineEnd) {
      mAt = mEnd;
      break;
    }
    const char* last = lineEnd;
    if (last != mAt && last[-1] == '\r') --last;
    joined = mContinuations && !inComment && last != mAt && last[-1] == '\\';
    mAt = lineEnd + 1;
  }
  if (mAt >= mNextReport && mAt != mEnd) report();
}

bool TextScanner::skipContinuation() {
  const char* at = mAt + 1;
  if (at != mEnd && *at == '\r') ++at;
  if (at == mEnd || *at != '\n') return false;
  mAt = at + 1;
  return true;
}

std::string_view TextScanner::word() {
  if (atLineEnd()) return {};
  const char* first = mAt;
  while (mAt != mEnd && static_cast<unsigned char>(*mAt) > ' ') ++mAt;
  return {first, static_cast<size_t>(mAt - first)};
}

std::string_view TextScanner::restOfLine() {
  while (mAt != mEnd && isBlank(*mAt)) ++mAt;
  const char* first = mAt;
  while (mAt != mEnd && *mAt != '\n') ++mAt;
  const char* last = mAt;
  while (last != first && isBlank(last[-1])) --last;
  return {first, static_cast<size_t>(last - first)};
}

bool TextScanner::takeInteger(int64_t& value) {
  const char* at = mAt;
  bool negative = false;
  if (at != mEnd && (*at == '-' || *at == '+')) negative = *at++ == '-';
  uint64_t digits = 0;
  const char* first = at;
  at = scanDigits(at, mEnd, digits);
  if (at == first) return false;
  if (at - first > 18 && std::any_of(first, at - 18, [](char c) { return c != '0'; }))
    fail("a number has too many digits");
  value = negative ? -static_cast<int64_t>(digits) : static_cast<int64_t>(digits);
  mAt = at;
  return true;
}

int64_t TextScanner::integer(const char* what) {
  skipBlanks();
  int64_t value;
  if (!takeInteger(value) || !atWordEnd()) failExpecting(std::string("a whole number for ") + what);
  return value;
}

size_t TextScanner::count(const char* what, size_t leastBytes) {
  skipBlanks();
  const size_t start = offset();
  const int64_t value = integer(what);
  if (value < 0) failAt(start, fmt::format("the count of {} is {}", what, value));
  const size_t holds = (remaining() + 1) / leastBytes;  // the last one may lack its line end
  if (static_cast<size_t>(value) > holds)
    failAt(start, fmt::format("{} {} are announced, but only {} bytes follow", value, what, remaining()));
  return static_cast<size_t>(value);
}

int32_t TextScanner::index(const char* what, size_t count, int64_t first) {
  skipBlanks();
  const size_t start = offset();
  const int64_t value = integer(what);
  if (value < first || value - first >= static_cast<int64_t>(count))
    failAt(start, fmt::format("{} {} does not exist, there are {}", what, value, count));
  return static_cast<int32_t>(value - first);
}

void TextScanner::failAt(size_t offset, const std::string& reason) const {
  const auto line = 1 + std::count(mBegin, mBegin + offset, '\n');
  const std::string file = mFileName.empty() ? "" : mFileName + " ";
  throw Error(ErrorCode::BadInput, fmt::format("{}line {}: {}", file, line, reason));
}

void TextScanner::failExpecting(const std::string& wanted) {
  if (atLineEnd()) fail(fmt::format("expected {}, but the {} ends", wanted, mAt == mEnd ? "file" : "line"));
  // The word that starts here, or the one that a number stopped in.
  while (mAt != mBegin && static_cast<unsigned char>(mAt[-1]) > ' ') --mAt;
  const size_t start = offset();
  const std::string_view found = word();
  failAt(start, fmt::format("expected {}, found '{}'", wanted, found.substr(0, 40)));
}

}  // namespace hackle
