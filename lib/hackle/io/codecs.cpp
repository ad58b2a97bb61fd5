#include <hackle/io/codec.h>

namespace hackle {

const std::vector<Codec>& codecs() {
  static const std::vector<Codec> kCodecs{};
  return kCodecs;
}

}  // namespace hackle
