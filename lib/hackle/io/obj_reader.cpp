#include <hackle/io/left_out.h>
#include <hackle/io/obj.h>
#include <hackle/io/text_scanner.h>

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <unordered_map>

namespace hackle {

namespace {

/// A text that holds for all primitives from one on until it changes. Texts point into the file.
class Runs {
 public:
  void change(size_t primitive, std::string_view text) {
    int32_t id = -1;
    if (!text.empty()) {
      id = mIds.emplace(text, static_cast<int32_t>(mTexts.size())).first->second;
      if (static_cast<size_t>(id) == mTexts.size()) mTexts.push_back(text);
    }
    if (mRuns.empty() || mRuns.back().first != primitive)
      mRuns.push_back({primitive, id});
    else
      mRuns.back().id = id;
  }
  const std::vector<std::string_view>& texts() const { return mTexts; }
  /// Calls f(first, last, text id) for the runs of primitives that have a text.
  template <class F>
  void forEach(size_t primitives, const F& f) const {
    for (size_t r = 0; r < mRuns.size(); ++r) {
      const size_t last = r + 1 < mRuns.size() ? mRuns[r + 1].first : primitives;
      if (mRuns[r].id >= 0 && mRuns[r].first < last)
        f(mRuns[r].first, last, static_cast<size_t>(mRuns[r].id));
    }
  }

 private:
  struct Run {
    size_t first;
    int32_t id;
  };
  std::vector<Run> mRuns;
  std::vector<std::string_view> mTexts;
  std::unordered_map<std::string_view, int32_t> mIds;
};

/// Indices into a list that may still grow: the largest one that was not there yet when it was read.
struct Pending {
  const char* what;
  int64_t most = 0;
  size_t offset = 0;
};

/// Values of corners by index, kept only once some corner has one.
struct CornerIndices {
  std::vector<int32_t> values;  // -1 where a corner has none; empty if no corner has any
  void add(size_t corner, int32_t index) {
    if (values.empty() && index < 0) return;
    values.resize(corner, -1);
    values.push_back(index);
  }
};

class ObjReader {
 public:
  ObjReader(std::string_view bytes, Context& context)
      : mScan(bytes, context, {'#', true, {}}), mFileSize(bytes.size()), mContext(context) {}

  Geometry read() {
    bool anyKnown = false;
    while (mScan.nextItem()) {
      const std::string_view keyword = mScan.word();
      const auto known = std::find_if(std::begin(kStatements), std::end(kStatements),
                                      [&](const Statement& s) { return s.keyword == keyword; });
      if (known != std::end(kStatements)) {
        (this->*known->read)();
        anyKnown = true;
      } else {
        mLeftOut.add("statement", printable(keyword));
      }
      mScan.nextLine();
    }
    if (!anyKnown && !mLeftOut.empty()) mScan.failAt(0, "there is no OBJ statement in this file");
    checkPending(mPendingPoint, mPositions.size());
    checkPending(mPendingUv, mUvs.size() / 3);
    checkPending(mPendingNormal, mNormals.size() / 3);
    Geometry geometry = build();
    mLeftOut.warn(mContext);
    return geometry;
  }

 private:
  // Statements ------------------------------------------------------------------------------------------
  struct Statement {
    std::string_view keyword;
    void (ObjReader::*read)();
  };
  static const Statement kStatements[11];

  void position() {
    const double x = mScan.number("x"), y = mScan.number("y"), z = mScan.number("z");
    mPositions.emplace_back(x, y, z);
    if (!mScan.atLineEnd()) afterPosition();
    if (!mColours.empty()) mColours.resize(3 * mPositions.size(), 1.0f);
  }

  /// A weight, a colour, or a colour with alpha.
  void afterPosition() {
    float extra[4];
    size_t count = 0;
    while (!mScan.atLineEnd()) {
      if (count == 4) mScan.fail("v has more than seven numbers");
      extra[count++] = mScan.single("the colour");
    }
    if (count == 2) mScan.fail("v has five numbers; a colour needs three after the position");
    if (count == 1 && extra[0] != 1.0f) mLeftOut.add("weight of statement", "v");
    if (count == 4 && extra[3] != 1.0f) mLeftOut.add("alpha of statement", "v");
    if (count < 3) return;
    mColours.resize(3 * (mPositions.size() - 1), 1.0f);
    mColours.insert(mColours.end(), extra, extra + 3);
  }

  void textureCoordinate() {
    float uv[3] = {mScan.single("u"), 0, 0};
    for (size_t c = 1; c < 3 && !mScan.atLineEnd(); ++c) uv[c] = mScan.single(c == 1 ? "v" : "w");
    mUvs.insert(mUvs.end(), uv, uv + 3);
  }

  void normal() {
    for (const char* axis : {"x", "y", "z"}) mNormals.push_back(mScan.single(axis));
  }

  void points() {
    int32_t point;
    while (!mScan.atLineEnd())
      if (!index(mPositions.size(), mPendingPoint, point) || !mScan.atWordEnd())
        mScan.failExpecting("a point number");
  }

