#include <hackle/core/error.h>
#include <hackle/core/random.h>
#include <hackle/volume/grid.h>
#include <hackle/volume/vdb_check.h>
#include <hackle/volume/vdb_grid.h>

#include <fmt/format.h>
#include <openvdb/io/Stream.h>

#include <cstring>
#include <sstream>

namespace hackle {

namespace {

constexpr size_t kUuidOffset = 21;  // after the mark, three version numbers and the flag for offsets
constexpr size_t kUuidLength = 36;

/// Reads from bytes that stay where they are.
class ViewBuffer : public std::streambuf {
 public:
  explicit ViewBuffer(std::string_view bytes) {
    char* data = const_cast<char*>(bytes.data());
    setg(data, data, data + bytes.size());
  }

 protected:
  pos_type seekoff(off_type offset, std::ios_base::seekdir from, std::ios_base::openmode) override {
    const char* base = from == std::ios_base::beg ? eback() : from == std::ios_base::cur ? gptr() : egptr();
    return seekTo(base - eback() + offset);
  }
  pos_type seekpos(pos_type position, std::ios_base::openmode) override { return seekTo(position); }

 private:
  pos_type seekTo(off_type offset) {
    if (offset < 0 || offset > egptr() - eback()) return pos_type(off_type(-1));
    setg(eback(), eback() + offset, egptr());
    return offset;
  }
};

/// OpenVDB's archive with the offsets of its grids, so that other programs can read one grid of many.
class SeekableArchive : public openvdb::io::Archive {
 public:
  void writeTo(std::ostream& out, const openvdb::GridCPtrVec& grids) const { write(out, grids, true); }
};

/// OpenVDB gives every file a random identity; ours follows from its contents, so that equal grids make equal
/// files.
void setIdentity(std::string& bytes) {
  HACKLE_ASSERT(bytes.size() >= kUuidOffset + kUuidLength && bytes[kUuidOffset + 8] == '-');
  uint64_t hash[2] = {0, 1};
  for (size_t i = kUuidOffset + kUuidLength; i < bytes.size(); i += 8) {
    uint64_t word = 0;
    std::memcpy(&word, bytes.data() + i, std::min<size_t>(8, bytes.size() - i));
    hash[0] = mixBits(hash[0] ^ word);
    hash[1] = mixBits(hash[1] + word);
  }
  std::string uuid = fmt::format("{:016x}{:016x}", hash[0], hash[1]);
  for (const size_t dash : {8, 13, 18, 23}) uuid.insert(dash, "-");
  bytes.replace(kUuidOffset, kUuidLength, uuid);
}

}  // namespace

bool isVdb(std::string_view bytes) {
  using namespace std::string_view_literals;
  return bytes.substr(0, 8) == "\x20\x42\x44\x56\0\0\0\0"sv;
}

std::string gridToBytes(const VolumeGrid& grid) {
  initialiseVdb();
  std::ostringstream out(std::ios::binary);
  openvdb::io::Stream(out).write(openvdb::GridCPtrVec{vdbGrid(grid).pointer()});
  std::string bytes = out.str();
  setIdentity(bytes);
  return bytes;
}

std::string gridsToVdb(Span<const VolumePtr> grids) {
  initialiseVdb();
  openvdb::GridCPtrVec pointers;
  for (const VolumePtr& grid : grids) pointers.push_back(vdbGrid(*grid).pointer());
  std::ostringstream out(std::ios::binary);
  SeekableArchive().writeTo(out, pointers);
  std::string bytes = out.str();
  setIdentity(bytes);
  return bytes;
}

std::vector<VolumePtr> gridsFromVdb(std::string_view bytes, Context& context) {
  initialiseVdb();
  context.checkCancel();
  if (!isVdb(bytes)) throw Error(ErrorCode::BadInput, "byte 0: not the mark of an OpenVDB file");
  const CheckedVdb checked = checkVdb(bytes);
  for (const std::string& name : checked.skipped)
    context.warn(fmt::format("the grid \"{}\" holds points and was left out", name));
  context.checkCancel();
  ViewBuffer buffer(checked.bytes);
  std::istream in(&buffer);
  in.exceptions(std::ios::failbit | std::ios::badbit | std::ios::eofbit);
  openvdb::GridPtrVecPtr grids;
  try {
    grids = openvdb::io::Stream(in, /*delayLoad=*/false).getGrids();
  } catch (const std::ios_base::failure&) {
    throw Error(ErrorCode::BadInput, "the OpenVDB data ends too early (it is cut off or damaged)");
  } catch (const std::exception& e) {
    throw Error(ErrorCode::BadInput, fmt::format("damaged OpenVDB data: {}", e.what()));
  }
  std::vector<VolumePtr> volumes;
  for (const openvdb::GridBase::Ptr& grid : *grids)
    if (grid) volumes.push_back(std::make_shared<VdbGrid>(grid));
  return volumes;
}

}  // namespace hackle
