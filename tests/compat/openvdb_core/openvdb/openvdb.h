// Stand-in for grids, trees, transforms and metadata of OpenVDB 9 to 12: what the library uses, declared as
// these versions do, and nothing else. STAND_IN_VERSION is the major version; it decides the parameters of
// accessors.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#if STAND_IN_VERSION < 9 || STAND_IN_VERSION > 12
#error "STAND_IN_VERSION is one of 9, 10, 11, 12"
#endif
#define OPENVDB_LIBRARY_MAJOR_VERSION_NUMBER STAND_IN_VERSION
#define OPENVDB_VERSION_NAME stand_in
#define OPENVDB_USE_VERSION_NAMESPACE \
  namespace OPENVDB_VERSION_NAME {}   \
  using namespace OPENVDB_VERSION_NAME;

namespace openvdb {
OPENVDB_USE_VERSION_NAMESPACE
namespace OPENVDB_VERSION_NAME {

using Index32 = uint32_t;
using Index64 = uint64_t;
using Index = Index32;
using Int32 = int32_t;
using Int64 = int64_t;
using Name = std::string;
template <typename T>
using SharedPtr = std::shared_ptr<T>;
struct ValueMask {};

class Exception : public std::exception {
 public:
  const char* what() const noexcept override;
};

void initialize();

template <typename... Ts>
struct TypeList {};

// math ---------------------------------------------------------------------------------------------------

namespace math {

template <typename T>
class Vec3 {
 public:
  Vec3() = default;
  template <typename Source>
  explicit Vec3(Source value);
  Vec3(T x, T y, T z);
  template <typename Source>
  explicit Vec3(const Vec3<Source>& other);
  T& x();
  T& y();
  T& z();
  T x() const;
  T y() const;
  T z() const;
  T& operator[](int i);
  T operator[](int i) const;
};
template <typename T0, typename T1>
Vec3<T0> operator-(const Vec3<T0>& a, const Vec3<T1>& b);

template <typename T>
class Mat4 {
 public:
  static const Mat4<T>& identity();
  T* operator[](int i);
  const T* operator[](int i) const;
};

class Coord {
 public:
  Coord();
  explicit Coord(Int32 xyz);
  Coord(Int32 x, Int32 y, Int32 z);
  Int32 x() const;
  Int32 y() const;
  Int32 z() const;
  Int32& operator[](size_t i);
  Int32 operator[](size_t i) const;
  Coord offsetBy(Int32 dx, Int32 dy, Int32 dz) const;
  Coord operator+(const Coord& other) const;
  bool operator<(const Coord& other) const;
};

class CoordBBox {
 public:
  CoordBBox();
  CoordBBox(const Coord& min, const Coord& max);
  const Coord& min() const;
  const Coord& max() const;
  bool empty() const;
  Coord dim() const;
};

class Transform {
 public:
  using Ptr = SharedPtr<Transform>;
  using ConstPtr = SharedPtr<const Transform>;
  static Ptr createLinearTransform(double voxelSize = 1.0);
  static Ptr createLinearTransform(const Mat4<double>&);
  Ptr copy() const;
  void postMult(const Mat4<double>&);
  void postTranslate(const Vec3<double>&);
  double voxelVolume() const;
  bool operator==(const Transform& other) const;
};

}  // namespace math

using math::Coord;
using math::CoordBBox;
using Vec3d = math::Vec3<double>;
using Vec3s = math::Vec3<float>;
using Mat4d = math::Mat4<double>;

template <typename T>
struct VecTraits {
  static const bool IsVec = false;
};
template <typename T>
struct VecTraits<math::Vec3<T>> {
  static const bool IsVec = true;
};

// Metadata -----------------------------------------------------------------------------------------------

class Metadata {
 public:
  virtual ~Metadata() = default;
};
template <typename T>
class TypedMetadata : public Metadata {
 public:
  TypedMetadata();
  TypedMetadata(const T& value);
};
using StringMetadata = TypedMetadata<std::string>;

class MetaMap {
 public:
  MetaMap() = default;
  MetaMap(const MetaMap& other);
  virtual ~MetaMap() = default;
  void insertMeta(const Name&, const Metadata& value);
  void removeMeta(const Name&);
};

// tree ---------------------------------------------------------------------------------------------------

namespace tree {

/// ValueT is const for leaves that are.
template <typename LeafT>
class LeafValueIter {
 public:
  using Value = typename std::remove_const_t<LeafT>::ValueType;
  const Value& operator*() const;
  bool isValueOn() const;
  Index pos() const;
  template <typename L = LeafT, typename = std::enable_if_t<!std::is_const<L>::value>>
  void setValue(const Value&) const;
  template <typename L = LeafT, typename = std::enable_if_t<!std::is_const<L>::value>>
  void setValueOff() const;
  LeafValueIter& operator++();
  operator bool() const;
};

template <typename T>
class LeafNode {
 public:
  using ValueType = std::conditional_t<std::is_same<T, ValueMask>::value, bool, T>;
  static const Index DIM = 8, SIZE = 512;
  explicit LeafNode(const Coord& coords, const ValueType& value = ValueType(), bool active = false);
  LeafNode(const LeafNode&);
  const Coord& origin() const;
  static Index coordToOffset(const Coord& xyz);
  static Coord offsetToLocalCoord(Index n);
  Coord offsetToGlobalCoord(Index n) const;
  bool isEmpty() const;
  bool isValueOn(Index offset) const;
  bool isValueOn(const Coord& xyz) const;
  const ValueType& getValue(const Coord& xyz) const;
  const ValueType& getValue(Index offset) const;
  void setValueOn(Index offset);
  void setValueOn(Index offset, const ValueType& value);
  void setValueOff(Index offset);
  void setValueOff(Index offset, const ValueType& value);
  void setValueOnly(Index offset, const ValueType& value);
  LeafValueIter<LeafNode> beginValueAll();
  LeafValueIter<const LeafNode> cbeginValueAll() const;
};

template <typename T>
class TreeValueIter {
 public:
  static const Index ROOT_LEVEL = 3, LEAF_LEVEL = 0, ROOT_DEPTH = 0, LEAF_DEPTH = ROOT_LEVEL;
  const T& operator*() const;
  void setMaxDepth(Index depth);
  CoordBBox getBoundingBox() const;
  Index64 getVoxelCount() const;
  TreeValueIter& operator++();
  operator bool() const;
};

template <typename T>
class Tree {
 public:
  using LeafNodeType = LeafNode<T>;
  using ValueType = typename LeafNodeType::ValueType;
  using ValueAllCIter = TreeValueIter<ValueType>;
  static const Index DEPTH = 4;
  Tree() = default;
  explicit Tree(const ValueType& background);
  ValueType getValue(const Coord& xyz) const;
  LeafNodeType* touchLeaf(const Coord& xyz);
  const LeafNodeType* probeConstLeaf(const Coord& xyz) const;
  void addLeaf(LeafNodeType* leaf);
  void prune(const ValueType& tolerance = ValueType());
  template <typename ArrayT>
  void getNodes(ArrayT& array) {
    array.push_back(static_cast<LeafNodeType*>(nullptr));
  }
  template <typename ArrayT>
  void getNodes(ArrayT& array) const {
    array.push_back(static_cast<const LeafNodeType*>(nullptr));
  }
};

#if STAND_IN_VERSION < 11
template <typename TreeT, bool IsSafe = true, Index CacheLevels = std::remove_const_t<TreeT>::DEPTH - 1,
          typename MutexT = void>
class ValueAccessor {
#else
template <typename TreeT, bool IsSafe, typename MutexT, typename IntegerSequence>
class ValueAccessorImpl;
template <typename TreeT, bool IsSafe = true, size_t CacheLevels = std::remove_const_t<TreeT>::DEPTH - 1,
          typename MutexT = void>
using ValueAccessor =
    ValueAccessorImpl<TreeT, IsSafe, MutexT, std::make_integer_sequence<size_t, CacheLevels>>;
template <typename TreeT, bool IsSafe, typename MutexT, typename IntegerSequence>
class ValueAccessorImpl {
#endif
 public:
#if STAND_IN_VERSION < 11
  explicit ValueAccessor(TreeT& tree);
#else
  explicit ValueAccessorImpl(TreeT& tree);
#endif
  bool isValueOn(const Coord& xyz) const;
  void setValueOn(const Coord& xyz, const typename TreeT::ValueType& value);
};

}  // namespace tree

using FloatTree = tree::Tree<float>;
using MaskTree = tree::Tree<ValueMask>;

// Grids --------------------------------------------------------------------------------------------------

enum GridClass { GRID_UNKNOWN = 0, GRID_LEVEL_SET, GRID_FOG_VOLUME, GRID_STAGGERED };

class GridBase : public MetaMap {
 public:
  using Ptr = SharedPtr<GridBase>;
  using ConstPtr = SharedPtr<const GridBase>;
  static const char* const META_GRID_NAME;
  static std::string gridClassToString(GridClass);
  std::string getName() const;
  void setName(const std::string&);
  GridClass getGridClass() const;
  void setGridClass(GridClass);
  virtual Name valueType() const = 0;
  virtual void clear() = 0;
  virtual Index64 activeVoxelCount() const = 0;
  virtual CoordBBox evalActiveVoxelBoundingBox() const = 0;
  virtual GridBase::Ptr copyGrid() = 0;
  virtual GridBase::ConstPtr copyGrid() const = 0;
  virtual GridBase::ConstPtr copyGridReplacingMetadata(const MetaMap&) const = 0;
  virtual GridBase::ConstPtr copyGridReplacingTransform(math::Transform::Ptr) const = 0;
  math::Transform& transform();
  const math::Transform& transform() const;
  void setTransform(math::Transform::Ptr);
  Vec3d voxelSize() const;
  Vec3d indexToWorld(const Vec3d&) const;
  Vec3d indexToWorld(const Coord&) const;
  template <typename GridTypeListT, typename OpT>
  bool apply(OpT& op) const {
    return tryAll(GridTypeListT(), op);
  }
  template <typename GridTypeListT, typename OpT>
  bool apply(const OpT& op) const {
    return tryAll(GridTypeListT(), op);
  }

