#include <hackle/io/png.h>
#include <hackle/io/webp.h>
#include <hackle/ops/render_table.h>
#include <hackle/ops/simulation_catalogue.h>
#include <hackle/sim/cache.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace hackle {

namespace {

struct FlipbookOptions {
  std::string folder;
  int first = 1;
  std::optional<int> last;
  int step = 1;
  double rate = 24;
  double quality = 75;
  int sheet = 12;
  std::string pictures;
  RenderOptions render;
  FlipbookOptions() {
    render.colour = ColourMode::Inside;
    render.width = 640;
    render.height = 400;
    render.floorHeight = 0;
  }
};

std::vector<int> chosenFrames(const FlipbookOptions& options) {
  std::vector<int> frames;
  for (const int frame : cachedFrames(options.folder))
    if (frame >= options.first && frame <= options.last.value_or(frame) &&
        (frame - options.first) % options.step == 0)
      frames.push_back(frame);
  if (frames.empty())
    throw Error(ErrorCode::Usage, fmt::format("{} has no frames from {} on", options.folder, options.first),
                "choose frames that the simulation has written");
  return frames;
}

/// All that is there in the first frame, and where most bodies are in the others, but not so far that the
/// first frame would be small: single pieces that fly far do not count, nor do all pieces of something that
/// bursts.
Box3 boxOf(CachedFrames& cached, const std::vector<int>& frames, Context& context) {
  constexpr double kFar = 0.7;  // of the first frame's diagonal, beyond its box
  const Box3 start = cached.placed(frames[0], context).bounds();
  const Vec3 reach = Vec3::Constant(kFar * start.diagonal());
  Box3 box = start;
  const size_t stride = std::max<size_t>(1, frames.size() / 16);
  for (size_t i = 0; i < frames.size(); i += stride) {
    const Geometry bodies = cached.points(frames[i], context);
    std::vector<double> along(bodies.pointCount());
    for (int c = 0; c < 3 && !along.empty(); ++c) {
      for (size_t p = 0; p < along.size(); ++p) along[p] = bodies.position(p)[c];
      std::sort(along.begin(), along.end());
      const auto at = [&](double share) {
        return along[static_cast<size_t>(share * static_cast<double>(along.size() - 1))];
      };
      box.min[c] = std::min(box.min[c], at(0.1));
      box.max[c] = std::max(box.max[c], at(0.9));
    }
  }
  box.min = box.min.cwiseMax(start.min - reach);
  box.max = box.max.cwiseMin(start.max + reach);
  return box;
}

/// One camera for all frames.
void aim(RenderOptions& render, const Box3& box) {
  if (render.camera == CameraMode::Explicit) return;
  constexpr double kRadians = 0.017453292519943295;
  const double a = render.azimuth * kRadians, e = render.elevation * kRadians;
  const Vec3 away(std::sin(a) * std::cos(e), std::sin(e), std::cos(a) * std::cos(e));
  const Vec3 right(std::cos(a), 0, -std::sin(a)), up = away.cross(right);
  // As near as all corners of the box stay within this part of the picture.
  constexpr double kFilled = 0.85;
  const double high = kFilled * std::tan(0.5 * render.fieldOfView * kRadians);
  const double wide = high * render.width / render.height;
  double distance = 1e-6;
  for (int corner = 0; corner < 8; ++corner) {
    const Vec3 at = Vec3(corner & 1 ? 0.5 : -0.5, corner & 2 ? 0.5 : -0.5, corner & 4 ? 0.5 : -0.5)
                        .cwiseProduct(box.size());
    const double fits = std::max(std::abs(at.dot(up)) / high, std::abs(at.dot(right)) / wide);
    distance = std::max(distance, at.dot(away) + fits);
  }
  render.camera = CameraMode::Explicit;
  render.target = box.centre();
  render.position = box.centre() + distance * away;
}

/// Bodies in place; before the first fracture none has faces inside.
Geometry drawnFrame(CachedFrames& cached, int frame, Context& context) {
  Geometry placed = cached.placed(frame, context);
  if (!placed.findGroup(Owner::Primitive, "inside")) placed.addGroup(Owner::Primitive, "inside");
  return placed;
}

/// Pictures side by side, row by row, each halved in size.
Image contactSheet(const std::vector<Image>& pictures, int count) {
  const size_t used = std::min(pictures.size(), static_cast<size_t>(count));
  const int columns = static_cast<int>(std::ceil(std::sqrt(static_cast<double>(used))));
  const int rows = (static_cast<int>(used) + columns - 1) / columns;
  const int w = pictures[0].width / 2, h = pictures[0].height / 2;
  std::vector<uint8_t> rgb(
      static_cast<size_t>(3) * static_cast<size_t>(columns * w) * static_cast<size_t>(rows * h), 235);
  for (size_t i = 0; i < used; ++i) {
    const size_t index = used == 1 ? 0 : i * (pictures.size() - 1) / (used - 1);
    const Image& from = pictures[index];
    const int x0 = static_cast<int>(i) % columns * w, y0 = static_cast<int>(i) / columns * h;
    for (int y = 0; y < h; ++y)
      for (int x = 0; x < w; ++x)
        for (int c = 0; c < 3; ++c) {
          const auto at = [&](int dx, int dy) {
            return static_cast<int>(from.rgb[(3 * ((2 * y + dy) * from.width + 2 * x + dx)) + c]);
          };
          rgb[3 * ((y0 + y) * columns * w + x0 + x) + c] =
              static_cast<uint8_t>((at(0, 0) + at(1, 0) + at(0, 1) + at(1, 1) + 2) / 4);
        }
  }
  return Image{columns * w, rows * h, std::move(rgb)};
}

Outputs flipbook(const Inputs&, const FlipbookOptions& options, Context& context) {
  if (options.folder.empty())
    throw Error(ErrorCode::Usage, "there is no folder", "give the folder that sim wrote");
  const std::vector<int> frames = chosenFrames(options);
  CachedFrames cached(options.folder);
  RenderOptions render = options.render;
  aim(render, boxOf(cached, frames, context));
  if (!options.pictures.empty()) std::filesystem::create_directories(options.pictures);
  std::vector<Image> images;
  for (size_t i = 0; i < frames.size(); ++i) {
    const Context::Stage stage(context, "frame", 0.9 / static_cast<double>(frames.size()));
    images.push_back(renderGeometry(drawnFrame(cached, frames[i], context), render, context));
    if (!options.pictures.empty())
      writeImage(std::filesystem::path(options.pictures) / fmt::format("frame.{:04}.png", frames[i]),
                 images.back(), context);
  }
  const Context::Stage stage(context, "encode", 0.1);
  const std::string bytes = animatedWebp(images, options.rate / options.step, options.quality, context);
  Value result = Value::Map();
  result.set("frames", frames.size());
  result.set("width", render.width);
  result.set("height", render.height);
  Blob movie{"webp", std::vector<uint8_t>(bytes.begin(), bytes.end())};
  return Outputs({contactSheet(images, options.sheet), movie}, result);
}

void addFrameRows(ParameterTable<FlipbookOptions>& table) {
  using Options = FlipbookOptions;
  table.section("Frames");
  table.add(&Options::folder, "folder", "Folder").as(ParameterType::File).help("The folder that sim wrote.");
  table.add(&Options::first, "first", "First Frame")
      .unit("none")
      .hard(1, 1000000)
      .soft(1, 240)
      .help("To draw.");
  table.add(&Options::last, "last", "Last Frame")
      .unit("none")
      .hard(1, 1000000)
      .soft(1, 240)
      .help("To draw. Not given: the last that there is.");
  table.add(&Options::step, "step", "Step")
      .unit("none")
      .hard(1, 10000)
      .soft(1, 10)
      .help("Draw only every n-th frame; the film keeps its speed.");
  table.add(&Options::rate, "rate", "Frame Rate")
      .unit("1/s")
      .hard(0.01, 1000)
      .soft(12, 60)
      .help("Frames of the simulation per second of film.");
  table.add(&Options::quality, "quality", "Quality")
      .unit("none")
      .range(0, 100)
      .help("Of the film's compression.");
  table.add(&Options::sheet, "sheet", "Sheet")
      .unit("none")
      .hard(1, 400)
      .soft(4, 36)
      .help("Pictures on the contact sheet, evenly spread over the frames.");
  table.add(&Options::pictures, "pictures", "Pictures")
      .as(ParameterType::File)
      .help("A folder for numbered pictures, frame.0001.png and so on. Not given: none are written.");
}

}  // namespace

Operator flipbookOperator() {
  Operator op;
  op.id = "flipbook";
  op.label = "Flipbook";
  op.summary = "Draw the frames of a simulation: numbered pictures, a contact sheet, a film";
  op.help =
      "Takes the folder that sim wrote and draws its frames with one camera, chosen so that nearly all "
      "pieces stay in the picture, or as the camera's parameters say. The floor is at height 0 unless told "
      "otherwise.";
  op.standsAlone = true;
  op.category = "Output";
  op.examples = {"flipbook out -o sheet.png film.webp",
                 "flipbook out --first 10 --last 60 --pictures png -o sheet.png"};
  op.outputs = {{"sheet", "Contact Sheet", "Pictures spread over the frames, side by side.", PortType::Image},
                {"film", "Film", "An animated WebP.", PortType::Blob, true}};
  ParameterTable<FlipbookOptions> table;
  addFrameRows(table);
  table.include(&FlipbookOptions::render, renderTable());
  op.bind(table, flipbook);
  return op;
}

}  // namespace hackle
