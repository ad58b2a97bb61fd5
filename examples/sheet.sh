#!/usr/bin/env bash
# Thin sheets: glass, paper, stoneware, eggshell and rubber. The pictures go to examples/pictures; name
# scenes to run only those: examples/sheet.sh [--pictures FOLDER] [SCENE ...]. Run it after ./run build.
set -euo pipefail
cd "$(dirname "$0")/.."
hackle=build/bin/hackle
out=out/sheet
pictures=examples/pictures
if [[ ${1:-} == --pictures ]]; then pictures=$2; shift 2; fi
mkdir -p "$out" "$pictures"

rectangle() { # half the width, half the height
  printf 'v -%s -%s 0\nv %s -%s 0\nv %s %s 0\nv -%s %s 0\nvt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\nf 1/1 2/2 3/3 4/4\n' "$1" "$2" "$1" "$2" "$1" "$2" "$1" "$2"
}
# A surface of revolution about the axis z from pairs "radius height", 48 segments; radius 0 closes it.
revolve() { python3 examples/revolve.py "$@"; }
simulate() { # scene, mesh, parameters: frames go to out/sheet/SCENE.####.bgeo, the last to SCENE.bgeo
  local scene=$1 mesh=$2
  shift 2
  "$hackle" sheet "$mesh" -o "$out/$scene.bgeo" --sequence "$out/$scene.####.bgeo" "$@"
}
picture() { # scene, parameters of render; FRAME=0011 for another frame than the last, COLOUR for another way
  local scene=$1
  shift
  "$hackle" render "$out/$scene${FRAME:+.$FRAME}.bgeo" -o "$pictures/sheet_$scene.png" --width 640 --height 480 --colour "${COLOUR:-piece}" --quiet "$@"
}
frame() { # four sides of a pane of half the width, held
  echo "--pin at=-$1,0,0 size=.002,$1,.1 --pin at=$1,0,0 size=.002,$1,.1 --pin at=0,-$1,0 size=$1,.002,.1 --pin at=0,$1,0 size=$1,.002,.1" |
    sed "s/size=.002,$1/size=.002,2/g; s/size=$1,.002/size=2,.002/g"
}

# Some minutes: paper wrinkles. Two hands pull the upper corners of a sheet of paper apart and past each other; a small cut starts the tear.
paper() {
  rectangle 0.1 0.1 > "$out/paper.obj"
  simulate paper "$out/paper.obj" --preset paper --fine 0.004 --coarse 0.02 --no-births \
    --pin at=-.08,.08,0 --pin at=.08,.08,0 --key pin=0 time=1 move=-.05,0,.04 --key pin=1 time=1 move=.05,0,-.04 \
    --initial from=0.01,.1,0 to=0.01,.09,0 --frames 24
  picture paper
}

# A steel ball of 0.3 kg at 10 m/s hits a window pane that is held at its border. 3 ms: bending takes one to
# reach the border, cracks follow it.
pane() {
  rectangle 0.3 0.3 > "$out/pane.obj"
  simulate pane "$out/pane.obj" --preset window --fine 0.01 --coarse 0.05 --gravity 0,0,0 $(frame .3) \
    --obstacle at=.03,.02,.03 radius=.025 velocity=0,0,-10 mass=0.3 --frames 30 --frame-time 1e-4 --step 1e-5
  picture pane --azimuth 20 --elevation 10
}

# Tempered glass: a scratch lets the stored stress go, and the crack divides again and again. 0.1 ms.
tempered() {
  rectangle 0.05 0.05 > "$out/tempered.obj"
  simulate tempered "$out/tempered.obj" --preset tempered --fine 0.003 --coarse 0.01 --gravity 0,0,0 $(frame .05) \
    --initial from=.01,-.049,0 to=.01,-.04,0 --frames 10 --frame-time 1e-5 --step 1e-5
  picture tempered --azimuth 0 --elevation 0 --no-floor
}

# Laminated glass: the same ball; the layer between the panes holds the pieces together.
laminated() {
  rectangle 0.3 0.3 > "$out/laminated.obj"
  simulate laminated "$out/laminated.obj" --preset laminated --fine 0.01 --coarse 0.05 --gravity 0,0,0 $(frame .3) \
    --obstacle at=.03,.02,.03 radius=.025 velocity=0,0,-10 mass=0.3 --frames 30 --frame-time 1e-4 --step 1e-5
  COLOUR=attribute picture laminated --attribute stress --wireframe --wire-width 0.5 --azimuth 0 --elevation 0 --no-floor
}

# A stoneware plate falls on its rim: the floor comes up at 4 m/s.
plate() {
  revolve 0 0 0.04 0 0.08 0.002 0.1 0.012 0.12 0.022 > "$out/plate_flat.obj"
  "$hackle" transform "$out/plate_flat.obj" -o "$out/plate.obj" --rotate 20,0,0 --quiet
  simulate plate "$out/plate.obj" --preset eggshell --thickness 0.004 --young 50e9 --strength 60e6 --toughness 1.2e6 \
    --fine 0.006 --coarse 0.03 --gravity 0,0,0 --obstacle shape=plane at=0,-.1235,0 normal=0,1,0 velocity=0,4,0 \
    --frames 20 --frame-time 1e-4 --step 2e-5
  picture plate
}

# An egg on a table, hit by a spoon (a ball of 50 g at 2 m/s).
eggshell() {
  revolve 0 -.028 .008 -.027 .015 -.0225 .0195 -.015 .022 -.005 .0225 .003 .0205 .013 .017 .021 .012 .0265 .006 .0295 0 .0305 > "$out/egg.obj"
  simulate eggshell "$out/egg.obj" --preset eggshell --fine 0.0015 --coarse 0.008 --gravity 0,0,0 \
    --obstacle shape=plane at=0,0,-.0285 normal=0,0,1 --obstacle at=.003,.002,.0415 radius=.0105 velocity=0,0,-2 mass=0.05 \
    --frames 8 --frame-time 6e-5 --step 1e-5
  picture eggshell --elevation 40
}

# A strip of rubber with a cut is pulled to three times its length and snaps.
rubber() {
  rectangle 0.02 0.05 > "$out/rubber.obj"
  simulate rubber "$out/rubber.obj" --preset rubber --fine 0.002 --coarse 0.01 --gravity 0,0,0 --no-births \
    --pin at=0,.05,0 size=.05,.01,.01 --pin at=0,-.05,0 size=.05,.01,.01 --key pin=0 time=.5 move=0,.08,0 \
    --initial from=-.02,.003,0 to=-.014,.003,0 --frames 24 --frame-time 0.02 --step 2e-3
  FRAME=0011 picture rubber --azimuth 0 --elevation 0 --no-floor
}

scenes=("$@")
if [[ ${#scenes[@]} -eq 0 ]]; then scenes=(paper pane tempered laminated plate eggshell rubber); fi
for scene in "${scenes[@]}"; do "$scene"; done
