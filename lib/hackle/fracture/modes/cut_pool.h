// Sets of elements with small perimeters, the building blocks of fracture modes. Private to their solver.
#pragma once

#include <hackle/fracture/modes/min_cut.h>

#include <Eigen/Core>

#include <cstdint>
#include <vector>

namespace hackle::detail {

/// A sum over the elements of a set is taken by words of 64 elements, most of which are full or empty.
struct WeightedWords {
  Eigen::VectorXd values;    // of each element
  std::vector<double> sums;  // of each word
  WeightedWords() = default;
  explicit WeightedWords(Eigen::VectorXd elements);
};

struct ElementSet {
  std::vector<uint64_t> bits;
  double perimeter = 0;  // m^2
  double mass = 0;       // kg
  uint64_t key = 0;      // of the set or its complement, whichever has not element 0

  bool has(int32_t element) const { return bits[static_cast<size_t>(element) / 64] >> (element % 64) & 1; }
  double sum(const WeightedWords& weights) const;
};

/// Sets, the inner products of their indicator functions (with the mean taken off), and their products with a
/// growing list of functions. A set and its complement count as one.
class CutPool {
 public:
  CutPool(const CutNetwork& network, const std::vector<double>& masses);

  /// Adds a set unless it is there, is empty or is everything; true if it is new.
  bool add(const std::vector<uint8_t>& inside, Context& context);
  /// Adds the connected parts of the set and of its complement whose supply is above their perimeter, the
  /// best first.
  size_t addParts(const std::vector<uint8_t>& inside, const Eigen::VectorXd& supply, size_t most,
                  Context& context);
  /// Adds the largest connected parts of sets {value > level}, with this many levels at equal parts of the
  /// elements.
  void addLevels(const Eigen::VectorXd& values, size_t levels, Context& context);
  /// A function that sums are kept of; `massTimes` is mass times value, of mean 0.
  void addFunction(const Eigen::VectorXd& massTimes, Context& context);
  /// Keeps the sets marked.
  void keep(const std::vector<uint8_t>& marked);
  /// Adds the sets of another pool from a number on.
  void append(const CutPool& other, size_t from, Context& context);

  size_t size() const { return mSets.size(); }
  const ElementSet& set(size_t s) const { return mSets[s]; }
  double totalMass() const { return mTotalMass; }
  const std::vector<double>& masses() const { return *mMasses; }
  /// #sets × #sets: ⟨1_S, 1_T⟩_M − m_S m_T / m.
  auto products() const { return mProducts.topLeftCorner(count(), count()); }
  /// #functions × #sets
  auto functionSums() const {
    return mFunctionSums.topLeftCorner(static_cast<Eigen::Index>(mFunctions.size()), count());
  }
  auto perimeters() const { return mPerimeters.head(count()); }
  /// Σ over each set of mass times value.
  Eigen::VectorXd sums(const Eigen::VectorXd& massTimes, Context& context) const;
  /// Σ_k weights_k 1_{sets_k} per element, the mean taken off; equal bits where the memberships are equal.
  Eigen::VectorXd combination(const std::vector<int32_t>& sets, const Eigen::VectorXd& weights) const;

 private:
  Eigen::Index count() const { return static_cast<Eigen::Index>(mSets.size()); }
  bool addSet(ElementSet set, Context& context);
  template <class Body>
  void forSets(Context& context, const Body& body) const;

  const CutNetwork* mNetwork;
  const std::vector<double>* mMasses;
  double mTotalMass = 0;
  std::vector<ElementSet> mSets;
  std::vector<WeightedWords> mFunctions;
  Eigen::MatrixXd mProducts, mFunctionSums;
  Eigen::VectorXd mPerimeters;
};

}  // namespace hackle::detail
