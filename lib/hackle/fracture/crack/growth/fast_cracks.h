// Cracks whose openings are estimated instead of solved: the fast method ([Hahn17] ch. 5; README.md).
#pragma once

#include <hackle/fracture/crack/growth/crack_sheet.h>
#include <hackle/fracture/crack/growth/estimates.h>

#include <memory>
#include <unordered_map>
#include <utility>

namespace hackle {

/// What has become known of a crack in one step: the nodes that its front has left, with jumps for an
/// opening that goes as the root of the distance from the front.
struct EstimatedLayer {
  std::vector<int32_t> nodes;  // of the system's surface
  Eigen::VectorXd jumps;       // 3 per node, m / m^(1/2)
  double area = 0.0;           // m^2, of the crack when its front was there
  double advance = 0.0;        // m, mean of the nodes in that step
  double travelled = 0.0;      // m, of the crack's front after that step
  double intensity = 0.0;      // Pa m^(1/2), of the whole front in that step
  size_t growth = 0;           // the number of the growth that made it
};

/// The state of a crack in the fast method.
struct EstimatedCrack {
  std::vector<EstimatedLayer> layers;
  std::vector<int32_t> waiting;    // nodes of new cracks and of mouths until the front moves
  double calibration = 1.0;        // of the shape's factor: solved over estimated intensity
  double travelled = 0.0;          // m, mean over the front
  double amplitude = 0.0;          // Pa, mean traction at the front with which openings are made
  double stress = 0.0;             // Pa, mean K_eff over the shape's factor in the last step
  double intensity = 0.0;          // Pa m^(1/2), of the whole front as it is now
  double area = 0.0;               // m^2, in the last step
  double radius = 0.0;             // m
  double hinge = 0.0;              // 1/m, see openingProfile
  Mat3 deepStress = Mat3::Zero();  // Pa, mean of the last places well below the surface
};

/// The body's factorisation stays as it is. Openings are set when a front moves on, scaled with their crack
/// from then on, and act on the body through the right-hand side. A step costs the body's triangles times the
/// nodes of active fronts.
class FastCracks {
 public:
  using Sheets = std::vector<std::unique_ptr<CrackSheet>>;

  /// `bodyTree` is of the system's body and has to outlive this, as has the system.
  FastCracks(BemSystem& system, const TriangleBvh& bodyTree, double compressionRatio);
  /// To be told in the beginning and when the system's boundary values have changed.
  void newLoad(Context& context);

  /// Takes the intensities of a solution in which all openings of all cracks were unknowns as truth: later
  /// estimates are scaled to meet it now.
  void calibrate(Span<const FrontNode> solved, const BemSolution& solution, const Sheets& cracks,
                 Context& context);
  /// Estimates at all nodes of fronts, in the order of cracks; zero where nothing is active nearby.
  std::vector<FrontNode> intensities(const BemSolution& solution, const Sheets& cracks, Context& context);
  /// After the fronts have moved, in place of BemSystem::growCracks. New cracks are at the end of `cracks`;
  /// `number` is that of the growth.
  void grow(const CrackGrowth& growth, size_t number, const Sheets& cracks, Context& context);
  /// Scales openings to the last intensities and to the cracks as they are.
  void rescale(const Sheets& cracks);

  const std::vector<EstimatedCrack>& cracks() const { return mCracks; }
  /// Nodes with unknown jumps, those with known ones, and those that wait for theirs.
  std::vector<int32_t> openedNodes() const;

 private:
  friend struct CrackStateAccess;  // crack_state.cpp saves mCracks; the rest follows from it
  struct Place {
    size_t crack;
    FrontNode frame;
    bool active;
  };
  struct Sample {
    size_t crack, layer;
    int32_t node;
  };
  /// What a node keeps under one load.
  struct NodeStress {
    int32_t triangle = -1;  // the nearest one of the body
    bool deep = true;       // far enough below it for the inner field
    Mat3 base;              // Pa, of the body without estimated openings
  };
  std::vector<Place> places(const Sheets& cracks) const;
  void learn(Span<const int32_t> nodes, Context& context);
  std::vector<Mat3> bodyStress(const BemSolution& solution, Span<const int32_t> nodes,
                               Context& context) const;
  void replaceShallow(Span<const Place* const> places, Span<const char> deep, std::vector<Mat3>& stress);
  std::vector<Sample> samples(Span<const size_t> active) const;
  std::vector<double> settle(Span<const Place* const> places, Span<const char> deep, Span<const Mat3> base,
                             Span<const Mat3> now);
  void weigh(Span<const Place* const> places, Span<const Sample> taken, Span<const Mat3> inner,
             std::vector<Mat3>& stress) const;
  void estimate(std::vector<Place>& places, const BemSolution& solution, const Sheets& cracks,
                Context& context);
  void measure(Span<const Place> places, const Sheets& cracks);
  void addLayers(const CrackGrowth& growth, size_t firstNew, size_t number, const Sheets& cracks);
  std::pair<double, int32_t> advanceOf(int32_t node, size_t firstNew) const;
  double hingeOf(const CrackSheet& sheet, const CrackShape& shape) const;
  double distanceToFront(int32_t node, const CrackSheet& sheet) const;
  void finishLayer(const CrackSheet& sheet, size_t crack, EstimatedLayer layer, std::vector<Vec3> jumps,
                   size_t number);
  void addLoads(size_t number, Context& context);
  void replay(const CrackGrowth& growth, size_t number, Context& context);
  void setOpenings();

  BemSystem& mSystem;
  const TriangleBvh& mBodyTree;
  double mCompressionRatio;
  BemSolution mBase;                               // without estimated openings
  std::unordered_map<int32_t, NodeStress> mKnown;  // by node; follows from the base
  double mBound = 0.0;                             // Pa, of the stress that openings may add
  std::vector<EstimatedCrack> mCracks;
  std::vector<std::vector<Eigen::VectorXd>> mLoads;  // by crack and layer
  std::vector<Place> mPlaces;                        // of the last intensities
};

/// Area and rim of a crack as it is; `surface` is the system's.
CrackExtent extentOf(const CrackSheet& sheet, const BemSurface& surface);

}  // namespace hackle
