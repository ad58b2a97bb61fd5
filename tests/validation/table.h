// A table of computed against exact values: shown, and with --record kept in docs/figures/.
#pragma once

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

namespace hackle {

class ValidationTable {
 public:
  /// `file`: name in docs/figures/, such as "validate_fem.tsv".
  ValidationTable(int argc, char** argv, std::string file) : mFile(std::move(file)) {
    for (int i = 1; i < argc; ++i) mRecord = mRecord || std::string(argv[i]) == "--record";
    add({"case", "resolution", "exact", "computed", "error", "asked", "seconds", "problem"});
  }

  /// `asked`: largest relative error that passes; 0 only reports.
  void row(const std::string& name, const std::string& resolution, double exact, double computed,
           double asked) {
    const double error = computed / exact - 1;
    const bool bad = asked > 0 && !(std::abs(error) <= asked);
    mFailed += bad;
    add({name, resolution, fmt::format("{:.6g}", exact), fmt::format("{:.6g}", computed),
         fmt::format("{:+.4f}", error), asked > 0 ? fmt::format("{:g}", asked) : "",
         fmt::format("{:.1f}", secondsSinceLast()), bad ? "too far off" : ""});
  }

  /// An error that should be zero, against the largest that passes; 0 only reports.
  void bound(const std::string& name, const std::string& resolution, double error, double asked) {
    const bool bad = asked > 0 && !(std::abs(error) <= asked);
    mFailed += bad;
    add({name, resolution, "", "", fmt::format("{:.2e}", error), asked > 0 ? fmt::format("{:g}", asked) : "",
         fmt::format("{:.1f}", secondsSinceLast()), bad ? "too far off" : ""});
  }
  /// A figure for the record, such as an order of convergence.
  void figure(const std::string& name, const std::string& resolution, double value) {
    add({name, resolution, "", fmt::format("{:.2f}", value), "", "",
         fmt::format("{:.1f}", secondsSinceLast()), ""});
  }

  /// Writes the table if asked to; the exit code of the program.
  int finish() const {
    if (mRecord) {
      std::ofstream out("docs/figures/" + mFile);
      out << "# ./run validate --record\n";
      for (const std::string& line : mLines) out << line << '\n';
    }
    std::printf("%s: %d failed\n", mFile.c_str(), mFailed);
    return mFailed == 0 ? 0 : 1;
  }

 private:
  void add(const std::vector<std::string>& cells) {
    mLines.push_back(fmt::format("{}", fmt::join(cells, "\t")));
    std::printf("%s\n", mLines.back().c_str());
    std::fflush(stdout);
  }

  double secondsSinceLast() {
    const auto now = std::chrono::steady_clock::now();
    const double seconds = std::chrono::duration<double>(now - mLast).count();
    mLast = now;
    return seconds;
  }

  std::string mFile;
  bool mRecord = false;
  int mFailed = 0;
  std::vector<std::string> mLines;
  std::chrono::steady_clock::time_point mLast = std::chrono::steady_clock::now();
};

}  // namespace hackle
