#include <hackle/fracture/voronoi/drop_examples.h>

#include <hackle/core/archive.h>
#include <hackle/core/error.h>
#include <hackle/core/parallel.h>
#include <hackle/core/random.h>

#include <fmt/format.h>

#include <atomic>
#include <cmath>

namespace hackle {

namespace {

constexpr double kGravity = 9.81;  // m/s^2
constexpr uint32_t kVersion = 1;

std::string exampleName(const DropOptions& options, size_t direction) {
  const Vec3& up = options.directions[direction];
  ArchiveWriter key("key", kVersion);
  const std::vector<double> numbers{up.x(), up.y(), up.z(), options.search.threshold,
                                    options.search.lloyd.tolerance};
  const std::vector<int64_t> counts{
      static_cast<int64_t>(options.fingerprint), static_cast<int64_t>(options.repeats),
      static_cast<int64_t>(options.search.maximum), static_cast<int64_t>(options.search.lloyd.seed),
      options.search.lloyd.iterations};
  key.add("numbers", Span<const double>(numbers));
  key.add("heights", Span<const double>(options.heights));
  key.add("counts", Span<const int64_t>(counts));
  return fmt::format("drop-{:016x}", checksum64(key.finish()));
}

std::string pack(const std::vector<PieceCountExample>& examples) {
  ArchiveWriter archive("drop", kVersion);
  std::vector<double> energies, numbers;
  for (const PieceCountExample& e : examples) {
    energies.insert(energies.end(), e.energies.begin(), e.energies.end());
    numbers.insert(numbers.end(), {e.wholeEnergy, e.pieces, e.height});
  }
  archive.add("energies", Span<const double>(energies));
  archive.add("numbers", Span<const double>(numbers));
  return archive.finish();
}

/// Nothing if the bytes are not what was stored: they are computed again.
std::optional<std::vector<PieceCountExample>> unpack(const std::string& bytes, size_t heights, size_t nodes) {
  try {
    const ArchiveReader archive(bytes, "drop", kVersion);
    const std::vector<double> energies = archive.float64s("energies"), numbers = archive.float64s("numbers");
    if (energies.size() != heights * nodes || numbers.size() != 3 * heights) return std::nullopt;
    std::vector<PieceCountExample> examples(heights);
    for (size_t h = 0; h < heights; ++h) {
      const auto first = energies.begin() + static_cast<std::ptrdiff_t>(h * nodes);
      examples[h].energies.assign(first, first + static_cast<std::ptrdiff_t>(nodes));
      examples[h].wholeEnergy = numbers[3 * h];
      examples[h].pieces = numbers[3 * h + 1];
      examples[h].height = numbers[3 * h + 2];
    }
    return examples;
  } catch (const Error& e) {
    if (e.code() != ErrorCode::BadInput) throw;
    return std::nullopt;
  }
}

}  // namespace

Impact dropImpact(const TriangleMesh& mesh, const MassProperties& body, double density, const Drop& drop) {
  const Vec3 up = drop.up.normalized();
  double lowest = std::numeric_limits<double>::infinity(), highest = -lowest;
  for (const Triangle& t : mesh.triangles)
    for (const int32_t p : t) {
      lowest = std::min(lowest, up.dot(mesh.points[p]));
      highest = std::max(highest, up.dot(mesh.points[p]));
    }
  // The middle of what touches the ground, so that a box on its face is hit in the middle of it.
  const double bound = lowest + 1e-3 * (highest - lowest);
  Box3 touching;
  for (const Triangle& t : mesh.triangles)
    for (const int32_t p : t)
      if (up.dot(mesh.points[p]) <= bound) touching.add(mesh.points[p]);
  Impact impact;
  impact.position = touching.centre();
  impact.direction = up;
  impact.speed = std::sqrt(2 * kGravity * drop.height);
  impact.impulse = 2 * effectiveMass(body, density, impact.position, up) * *impact.speed;
  return impact;
}

std::vector<Vec3> dropDirections(size_t count, uint64_t seed) {
  // An additive recurrence in two dimensions [Roberts18], shifted by the seed, mapped to the sphere by area.
  Random random(seed, 0x64726f70);
  const double g = 1.3247179572447460, u0 = random.uniform(), v0 = random.uniform();
  std::vector<Vec3> directions;
  for (size_t i = 0; i < count; ++i) {
    const double n = static_cast<double>(i + 1);
    const double u = u0 + n / g, v = v0 + n / (g * g);
    const double z = 2 * (u - std::floor(u)) - 1, angle = 6.283185307179586 * (v - std::floor(v));
    const double r = std::sqrt(std::max(0.0, 1 - z * z));
    directions.push_back(Vec3(r * std::cos(angle), z, r * std::sin(angle)).normalized());
  }
  return directions;
}

DropExamples dropExamples(const TriangleMesh& mesh, const MassProperties& body, double density,
                          const Embedding& embedding, const NodeGraph& graph, const DropOptions& options,
                          const ExampleStore& store, Context& context) {
  HACKLE_ASSERT(options.energies && options.repeats > 0);
  std::vector<std::vector<PieceCountExample>> found(options.directions.size());
  std::atomic<size_t> loaded{0}, done{0};

  const auto compute = [&](size_t d) {
    // One thread each: there are many directions.
    Context own;
    own.setThreads(1);
    own.setCancelPoll([&] { return context.cancelled(); });
    std::vector<PieceCountExample> examples;
    for (const double height : options.heights) {
      const Impact impact = dropImpact(mesh, body, density, {options.directions[d], height});
      PieceCountExample example;
      example.energies = options.energies(impact, own);
      example.wholeEnergy = wholeEnergy(embedding, example.energies);
      example.height = height;
      double sum = 0;
      for (size_t r = 0; r < options.repeats; ++r) {
        PieceSearchOptions search = options.search;
        search.lloyd.seed += r;
        sum += static_cast<double>(searchPieces(embedding, graph, example.energies, search, own).pieces);
      }
      example.pieces = sum / static_cast<double>(options.repeats);
      examples.push_back(std::move(example));
    }
    return examples;
  };

  parallelFor(context, options.directions.size(), 1, [&](size_t d) {
    const std::string name = exampleName(options, d);
    std::optional<std::vector<PieceCountExample>> known;
    if (store.load)
      if (const std::optional<std::string> bytes = store.load(name))
        known = unpack(*bytes, options.heights.size(), embedding.size());
    if (known) ++loaded;
    found[d] = known ? std::move(*known) : compute(d);
    if (!known && store.save) store.save(name, pack(found[d]));
    for (PieceCountExample& e : found[d]) e.orientation = static_cast<int32_t>(d);
    context.advance(static_cast<double>(++done) / static_cast<double>(options.directions.size()));
  });

  DropExamples result;
  result.loaded = loaded;
  for (auto& examples : found)
    for (PieceCountExample& e : examples) result.examples.push_back(std::move(e));
  return result;
}

}  // namespace hackle
