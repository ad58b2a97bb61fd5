// Keeps the triangles of a sheet as small as they must be and as large as they may be.
#pragma once

#include <hackle/fracture/sheet/sheet_mesh.h>

#include <functional>
#include <vector>

namespace hackle {

/// A `keep` flag of vertices that something touches: faces around them keep their shape in space.
constexpr uint8_t kTouched = 4;

struct SheetRemeshOptions {
  double grading = 0.35;           // how fast sizes grow with distance
  double longest = 1.4;            // edges longer than this many sizes are split
  double shortest = 0.6;           // edges shorter than this many sizes are collapsed
  double historyTolerance = 0.02;  // faces whose plastic stretches differ by more stay apart
  int passes = 8;                  // at most
  bool smooth = false;  // moves inner vertices of the rest shape too; only before anything has happened
  /// Moves a point of a chord back to a curved rest shape; not set for flat ones.
  std::function<Vec3(const Vec3&)> project;
};

struct SheetRemeshResult {
  size_t splits = 0, collapses = 0, flips = 0;
  std::vector<int32_t> vertexMap;  // new number of each vertex that was there, -1 if it is gone
  bool changed() const { return splits + collapses + flips > 0; }
};

/// Lets sizes (m, per vertex) grow by at most `grading` per metre along edges.
void gradeSizes(const SheetMesh& mesh, double grading, std::vector<double>& sizes);

/// Splits, collapses and flips (Delaunay in the rest shape) until edges fit the sizes. Borders, cracks and
/// vertices with a `keep` flag stay where they are. Mass stays; the momentum of each patch that changes is
/// restored. Deterministic.
SheetRemeshResult remesh(SheetMesh& mesh, std::vector<double> sizes, std::vector<uint8_t> keep,
                         const SheetRemeshOptions& options);

}  // namespace hackle
