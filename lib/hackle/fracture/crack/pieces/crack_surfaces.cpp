#include <hackle/core/parallel.h>
#include <hackle/fracture/crack/growth/fine_front.h>
#include <hackle/fracture/crack/pieces/crack_sheet_mesh.h>
#include <hackle/fracture/crack/pieces/crack_surfaces.h>

#include <algorithm>
#include <map>

namespace hackle {

namespace {

constexpr double kWeld = 0.1;        // voxels
constexpr double kZip = 0.3;         // voxels
constexpr double kOnSurface = 1e-3;  // voxels

/// Parts of a sheet outside of the body taken away. Points on its surface stay.
void clipAtBody(CrackSheetMesh& sheet, const TriangleBvh& body, double voxel, Context& context) {
  std::vector<uint8_t> keep(sheet.points.size()), onSurface(sheet.points.size());
  parallelFor(context, keep.size(), 256, [&](size_t p) {
    onSurface[p] = body.closestPoint(sheet.points[p], kOnSurface * voxel).triangle >= 0 ? 1 : 0;
    keep[p] = onSurface[p] || insideSurface(body, sheet.points[p]) ? 1 : 0;
  });
  sheet.clip(keep, [&](int32_t in, int32_t out) {
    if (onSurface[in]) return 0.0;
    const Vec3 &a = sheet.points[in], &b = sheet.points[out];
    const auto hit = body.firstHit({a, b - a, 0.0, 1.0});
    return hit ? hit->t : 1.0;
  });
}

void clipAtTime(CrackSheetMesh& sheet, double time) {
  std::vector<uint8_t> keep(sheet.points.size());
  for (size_t p = 0; p < keep.size(); ++p) keep[p] = static_cast<double>(sheet.times[p]) <= time ? 1 : 0;
  sheet.clip(keep, [&](int32_t in, int32_t out) {
    const double a = static_cast<double>(sheet.times[in]);
    const double b = static_cast<double>(sheet.times[out]);
    return (time - a) / (b - a);
  });
}

/// Places where the time is as given, as lines.
class FrontLines {
 public:
  FrontLines(const CrackSheetMesh& sheet, double time) : mSheet(sheet), mTime(static_cast<float>(time)) {
    for (const Triangle& t : sheet.triangles) addSegment(t);
  }

  void appendTo(Geometry& geometry, int32_t crack, std::vector<int32_t>& cracks) {
    const int32_t first = static_cast<int32_t>(geometry.pointCount());
    geometry.addPoints(mPlaces.size());
    std::copy(mPlaces.begin(), mPlaces.end(), geometry.editPositions().begin() + first);
    std::vector<uint8_t> done(mPlaces.size(), 0);
    // Lines with ends before closed ones.
    for (const bool loops : {false, true})
      for (size_t n = 0; n < mPlaces.size(); ++n) {
        if (done[n] || mLinks[n].empty() || (!loops && mLinks[n].size() != 1)) continue;
        std::vector<int32_t> line = follow(static_cast<int32_t>(n), done);
        for (int32_t& p : line) p += first;
        geometry.addPrimitives(PrimitiveType::Polyline, 1, static_cast<int>(line.size()), line);
        cracks.push_back(crack);
      }
  }

