#include <hackle/core/random.h>
#include <hackle/fracture/crack/pieces/crack_sheet_mesh.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace hackle {

namespace {

constexpr int kMostPasses = 4;      // each zips what the last one brought together; two are usual
constexpr double kOpposite = -0.3;  // cosine between edges of rims that belong together, at most
constexpr double kCell = 6;         // reaches: cells by which points are found
constexpr double kFlatten = 0.5;    // of a triangle's height: how far a point on its edge may be off

/// Splits edges of rims at the points of other rims that lie on them.
class SheetZip {
 public:
  SheetZip(CrackSheetMesh& sheet, double reach) : mSheet(sheet), mReach(reach) {}

  /// Whether anything was split.
  bool pass(Context& context) {
    findRims();
    mSplits.clear();
    for (size_t i = 0; i < mRims.size(); ++i) {
      if (i % 1024 == 0) context.checkCancel();
      std::vector<int32_t> points = pointsOn(mRims[i]);
      if (!points.empty()) mSplits.push_back({i, std::move(points)});
    }
    split();
    return !mSplits.empty();
  }

 private:
  struct Rim {
    int32_t from, to, triangle;
    size_t corner;
  };
  struct Cell {
    int64_t x, y, z;
    bool operator==(const Cell& o) const { return x == o.x && y == o.y && z == o.z; }
  };
  struct CellHash {
    size_t operator()(const Cell& c) const {
      return mixBits(mixBits(mixBits(static_cast<uint64_t>(c.x)) + static_cast<uint64_t>(c.y)) +
                     static_cast<uint64_t>(c.z));
    }
  };

  const Vec3& place(int32_t p) const { return mSheet.points[p]; }
  Cell cellOf(const Vec3& p) const {
    const Vec3 q = (p / (kCell * mReach)).array().floor();
    return {static_cast<int64_t>(q.x()), static_cast<int64_t>(q.y()), static_cast<int64_t>(q.z())};
  }
  void findRims() {
    // Directed edges by where they begin.
    std::vector<size_t> first(mSheet.points.size() + 1, 0);
    for (const Triangle& t : mSheet.triangles)
      for (const int32_t p : t) ++first[p + 1];
    for (size_t p = 0; p + 1 < first.size(); ++p) first[p + 1] += first[p];
    std::vector<int32_t> ends(first.back());
    std::vector<size_t> at(first.begin(), first.end() - 1);
    for (const Triangle& t : mSheet.triangles)
      for (size_t k = 0; k < 3; ++k) ends[at[t[k]]++] = t[(k + 1) % 3];
    const auto count = [&](int32_t from, int32_t to) {
      const auto begin = ends.begin() + static_cast<std::ptrdiff_t>(first[from]);
      const auto end = ends.begin() + static_cast<std::ptrdiff_t>(first[from + 1]);
      return std::count(begin, end, to);
    };
    mRims.clear();
    mCells.clear();
    mAt.assign(mSheet.points.size(), {});
    for (size_t t = 0; t < mSheet.triangles.size(); ++t)
      for (size_t k = 0; k < 3; ++k) {
        const int32_t a = mSheet.triangles[t][k], b = mSheet.triangles[t][(k + 1) % 3];
        if (count(b, a) > 0 || count(a, b) > 1) continue;
        for (const int32_t p : {a, b}) {
          if (mAt[p].empty()) mCells[cellOf(place(p))].push_back(p);
          mAt[p].push_back(static_cast<int32_t>(mRims.size()));
        }
        mRims.push_back({a, b, static_cast<int32_t>(t), k});
      }
  }

  /// Points of rims that come the other way, in order from one end of the edge to the other.
  std::vector<int32_t> pointsOn(const Rim& rim) const {
    const Vec3 &a = place(rim.from), &b = place(rim.to);
    const Triangle& corners = mSheet.triangles[rim.triangle];
    const Vec3& tip = place(corners[(rim.corner + 2) % 3]);
    const double length = (b - a).norm();
    const double allowed = std::min(mReach, kFlatten * (b - a).cross(tip - a).norm() / length);
    std::vector<std::pair<double, int32_t>> found;
    const int steps = static_cast<int>(std::ceil(length / (kCell * mReach)));
    for (int s = 0; s <= steps; ++s) {
      const Cell middle = cellOf(a + (b - a) * s / steps);
      for (int n = 0; n < 27; ++n) {
        const auto cell = mCells.find({middle.x + n / 9 - 1, middle.y + n / 3 % 3 - 1, middle.z + n % 3 - 1});
        if (cell == mCells.end()) continue;
        for (const int32_t p : cell->second) {
          if (std::find(corners.begin(), corners.end(), p) != corners.end()) continue;
          const double t = (place(p) - a).dot(b - a) / (length * length);
          if (!(t > 0 && t < 1) || (place(p) - a - t * (b - a)).norm() > allowed) continue;
          if (comesTheOtherWay(p, b - a)) found.emplace_back(t, p);
        }
      }
    }
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    std::vector<int32_t> points;
    for (const auto& [t, p] : found) points.push_back(p);
    return points;
  }

  bool comesTheOtherWay(int32_t p, const Vec3& direction) const {
    const auto& rims = mAt[p];
    return std::any_of(rims.begin(), rims.end(), [&](int32_t r) {
      const Vec3 d = place(mRims[r].to) - place(mRims[r].from);
      return d.dot(direction) < kOpposite * d.norm() * direction.norm();
    });
  }

  /// Puts a point between two corners of one of the triangles.
  static void divide(std::vector<Triangle>& parts, int32_t a, int32_t b, int32_t p) {
    for (Triangle& part : parts)
      for (size_t k = 0; k < 3; ++k) {
        if (part[k] != a || part[(k + 1) % 3] != b) continue;
        const int32_t c = part[(k + 2) % 3];
        if (c == p) return;
        part = {a, p, c};
        parts.push_back({p, b, c});
        return;
      }
  }

  void split() {
    // Those of one triangle come after each other.
    for (size_t i = 0; i < mSplits.size();) {
      const auto triangle = static_cast<size_t>(mRims[mSplits[i].rim].triangle);
      std::vector<Triangle> parts{mSheet.triangles[triangle]};
      for (; i < mSplits.size() && mRims[mSplits[i].rim].triangle == static_cast<int32_t>(triangle); ++i) {
        int32_t from = mRims[mSplits[i].rim].from;
        for (const int32_t p : mSplits[i].points) {
          divide(parts, from, mRims[mSplits[i].rim].to, p);
          from = p;
        }
      }
      mSheet.triangles[triangle] = parts[0];
      mSheet.triangles.insert(mSheet.triangles.end(), parts.begin() + 1, parts.end());
    }
  }

  CrackSheetMesh& mSheet;
  double mReach;
  std::vector<Rim> mRims;
  std::vector<std::vector<int32_t>> mAt;  // rims at each point
  std::unordered_map<Cell, std::vector<int32_t>, CellHash> mCells;
  struct Split {
    size_t rim;
    std::vector<int32_t> points;
  };
  std::vector<Split> mSplits;
};

}  // namespace

void CrackSheetMesh::zip(double reach, Context& context) {
  SheetZip zip(*this, reach);
  for (int i = 0; i < kMostPasses && zip.pass(context); ++i) {
  }
}

}  // namespace hackle