  void polygon() { primitive(PrimitiveType::Polygon); }
  void polyline() { primitive(PrimitiveType::Polyline); }
  void groups() {
    const std::string_view names = mScan.restOfLine();
    mGroups.change(mCounts.size(), names == "default" ? std::string_view() : names);
  }
  void object() { mObjects.change(mCounts.size(), mScan.restOfLine()); }
  void material() { mMaterials.change(mCounts.size(), mScan.restOfLine()); }
  void smoothing() { mSmoothing.change(mCounts.size(), mScan.word()); }
  void library() { mLibraries.emplace_back(mScan.restOfLine()); }

  void primitive(PrimitiveType type) {
    const size_t first = mPoints.size();
    while (!mScan.atLineEnd()) corner();
    if (mPoints.size() > size_t(std::numeric_limits<int32_t>::max())) mScan.fail("more than 2^31 corners");
    mCounts.push_back(static_cast<int32_t>(mPoints.size() - first));
    if (mTypes.empty() || mTypes.back().first != type) mTypes.push_back({type, 0});
    ++mTypes.back().second;
  }

  /// point, point/uv, point//normal or point/uv/normal; numbers behind slashes may be missing.
  void corner() {
    int32_t point = -1, uv = -1, normal = -1;
    const bool good = index(mPositions.size(), mPendingPoint, point);
    if (good && mScan.take('/')) {
      index(mUvs.size() / 3, mPendingUv, uv);
      if (mScan.take('/')) index(mNormals.size() / 3, mPendingNormal, normal);
    }
    if (!good || !mScan.atWordEnd()) mScan.failExpecting("a corner (point/uv/normal)");
    mUvIndex.add(mPoints.size(), uv);
    mNormalIndex.add(mPoints.size(), normal);
    mPoints.push_back(point);
  }

  /// An index as the file has it (from 1, or backwards from -1), counted from 0; false if there is none.
  bool index(size_t count, Pending& pending, int32_t& result) {
    const size_t offset = mScan.offset();
    int64_t value;
    if (!mScan.takeInteger(value)) return false;
    const int64_t known = static_cast<int64_t>(count);
    const int64_t fromOne = value < 0 ? value + known + 1 : value;
    if (fromOne <= 0 || fromOne > std::numeric_limits<int32_t>::max())
      mScan.failAt(offset,
                   fmt::format("{} {} does not exist, there are {} so far", pending.what, value, known));
    if (fromOne > known && fromOne > pending.most) {
      pending.most = fromOne;
      pending.offset = offset;
    }
    result = static_cast<int32_t>(fromOne - 1);
    return true;
  }

  void checkPending(const Pending& pending, size_t count) const {
    if (pending.most > static_cast<int64_t>(count))
      mScan.failAt(pending.offset,
                   fmt::format("{} {} does not exist, there are {}", pending.what, pending.most, count));
  }

  // The geometry ----------------------------------------------------------------------------------------
  Geometry build() {
    Geometry geometry;
    geometry.addPoints(mPositions.size());
    geometry.editPositions().swap(mPositions);
    size_t firstCount = 0, firstPoint = 0;
    for (const auto& [type, count] : mTypes) {
      const Span<const int32_t> counts = Span<const int32_t>(mCounts).subspan(firstCount, count);
      size_t corners = 0;
      for (const int32_t c : counts) corners += static_cast<size_t>(c);
      geometry.addPrimitives(type, counts, Span<const int32_t>(mPoints).subspan(firstPoint, corners));
      firstCount += count;
      firstPoint += corners;
    }
    if (!mColours.empty()) addFloats(geometry, Owner::Point, "Cd", "color", std::move(mColours));
    addCornerValues(geometry, "uv", "texturecoord", mUvIndex.values, mUvs);
    addCornerValues(geometry, "N", "normal", mNormalIndex.values, mNormals);
    addStrings(geometry, "name", mObjects);
    addStrings(geometry, "shop_materialpath", mMaterials);
    addSmoothing(geometry);
    addGroups(geometry);
    if (!mLibraries.empty()) {
      Attribute& a = geometry.addAttribute(
          Owner::Detail, Attribute("mtllib", Storage::String, static_cast<int>(mLibraries.size())));
      std::vector<int32_t> indices(mLibraries.size());
      for (size_t i = 0; i < indices.size(); ++i) indices[i] = static_cast<int32_t>(i);
      a.assignStrings({std::move(mLibraries), std::move(indices)});
    }
    return geometry;
  }

  static void addFloats(Geometry& geometry, Owner owner, const char* name, const char* qualifier,
                        std::vector<float> values) {
    Attribute a(name, Storage::Float32, 3, 0, qualifier);
    a.assign(CowArray<float>(std::move(values)));
    geometry.addAttribute(owner, std::move(a));
  }

  static void addCornerValues(Geometry& geometry, const char* name, const char* qualifier,
                              std::vector<int32_t>& indices, const std::vector<float>& table) {
    if (indices.empty()) return;
    indices.resize(geometry.vertexCount(), -1);
    std::vector<float> values(3 * indices.size(), 0.0f);
    for (size_t v = 0; v < indices.size(); ++v)
      if (indices[v] >= 0) std::copy_n(&table[3 * static_cast<size_t>(indices[v])], 3, &values[3 * v]);
    addFloats(geometry, Owner::Vertex, name, qualifier, std::move(values));
  }

