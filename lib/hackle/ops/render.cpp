#include <hackle/ops/catalogue.h>
#include <hackle/ops/render_table.h>

namespace hackle {

namespace {

using Table = ParameterTable<RenderOptions>;

void addPictureRows(Table& table) {
  table.section("Picture");
  table.add(&RenderOptions::width, "width", "Width")
      .unit("px")
      .hard(16, 4096)
      .soft(320, 1920)
      .help("Width of the picture.");
  table.add(&RenderOptions::height, "height", "Height")
      .unit("px")
      .hard(16, 4096)
      .soft(240, 1080)
      .help("Height of the picture.");
  table.add(&RenderOptions::samples, "samples", "Samples")
      .unit("none")
      .hard(1, 4096)
      .soft(8, 128)
      .help(
          "Rays per pixel, rounded up to a multiple of 8; half of them where light and surface are even. More "
          "give finer edges and cleaner shadows.");
  table.add(&RenderOptions::seed, "seed", "Seed")
      .unit("none")
      .hard(0, 2147483647)
      .soft(0, 100)
      .help("Seed of the light samples. The same seed gives the same picture on any machine.");
  table.add(&RenderOptions::background, "background", "Background")
      .as(ParameterType::Colour)
      .unit("none")
      .range(0, 1)
      .help("Colour behind the geometry and of the floor, sRGB.");
  table.add(&RenderOptions::floor, "floor", "Floor")
      .help("Put the geometry on a floor of the background's colour that shows shadows only.");
  table.add(&RenderOptions::floorHeight, "floor_height", "Floor Height")
      .unit("m")
      .soft(-10, 10)
      .enabledWhen("floor", {"on"})
      .help("Where the floor is. Not given: below the lowest point.");
  table.add(&RenderOptions::title, "title", "Title").help("Text at the top left of the picture.");
}

void addColourRows(Table& table) {
  table.section("Colour");
  table.add(&RenderOptions::colour, "colour", "Colour By")
      .menu({{"plain", "Plain"},
             {"piece", "Piece"},
             {"inside", "Inside and Outside"},
             {"attribute", "Attribute"},
             {"uv", "UV Checker"},
             {"normal", "Normals"}})
      .alias("color")
      .help(
          "Plain: one colour, or Cd. Piece: one colour for each value of the primitive attribute name, or "
          "for each connected part where there is none. Inside: the primitive group inside in another "
          "colour. Attribute: a colour map over any number attribute. UV: a checker of eight squares per "
          "tile.");
  table.add(&RenderOptions::base, "base", "Base Colour")
      .as(ParameterType::Colour)
      .unit("none")
      .range(0, 1)
      .help("Colour of surfaces that have none of their own, sRGB.");
  table.add(&RenderOptions::inside, "inside", "Inside Colour")
      .as(ParameterType::Colour)
      .unit("none")
      .range(0, 1)
      .enabledWhen("colour", {"inside"})
      .help("Colour of the primitive group inside, sRGB.");
  table.add(&RenderOptions::useCd, "use_cd", "Use Cd")
      .enabledWhen("colour", {"plain"})
      .help("Take the colour from the attribute Cd where there is one.");
  table.add(&RenderOptions::attribute, "attribute", "Attribute")
      .as(ParameterType::Attribute)
      .enabledWhen("colour", {"attribute"})
      .help(
          "The attribute to show; looked for on vertices, points, primitives, then the detail. P works too.");
  table.add(&RenderOptions::component, "component", "Component")
      .menu({{"magnitude", "Magnitude"}, {"x", "X"}, {"y", "Y"}, {"z", "Z"}, {"w", "W"}})
      .enabledWhen("colour", {"attribute"})
      .help("Which number of a vector to show. The magnitude of a single number is the number itself.");
  table.add(&RenderOptions::range, "range", "Range")
      .menu({{"auto", "Automatic"}, {"given", "Given"}})
      .enabledWhen("colour", {"attribute"})
      .help("Let the colour map span the values that occur, or a given range.");
  table.add(&RenderOptions::rangeMin, "range_min", "Range Low")
      .unit("none")
      .soft(0, 1)
      .enabledWhen("colour", {"attribute"})
      .enabledWhen("range", {"given"})
      .help("Value at the dark end of the colour map, in the attribute's unit.");
  table.add(&RenderOptions::rangeMax, "range_max", "Range High")
      .unit("none")
      .soft(0, 1)
      .enabledWhen("colour", {"attribute"})
      .enabledWhen("range", {"given"})
      .help("Value at the bright end of the colour map, in the attribute's unit.");
  table.add(&RenderOptions::legend, "legend", "Legend")
      .enabledWhen("colour", {"attribute"})
      .help("Draw the colour map with numbers at the right.");
}

void addLineRows(Table& table) {
  table.section("Lines");
  table.add(&RenderOptions::wireframe, "wireframe", "Wireframe")
      .help("Draw the edges of polygons over the surface.");
  table.add(&RenderOptions::wireWidth, "wire_width", "Wire Width")
      .unit("px")
      .hard(0.1, 20)
      .soft(0.5, 4)
      .enabledWhen("wireframe", {"on"})
      .help("Thickness of the wireframe.");
  table.add(&RenderOptions::lineWidth, "line_width", "Line Width")
      .unit("px")
      .hard(0.1, 100)
      .soft(1, 12)
      .help("Thickness of polylines in the middle of the picture; they are drawn as tubes.");
  table.add(&RenderOptions::pointSize, "point_size", "Point Size")
      .unit("px")
      .hard(0.1, 200)
      .soft(2, 24)
      .help("Size of points that no primitive uses; they are drawn as spheres.");
  table.add(&RenderOptions::cuspAngle, "cusp_angle", "Cusp Angle")
      .unit("deg")
      .range(0, 180)
      .help("Faces that meet at a larger angle keep a sharp edge. Not used where the geometry has N.");
}

void addCameraRows(Table& table) {
  table.section("Camera");
  table.add(&RenderOptions::camera, "camera", "Camera")
      .menu({{"auto", "Automatic"}, {"explicit", "Explicit"}})
      .help(
          "Automatic: from azimuth and elevation, as near as possible with all of the geometry in the picture.");
  table.add(&RenderOptions::azimuth, "azimuth", "Azimuth")
      .unit("deg")
      .soft(-180, 180)
      .enabledWhen("camera", {"auto"})
      .help("Direction of the camera about the y axis: 0 looks from +z, 90 from +x.");
  table.add(&RenderOptions::elevation, "elevation", "Elevation")
      .unit("deg")
      .range(-90, 90)
      .enabledWhen("camera", {"auto"})
      .help("Height of the camera above the horizon.");
  table.add(&RenderOptions::fieldOfView, "fov", "Field of View")
      .unit("deg")
      .hard(1, 150)
      .soft(10, 90)
      .help("Angle that the height of a view covers at zoom 1.");
  table.add(&RenderOptions::zoom, "zoom", "Zoom")
      .unit("none")
      .hard(0.01, 1000)
      .soft(0.5, 4)
      .help("Enlarges the middle of each view.");
  table.add(&RenderOptions::position, "position", "Position")
      .unit("m")
      .soft(-10, 10)
      .enabledWhen("camera", {"explicit"})
      .help("Where the camera stands.");
  table.add(&RenderOptions::target, "target", "Target")
      .unit("m")
      .soft(-10, 10)
      .enabledWhen("camera", {"explicit"})
      .help("The point that the camera looks at.");
  table.add(&RenderOptions::views, "views", "Views")
      .unit("none")
      .hard(1, 64)
      .soft(1, 12)
      .help("Turntable: this many views around the y axis, side by side in one picture.");
}

void addLightRows(Table& table) {
  table.section("Light");
  table.add(&RenderOptions::lightAzimuth, "light_azimuth", "Light Azimuth")
      .unit("deg")
      .soft(-180, 180)
      .help("Direction of the key light relative to the camera; negative is left.");
  table.add(&RenderOptions::lightElevation, "light_elevation", "Light Elevation")
      .unit("deg")
      .range(-90, 90)
      .help("Height of the key light above the horizon.");
  table.add(&RenderOptions::lightSoftness, "light_softness", "Light Softness")
      .unit("deg")
      .hard(0, 60)
      .soft(0, 30)
      .help("Half the angle that the key light fills; 0 gives hard shadows.");
}

Outputs render(const Inputs& inputs, const RenderOptions& options, Context& context) {
  const Geometry& geometry = inputs.geometry(0);
  Value result = Value::Map();
  result.set("width", options.width);
  result.set("height", options.height);
  return Outputs({renderGeometry(geometry, options, context)}, result);
}

}  // namespace

ParameterTable<RenderOptions> renderTable() {
  Table table;
  addPictureRows(table);
  addColourRows(table);
  addLineRows(table);
  addCameraRows(table);
  addLightRows(table);
  return table;
}

Operator renderOperator() {
  Operator op;
  op.id = "render";
  op.label = "Render";
  op.summary = "Draw a shaded picture of geometry";
  op.help =
      "A studio picture: soft light, contact shadows, colours by piece, by inside and outside, or by any "
      "attribute with a legend. Polygons, the surface of tetrahedra, polylines and loose points are drawn; "
      "volumes are left out with a warning. The same input gives the same bytes on any number of threads.";
  op.category = "Output";
  op.examples = {"render pieces.bgeo -o pieces.png",
                 "render pieces.bgeo --colour attribute --attribute depth --views 4 -o depth.png"};
  op.inputs = {{"geometry", "Geometry", "The geometry to draw."}};
  op.outputs = {{"image", "Image", "The picture.", PortType::Image}};
  op.bind(renderTable(), render);
  return op;
}

}  // namespace hackle
