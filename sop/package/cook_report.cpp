#include <hackle/core/error.h>
#include <hackle/geometry/geometry_key.h>
#include <sop/package/cook_report.h>

#include <fmt/format.h>

#include <new>
#include <vector>

namespace hackle::houdini {

std::string figuresText(const Value& result) {
  std::vector<std::string> words;
  if (result.isMap())
    for (const auto& [name, value] : result.asMap())
      if (!value.isMap() && !value.isList() && !value.isNull())
        words.push_back(fmt::format("{}: {}", name, value.isString() ? value.asString() : value.toJson(-1)));
  return fmt::format("{}", fmt::join(words, ", "));
}

std::string stagesText(const Context& context) {
  std::vector<std::string> words;
  for (const StageTime& stage : context.stageTimes())
    words.push_back(fmt::format("{} {:.2g}", stage.name, stage.seconds));
  return words.empty() ? "" : fmt::format("seconds: {}", fmt::join(words, ", "));
}

std::string memoryText(size_t bytes) {
  const size_t megabytes = bytes >> 20;
  return megabytes == 0 ? "" : fmt::format("memory kept for the next cook: {} MB", megabytes);
}

size_t itemBytes(const Item& item) {
  if (const Geometry* geometry = std::get_if<Geometry>(&item)) return bytesOf(*geometry);
  if (const Blob* blob = std::get_if<Blob>(&item)) return blob->bytes.size();
  return 0;
}

CookFailure cookFailure(const std::exception_ptr& thrown, const std::string& label) {
  try {
    std::rethrow_exception(thrown);
  } catch (const Error& e) {
    if (e.code() == ErrorCode::Cancelled) return {fmt::format("{} was interrupted", label), true};
    return {e.remedy().empty() ? e.what() : fmt::format("{}. Remedy: {}", e.what(), e.remedy())};
  } catch (const std::bad_alloc&) {
    return {fmt::format("{} ran out of memory. Remedy: use a lower resolution", label)};
  } catch (const std::exception& e) {
    return {fmt::format("{} failed: {}", label, e.what())};
  }
}

}  // namespace hackle::houdini
