#include <hackle/fracture/modes/modes_cache.h>

#include <hackle/core/archive.h>
#include <hackle/core/error.h>
#include <hackle/geometry/geometry_archive.h>

#include <fmt/format.h>

#include <cmath>

namespace hackle {

namespace {

constexpr size_t kMostModes = 100000;

[[noreturn]] void damaged(const std::string& what) {
  throw Error(ErrorCode::BadInput, "the file is damaged: " + what, "make it anew");
}

void require(bool holds, const char* what) {
  if (!holds) damaged(what);
}

// Vectors as numbers --------------------------------------------------------------------------------------

Span<const double> numbersOf(const std::vector<Vec3>& vectors) {
  return {vectors.empty() ? nullptr : vectors.data()->data(), 3 * vectors.size()};
}

std::vector<double> finiteNumbers(const ArchiveReader& archive, const std::string& name) {
  std::vector<double> values = archive.float64s(name);
  for (const double v : values)
    if (!std::isfinite(v)) damaged(fmt::format("a number of {} is not finite", name));
  return values;
}

std::vector<Vec3> vectorsOf(const ArchiveReader& archive, const std::string& name) {
  const std::vector<double> numbers = finiteNumbers(archive, name);
  if (numbers.size() % 3 != 0) damaged(fmt::format("a vector of {} has not three numbers", name));
  std::vector<Vec3> vectors;
  for (size_t i = 0; i < numbers.size(); i += 3)
    vectors.emplace_back(numbers[i], numbers[i + 1], numbers[i + 2]);
  return vectors;
}

void checkIndices(Span<const int32_t> indices, int32_t low, size_t end, const char* what) {
  for (const int32_t i : indices) require(i >= low && (i < 0 || static_cast<size_t>(i) < end), what);
}

// Parts ---------------------------------------------------------------------------------------------------

void addParts(ArchiveWriter& archive, const FracturePieces& parts) {
  archive.addTexts("part.names", parts.names);
  archive.add("part.cells", parts.cell);
  archive.add("part.volumes", parts.volume);
  archive.add("part.centres", numbersOf(parts.centre));
  std::vector<int32_t> sides;
  std::vector<double> areas;
  std::vector<Vec3> centres, normals;
  for (const PieceContact& contact : parts.contacts) {
    sides.insert(sides.end(), {contact.a, contact.b});
    areas.push_back(contact.area);
    centres.push_back(contact.centre);
    normals.push_back(contact.normal);
  }
  archive.add("contact.sides", sides);
  archive.add("contact.areas", areas);
  archive.add("contact.centres", numbersOf(centres));
  archive.add("contact.normals", numbersOf(normals));
  archive.add("face.parts", parts.primitivePiece);
  archive.add("face.sources", parts.primitiveSource);
  archive.add("point.vertices", parts.pointVertex);
}

void readContacts(const ArchiveReader& archive, FracturePieces& parts) {
  const std::vector<int32_t> sides = archive.int32s("contact.sides");
  const std::vector<double> areas = finiteNumbers(archive, "contact.areas");
  const std::vector<Vec3> centres = vectorsOf(archive, "contact.centres");
  const std::vector<Vec3> normals = vectorsOf(archive, "contact.normals");
  require(
      sides.size() == 2 * areas.size() && centres.size() == areas.size() && normals.size() == areas.size(),
      "contacts do not fit together");
  checkIndices(sides, 0, parts.names.size(), "a contact has a part that is not there");
  for (size_t c = 0; c < areas.size(); ++c) {
    require(areas[c] >= 0, "a contact has a negative area");
    parts.contacts.push_back({sides[2 * c], sides[2 * c + 1], areas[c], centres[c], normals[c]});
  }
}

FracturePieces readParts(const ArchiveReader& archive) {
  FracturePieces parts;
  parts.geometry = readGeometry(archive, "g.");
  for (const Vec3& p : parts.geometry.positions()) require(p.allFinite(), "a point is not finite");
  parts.names = archive.texts("part.names");
  parts.cell = archive.int32s("part.cells");
  parts.volume = finiteNumbers(archive, "part.volumes");
  parts.centre = vectorsOf(archive, "part.centres");
  const size_t count = parts.names.size();
  require(parts.cell.size() == count && parts.volume.size() == count && parts.centre.size() == count,
          "parts do not fit together");
  readContacts(archive, parts);
  parts.primitivePiece = archive.int32s("face.parts");
  parts.primitiveSource = archive.int32s("face.sources");
  parts.pointVertex = archive.int32s("point.vertices");
  const size_t faces = parts.geometry.primitiveCount();
  require(parts.primitivePiece.size() == faces && parts.primitiveSource.size() == faces &&
              parts.pointVertex.size() == parts.geometry.pointCount(),
          "faces and parts do not fit together");
  checkIndices(parts.primitivePiece, 0, count, "a face has a part that is not there");
  return parts;
}

/// The two sides of a face have the same corners, in opposite orders.
void checkTwins(const FracturePieces& parts, Span<const int32_t> twins) {
  const Geometry& g = parts.geometry;
  require(twins.size() == g.primitiveCount(), "faces and their other sides do not fit together");
  checkIndices(twins, -1, twins.size(), "a face has an other side that is not there");
  const auto vertex = [&](int32_t point) { return parts.pointVertex[point]; };
  for (size_t f = 0; f < twins.size(); ++f) {
    if (twins[f] < 0) continue;
    const size_t other = static_cast<size_t>(twins[f]);
    const Span<const int32_t> mine = g.corners(f), theirs = g.corners(other);
    require(twins[other] == static_cast<int32_t>(f) && other != f && mine.size() == theirs.size() &&
                mine.size() >= 3,
            "a face and its other side do not fit together");
    size_t start = 0;
    while (start < theirs.size() && vertex(theirs[start]) != vertex(mine[0])) ++start;
    for (size_t k = 0; k < mine.size(); ++k)
      require(start < theirs.size() &&
                  vertex(mine[k]) == vertex(theirs[(start + theirs.size() - k) % theirs.size()]),
              "a face and its other side have different corners");
  }
}

// Modes and shares ------------------------------------------------------------------------------------------

void readModeValues(const ArchiveReader& archive, ModesCache& cache) {
  const std::vector<uint8_t> axes = archive.bytes("mode.axes");
  const std::vector<int32_t> ranks = archive.int32s("mode.ranks");
  const std::vector<double> energies = finiteNumbers(archive, "mode.energies");
  require(axes.size() == ranks.size() && axes.size() == energies.size() && axes.size() <= kMostModes,
          "modes do not fit together");
  for (size_t m = 0; m < axes.size(); ++m) {
    require(axes[m] >= 1 && axes[m] <= 7 && ranks[m] >= 0, "a mode has no axis");
    cache.modes.push_back({axes[m], ranks[m], energies[m]});
  }
  cache.masses = finiteNumbers(archive, "part.masses");
  const size_t parts = cache.parts.names.size();
  require(cache.masses.size() == parts, "masses and parts do not fit together");
  for (const double m : cache.masses) require(m > 0, "a part has no mass");
  const std::vector<double> values = finiteNumbers(archive, "mode.values");
  require(values.size() == parts * axes.size(), "modes and parts do not fit together");
  cache.values = Eigen::Map<const Eigen::MatrixXd>(values.data(), static_cast<Eigen::Index>(parts),
                                                   static_cast<Eigen::Index>(axes.size()));
}

/// Tetrahedra side by side cannot fill much more than their common box; those that do would fill memory with
/// lists of what is where.
void checkOverlap(const ImpulseShares& shares) {
  constexpr double kLargest = 1e15, kMost = 100;  // m; times the common box
  Box3 whole;
  double sum = 0;
  for (const Vec3& p : shares.points) {
    require(p.cwiseAbs().maxCoeff() < kLargest, "a point is too far away");
    whole.add(p);
  }
  for (const Tetrahedron& t : shares.tetrahedra) {
    Box3 box;
    for (const int32_t p : t) box.add(shares.points[p]);
    sum += box.size().prod();
  }
  require(sum <= kMost * whole.size().prod(), "its tetrahedra overlap");
}

ImpulseShares readShares(const ArchiveReader& archive, size_t parts) {
  ImpulseShares shares;
  shares.points = vectorsOf(archive, "share.points");
  const std::vector<int32_t> corners = archive.int32s("share.tetrahedra");
  checkIndices(corners, 0, shares.points.size(), "a tetrahedron has a point that is not there");
  require(corners.size() % 4 == 0, "a tetrahedron has not four corners");
  for (size_t i = 0; i < corners.size(); i += 4)
    shares.tetrahedra.push_back({corners[i], corners[i + 1], corners[i + 2], corners[i + 3]});
  checkOverlap(shares);
  shares.starts = archive.int32s("share.starts");
  shares.parts = archive.int32s("share.parts");
  shares.shares = archive.float32s("share.values");
  require(shares.starts.size() == shares.points.size() + 1 && shares.starts.front() == 0 &&
              shares.starts.back() == static_cast<int32_t>(shares.parts.size()) &&
              shares.parts.size() == shares.shares.size() && !shares.points.empty(),
          "shares do not fit together");
  for (size_t p = 0; p + 1 < shares.starts.size(); ++p)
    require(shares.starts[p] <= shares.starts[p + 1], "shares are out of order");
  checkIndices(shares.parts, 0, parts, "a share has a part that is not there");
  for (const float s : shares.shares) require(s >= 0 && s <= 1.001f, "a share is not between 0 and 1");
  return shares;
}

// Hulls -----------------------------------------------------------------------------------------------------

void addHulls(ArchiveWriter& archive, const ModesCache& cache) {
  std::vector<int32_t> parts, counts;
  std::vector<Vec3> corners;
  for (size_t p = 0; p < cache.hulls.size(); ++p)
    for (const std::vector<Vec3>& hull : cache.hulls[p]) {
      parts.push_back(static_cast<int32_t>(p));
      counts.push_back(static_cast<int32_t>(hull.size()));
      corners.insert(corners.end(), hull.begin(), hull.end());
    }
  archive.add("hull.parts", parts);
  archive.add("hull.counts", counts);
  archive.add("hull.corners", numbersOf(corners));
}

void readHulls(const ArchiveReader& archive, ModesCache& cache) {
  const std::vector<int32_t> parts = archive.int32s("hull.parts"), counts = archive.int32s("hull.counts");
  const std::vector<Vec3> corners = vectorsOf(archive, "hull.corners");
  checkIndices(parts, 0, cache.parts.names.size(), "a hull has a part that is not there");
  require(parts.size() == counts.size(), "hulls do not fit together");
  cache.hulls.resize(cache.parts.names.size());
  size_t next = 0;
  for (size_t h = 0; h < parts.size(); ++h) {
    require(counts[h] > 0 && next + static_cast<size_t>(counts[h]) <= corners.size(),
            "hulls do not fit together");
    const auto first = corners.begin() + static_cast<std::ptrdiff_t>(next);
    cache.hulls[parts[h]].emplace_back(first, first + counts[h]);
    next += static_cast<size_t>(counts[h]);
  }
}

}  // namespace

std::string writeModes(const ModesCache& cache) {
  ArchiveWriter archive("modes", kModesVersion);
  archive.add("fingerprint", std::vector<int64_t>{static_cast<int64_t>(cache.fingerprint)});
  archive.add("figures",
              std::vector<double>{cache.density, cache.volume, cache.impulseLength, cache.cellSize});
  archive.addText("inside_group", cache.insideGroup);
  std::vector<uint8_t> axes;
  std::vector<int32_t> ranks;
  std::vector<double> energies;
  for (const CachedMode& mode : cache.modes) {
    axes.push_back(mode.axes);
    ranks.push_back(mode.rank);
    energies.push_back(mode.energy);
  }
  archive.add("mode.axes", axes);
  archive.add("mode.ranks", ranks);
  archive.add("mode.energies", energies);
  archive.add("mode.values",
              Span<const double>(cache.values.data(), static_cast<size_t>(cache.values.size())));
  archive.add("part.masses", cache.masses);
  addParts(archive, cache.parts);
  archive.add("face.twins", cache.twins);
  std::vector<int32_t> corners;
  for (const Tetrahedron& t : cache.shares.tetrahedra) corners.insert(corners.end(), t.begin(), t.end());
  archive.add("share.points", numbersOf(cache.shares.points));
  archive.add("share.tetrahedra", corners);
  archive.add("share.starts", cache.shares.starts);
  archive.add("share.parts", cache.shares.parts);
  archive.add("share.values", cache.shares.shares);
  addGeometry(archive, "g.", cache.parts.geometry);
  if (!cache.hulls.empty()) addHulls(archive, cache);
  return archive.finish();
}

ModesCache readModes(std::string_view bytes, Context& context) {
  const ArchiveReader archive(bytes, "modes", kModesVersion);
  context.checkCancel();
  ModesCache cache;
  const std::vector<int64_t> fingerprint = archive.int64s("fingerprint");
  const std::vector<double> figures = finiteNumbers(archive, "figures");
  require(fingerprint.size() == 1 && figures.size() == 4, "its figures are not there");
  cache.fingerprint = static_cast<uint64_t>(fingerprint[0]);
  cache.density = figures[0];
  cache.volume = figures[1];
  cache.impulseLength = figures[2];
  cache.cellSize = figures[3];
  require(cache.density > 0 && cache.volume > 0, "it has no mass");
  cache.insideGroup = archive.text("inside_group");
  cache.parts = readParts(archive);
  context.checkCancel();
  cache.twins = archive.int32s("face.twins");
  checkTwins(cache.parts, cache.twins);
  readModeValues(archive, cache);
  cache.shares = readShares(archive, cache.parts.names.size());
  if (archive.has("hull.parts")) readHulls(archive, cache);
  return cache;
}

}  // namespace hackle
