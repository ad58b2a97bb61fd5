#include <hackle/meshing/shapes/texture_charts.h>

#include <hackle/core/parallel.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace hackle {

namespace {

struct ChartBox {
  Vec2 min = Vec2::Constant(std::numeric_limits<double>::infinity());
  Vec2 max = Vec2::Constant(-std::numeric_limits<double>::infinity());
  bool turned = false;        // by a quarter, so that it is wider than tall
  Vec2 place = Vec2::Zero();  // lower left corner in the packing
  bool used() const { return min.x() <= max.x(); }
  double width() const { return turned ? max.y() - min.y() : max.x() - min.x(); }
  double height() const { return turned ? max.x() - min.x() : max.y() - min.y(); }
};

/// Puts boxes on shelves of the given width, tallest first; returns the total height.
double fillShelves(std::vector<ChartBox>& boxes, const std::vector<size_t>& order, double shelfWidth,
                   double gap) {
  double x = gap, y = gap, shelfHeight = 0;
  for (const size_t b : order) {
    ChartBox& box = boxes[b];
    if (x > gap && x + box.width() + gap > shelfWidth) {
      x = gap;
      y += shelfHeight + gap;
      shelfHeight = 0;
    }
    box.place = Vec2(x, y);
    x += box.width() + gap;
    shelfHeight = std::max(shelfHeight, box.height());
  }
  return y + shelfHeight + gap;
}

/// Side of the square that the packing needs; sets the places.
double pack(std::vector<ChartBox>& boxes) {
  std::vector<size_t> order;
  double area = 0, widest = 0;
  for (size_t b = 0; b < boxes.size(); ++b) {
    if (!boxes[b].used()) continue;
    order.push_back(b);
    boxes[b].turned = boxes[b].height() > boxes[b].width();
    area += boxes[b].width() * boxes[b].height();
    widest = std::max(widest, boxes[b].width());
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return boxes[a].height() > boxes[b].height(); });
  const double gap = 0.004 * std::sqrt(area);

  // Try shelves from as narrow as possible to twice the ideal square, keep the smallest square.
  constexpr int kTries = 24;
  const double narrow = std::max(widest + 2 * gap, std::sqrt(area));
  double bestSide = std::numeric_limits<double>::infinity(), bestWidth = narrow;
  for (int i = 0; i < kTries; ++i) {
    const double width = narrow * (1.0 + static_cast<double>(i) / kTries);
    const double side = std::max(width, fillShelves(boxes, order, width, gap));
    if (side < bestSide) {
      bestSide = side;
      bestWidth = width;
    }
  }
  fillShelves(boxes, order, bestWidth, gap);
  return bestSide;
}

struct HalfEdge {
  int32_t low = 0, high = 0, face = 0;
};

/// For every edge between two faces, the faces; found by sorting the half-edges by their points.
std::vector<Edge> facePairs(const Geometry& geometry, Context& context) {
  std::vector<HalfEdge> half;
  half.reserve(geometry.vertexCount());
  for (size_t f = 0; f < geometry.primitiveCount(); ++f) {
    const Span<const int32_t> corners = geometry.corners(f);
    for (size_t c = 0; c < corners.size(); ++c) {
      const int32_t a = corners[c], b = corners[(c + 1) % corners.size()];
      half.push_back({std::min(a, b), std::max(a, b), static_cast<int32_t>(f)});
    }
  }
  parallelStableSort(context, half, [](const HalfEdge& a, const HalfEdge& b) {
    return a.low != b.low ? a.low < b.low : a.high < b.high;
  });
  std::vector<Edge> pairs;
  for (size_t i = 0; i + 1 < half.size(); ++i)
    if (half[i].low == half[i + 1].low && half[i].high == half[i + 1].high)
      pairs.push_back({half[i].face, half[i + 1].face});
  return pairs;
}

/// Area vector of a polygon.
Vec3 areaVector(const Geometry& geometry, size_t face) {
  const Span<const int32_t> corners = geometry.corners(face);
  Vec3 sum = Vec3::Zero();
  const Vec3 origin = geometry.position(static_cast<size_t>(corners[0]));
  for (size_t c = 1; c + 1 < corners.size(); ++c)
    sum += (geometry.position(static_cast<size_t>(corners[c])) - origin)
               .cross(geometry.position(static_cast<size_t>(corners[c + 1])) - origin);
  return 0.5 * sum;
}

/// Six directions: 2 * axis + (1 for the negative side).
double along(const Vec3& normal, int direction) {
  return direction % 2 == 0 ? normal[direction / 2] : -normal[direction / 2];
}