  void addStrings(Geometry& geometry, const char* name, const Runs& runs) const {
    if (runs.texts().empty()) return;
    std::vector<int32_t> indices(mCounts.size(), -1);
    bool any = false;
    runs.forEach(mCounts.size(), [&](size_t first, size_t last, size_t text) {
      std::fill(&indices[first], &indices[0] + last, static_cast<int32_t>(text));
      any = true;
    });
    if (!any) return;
    std::vector<std::string> table(runs.texts().begin(), runs.texts().end());
    geometry.addAttribute(Owner::Primitive, Attribute(name, Storage::String, 1))
        .assignStrings({std::move(table), std::move(indices)});
  }

  void addSmoothing(Geometry& geometry) const {
    if (mSmoothing.texts().empty()) return;
    std::vector<int32_t> numbers(mCounts.size(), 0);
    bool any = false;
    mSmoothing.forEach(mCounts.size(), [&](size_t first, size_t last, size_t text) {
      const std::string_view word = mSmoothing.texts()[text];
      const char* at = word.data();
      double number = 0;  // "off" and what else is no number
      parseNumber(at, at + word.size(), number);
      if (!(number > 0 && number <= std::numeric_limits<int32_t>::max())) return;
      std::fill(&numbers[first], &numbers[0] + last, static_cast<int32_t>(number));
      any = true;
    });
    if (!any) return;
    Attribute a("smoothing_group", Storage::Int32, 1);
    a.assign(CowArray<int32_t>(std::move(numbers)));
    geometry.addAttribute(Owner::Primitive, std::move(a));
  }

  void addGroups(Geometry& geometry) {
    // The names on each distinct g line, as indices into all names.
    std::vector<std::string_view> names;
    std::unordered_map<std::string_view, size_t> known;
    std::vector<std::vector<size_t>> members;
    for (const std::string_view line : mGroups.texts()) {
      TextScanner words(line, mContext);
      std::vector<size_t>& list = members.emplace_back();
      for (std::string_view word = words.word(); !word.empty(); word = words.word()) {
        const size_t id = known.emplace(word, names.size()).first->second;
        if (id == names.size()) names.push_back(word);
        list.push_back(id);
      }
      std::sort(list.begin(), list.end());
      list.erase(std::unique(list.begin(), list.end()), list.end());
    }

    constexpr size_t kMostGroups = 10000, kAlwaysFine = size_t(1) << 26, kTimesFileSize = 8;
    if (names.size() > kMostGroups ||
        names.size() * mCounts.size() > std::max(kAlwaysFine, kTimesFileSize * mFileSize)) {
      addStrings(geometry, "group", mGroups);
      mContext.warn(fmt::format("OBJ: {} groups of {} primitives are kept as the primitive attribute group",
                                names.size(), mCounts.size()));
      return;
    }
    std::vector<std::vector<uint8_t>*> bits;
    for (const std::string_view name : names) geometry.addGroup(Owner::Primitive, std::string(name));
    for (const std::string_view name : names)
      bits.push_back(&geometry.findGroup(Owner::Primitive, std::string(name))->bits.edit());
    mGroups.forEach(mCounts.size(), [&](size_t first, size_t last, size_t text) {
      for (const size_t id : members[text])
        std::fill(&(*bits[id])[first], bits[id]->data() + last, uint8_t(1));
    });
  }

  static std::string printable(std::string_view word) {
    std::string text(word.substr(0, 20));
    std::replace_if(
        text.begin(), text.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
    return text;
  }

  TextScanner mScan;
  size_t mFileSize;
  Context& mContext;
  LeftOut mLeftOut{"OBJ"};
  std::vector<Vec3> mPositions;
  std::vector<float> mColours, mUvs, mNormals;
  std::vector<std::pair<PrimitiveType, size_t>> mTypes;  // runs of one type
  std::vector<int32_t> mCounts, mPoints;
  CornerIndices mUvIndex, mNormalIndex;
  Pending mPendingPoint{"point"}, mPendingUv{"uv"}, mPendingNormal{"normal"};
  Runs mGroups, mObjects, mMaterials, mSmoothing;
  std::vector<std::string> mLibraries;
};

const ObjReader::Statement ObjReader::kStatements[11] = {
    {"v", &ObjReader::position},  {"f", &ObjReader::polygon},     {"vt", &ObjReader::textureCoordinate},
    {"vn", &ObjReader::normal},   {"l", &ObjReader::polyline},    {"p", &ObjReader::points},
    {"g", &ObjReader::groups},    {"o", &ObjReader::object},      {"usemtl", &ObjReader::material},
    {"s", &ObjReader::smoothing}, {"mtllib", &ObjReader::library}};

}  // namespace

Geometry readObj(std::string_view bytes, const std::filesystem::path&, Context& context) {
  return ObjReader(bytes, context).read();
}

}  // namespace hackle
