#!/usr/bin/env bash
# usage: tests/fuzz/run.sh [SECONDS [FORMAT ...]]: runs every file reader on random input, two at a time. Fails if one
# finds a bug; the input that shows it is left in build-fuzz/found/.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.."

seconds=${1:-600}
[ $# -gt 0 ] && shift
build=build-fuzz
export CCACHE_SLOPPINESS=pch_defines,time_macros

if [ ! -f $build/build.ninja ]; then
  mkdir -p $build
  # The library is watched by the fuzzer; its main function is linked into fuzz_reader only.
  cmake -S . -B $build -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_CXX_COMPILER=clang++ \
    -DCMAKE_CXX_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_FLAGS=-fsanitize=fuzzer-no-link \
    -DHACKLE_SANITIZE=address,undefined -DHACKLE_FUZZERS=ON -DHACKLE_TESTS=OFF -DHACKLE_PYTHON=OFF -DHACKLE_WERROR=OFF \
    >$build/configure.log 2>&1 || { cat $build/configure.log >&2; rm -f $build/build.ninja; exit 1; }
fi
cmake --build $build --target fuzz_reader fuzz_formats fuzz_seeds

# Seeds: what the program writes, what is kept by hand in tests/fuzz/corpus/FORMAT/, and small real files if they are here.
mkdir -p $build/seeds $build/found $build/log
$build/bin/fuzz_seeds $build/seeds
max_len=49152
formats=${*:-$($build/bin/fuzz_formats)}
for format in $formats; do
  patterns=(-name "*.$format")
  [ "$format" != bgeo ] || patterns+=(-o -name '*.geo' -o -name '*.bgeo.*' -o -name '*.geo.*')
  mkdir -p "$build/seeds/$format"
  [ ! -d ../shared/data ] ||
    find ../shared/data -type f -size -$((max_len / 1024))k \( "${patterns[@]}" \) -exec cp -t "$build/seeds/$format" {} +
done

# usage: fuzz FORMAT SECONDS; one line on the end, and the log only if there is something to see.
fuzz() {
  local format=$1 log=$build/log/$1.log result=ok
  mkdir -p "$build/corpus/$format"
  local folders=("$build/corpus/$format")
  for folder in "$build/seeds/$format" "tests/fuzz/corpus/$format"; do
    if [ -d "$folder" ]; then folders+=("$folder"); fi
  done
  local dictionary=()
  if [ -f "tests/fuzz/dictionary/$format.dict" ]; then dictionary=("-dict=tests/fuzz/dictionary/$format.dict"); fi
  # Undefined behaviour ends the run as well, a leak too.
  HACKLE_FUZZ_FORMAT=$format UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1:suppressions=tests/sanitizers/ubsan.supp \
    "$build/bin/fuzz_reader" -max_total_time="$2" -timeout=10 -rss_limit_mb=1024 -max_len=$max_len \
    -print_final_stats=1 -artifact_prefix="$build/found/$format-" "${dictionary[@]}" "${folders[@]}" >"$log" 2>&1 || result=FAILED
  local runs rss
  runs=$(awk '/stat::number_of_executed_units/ { print $2 }' "$log")
  rss=$(awk '/stat::peak_rss_mb/ { print $2 }' "$log")
  printf '%-10s %-7s %10s runs  %5s MB\n' "$format" "$result" "${runs:-?}" "${rss:-?}"
  [ $result = ok ] || { tail -40 "$log"; return 1; }
}
export -f fuzz
export build max_len

printf '%s\n' $formats | xargs -P 2 -I{} bash -c "fuzz {} $seconds"
