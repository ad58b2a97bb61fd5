// What all details of one file share while they are read: the memory they may use, and what was left out.
// Internal to the reader.
#pragma once

#include <hackle/core/context.h>
#include <hackle/core/error.h>

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>

namespace hackle::houdini {

class ReadScope {
 public:
  ReadScope(size_t fileBytes, Context& context) : mContext(context), mFileBytes(fileBytes) {}

  Context& context() { return mContext; }

  /// Call before allocating what a few bytes of the file may ask for (runs, constant pages, repeated
  /// strings). Error(BadInput) once a file asks for more than 64 MB and 256 times its own size in all.
  void claim(uint64_t count, uint64_t bytesEach);
  /// A copy of a string of the file, claimed.
  std::string text(std::string_view view);

  /// Notes something that Geometry does not carry.
  void skipAttribute(std::string_view type, const std::string& name);
  void skipPrimitives(std::string_view type, size_t count);
  /// "3 Sphere, 1 Tube", or "" if none was left out.
  std::string skippedPrimitives() const;
  /// One warning for each kind of thing that was left out.
  void reportSkipped() const;

 private:
  Context& mContext;
  uint64_t mFileBytes;
  uint64_t mClaimed = 0;
  std::map<std::string, std::set<std::string>> mAttributes;  // by type
  std::map<std::string, size_t> mPrimitives;
};

/// Runs f; an Error(BadInput) from it gets "place: " in front.
template <class F>
auto at(const std::string& place, F&& f) {
  try {
    return f();
  } catch (const Error& e) {
    if (e.code() != ErrorCode::BadInput) throw;
    throw Error(e.code(), place + ": " + e.what(), e.remedy());
  }
}

}  // namespace hackle::houdini
