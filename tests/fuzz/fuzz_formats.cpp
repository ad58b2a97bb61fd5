// Prints one extension per line for every format that is read: the names that fuzz_reader knows.
#include <hackle/io/codec.h>

#include <cstdio>

int main() {
  for (const hackle::Codec& codec : hackle::codecs())
    if (codec.read) std::printf("%s\n", codec.format.extensions.front().c_str());
  std::printf("modes\n");  // the cache of fracture modes, which is no geometry
  return 0;
}
