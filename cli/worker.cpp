#include <cli/command.h>
#include <cli/terminal.h>
#include <cli/worker.h>
#include <hackle/core/memo.h>
#include <hackle/core/progress_detail.h>
#include <hackle/ops/registry.h>

#include <condition_variable>
#include <deque>
#include <istream>
#include <list>
#include <mutex>
#include <thread>

namespace hackle::cli {

namespace {

constexpr size_t kSessions = 8;

/// The words of a line, with their escapes undone.
std::vector<std::string> splitLine(const std::string& line) {
  std::vector<std::string> words(1);
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\t') {
      words.emplace_back();
    } else if (line[i] == '\\' && i + 1 < line.size()) {
      const char escaped = line[++i];
      words.back() += escaped == 't' ? '\t' : escaped == 'n' ? '\n' : escaped;
    } else {
      words.back() += line[i];
    }
  }
  return words;
}

struct Job {
  std::string id, session;
  std::vector<std::string> words;  // of the command line, from the operator on
};

class Worker {
 public:
  /// Takes lines until there are no more; on a thread of its own, so that a cancel is heard at once.
  void listen(std::istream& in) {
    std::string line;
    while (std::getline(in, line)) hear(splitLine(line));
    const std::lock_guard<std::mutex> lock(mMutex);
    mEnded = true;
    if (mRunning) mRunning->cancel();
    mWake.notify_all();
  }

  void work() {
    while (true) {
      Job job;
      {
        std::unique_lock<std::mutex> lock(mMutex);
        mWake.wait(lock, [&] { return mEnded || !mJobs.empty(); });
        if (mEnded) return;
        job = std::move(mJobs.front());
        mJobs.pop_front();
      }
      say(Value::Map{{"id", job.id}, {"report", run(job)}});
    }
  }

 private:
  void hear(std::vector<std::string> words) {
    const std::lock_guard<std::mutex> lock(mMutex);
    if (words.size() >= 4 && words[0] == "run")
      mJobs.push_back({words[1], words[2], std::vector<std::string>(words.begin() + 3, words.end())});
    if (words.size() == 2 && words[0] == "cancel") {
      if (mRunning && mRunningId == words[1]) mRunning->cancel();
      // One that waits is answered in its turn, as a run that was stopped at once.
      for (const Job& job : mJobs)
        if (job.id == words[1]) mCancelled.push_back(job.id);
    }
    mWake.notify_all();
  }

  Value run(const Job& job) {
    Context context;
    setMemo(context, &memoOf(job.session));
    context.setProgressCallback([&](const Progress& progress) {
      say(Value::Map{{"id", job.id},
                     {"stage", progress.stage},
                     {"fraction", progress.fraction},
                     {"detail", progressDetail(context)}});
    });
    begin(job, context);
    Value report;
    try {
      report = runForReport(findOperator(job.words[0]), {job.words.begin() + 1, job.words.end()}, context);
    } catch (const Error& e) {
      report = makeErrorReport(job.words[0], e, context);
    }
    const std::lock_guard<std::mutex> lock(mMutex);
    mRunning = nullptr;
    return report;
  }

  void begin(const Job& job, Context& context) {
    const std::lock_guard<std::mutex> lock(mMutex);
    mRunning = &context;
    mRunningId = job.id;
    for (auto id = mCancelled.begin(); id != mCancelled.end(); ++id)
      if (*id == job.id) {
        context.cancel();
        mCancelled.erase(id);
        break;
      }
  }

  /// The session that was used last comes first; those beyond the limit are forgotten.
  Memo& memoOf(const std::string& session) {
    for (auto s = mSessions.begin(); s != mSessions.end(); ++s)
      if (s->first == session) {
        mSessions.splice(mSessions.begin(), mSessions, s);
        return *mSessions.front().second;
      }
    mSessions.emplace_front(session, std::make_unique<Memo>());
    if (mSessions.size() > kSessions) mSessions.pop_back();
    return *mSessions.front().second;
  }

  void say(const Value& line) {
    const std::lock_guard<std::mutex> lock(mSpeech);
    writeOut(line.toJson(-1) + "\n");
  }

  std::mutex mMutex, mSpeech;
  std::condition_variable mWake;
  std::deque<Job> mJobs;
  std::vector<std::string> mCancelled;  // ids of jobs that wait
  bool mEnded = false;
  Context* mRunning = nullptr;
  std::string mRunningId;
  std::list<std::pair<std::string, std::unique_ptr<Memo>>> mSessions;
};

}  // namespace

void runWorker(std::istream& in) {
  Worker worker;
  std::thread ear([&] { worker.listen(in); });
  worker.work();
  ear.join();
}

}  // namespace hackle::cli
