#include <hackle/core/error.h>

namespace hackle {

const char* errorCodeName(ErrorCode code) {
  switch (code) {
    case ErrorCode::Usage:
      return "usage";
    case ErrorCode::BadInput:
      return "bad_input";
    case ErrorCode::Io:
      return "io";
    case ErrorCode::Failed:
      return "failed";
    case ErrorCode::Cancelled:
      return "cancelled";
    case ErrorCode::Internal:
      return "internal";
  }
  return "internal";
}

int exitCode(ErrorCode code) {
  switch (code) {
    case ErrorCode::Usage:
      return 2;
    case ErrorCode::BadInput:
      return 3;
    case ErrorCode::Io:
      return 5;  // of its own: a farm tries only these again
    case ErrorCode::Cancelled:
      return 130;
    case ErrorCode::Failed:
    case ErrorCode::Internal:
      return 4;
  }
  return 4;
}

namespace detail {

void assertionFailed(const char* condition, const char* file, int line) {
  std::string name = file;
  const size_t slash = name.rfind('/');
  if (slash != std::string::npos) name.erase(0, slash + 1);
  throw Error(ErrorCode::Internal,
              "internal error: " + std::string(condition) + " (" + name + ":" + std::to_string(line) + ")",
              "this is a bug in Hackle; please report it with the input that caused it");
}

}  // namespace detail
}  // namespace hackle
