#include <hackle/render/scatter_plot.h>

#include <gtest/gtest.h>

#include <limits>

namespace hackle {
namespace {

bool differ(const Image& a, const Image& b) {
  return a.rgb.size() != b.rgb.size() || !std::equal(a.rgb.begin(), a.rgb.end(), b.rgb.begin());
}

TEST(ScatterPlot, ShowsItsDotsAndLeavesOutWhatIsNoNumber) {
  const std::vector<Vec2> two{{1, 2}, {10, 9}};
  std::vector<Vec2> more = two;
  ScatterOptions options;
  options.title = "learned against computed";
  const Image base = scatterPlot(two, options);
  EXPECT_EQ(base.width, 900);
  more.push_back({std::numeric_limits<double>::quiet_NaN(), 3});
  EXPECT_FALSE(differ(base, scatterPlot(more, options)));
  more.push_back({5, 5});
  EXPECT_TRUE(differ(base, scatterPlot(more, options)));
  options.logarithmic = true;
  EXPECT_TRUE(differ(base, scatterPlot(two, options)));
  const Image logarithmic = scatterPlot(two, options);
  EXPECT_FALSE(differ(logarithmic, scatterPlot(std::vector<Vec2>{{1, 2}, {10, 9}, {-1, 5}}, options)));
  EXPECT_EQ(scatterPlot({}, options).width, 900);
}

}  // namespace
}  // namespace hackle
