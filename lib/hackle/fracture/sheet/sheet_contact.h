// Contact of a sheet with itself and with meshes: vertices against faces and edges against edges.
#pragma once

#include <hackle/fracture/sheet/obstacles.h>
#include <hackle/fracture/sheet/sheet_mesh.h>

#include <array>
#include <vector>

namespace hackle {

/// A vertex and a face (points 0 and 1 to 3), or two edges (points 0, 1 and 2, 3). Points of the sheet come
/// first, those of obstacle meshes behind them.
struct ContactPair {
  std::array<int32_t, 4> points{-1, -1, -1, -1};
  bool edges = false;
  double offset = 0;  // m, distance at which the two touch: both half thicknesses
  double weight = 1;  // 0 to 1, fades out pairs of parallel edges, whose nearest points jump
};

/// Where the two parts of a pair are nearest: the distance is |sum of weight x|, along `normal` from the
/// second to the first.
struct ContactGap {
  double distance = 0;
  Vec3 normal = Vec3::UnitY();
  std::array<double, 4> weights{};
};
ContactGap contactGap(bool edges, const std::array<Vec3, 4>& x);

/// Largest part of the moves, at most 1, along which the pair does not come nearer than `offset`; a tenth of
/// the gap is kept [Li21].
double freeMoveOfPair(bool edges, const std::array<Vec3, 4>& x, const std::array<Vec3, 4>& move,
                      double offset);

/// Barrier and friction between all that may meet, as in ContactModel. Use: `begin` once a solve, `collect`
/// before positions change, then everything else for positions on that way.
class SheetContact {
 public:
  /// Takes the faces of the sheet and of obstacles with a mesh. `self`: the sheet meets itself. `parted[p]`:
  /// vertex p is on a crack whose sides have come apart, so they can meet like strangers; other parts of the
  /// sheet that are as near at rest as they are in contact never meet.
  void begin(const SheetMesh& mesh, const std::vector<double>& halfThickness,
             const std::vector<SheetObstacle>& obstacles, const ContactModel& model, bool self,
             const std::vector<uint8_t>& parted);
  bool empty() const { return mFaces.empty(); }

  /// Finds the pairs that may touch while the sheet goes from x by `move` and obstacles from where they are
  /// by `obstacleMove` (all points behind each other; empty: they stay). False: the last ones still hold.
  bool collect(const std::vector<Vec3>& x, const std::vector<Vec3>& move,
               const std::vector<Vec3>& obstacleMove, Context& context);
  double freeMove(const std::vector<Vec3>& x, const std::vector<Vec3>& move,
                  const std::vector<Vec3>& obstacleMove) const;

  const std::vector<Vec3>& obstaclePoints() const { return mObstaclePoints; }
  void moveObstacles(const std::vector<Vec3>& points) { mObstaclePoints = points; }

  /// Where obstacle points were when the step began, for friction; else it is where they were at `begin`.
  void stepBeganAt(const std::vector<Vec3>& obstaclePoints) { mObstaclesBefore = obstaclePoints; }
  /// Normal forces and directions of friction for the iterations to come. `before`: where vertices were when
  /// the step began.
  void lagFriction(const std::vector<Vec3>& x, const std::vector<Vec3>& before, double dt);
  /// Adds the gradient by positions of the sheet, 3 per vertex; gives the energy.
  double evaluate(const std::vector<Vec3>& x, Eigen::VectorXd& gradient) const;

  /// A positive semidefinite 3x3 block of the second derivative, row vertex a not before column vertex b.
  struct Block {
    int32_t a, b;
    Mat3 value;
  };
  std::vector<Block> blocks(const std::vector<Vec3>& x) const;
  /// Vertices of the sheet that are coupled within `factor` reaches, pairs with a > b, sorted.
  std::vector<Edge> couplings(const std::vector<Vec3>& x, double factor) const;
  /// Sheet vertices that something is nearer to than twice the reach.
  std::vector<uint8_t> touched(const std::vector<Vec3>& x) const;

  /// N on each obstacle.
  std::vector<Vec3> pushes(const std::vector<Vec3>& x, size_t obstacles) const;

 private:
  struct Slide {
    std::array<int32_t, 4> points;
    std::array<double, 4> weights;
    Vec3 normal, before;  // before: of the point of contact, relative
    double force;
  };
  std::array<Vec3, 4> at(const ContactPair& pair, const std::vector<Vec3>& x) const;
  Vec3 place(int32_t point, const std::vector<Vec3>& x) const {
    return point < mSheetPoints ? x[point] : mObstaclePoints[point - mSheetPoints];
  }
  double frictionOf(const Slide& slide, const std::vector<Vec3>& x, Vec3& pull, Mat3* hessian) const;
  void findNeighbours(const SheetMesh& mesh, const std::vector<uint8_t>& parted);
  void pairFaces(int32_t f, int32_t g, double radius, const std::vector<Vec3>& x);
  bool strangers(int32_t f, int32_t g, const ContactPair& pair) const;
  void addPair(int32_t f, int32_t g, ContactPair pair, double radius, const std::vector<Vec3>& x);
  template <class Visit>
  void visitActive(const std::vector<Vec3>& x, double factor, const Visit& visit) const;

  ContactModel mModel;
  bool mSelf = false;
  int32_t mSheetPoints = 0, mSheetFaces = 0;
  std::vector<Triangle> mFaces;
  std::vector<std::array<uint8_t, 6>>
      mOwned;  // of each face: its corners, then its edges, that it stands for
  std::vector<Vec3> mRest, mObstaclePoints, mObstaclesBefore;
  std::vector<double> mHalf;
  std::vector<uint8_t> mParted;
  std::vector<std::vector<int32_t>> mNear;  // of parted vertices: faces of their own side nearby, sorted
  std::vector<int32_t> mObstacleOf;         // of each obstacle point
  std::vector<ContactPair> mPairs;
  std::vector<Slide> mSlides;
  double mDt = 0;
  // Pairs hold for positions that are within mRadius of where they were collected.
  std::vector<Vec3> mCollectedAt, mObstaclesCollectedAt;
  double mRadius = -1;
};

}  // namespace hackle
