#include <hackle/core/parallel.h>
#include <hackle/core/random.h>
#include <hackle/fracture/modes/cut_pool.h>

#include <algorithm>
#include <numeric>

namespace hackle::detail {

namespace {

constexpr uint64_t kFull = ~uint64_t{0};

/// Calls body(element) for the elements of a word.
template <class Body>
void forBits(uint64_t word, size_t w, const Body& body) {
  for (; word != 0; word &= word - 1) body(64 * w + static_cast<size_t>(__builtin_ctzll(word)));
}

/// Connected parts of equal labels: the part of each element, numbered by first elements.
std::vector<int32_t> connectedParts(const CutNetwork& network, const std::vector<uint8_t>& labels,
                                    int32_t& parts) {
  std::vector<int32_t> part(labels.size(), -1), stack;
  parts = 0;
  for (int32_t seed = 0; seed < network.size(); ++seed) {
    if (part[seed] >= 0) continue;
    part[seed] = parts;
    stack.assign(1, seed);
    while (!stack.empty()) {
      const int32_t v = stack.back();
      stack.pop_back();
      network.forNeighbours(v, [&](int32_t u, double) {
        if (part[u] >= 0 || labels[u] != labels[v]) return;
        part[u] = parts;
        stack.push_back(u);
      });
    }
    ++parts;
  }
  return part;
}

}  // namespace

WeightedWords::WeightedWords(Eigen::VectorXd elements) : values(std::move(elements)) {
  sums.assign((static_cast<size_t>(values.size()) + 63) / 64, 0.0);
  for (Eigen::Index i = 0; i < values.size(); ++i) sums[i / 64] += values[i];
}

double ElementSet::sum(const WeightedWords& weights) const {
  double total = 0;
  for (size_t w = 0; w < bits.size(); ++w) {
    if (bits[w] == kFull)
      total += weights.sums[w];
    else
      forBits(bits[w], w, [&](size_t e) { total += weights.values[e]; });
  }
  return total;
}

CutPool::CutPool(const CutNetwork& network, const std::vector<double>& masses)
    : mNetwork(&network), mMasses(&masses) {
  mTotalMass = std::accumulate(masses.begin(), masses.end(), 0.0);
}

bool CutPool::add(const std::vector<uint8_t>& inside, Context& context) {
  ElementSet set;
  set.bits.assign((inside.size() + 63) / 64, 0);
  size_t members = 0;
  const uint8_t flip = inside[0] ? 1 : 0;
  for (size_t e = 0; e < inside.size(); ++e) {
    if ((inside[e] ? 1 : 0) == flip) continue;
    set.bits[e / 64] |= uint64_t{1} << (e % 64);
    set.key ^= mixBits(e + 1);
    set.mass += (*mMasses)[e];
    ++members;
  }
  if (members == 0) return false;
  for (const ElementSet& other : mSets)
    if (other.key == set.key && other.bits == set.bits) return false;
  set.perimeter = mNetwork->perimeter(inside);
  return addSet(std::move(set), context);
}

/// Calls body(s) for every set, on threads where elements are many.
template <class Body>
void CutPool::forSets(Context& context, const Body& body) const {
  context.checkCancel();
  if (mMasses->size() < 20000) {
    for (size_t s = 0; s < mSets.size(); ++s) body(static_cast<Eigen::Index>(s));
    return;
  }
  parallelFor(context, mSets.size(), 16, [&](size_t s) { body(static_cast<Eigen::Index>(s)); });
}

bool CutPool::addSet(ElementSet set, Context& context) {
  if (!(set.perimeter > 0)) return false;
  const Eigen::Index s = count(), functions = static_cast<Eigen::Index>(mFunctions.size());
  if (s >= mProducts.cols()) {
    const Eigen::Index room = std::max<Eigen::Index>(64, 2 * s);
    mProducts.conservativeResize(room, room);
    mFunctionSums.conservativeResize(mFunctionSums.rows(), room);
    mPerimeters.conservativeResize(room);
  }
  // Masses inside the set, by words.
  Eigen::VectorXd inside = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(mMasses->size()));
  for (size_t w = 0; w < set.bits.size(); ++w)
    forBits(set.bits[w], w, [&](size_t e) { inside[e] = (*mMasses)[e]; });
  const WeightedWords words(std::move(inside));
  mSets.push_back(std::move(set));
  const ElementSet& added = mSets.back();
  forSets(context, [&](Eigen::Index t) {
    mProducts(s, t) = mProducts(t, s) = mSets[t].sum(words) - added.mass * mSets[t].mass / mTotalMass;
  });
  for (Eigen::Index f = 0; f < functions; ++f) mFunctionSums(f, s) = added.sum(mFunctions[f]);
  mPerimeters[s] = added.perimeter;
  return true;
}

