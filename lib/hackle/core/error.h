// The one exception type that the library throws.
#pragma once

#include <stdexcept>
#include <string>

namespace hackle {

enum class ErrorCode {
  Usage,      // unknown operator, parameter or menu token; value out of range
  BadInput,   // a file or a geometry that the call cannot work with
  Io,         // the file system said no: missing, unreadable, disk full
  Failed,     // the input was fine, the computation did not succeed
  Cancelled,  // somebody asked to stop
  Internal,   // a bug of ours
};

/// Name of a code as reports and Python show it: "usage", "bad_input", ...
const char* errorCodeName(ErrorCode code);

/// Exit code of a program that ends with this error: 2 usage, 3 bad input, 4 failed, 5 input or output (worth
/// another try), 130 cancelled.
int exitCode(ErrorCode code);

/// What went wrong (`what()`, one line that names the thing) and what the user can do about it (`remedy()`,
/// may be empty).
class Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& message, std::string remedy = {})
      : std::runtime_error(message), mCode(code), mRemedy(std::move(remedy)) {}

  ErrorCode code() const { return mCode; }
  const std::string& remedy() const { return mRemedy; }

 private:
  ErrorCode mCode;
  std::string mRemedy;
};

namespace detail {
[[noreturn]] void assertionFailed(const char* condition, const char* file, int line);
}

}  // namespace hackle

/// For our own bugs only; throws Error(Internal). Never for user input.
#define HACKLE_ASSERT(condition) \
  (static_cast<bool>(condition) ? void(0) : ::hackle::detail::assertionFailed(#condition, __FILE__, __LINE__))
