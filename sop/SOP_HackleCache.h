// One cook of a node: read parameters and inputs, run the operator, write the result; and what is kept until
// the next.
#pragma once

#include <hackle/core/memo.h>
#include <hackle/ops/registry.h>

#include <SOP/SOP_NodeParmsOptions.h>

#include <optional>
#include <string>
#include <vector>

/// Inputs that did not change since the last cook are not converted again, a run of which only another
/// output is wanted is not repeated, and precomputation of the last run is found again by what it depends
/// on. Houdini keeps one of these with each node and destroys it with the node.
class SOP_HackleCache : public SOP_NodeCacheOptions {
 public:
  explicit SOP_HackleCache(const hackle::Operator& op) : mOp(op) {}

  /// How often inputs were converted and the operator was run; for tests.
  int conversions() const { return mConversions; }
  int runs() const { return mRuns; }
  const hackle::Memo& memo() const { return mMemo; }

  /// Bytes that are kept between cooks, about, so that Houdini counts them with the node.
  int64 getMemoryUsage(bool inclusive) const override;

 protected:
  /// Cooks into the output of the cook's parameters. Whatever goes wrong becomes an error of the node and
  /// leaves the output empty.
  OP_ERROR cook(OP_Context& context) override;

 private:
  /// A detail at a moment of its life.
  struct DetailKey {
    exint id = -1;
    int64 count = -1;
    bool operator==(const DetailKey& other) const { return id == other.id && count == other.count; }
  };
  struct KeptInput {
    DetailKey key;
    hackle::Item item;
    std::vector<std::string> warnings;
  };
  struct KeptRun {
    std::string values;  // JSON
    std::vector<DetailKey> inputs;
    hackle::Run run;
    std::vector<std::string> warnings;
  };

  void cookInto(GU_Detail& output, double time, hackle::Context& context);
  hackle::Inputs readInputs(hackle::Context& context);
  const hackle::Item& readInput(size_t index, hackle::Context& context);
  hackle::Run runOnce(double time, hackle::Context& context);
  void writePictures(const hackle::Run& run, double time, hackle::Context& context);
  void writeStreams(hackle::Run& run, GU_Detail& output, double time);
  void writeStream(const hackle::Item& item, GU_Detail& output) const;
  bool wantsRun(double time) const;
  bool isLive() const;
  hackle::Storage positionStorage() const;

  const hackle::Operator& mOp;
  std::vector<KeptInput> mInputs;
  std::optional<KeptRun> mKept;
  hackle::Memo mMemo;
  int mConversions = 0, mRuns = 0;
};