 private:
  template <typename... Grids, typename OpT>
  bool tryAll(TypeList<Grids...>, OpT& op) const {
    return ((op(dynamic_cast<const Grids&>(*this)), true) || ...);
  }
};

using GridPtrVec = std::vector<GridBase::Ptr>;
using GridPtrVecPtr = SharedPtr<GridPtrVec>;
using GridCPtrVec = std::vector<GridBase::ConstPtr>;

template <typename TreeT>
class Grid : public GridBase {
 public:
  using Ptr = SharedPtr<Grid>;
  using ConstPtr = SharedPtr<const Grid>;
  using ValueType = typename TreeT::ValueType;
  using Accessor = tree::ValueAccessor<TreeT, true>;
  static Ptr create(const ValueType& background);
  const ValueType& background() const;
  TreeT& tree();
  const TreeT& tree() const;
  Accessor getAccessor();
  void fill(const CoordBBox& bbox, const ValueType& value, bool active = true);
  typename TreeT::ValueAllCIter cbeginValueAll() const;
  Name valueType() const override;
  void clear() override;
  Index64 activeVoxelCount() const override;
  CoordBBox evalActiveVoxelBoundingBox() const override;
  GridBase::Ptr copyGrid() override;
  GridBase::ConstPtr copyGrid() const override;
  GridBase::ConstPtr copyGridReplacingMetadata(const MetaMap&) const override;
  GridBase::ConstPtr copyGridReplacingTransform(math::Transform::Ptr) const override;
};

using FloatGrid = Grid<FloatTree>;
using DoubleGrid = Grid<tree::Tree<double>>;
using Int32Grid = Grid<tree::Tree<Int32>>;
using Int64Grid = Grid<tree::Tree<Int64>>;
using Vec3SGrid = Grid<tree::Tree<math::Vec3<float>>>;
using Vec3DGrid = Grid<tree::Tree<math::Vec3<double>>>;

}  // namespace OPENVDB_VERSION_NAME
}  // namespace openvdb
