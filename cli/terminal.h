// Standard output and error, and the terminal behind them.
#pragma once

#include <string>
#include <string_view>

namespace hackle::cli {

/// Writes to standard output. Silent if its reader has gone (`hackle list | head`); Error(Io) for other
/// failures, such as a full disk.
void writeOut(std::string_view text);

/// Writes to standard error; failures are ignored, there is nowhere to report them.
void writeError(std::string_view text);

/// True if standard error is a terminal that can draw a progress bar.
bool errorIsTerminal();

/// Columns of the terminal behind standard error; 80 where there is none.
int errorColumns();

/// Columns for text on standard output: the terminal's, within 60 and 100; 80 where there is none.
int textColumns();

/// Breaks text into lines of at most `columns` bytes, at spaces; line breaks stay. Lines after the first
/// begin with `indent` spaces.
std::string wrapped(const std::string& text, int columns, int indent);

/// 12345 as "12,345".
std::string groupedDigits(long long value);

/// "0.31 s", "4.2 s", "3 min 05 s"
std::string durationText(double seconds);

/// "512 bytes", "1.2 MB"; thousands, not 1024.
std::string sizeText(double bytes);

}  // namespace hackle::cli
