#include <cli/terminal.h>
#include <hackle/core/error.h>

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace hackle::cli {

namespace {

/// Writes all of it; returns errno's value, 0 if all went well.
int writeAll(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    text.remove_prefix(static_cast<size_t>(written));
  }
  return 0;
}

int columnsOf(int descriptor) {
  winsize size{};
  const bool known = ::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : 80;
}

}  // namespace

void writeOut(std::string_view text) {
  const int reason = writeAll(STDOUT_FILENO, text);
  if (reason != 0 && reason != EPIPE)
    throw Error(ErrorCode::Io, fmt::format("cannot write to standard output: {}", std::strerror(reason)));
}

void writeError(std::string_view text) { writeAll(STDERR_FILENO, text); }

bool errorIsTerminal() {
  const char* kind = std::getenv("TERM");
  return ::isatty(STDERR_FILENO) && !(kind && std::strcmp(kind, "dumb") == 0);
}

int errorColumns() { return columnsOf(STDERR_FILENO); }

int textColumns() { return std::clamp(columnsOf(STDOUT_FILENO), 60, 100); }

std::string wrapped(const std::string& text, int columns, int indent) {
  std::string out;
  size_t lineLength = 0;
  const auto newLine = [&] {
    while (!out.empty() && out.back() == ' ') out.pop_back();
    out += '\n';
    out.append(static_cast<size_t>(indent), ' ');
    lineLength = 0;
  };
  const size_t width = static_cast<size_t>(std::max(columns - indent, 20));
  size_t i = 0;
  while (i < text.size()) {
    if (text[i] == '\n') {
      newLine();
      ++i;
      continue;
    }
    const size_t end = std::min(text.find_first_of(" \n", i), text.size());
    const size_t length = end - i;
    if (lineLength > 0 && lineLength + 1 + length > width) newLine();
    if (lineLength > 0 && length > 0) {
      out += ' ';
      ++lineLength;
    }
    out.append(text, i, length);
    lineLength += length;
    i = end < text.size() && text[end] == ' ' ? end + 1 : end;
  }
  while (!out.empty() && (out.back() == ' ' || out.back() == '\n')) out.pop_back();
  return out;
}

std::string groupedDigits(long long value) {
  std::string digits = std::to_string(value);
  const size_t first = value < 0 ? 1 : 0;
  for (size_t i = digits.size(); i > first + 3;) digits.insert(i -= 3, ",");
  return digits;
}

std::string durationText(double seconds) {
  if (seconds < 1) return fmt::format("{:.2f} s", seconds);
  if (seconds < 60) return fmt::format("{:.1f} s", seconds);
  const long long whole = static_cast<long long>(seconds + 0.5);
  if (whole < 3600) return fmt::format("{} min {:02d} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02d} min", whole / 3600, whole / 60 % 60);
}

std::string sizeText(double bytes) {
  if (bytes < 1000) return fmt::format("{:.0f} bytes", bytes);
  static const char* kUnits[] = {"kB", "MB", "GB", "TB"};
  size_t unit = 0;
  for (bytes /= 1000; bytes >= 999.5 && unit < 3; bytes /= 1000) ++unit;
  return fmt::format("{:.{}f} {}", bytes, bytes < 9.95 ? 1 : 0, kUnits[unit]);
}

}  // namespace hackle::cli
