// The standard streams under other names, for the archives that the Houdini build links into the library:
// code that was compiled for programs cannot reach those of the C library from a shared one. See
// HackleHoudini.cmake.
#include <cstdio>

extern "C" {
__attribute__((visibility("hidden"))) FILE *hackle_stdin, *hackle_stdout, *hackle_stderr;

__attribute__((constructor)) static void setStandardStreams() {
  hackle_stdin = stdin;
  hackle_stdout = stdout;
  hackle_stderr = stderr;
}
}
