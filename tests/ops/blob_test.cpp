#include "../shapes.h"

#include <hackle/core/error.h>
#include <hackle/ops/modes_tables.h>
#include <hackle/ops/registry.h>

#include <gtest/gtest.h>

namespace hackle {
namespace {

TEST(BlobMemo, MakesOnceAndCopiesShare) {
  const Blob blob{"modes", {}};
  const Blob copy = blob;
  int made = 0;
  const auto make = [&] { return std::make_shared<const int>(++made); };
  EXPECT_EQ(*blob.memo->get<int>(make), 1);
  EXPECT_EQ(*copy.memo->get<int>(make), 1);
  EXPECT_EQ(*copy.memo->get<double>([] { return std::make_shared<const double>(0.5); }), 0.5);
  EXPECT_EQ(*blob.memo->get<int>(make), 2);
  const Blob other{"modes", {}};
  EXPECT_EQ(*other.memo->get<int>(make), 3);
}

TEST(BlobMemo, KeepsNothingOfWhatFailed) {
  const Blob blob{"modes", {}};
  const auto fail = []() -> std::shared_ptr<const int> { throw Error(ErrorCode::BadInput, "bad"); };
  EXPECT_THROW(blob.memo->get<int>(fail), Error);
  EXPECT_EQ(*blob.memo->get<int>([] { return std::make_shared<const int>(7); }), 7);
}

TEST(BlobMemo, ImpactsReadTheirModesOnce) {
  Context context;
  const auto run = [&](const char* id, std::vector<Item> items, const Value::Map& values) {
    return runOperator(findOperator(id), Inputs(std::move(items)), values, context).outputs;
  };
  const Outputs modes = run("modes", {shapes::box()}, {{"modes", 2}, {"elements", 300}, {"starts", 1}});
  const Blob blob = std::get<Blob>(modes.items.at(0));
  run("modes_impact", {blob}, {{"at", Value::List{0.5, 1.0, 0.5}}, {"impulse", 1.0}});
  const auto again = []() -> std::shared_ptr<const LoadedModes> {
    throw Error(ErrorCode::Internal, "read twice");
  };
  EXPECT_NO_THROW(blob.memo->get<LoadedModes>(again));
}

}  // namespace
}  // namespace hackle
