// Files that show a run of cracks while it goes on.
#pragma once

#include <hackle/fracture/crack/crack_setup.h>
#include <hackle/ops/parameter_table.h>

#include <string>
#include <vector>

namespace hackle {

/// What the sequence of files shows, and how often.
enum class SequenceContent { Cracks, Elements, Volumes };
enum class SequenceRate { Step, SubStep };

struct CrackSequenceOptions {
  std::string file;  // with # for the number; empty: no files
  SequenceContent of = SequenceContent::Cracks;
  SequenceRate by = SequenceRate::Step;
};

ParameterTable<CrackSequenceOptions> sequenceTable();
/// Error(Usage) for a name without a place for numbers, and for what cannot be shown that often.
void checkSequence(const CrackSequenceOptions& options);

/// The file of one of several bodies: its number before the numbers of a sequence, or before the extension.
std::string fileOfBody(const std::string& file, size_t body);

class CrackSequence {
 public:
  /// The bodies must outlive this. Nothing is written if the options name no file.
  CrackSequence(const CrackSequenceOptions& options, const std::vector<CrackBody>& bodies);

  /// Where the run of a body stands before its first step.
  void begin(size_t body, const CrackSolver& solver);
  void addStep(size_t body, const CrackSolver& solver, Context& context);
  size_t frames() const { return mFrames; }

 private:
  void write(size_t body, const CrackSolver& solver, size_t number, double time, Context& context);

  CrackSequenceOptions mOptions;
  const std::vector<CrackBody>& mBodies;
  std::vector<double> mTimes;  // s, of the last frame of each body
  size_t mFrames = 0;
};

}  // namespace hackle