/// The direction of every face; a face follows its neighbours where its own choice is not much worse, so that
/// the borders of charts are smooth.
std::vector<int> projectionDirections(const std::vector<Vec3>& normals, const std::vector<Edge>& pairs) {
  constexpr int kRounds = 4;
  constexpr double kLeast = 0.5;       // cosine below which a direction is not taken for the neighbours' sake
  constexpr double kNeighbour = 0.15;  // what a neighbour's vote is worth
  std::vector<std::array<int, 6>> votes(normals.size());
  std::vector<int> direction(normals.size(), 0);
  for (int round = 0; round <= kRounds; ++round) {
    for (auto& v : votes) v.fill(0);
    if (round > 0)
      for (const Edge& pair : pairs) {
        const size_t a = static_cast<size_t>(pair[0]), b = static_cast<size_t>(pair[1]);
        ++votes[a][direction[b]];
        ++votes[b][direction[a]];
      }
    for (size_t f = 0; f < normals.size(); ++f) {
      double best = -std::numeric_limits<double>::infinity();
      for (int d = 0; d < 6; ++d) {
        const double cosine = along(normals[f], d);
        const double score = cosine + (cosine > kLeast ? kNeighbour * votes[f][d] : 0.0);
        if (score > best) {
          best = score;
          direction[f] = d;
        }
      }
    }
  }
  return direction;
}

/// Plane coordinates of a point seen from outside along a direction.
Vec2 projected(const Vec3& p, int direction) {
  const int axis = direction / 2;
  const double u = p[(axis + 1) % 3], v = p[(axis + 2) % 3];
  return direction % 2 == 0 ? Vec2(u, v) : Vec2(v, u);
}

int32_t root(std::vector<int32_t>& parent, int32_t i) {
  while (parent[i] != i) {
    parent[i] = parent[parent[i]];
    i = parent[i];
  }
  return i;
}

}  // namespace

void addPackedUv(Geometry& geometry, const TextureCharts& charts) {
  HACKLE_ASSERT(charts.uv.size() == geometry.vertexCount() &&
                charts.chart.size() == geometry.primitiveCount());
  // Bounds of every chart.
  int32_t count = 0;
  for (const int32_t c : charts.chart) count = std::max(count, c + 1);
  std::vector<ChartBox> boxes(static_cast<size_t>(count));
  for (size_t f = 0; f < geometry.primitiveCount(); ++f) {
    ChartBox& box = boxes[charts.chart[f]];
    for (size_t v = geometry.firstVertex(f); v < geometry.firstVertex(f + 1); ++v) {
      box.min = box.min.cwiseMin(charts.uv[v]);
      box.max = box.max.cwiseMax(charts.uv[v]);
    }
  }

  // Place them and write the coordinates.
  const double side = pack(boxes);
  const double scale = side > 0 ? 1.0 / side : 0.0;
  Attribute attribute("uv", Storage::Float32, 3, geometry.vertexCount(), "texturecoord");
  std::vector<float>& values = attribute.edit<float>();
  for (size_t f = 0; f < geometry.primitiveCount(); ++f) {
    const ChartBox& box = boxes[charts.chart[f]];
    for (size_t v = geometry.firstVertex(f); v < geometry.firstVertex(f + 1); ++v) {
      const Vec2 local = charts.uv[v] - box.min;
      // A quarter turn, not a mirror: (x, y) -> (height - y, x).
      const Vec2 turned = box.turned ? Vec2(box.width() - local.y(), local.x()) : local;
      const Vec2 uv = scale * (box.place + turned);
      values[3 * v] = static_cast<float>(uv.x());
      values[3 * v + 1] = static_cast<float>(uv.y());
    }
  }
  geometry.addAttribute(Owner::Vertex, std::move(attribute));
}

TextureCharts boxCharts(const Geometry& geometry, Span<const int32_t> labels, Context& context) {
  const size_t faces = geometry.primitiveCount();
  HACKLE_ASSERT(labels.size() == faces);
  const std::vector<Edge> pairs = facePairs(geometry, context);
  std::vector<Vec3> normals(faces);
  for (size_t f = 0; f < faces; ++f) normals[f] = areaVector(geometry, f).normalized();
  const std::vector<int> direction = projectionDirections(normals, pairs);

  // Join neighbours of one direction and one label.
  std::vector<int32_t> parent(faces);
  std::iota(parent.begin(), parent.end(), 0);
  for (const Edge& pair : pairs) {
    const size_t a = static_cast<size_t>(pair[0]), b = static_cast<size_t>(pair[1]);
    if (direction[a] != direction[b] || labels[a] != labels[b]) continue;
    const int32_t ra = root(parent, pair[0]), rb = root(parent, pair[1]);
    parent[std::max(ra, rb)] = std::min(ra, rb);
  }

  TextureCharts charts;
  charts.chart.resize(faces);
  charts.uv.resize(geometry.vertexCount());
  int32_t count = 0;
  for (size_t f = 0; f < faces; ++f) {
    const int32_t r = root(parent, static_cast<int32_t>(f));
    // A root is its chart's lowest face, so it has its number by now.
    charts.chart[f] = static_cast<size_t>(r) == f ? count++ : charts.chart[r];
    for (size_t v = geometry.firstVertex(f); v < geometry.firstVertex(f + 1); ++v)
      charts.uv[v] = projected(geometry.position(static_cast<size_t>(geometry.vertexPoint(v))), direction[f]);
  }
  return charts;
}

}  // namespace hackle
