// The operator cvd_train, and cvd with what it learned.
#include <gtest/gtest.h>
#include <hackle/core/error.h>
#include <hackle/ops/registry.h>
#include <shapes.h>

#include <filesystem>

namespace hackle {
namespace {

Geometry bar() { return shapes::box({0, 0, 0}, {0.3, 0.1, 0.1}); }

Run train(Value::Map parameters, int threads = 0) {
  Context context;
  context.setThreads(threads);
  const Value::Map few{{"cells", 8},    {"orientations", 5}, {"heights", 3},    {"repeats", 1},
                       {"held_out", 2}, {"pieces", 6},       {"max_pieces", 60}};
  for (const auto& entry : few)
    if (!Value(parameters).find(entry.first)) parameters.push_back(entry);
  return runOperator(findOperator("cvd_train"), Inputs({bar()}), parameters, context);
}

double number(const Run& run, const char* name) { return run.outputs.result.find(name)->asNumber(); }
const Blob& model(const Run& run) { return std::get<Blob>(run.outputs.items.at(0)); }
bool sameModel(const Run& a, const Run& b) {
  return std::equal(model(a).bytes.begin(), model(a).bytes.end(), model(b).bytes.begin(),
                    model(b).bytes.end());
}

Run breakBar(const Item& learned, Value::Map parameters) {
  Context context;
  parameters.emplace_back("pieces_by", "learned");
  parameters.emplace_back("impact", Value::List{Value::Map{{"at", Value::numbers(Vec3(0.1, 0.1, 0.05))},
                                                           {"dir", Value::numbers(Vec3(0, -1, 0))},
                                                           {"impulse", 40.0}}});
  return runOperator(findOperator("cvd"), Inputs({bar(), {}, {}, {}, {}, learned}), parameters, context);
}

TEST(CvdTrain, LearnsAndReports) {
  const auto run = train({});
  EXPECT_EQ(number(run, "examples"), 15);
  EXPECT_EQ(number(run, "held_out"), 6);
  EXPECT_GT(number(run, "gamma"), 0);
  EXPECT_LE(number(run, "pca_error"), 0.02);
  EXPECT_LT(number(run, "training_error"), 0.3);
  EXPECT_EQ(model(run).kind, "cvdmodel");
  EXPECT_EQ(std::get<Image>(run.outputs.items.at(1)).width, 900);
  const Value::List& rows = run.outputs.result.find("by_height")->asList();
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_LT(rows[0].find("training_pieces")->asNumber(), rows[2].find("training_pieces")->asNumber());
}

TEST(CvdTrain, GoesOnFromItsCacheAndIsTheSameOnAnyNumberOfThreads) {
  const auto folder = std::filesystem::temp_directory_path() / "hackle_cvd_train_test";
  std::filesystem::remove_all(folder);
  const auto plain = train({}, 1);
  const auto first = train({{"cache", folder.string()}}, 4);
  EXPECT_TRUE(sameModel(plain, first));
  EXPECT_EQ(number(first, "from_cache"), 0);
  std::filesystem::remove(std::filesystem::directory_iterator(folder)->path());
  const auto second = train({{"cache", folder.string()}}, 4);
  EXPECT_EQ(number(second, "from_cache"), 6);
  EXPECT_TRUE(sameModel(plain, second));
  // Another material strains otherwise: nothing of the cache fits.
  EXPECT_EQ(number(train({{"cache", folder.string()}, {"density", 5000.0}}), "from_cache"), 0);
  std::filesystem::remove_all(folder);
}

TEST(CvdTrain, GivesCvdItsNumberOfPieces) {
  const auto trained = train({});
  const auto broken = breakBar(trained.outputs.items[0], {{"cells", 8}});
  EXPECT_GE(number(broken, "sites"), 1);
  EXPECT_EQ(number(broken, "gamma"), number(trained, "gamma"));
  EXPECT_EQ(number(broken, "model_error"), number(trained, "training_error"));
  EXPECT_TRUE(broken.outputs.result.find("closed")->asBool());
  // A lower threshold never gives fewer pieces by much; a far higher one leaves the bar whole.
  const double high = 1e6 * number(trained, "gamma");
  EXPECT_EQ(number(breakBar(trained.outputs.items[0], {{"cells", 8}, {"gamma", high}}), "sites"), 1);
}

TEST(CvdTrain, ModelsBelongToTheirSolid) {
  const auto trained = train({});
  const auto refuses = [&](const Item& item, double cells) {
    try {
      breakBar(item, {{"cells", cells}});
      ADD_FAILURE() << "was not refused";
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::BadInput) << e.what();
      EXPECT_FALSE(e.remedy().empty());
    }
  };
  refuses(trained.outputs.items[0], 9);
  refuses(Item(), 8);
  refuses(Item(Blob{"cvdmodel", std::vector<uint8_t>(100, 7)}), 8);
}

TEST(CvdTrain, SaysWhatIsWrong) {
  EXPECT_THROW(train({{"lowest", 2.0}, {"highest", 1.0}}), Error);
  EXPECT_THROW(train({{"orientations", 1}, {"heights", 1}}), Error);
  EXPECT_THROW(train({{"cache", "/proc/nowhere/at/all"}}), Error);
}

}  // namespace
}  // namespace hackle
