// Frames of a sheet as geometry: one topology for the whole run, thick closed pieces or the thin surface.
#pragma once

#include <hackle/fracture/pieces.h>
#include <hackle/fracture/sheet/sheet_simulation.h>

#include <string>
#include <vector>

namespace hackle {

struct SheetOutputOptions {
  bool thick = true;             // closed pieces; false: the middle surface
  std::string prefix = "piece";  // names are prefix0, prefix1, ...
  std::string insideGroup = "inside";
  std::string outsideGroup = "outside";
};

/// Places the last mesh of a run, which has all cracks, in any of its frames. Points keep their number from
/// frame to frame, so motion blur and caches work; cracks that are not there yet are closed.
class SheetOutput {
 public:
  /// `artist` is the sheet as it was given; its attributes and groups come along (not N).
  SheetOutput(const Geometry& artist, const SheetMesh& last, const SheetOutputOptions& options,
              Context& context);

  /// Points get v (m/s), rest (m), thickness (m), stress (Pa) and plastic (none); primitives name and
  /// crack_time (s; -1 where there is no crack), walls along cracks N and uv (m) too.
  Geometry at(const SheetFrame& frame, Context& context) const;

  size_t pieceCount() const { return mNames.size(); }
  /// Pieces of a frame for constraint networks and proxies; thick output only.
  FracturePieces pieces(const Geometry& geometry) const;

 private:
  void addWalls(const SheetMesh& last);

  SheetOutputOptions mOptions;
  Geometry mTemplate;         // at rest, without thickness
  std::vector<Vec3> mRest;    // of the vertices of the last mesh
  std::vector<Vec3> mInside;  // for each a place a little inside of its faces, to find its side of a crack
  std::vector<Triangle> mFaces;
  std::vector<int32_t> mPieceOfFace;
  std::vector<std::string> mNames;
  struct Wall {
    int32_t a, b, face;
    double time;
    Vec3 middle;  // rest
  };
  std::vector<Wall> mWalls;
};

}  // namespace hackle
