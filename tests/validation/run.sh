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
# Every check runs, whatever the others find; those that failed are named at the end.
failed=()
check() { "$@" || failed+=("$*"); }
for program in build/bin/validate_*; do
  check "$program" "$@"
done
export PYTHONPATH=build/python
script() {
  local name=$1
  shift
  check /usr/bin/python3 "tests/validation/$name.py" "$@"
}
script dirty_meshes ../shared/data/dirty "$@"
script cvd_meshes ../shared/data/meshes ../shared/data/dirty "$@"
script modes_on_meshes ../shared/data/meshes "$@"
script crack_meshes ../shared/data/meshes "$@"
script crack_boxes "$@"
script crack_starts "$@"
script crack_rate "$@"
script crack_figure "$@"
script learned_pieces "$@"
script sim_checks "$@"
script mott build/validation/mott.png
script impact_meshes ../shared/data/meshes "$@"
script piece_textures ../shared/data/meshes "$@"
script real_meshes "$meshes" ../shared/data/meshes "$@"
if [ ${#failed[@]} -gt 0 ]; then
  echo "failed:"
  printf '  %s\n' "${failed[@]}"
  exit 1
fi