 private:
  bool before(int32_t p) const { return mSheet.times[p] <= mTime; }
  int32_t nodeOn(int32_t a, int32_t b) {
    if (a > b) std::swap(a, b);
    const auto [found, isNew] = mNodes.try_emplace({a, b}, static_cast<int32_t>(mPlaces.size()));
    if (isNew) {
      const size_t i = static_cast<size_t>(a), j = static_cast<size_t>(b);
      const double t = static_cast<double>((mTime - mSheet.times[i]) / (mSheet.times[j] - mSheet.times[i]));
      mPlaces.push_back((1 - t) * mSheet.points[i] + t * mSheet.points[j]);
      mLinks.emplace_back();
    }
    return found->second;
  }
  void addSegment(const Triangle& t) {
    int32_t ends[2];
    size_t count = 0;
    for (size_t k = 0; k < 3; ++k)
      if (before(t[k]) != before(t[(k + 1) % 3])) ends[count++] = nodeOn(t[k], t[(k + 1) % 3]);
    if (count != 2 || ends[0] == ends[1]) return;
    mLinks[ends[0]].push_back(ends[1]);
    mLinks[ends[1]].push_back(ends[0]);
  }
  std::vector<int32_t> follow(int32_t from, std::vector<uint8_t>& done) const {
    std::vector<int32_t> line{from};
    done[from] = 1;
    for (int32_t at = from; at >= 0;) {
      int32_t next = -1;
      for (const int32_t n : mLinks[at])
        if (!done[n] && next < 0) next = n;
      if (next < 0) {
        const std::vector<int32_t>& links = mLinks[at];
        if (line.size() > 2 && std::find(links.begin(), links.end(), from) != links.end())
          line.push_back(from);
        break;
      }
      line.push_back(next);
      done[next] = 1;
      at = next;
    }
    return line;
  }

  const CrackSheetMesh& mSheet;
  float mTime;
  std::map<std::pair<int32_t, int32_t>, int32_t> mNodes;
  std::vector<Vec3> mPlaces;
  std::vector<std::vector<int32_t>> mLinks;
};

void addCrackNumbers(Geometry& geometry, std::vector<int32_t> cracks) {
  Attribute crack("crack", Storage::Int32, 1, cracks.size());
  crack.edit<int32_t>() = std::move(cracks);
  geometry.addAttribute(Owner::Primitive, std::move(crack));
}

}  // namespace

Geometry crackSurfaces(Span<const RecordedCrack> cracks, const TriangleBvh& body,
                       const CrackSurfaceOptions& options, Context& context) {
  Geometry geometry;
  std::vector<float> times;
  std::vector<int32_t> numbers;
  for (size_t c = 0; c < cracks.size(); ++c) {
    context.checkCancel();
    const double voxel = cracks[c].band->voxelSize();
    CrackSheetMesh sheet(*cracks[c].band, cracks[c].times, kWeld * voxel);
    sheet.zip(kZip * voxel, context);
    if (options.until) clipAtTime(sheet, *options.until);
    if (options.clip) clipAtBody(sheet, body, voxel, context);
    if (options.tolerance > 0) sheet.coarsen(options.tolerance * voxel, context);
    const size_t first = geometry.addPoints(sheet.points.size());
    std::copy(sheet.points.begin(), sheet.points.end(),
              geometry.editPositions().begin() + static_cast<std::ptrdiff_t>(first));
    times.insert(times.end(), sheet.times.begin(), sheet.times.end());
    std::vector<int32_t> corners;
    for (const Triangle& t : sheet.triangles)
      for (const int32_t p : t) corners.push_back(p + static_cast<int32_t>(first));
    geometry.addPrimitives(PrimitiveType::Polygon, sheet.triangles.size(), 3, corners);
    numbers.insert(numbers.end(), sheet.triangles.size(), static_cast<int32_t>(c));
  }
  Attribute time("crack_time", Storage::Float32, 1, times.size());
  time.edit<float>() = std::move(times);
  geometry.addAttribute(Owner::Point, std::move(time));
  addCrackNumbers(geometry, std::move(numbers));
  return geometry;
}

CrackFronts crackFrontsAt(Span<const RecordedCrack> cracks, const TriangleBvh& body, double time,
                          Context& context) {
  CrackFronts fronts;
  std::vector<int32_t> numbers;
  for (size_t c = 0; c < cracks.size(); ++c) {
    const double voxel = cracks[c].band->voxelSize();
    CrackSheetMesh sheet(*cracks[c].band, cracks[c].times, kWeld * voxel);
    sheet.zip(kZip * voxel, context);
    clipAtBody(sheet, body, voxel, context);
    FrontLines(sheet, time).appendTo(fronts.lines, static_cast<int32_t>(c), numbers);
    clipAtTime(sheet, time);
    fronts.area += sheet.area();
  }
  addCrackNumbers(fronts.lines, std::move(numbers));
  return fronts;
}

}  // namespace hackle
