#include <hackle/core/error.h>
#include <hackle/io/file.h>
#include <hackle/ops/sequence_name.h>

#include <fmt/format.h>

namespace hackle {

void checkSequenceName(const std::string& name) {
  checkGeometryName(name);
  if (name.find('#') == std::string::npos)
    throw Error(ErrorCode::Usage, fmt::format("{} has no place for numbers", name),
                "put # into the name, such as frames/crack.####.bgeo");
}

std::string sequenceName(const std::string& name, size_t number) {
  const size_t end = name.find_last_of('#') + 1;
  const size_t before = name.find_last_not_of('#', end - 1);
  const size_t begin = before == std::string::npos ? 0 : before + 1;
  return name.substr(0, begin) + fmt::format("{:0{}}", number, end - begin) + name.substr(end);
}

}  // namespace hackle
