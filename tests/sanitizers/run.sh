#!/usr/bin/env bash
# usage: tests/sanitizers/run.sh [address|thread|undefined] [TEST ...]: builds the library and test programs with a sanitizer and
# runs them; the default is address (with undefined). TEST is a folder of tests/ (core, io, ...); without one those that run in
# minutes. Called by ./run sanitize.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.."

kind=address
case "${1:-}" in
  address | thread | undefined)
    kind=$1
    shift
    ;;
esac
tests=${*:-core geometry linalg mechanics meshing volume io fem coupling}
case "$kind" in
  address) sanitizers=address,undefined ;;
  *) sanitizers=$kind ;;
esac
# Leaks of OpenVDB's and TBB's static pools are none of ours.
export ASAN_OPTIONS=detect_leaks=0:detect_container_overflow=0
export UBSAN_OPTIONS="suppressions=$PWD/tests/sanitizers/ubsan.supp:halt_on_error=1:print_stacktrace=1"
export TSAN_OPTIONS="suppressions=$PWD/tests/sanitizers/tsan.supp:halt_on_error=0:second_deadlock_stack=1"
export CCACHE_SLOPPINESS=pch_defines,time_macros

build=build-sanitize-$kind
if [ ! -f $build/build.ninja ]; then
  mkdir -p $build
  cmake -S . -B $build -G Ninja -DCMAKE_BUILD_TYPE=None -DCMAKE_CXX_FLAGS="-O1 -gline-tables-only" \
    -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_CXX_COMPILER_LAUNCHER=ccache -DHACKLE_SANITIZE=$sanitizers -DHACKLE_PYTHON=OFF \
    -DHACKLE_WERROR=OFF >$build/configure.log 2>&1 || { cat $build/configure.log >&2; rm -f $build/build.ninja; exit 1; }
fi
targets=()
for test in $tests; do targets+=("test_$test"); done
cmake --build $build --target "${targets[@]}"

failed=()
for target in "${targets[@]}"; do
  echo "== $target with $sanitizers"
  $build/bin/$target --gtest_brief=1 || failed+=("$target")
done
if [ ${#failed[@]} -gt 0 ]; then
  echo "failed: ${failed[*]}"
  exit 1
fi