size_t CutPool::addParts(const std::vector<uint8_t>& inside, const Eigen::VectorXd& supply, size_t most,
                         Context& context) {
  int32_t parts = 0;
  const std::vector<int32_t> part = connectedParts(*mNetwork, inside, parts);
  // What each part has above its perimeter.
  std::vector<double> excess(static_cast<size_t>(parts), 0.0);
  for (int32_t v = 0; v < mNetwork->size(); ++v) {
    double& sum = excess[part[v]];
    sum += inside[v] ? supply[v] : -supply[v];
    mNetwork->forNeighbours(v, [&](int32_t u, double cost) {
      if (part[u] != part[v]) sum -= cost;
    });
  }
  std::vector<int32_t> order(excess.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t b) { return excess[a] > excess[b]; });
  size_t added = 0;
  std::vector<uint8_t> member(inside.size());
  for (const int32_t p : order) {
    if (added >= most || !(excess[p] > 0)) break;
    for (size_t e = 0; e < member.size(); ++e) member[e] = part[e] == p;
    added += add(member, context);
  }
  return added;
}

void CutPool::addLevels(const Eigen::VectorXd& values, size_t levels, Context& context) {
  std::vector<double> sorted(values.data(), values.data() + values.size());
  std::sort(sorted.begin(), sorted.end());
  std::vector<uint8_t> inside(sorted.size()), member(sorted.size());
  for (size_t l = 1; l <= levels; ++l) {
    const double level = sorted[l * (sorted.size() - 1) / (levels + 1)];
    for (size_t e = 0; e < inside.size(); ++e) inside[e] = values[e] > level;
    int32_t parts = 0;
    const std::vector<int32_t> part = connectedParts(*mNetwork, inside, parts);
    std::vector<size_t> size(static_cast<size_t>(parts), 0);
    for (const int32_t p : part) ++size[p];
    std::vector<int32_t> order(size.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t b) { return size[a] > size[b]; });
    for (size_t k = 0; k < std::min<size_t>(3, order.size()); ++k) {
      for (size_t e = 0; e < member.size(); ++e) member[e] = part[e] == order[k];
      add(member, context);
    }
  }
}

void CutPool::addFunction(const Eigen::VectorXd& massTimes, Context& context) {
  mFunctions.emplace_back(massTimes);
  const auto f = static_cast<Eigen::Index>(mFunctions.size()) - 1;
  mFunctionSums.conservativeResize(f + 1, std::max<Eigen::Index>(mFunctionSums.cols(), mProducts.cols()));
  forSets(context, [&](Eigen::Index s) { mFunctionSums(f, s) = mSets[s].sum(mFunctions.back()); });
}

void CutPool::keep(const std::vector<uint8_t>& marked) {
  std::vector<Eigen::Index> kept;
  for (size_t s = 0; s < mSets.size(); ++s)
    if (marked[s]) kept.push_back(static_cast<Eigen::Index>(s));
  for (size_t k = 0; k < kept.size(); ++k) {
    if (static_cast<Eigen::Index>(k) != kept[k]) mSets[k] = std::move(mSets[kept[k]]);
    mPerimeters[k] = mPerimeters[kept[k]];
    mFunctionSums.col(static_cast<Eigen::Index>(k)) = mFunctionSums.col(kept[k]).eval();
  }
  Eigen::MatrixXd products(mProducts.rows(), mProducts.cols());
  for (size_t j = 0; j < kept.size(); ++j)
    for (size_t i = 0; i < kept.size(); ++i)
      products(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = mProducts(kept[i], kept[j]);
  mProducts = std::move(products);
  mSets.resize(kept.size());
}

void CutPool::append(const CutPool& other, size_t from, Context& context) {
  for (size_t s = from; s < other.size(); ++s) {
    const ElementSet& set = other.set(s);
    bool known = false;
    for (const ElementSet& mine : mSets) known |= mine.key == set.key && mine.bits == set.bits;
    if (!known) addSet(set, context);
  }
}

Eigen::VectorXd CutPool::sums(const Eigen::VectorXd& massTimes, Context& context) const {
  const WeightedWords words(massTimes);
  Eigen::VectorXd result(count());
  forSets(context, [&](Eigen::Index s) { result[s] = mSets[s].sum(words); });
  return result;
}

Eigen::VectorXd CutPool::combination(const std::vector<int32_t>& sets, const Eigen::VectorXd& weights) const {
  Eigen::VectorXd values = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(mMasses->size()));
  double mean = 0;
  for (size_t k = 0; k < sets.size(); ++k) {
    const double weight = weights[k];
    const ElementSet& set = mSets[sets[k]];
    for (size_t w = 0; w < set.bits.size(); ++w)
      forBits(set.bits[w], w, [&](size_t e) { values[e] += weight; });
    mean += weight * set.mass / mTotalMass;
  }
  values.array() -= mean;
  return values;
}

}  // namespace hackle::detail
