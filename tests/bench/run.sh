#!/usr/bin/env bash
# Builds and runs every benchmark; called by ./run bench [--record] [NAME...]. Raw results go to build/bench/NAME.json;
# --record keeps their medians in docs/figures/bench.json.
set -euo pipefail
cd "$(dirname "$0")/../.."
record=no
if [ "${1:-}" = --record ]; then
  record=yes
  shift
fi
cmake --build build --target benches
mkdir -p build/bench
wanted=" $* "
for program in build/bin/bench_*; do
  name=${program##*/bench_}
  [ "$wanted" = "  " ] || [[ "$wanted" == *" $name "* ]] || continue
  echo "== $name"
  "$program" --benchmark_repetitions=3 --benchmark_min_time=0.1 --benchmark_report_aggregates_only=true \
    --benchmark_out="build/bench/$name.json" --benchmark_out_format=json
done
if [ "$record" = yes ]; then
  /usr/bin/python3 tests/bench/record.py build/bench docs/figures/bench.json
fi
