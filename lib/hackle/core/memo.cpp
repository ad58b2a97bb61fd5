#include <hackle/core/memo.h>

#include <hackle/core/archive.h>
#include <hackle/core/context_shared.h>

#include <algorithm>

namespace hackle {

MemoKey& MemoKey::addBytes(const void* data, size_t size) {
  mSum = checksum64({static_cast<const char*>(data), size}, mSum);
  return *this;
}

MemoKey& MemoKey::add(std::shared_ptr<const void> object) {
  mObjects.push_back(std::move(object));
  return *this;
}

MemoKey& MemoKey::add(const MemoKey& other) {
  mObjects.insert(mObjects.end(), other.mObjects.begin(), other.mObjects.end());
  return add(std::string_view(other.mName)).add(other.mSum);
}

Memo::Entries::iterator Memo::locate(const MemoKey& key, std::type_index type) {
  return std::find_if(mEntries.begin(), mEntries.end(),
                      [&](const Entry& e) { return e.type == type && e.key == key; });
}

Memo::Kept Memo::find(const MemoKey& key, std::type_index type) {
  const std::lock_guard<std::mutex> lock(mMutex);
  const auto at = locate(key, type);
  if (at == mEntries.end()) return {};
  ++mFound;
  at->used = true;
  std::rotate(at, at + 1, mEntries.end());
  return mEntries.back().kept;
}

void Memo::keep(const MemoKey& key, std::type_index type, Kept kept, size_t bytes) {
  Entries gone;  // destroyed after the lock: large values take their time
  const std::lock_guard<std::mutex> lock(mMutex);
  ++mMade;
  const auto drop = [&](Entries::iterator at) {
    mBytes -= at->bytes;
    gone.push_back(std::move(*at));
    mEntries.erase(at);
  };
  // Another thread may have made the same.
  if (const auto at = locate(key, type); at != mEntries.end()) drop(at);
  if (bytes > mLimit) return;
  while (mBytes + bytes > mLimit) drop(mEntries.begin());
  mEntries.push_back({key, type, std::move(kept), bytes, true});
  mBytes += bytes;
}

void Memo::dropUnused() {
  Entries gone;
  const std::lock_guard<std::mutex> lock(mMutex);
  const auto unused =
      std::stable_partition(mEntries.begin(), mEntries.end(), [](const Entry& e) { return e.used; });
  gone.assign(std::make_move_iterator(unused), std::make_move_iterator(mEntries.end()));
  mEntries.erase(unused, mEntries.end());
  for (const Entry& e : gone) mBytes -= e.bytes;
  for (Entry& e : mEntries) e.used = false;
}

void Memo::clear() {
  Entries gone;
  const std::lock_guard<std::mutex> lock(mMutex);
  gone.swap(mEntries);
  mBytes = 0;
}

size_t Memo::count() const {
  const std::lock_guard<std::mutex> lock(mMutex);
  return mEntries.size();
}

size_t Memo::bytes() const {
  const std::lock_guard<std::mutex> lock(mMutex);
  return mBytes;
}

size_t Memo::found() const {
  const std::lock_guard<std::mutex> lock(mMutex);
  return mFound;
}

size_t Memo::made() const {
  const std::lock_guard<std::mutex> lock(mMutex);
  return mMade;
}

void setMemo(Context& context, Memo* memo) { context.shared().memo = memo; }
Memo* memoOf(const Context& context) { return context.shared().memo; }

WarningLog::WarningLog(Context& context) : mContext(context) {
  const std::lock_guard<std::mutex> lock(context.shared().mutex);
  context.shared().warningLogs.push_back(&mWarnings);
}

WarningLog::~WarningLog() {
  const std::lock_guard<std::mutex> lock(mContext.shared().mutex);
  auto& logs = mContext.shared().warningLogs;
  logs.erase(std::find(logs.begin(), logs.end(), &mWarnings));
}

std::vector<std::string> WarningLog::warnings() const {
  const std::lock_guard<std::mutex> lock(mContext.shared().mutex);
  return mWarnings;
}

}  // namespace hackle
