#!/usr/bin/env bash
# Long checks, against exact solutions and on real meshes; called by ./run validate [--record]. With --record the tables are kept in docs/figures/.
set -euo pipefail
cd "$(dirname "$0")/../.."
meshes=build/validation/meshes
if [ ! -d "$meshes" ]; then
  mkdir -p "$meshes.part"
  tar -xzf /usr/share/doc/libcgal-dev/data.tar.gz -C "$meshes.part" --wildcards --strip-components=2 'data/meshes/*'
  cp /usr/share/glmark2/models/bunny.obj "$meshes.part/glmark2_bunny.obj"
  mv "$meshes.part" "$meshes"
fi
cmake --build build --target validations
for program in build/bin/validate_*; do
  "$program" "$@"
done
export PYTHONPATH=build/python
/usr/bin/python3 tests/validation/dirty_meshes.py ../shared/data/dirty "$@"
/usr/bin/python3 tests/validation/cvd_meshes.py ../shared/data/meshes ../shared/data/dirty "$@"
/usr/bin/python3 tests/validation/modes_on_meshes.py ../shared/data/meshes "$@"
/usr/bin/python3 tests/validation/crack_meshes.py ../shared/data/meshes "$@"
/usr/bin/python3 tests/validation/crack_starts.py "$@"
/usr/bin/python3 tests/validation/learned_pieces.py "$@"
/usr/bin/python3 tests/validation/sim_checks.py "$@"
/usr/bin/python3 tests/validation/impact_meshes.py ../shared/data/meshes "$@"
exec /usr/bin/python3 tests/validation/real_meshes.py "$meshes" ../shared/data/meshes "$@"
