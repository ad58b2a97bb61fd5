#include <hackle/geometry/mixture.h>

#include <hackle/core/parallel.h>

#include <algorithm>

namespace hackle {

namespace {

constexpr size_t kGrain = 8192;

template <class T>
void mixNumbers(const Attribute& source, const std::vector<Mixture>& mixtures, Attribute& target,
                Context& context) {
  const Span<const T> in = source.values<T>();
  std::vector<T>& out = target.edit<T>();
  const size_t width = static_cast<size_t>(source.tupleSize());
  parallelFor(context, mixtures.size(), kGrain, [&](size_t e) {
    const Mixture& m = mixtures[e];
    if (m.sources[0] < 0) return;
    T* to = out.data() + e * width;
    if (m.isCopy() || std::is_integral_v<T>) {
      std::copy_n(in.data() + static_cast<size_t>(m.main()) * width, width, to);
      return;
    }
    for (size_t c = 0; c < width; ++c) {
      double sum = 0;
      for (size_t k = 0; k < 3; ++k)
        if (m.sources[k] >= 0)
          sum += m.weights[k] * static_cast<double>(in[static_cast<size_t>(m.sources[k]) * width + c]);
      to[c] = static_cast<T>(sum);
    }
  });
}

/// Mixed unit vectors are unit vectors again.
template <class T>
void renormalise(const std::vector<Mixture>& mixtures, Attribute& normals, Context& context) {
  std::vector<T>& values = normals.edit<T>();
  parallelFor(context, mixtures.size(), kGrain, [&](size_t e) {
    if (mixtures[e].sources[0] < 0 || mixtures[e].isCopy()) return;
    T* to = values.data() + 3 * e;
    const Vec3 n(static_cast<double>(to[0]), static_cast<double>(to[1]), static_cast<double>(to[2]));
    const double length = n.norm();
    for (int c = 0; c < 3 && length > 0; ++c) to[c] = static_cast<T>(n[c] / length);
  });
}

/// Members of an ordered group in the order of what they are mixed from.
void carryOrder(const Group& source, const std::vector<Mixture>& mixtures, Group& result) {
  std::vector<int32_t> rank(source.bits.size(), -1);
  for (size_t r = 0; r < source.order.size(); ++r) rank[source.order[r]] = static_cast<int32_t>(r);
  std::vector<std::pair<int32_t, int32_t>> ranked;
  for (size_t e = 0; e < mixtures.size(); ++e)
    if (result.bits[e]) ranked.emplace_back(rank[mixtures[e].main()], static_cast<int32_t>(e));
  std::sort(ranked.begin(), ranked.end());
  std::vector<int32_t>& order = result.order.edit();
  for (const auto& [place, element] : ranked) order.push_back(element);
}

}  // namespace

Mixture Mixture::between(const Mixture& a, const Mixture& b, double t) {
  std::vector<std::pair<double, int32_t>> parts;  // weight, source
  const auto add = [&](const Mixture& m, double factor) {
    for (size_t k = 0; k < 3; ++k) {
      if (m.sources[k] < 0) continue;
      const auto known = std::find_if(parts.begin(), parts.end(),
                                      [&](const auto& part) { return part.second == m.sources[k]; });
      if (known != parts.end())
        known->first += factor * m.weights[k];
      else
        parts.emplace_back(factor * m.weights[k], m.sources[k]);
    }
  };
  add(a, 1 - t);
  add(b, t);
  std::stable_sort(parts.begin(), parts.end(),
                   [](const auto& x, const auto& y) { return x.first > y.first; });
  if (parts.size() > 3) parts.resize(3);
  double sum = 0;
  for (const auto& [weight, source] : parts) sum += weight;
  Mixture result;
  for (size_t k = 0; k < parts.size(); ++k) {
    result.sources[k] = parts[k].second;
    result.weights[k] = parts[k].first / sum;
  }
  return result;
}

Attribute mixed(const Attribute& source, const std::vector<Mixture>& mixtures) {
  Context alone;
  alone.setThreads(1);
  return mixed(source, mixtures, alone);
}

Attribute mixed(const Attribute& source, const std::vector<Mixture>& mixtures, Context& context) {
  Attribute result(source.name(), source.storage(), source.tupleSize(), 0, source.qualifier);
  result.defaults = source.defaults;
  result.fileStorage = source.fileStorage;
  result.resize(mixtures.size());
  switch (source.storage()) {
    case Storage::Float32:
      mixNumbers<float>(source, mixtures, result, context);
      break;
    case Storage::Float64:
      mixNumbers<double>(source, mixtures, result, context);
      break;
    case Storage::Int32:
      mixNumbers<int32_t>(source, mixtures, result, context);
      break;
    case Storage::Int64:
      mixNumbers<int64_t>(source, mixtures, result, context);
      break;
    case Storage::String: {
      StringArray strings{source.strings().table,
                          CowArray<int32_t>(mixtures.size() * static_cast<size_t>(source.tupleSize()), -1)};
      std::vector<int32_t>& indices = strings.indices.edit();
      const size_t width = static_cast<size_t>(source.tupleSize());
      for (size_t e = 0; e < mixtures.size(); ++e)
        if (mixtures[e].sources[0] >= 0)
          std::copy_n(source.strings().indices.data() + static_cast<size_t>(mixtures[e].main()) * width,
                      width, indices.data() + e * width);
      result.assignStrings(std::move(strings));
      break;
    }
  }
  const bool normals = source.tupleSize() == 3 && (source.qualifier == "normal" || source.name() == "N");
  if (normals && source.storage() == Storage::Float32) renormalise<float>(mixtures, result, context);
  if (normals && source.storage() == Storage::Float64) renormalise<double>(mixtures, result, context);
  return result;
}

void carryAttributes(const Geometry& source, Owner owner, const std::vector<Mixture>& mixtures,
                     Geometry& result) {
  Context alone;
  alone.setThreads(1);
  carryAttributes(source, owner, mixtures, result, alone);
}

void carryAttributes(const Geometry& source, Owner owner, const std::vector<Mixture>& mixtures,
                     Geometry& result, Context& context) {
  for (const Attribute& a : source.attributes(owner)) result.addAttribute(owner, mixed(a, mixtures, context));
  for (const Group& g : source.groups(owner)) {
    Group& carried = result.addGroup(owner, g.name);
    std::vector<uint8_t>& bits = carried.bits.edit();
    parallelFor(context, mixtures.size(), kGrain, [&](size_t e) {
      const Mixture& m = mixtures[e];
      bool member = m.sources[0] >= 0;
      for (const int32_t s : m.sources) member = member && (s < 0 || g.bits[s] != 0);
      bits[e] = member ? 1 : 0;
    });
    if (!g.order.empty()) carryOrder(g, mixtures, carried);
  }
}

}  // namespace hackle
