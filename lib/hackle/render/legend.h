// The colour bar beside a picture, with its ticks.
#pragma once

#include <hackle/render/raster.h>

#include <string>
#include <vector>

namespace hackle {

struct Tick {
  double value = 0;
  std::string label;
};

/// Round numbers (1, 2 or 5 times a power of ten apart) inside [low, high], three to ten of them; one if
/// low equals high.
std::vector<Tick> legendTicks(double low, double high);

/// Text sizes follow the picture's height.
TextStyle legendText(int pictureHeight);
TextStyle titleText(int pictureHeight);

/// px that the legend takes at the right of the picture.
int legendWidth(const std::string& title, double low, double high, int pictureHeight);
void drawLegend(Raster& raster, const std::string& title, double low, double high);

/// px that a title takes at the top.
int titleHeight(int pictureHeight);
void drawTitle(Raster& raster, const std::string& title);

}  // namespace hackle
