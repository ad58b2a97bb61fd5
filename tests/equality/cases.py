"""The cases of compare.py: every operator, the scripts of examples/, and input that must be refused.

A case is a name and commands, one a line, that run one after the other in one folder; compare.py adds the program,
--threads and --json. A command that begins with ! must be refused, one that begins with $ is for the shell. Solids come
from `model`; what it cannot make is in inputs.py.
"""
import collections
import itertools

from inputs import CROSSING, CUBE, FLIPPED, OPEN, PAINTED, TWO, box_faces, moved, obj, points_geo, sheet

Case = collections.namedtuple("Case", "name commands files script")
CASES = []


def case(name, *commands, files=None):
    lines = (line.strip() for block in commands for line in block.splitlines())
    CASES.append(Case(name, [line for line in lines if line], files or {}, None))


def example(name, script):
    CASES.append(Case(name, [], {}, script))


# Solids ------------------------------------------------------------------------------------------------------------

BOX = "model box --size 1 --resolution 4 -o box.bgeo"
FIGURE = "model figure --size 1 --resolution 20 -o figure.bgeo"
GOBLET = "model goblet --size 1 --resolution 16 -o goblet.bgeo"
TORUS = "model torus --size 1 --resolution 12 -o torus.bgeo"
DUMBBELL = "model dumbbell --size 1 --resolution 12 -o dumbbell.bgeo"
BAR = "model notched_bar --resolution 8 -o bar.bgeo"


def field(name, to):
    """Commands that make a VDB of distances from a block below: positive numbers that grow with y, for any field."""
    return f"""
        model box --size 1 --resolution 4 --centre -o block.bgeo
        transform block.bgeo --translate 0.3,-1.5,0 -o block.bgeo
        sdf block.bgeo --voxel-size 0.2 --band 15 --name {name} -o {to}
    """


PRESETS = "glass concrete pmma pmma_hahn17 concrete_hahn17 plaster wood ceramic steel ice".split()

# Geometry ----------------------------------------------------------------------------------------------------------

SHAPES = ("box sphere torus bowl goblet column link notched_bar pane plate gear stairs knot figure bunny vase bottle "
          "dumbbell bone brick").split()
case("model_shapes", *(f"model {shape} --resolution 10 -o {shape}.bgeo" for shape in SHAPES))
case("model_parameters", """
    model box --proportions 1,0.5,0.2 --centre --size 2 -o box.bgeo
    model bowl --wall 0.1 --bowl-depth 0.7 --resolution 10 -o bowl.bgeo
    model goblet --stem 0.5 --wall 0.08 --resolution 12 -o goblet.bgeo
    model column --slenderness 5 --flutes 9 --flute-depth 0.12 --resolution 16 -o column.bgeo
    model torus --tube-ratio 0.2 --resolution 9 -o torus.bgeo
    model link --link-width 0.8 --wire 0.1 --resolution 9 -o link.bgeo
    model knot --knot-p 3 --knot-q 5 --knot-tube 0.5 --resolution 14 -o knot.bgeo
    model notched_bar --bar-height 0.3 --bar-depth 0.1 --notch u --notch-depth 0.5 --notch-width 0.2 --span 0.6 \
      --resolution 10 -o bar.bgeo
    model pane --pane-width 0.5 --pane-thickness 0.02 --resolution 8 -o pane.bgeo
    model gear --teeth 11 --tooth-depth 0.25 --bore 0.4 --gear-thickness 0.5 --resolution 12 -o gear.bgeo
    model stairs --steps 3 --stairs-width 2 --resolution 8 -o stairs.bgeo
    model dumbbell --neck 0.5 --resolution 8 -o dumbbell.bgeo
    model brick --cores 5 --resolution 8 -o brick.bgeo
""")
FORMATS = "geo bgeo.gz bgeo.sc geo.gz geo.sc glb ply ascii.ply bigendian.ply off mesh obj stl ascii.stl".split()
case("convert_formats", f"""
    {GOBLET}
    voronoi goblet.bgeo --pieces 4 -o pieces.bgeo
""", *itertools.chain(*((f"convert pieces.bgeo -o there.{e}", f"convert there.{e} -o back_{e.replace('.', '_')}.bgeo")
                        for e in FORMATS)), """
    convert pieces.bgeo --precision single -o single.bgeo
    convert single.bgeo --precision double -o double.bgeo
    convert pieces.bgeo --unpack -o unpacked.bgeo
""")
case("convert_tets", f"""
    {BOX}
    tets box.bgeo --count 300 -o tets.bgeo
    convert tets.bgeo -o tets.mesh
    convert tets.mesh -o back.bgeo
    convert tets.bgeo -o tets.obj
""")
case("convert_volumes", f"""
    {TORUS}
    sdf torus.bgeo --voxel-size 0.05 -o torus.vdb
    convert torus.vdb -o torus.bgeo
    convert torus.bgeo -o back.vdb
""")
case("info", f"""
    {FIGURE}
    info figure.bgeo
    voronoi figure.bgeo --pieces 5 -o pieces.bgeo glue.bgeo
    info pieces.bgeo
    info glue.bgeo --samples 0
    info pieces.bgeo --no-topology
    sdf figure.bgeo --voxel-size 0.05 -o figure.vdb
    info figure.vdb
    info open.obj
    info crossing.obj
""", files={**OPEN, **CROSSING})
case("transform", f"""
    {GOBLET}
    normals goblet.bgeo -o goblet.bgeo
    transform goblet.bgeo --translate 1,2,3 --rotate 10,20,30 --scale 1,2,0.5 -o turned.bgeo
    transform goblet.bgeo --scale -1,1,1 --uniform-scale 3 --pivot centroid -o mirrored.bgeo
    transform goblet.bgeo --rotate 0,90,0 --pivot bounds -o bounds.bgeo
    transform goblet.bgeo --rotate 0,90,0 --pivot position --pivot-position 1,0,0 --invert -o inverse.bgeo
    transform goblet.bgeo --fit --fit-size 2 -o fitted.bgeo
""")
case("merge", f"""
    {BOX}
    {TORUS}
    voronoi box.bgeo --pieces 3 -o broken.bgeo
    merge broken.bgeo torus.bgeo -o merged.bgeo
    merge broken.bgeo broken.bgeo torus.bgeo --prefix in --groups part -o named.bgeo
""")
case("normals", f"""
    {GOBLET}
    normals goblet.bgeo --cusp-angle 40 -o vertex.bgeo
    normals vertex.bgeo --mode point --reverse -o point.bgeo
    normals point.bgeo --mode remove -o removed.bgeo
    normals goblet.bgeo --flip-faces -o flipped.bgeo
""")
case("explode", f"""
    {TORUS}
    voronoi torus.bgeo --pieces 6 -o pieces.bgeo
    explode pieces.bgeo -o apart.bgeo
    explode pieces.bgeo --amount 0.3 --mode equal --directions 1,0,1 --middle area --centre average -o equal.bgeo
    explode pieces.bgeo --centre position --centre-position 0.5,0,0 -o position.bgeo
    explode two.obj -o two.bgeo
""", files=TWO)
case("measure", f"""
    {FIGURE}
    voronoi figure.bgeo --pieces 20 -o pieces.bgeo
    measure pieces.bgeo
    measure pieces.bgeo --attributes --preset concrete --bins 6 --list 3 -o measured.bgeo
    measure pieces.bgeo --pieces whole --density 1000
    measure two.obj --pieces connection
    measure open.obj
    tets figure.bgeo --count 500 -o tets.bgeo
    measure tets.bgeo --attributes -o tets_measured.bgeo
""", files={**TWO, **OPEN})
case("measure_presets", f"""
    {BOX}
    voronoi box.bgeo --pieces 2 -o pieces.bgeo
""", *(f"measure pieces.bgeo --pieces name --preset {preset}" for preset in PRESETS))
case("tets_solid", f"""
    {FIGURE}
    tets figure.bgeo --count 3000 -o tets.bgeo boundary.bgeo
    tets figure.bgeo --cell-size 0.05 --grading 4 -o graded.bgeo
    sdf figure.bgeo --voxel-size 0.03 --name solid -o figure.vdb
    tets figure.vdb --volume solid --count 800 -o vdb.bgeo
""")
case("tets_sizes", f"""
    tets painted.ply --cell-size 0.1 --grading 8 --size-attribute cell -o attribute.bgeo
    {field("size", "size.vdb")}
    merge painted.ply size.vdb -o both.bgeo
    tets both.bgeo --cell-size 0.05 --grading 8 --size-volume size -o volume.bgeo
""", files=PAINTED)
case("tets_cage", f"""
    {GOBLET}
    tets goblet.bgeo --mode cage --count 2000 -o cage.bgeo boundary.bgeo
    tets open.obj --mode cage --cell-size 0.2 --offset 0.08 --no-fill-cavities -o open.bgeo
    tets crossing.obj --mode cage --count 500 -o crossing.bgeo
""", files={**OPEN, **CROSSING})
case("repair", f"""
    {FIGURE}
    repair figure.bgeo -o clean.bgeo
    repair flipped.obj -o turned.bgeo
    repair open.obj --fill-holes 100 -o filled.bgeo
    ! repair open.obj --fill-holes 100 --fill-diameter 0.01 -o not.bgeo
    repair crossing.obj --resurface --voxel-size 0.05 -o resurfaced.bgeo
    repair crossing.obj --allow-crossings -o allowed.bgeo
    ! repair flipped.obj --no-orient -o not.bgeo
    repair hollow.obj --no-keep-cavities -o full.bgeo
    repair hollow.obj --weld 0 -o hollow.bgeo
    repair split.obj --weld 1e-4 -o welded.bgeo
    repair doubled.obj -o single.bgeo
""", files={**OPEN, **FLIPPED, **CROSSING,
            "hollow.obj": obj(CUBE, (box_faces(2, 0.5)[0], [face[::-1] for face in box_faces(2)[1]])),
            "split.obj": obj((CUBE[0], CUBE[1][:48]), moved((CUBE[0], CUBE[1][48:]), (1e-6, 0, 0))),
            "doubled.obj": obj((CUBE[0], CUBE[1] + CUBE[1][:3]))})

# Solids by level sets ----------------------------------------------------------------------------------------------

case("sdf_surface", f"""
    {TORUS}
    sdf torus.bgeo --voxel-size 0.03 -o torus.vdb
    surface torus.vdb -o surface.bgeo
    sdf torus.bgeo --voxel-size 0.04 --band 5 --grow 0.02 --name body -o grown.vdb
    surface grown.vdb --grid body --isovalue 0.02 -o grown.bgeo
    sdf torus.vdb --voxel-size 0.05 -o coarse.vdb
    sdf open.obj -o open.vdb
    surface open.vdb -o open.bgeo
""", files=OPEN)
case("boolean", f"""
    {BOX}
    {TORUS}
""", *(f"boolean box.bgeo torus.bgeo --operation {operation} --voxel-size 0.03 -o {operation}.bgeo"
       for operation in ("union", "intersect", "subtract")), """
    boolean torus.bgeo crossing.obj -o default.bgeo
""", files=CROSSING)
case("offset", f"""
    {TORUS}
    offset torus.bgeo --distance 0.03 --voxel-size 0.03 -o grown.bgeo
    offset torus.bgeo --distance -0.05 --voxel-size 0.02 -o shrunk.bgeo
""")
case("segment", f"""
    {BOX}
    segment box.bgeo sheet.obj --voxel-size 0.03 -o slit.bgeo
    segment box.bgeo cut.obj --voxel-size 0.03 --thickness 3 --threshold 0.5 --least-voxels 20 -o cut.bgeo
""", files={"sheet.obj": obj(sheet()), "cut.obj": obj(*(moved(sheet(), (-0.45 * i, 0.1, 0)) for i in range(3)))})
case("decimate", f"""
    {FIGURE}
    decimate figure.bgeo --triangles 600 -o small.bgeo
    decimate small.bgeo --triangles 200 --no-measure -o smaller.bgeo
    sdf figure.bgeo --voxel-size 0.02 -o figure.vdb
    decimate figure.vdb --triangles 500 -o vdb.bgeo
""")

# Stress ------------------------------------------------------------------------------------------------------------

case("stress_bar", f"""
    {BAR}
    stress bar.bgeo --preset glass --condition group=support_left --condition axes=yz group=support_right \
      --condition kind=force force=0,-2000,0 group=load --triangles 500 -o stress.bgeo bent.bgeo
    stress bar.bgeo --young 3e9 --poisson 0.3 --condition high=-0.05,9,9 \
      --condition kind=traction traction=0,-1e5,0 at=0.2,0.05,0 radius=0.1 --magnification 50 --triangles 400 \
      -o box.bgeo bent_box.bgeo
""")
case("stress_flight", f"""
    {FIGURE}
    stress figure.bgeo --preset plaster --triangles 500 --condition kind=force force=0,-100,0 at=0,1,0 radius=0.05 \
      -o stress.bgeo
    stress figure.bgeo --triangles 400 --condition kind=pressure pressure=1e5 -o pressed.bgeo
    stress figure.bgeo --triangles 300 --condition kind=force force=0,1,0 at=0,9,0 radius=0.1 -o far.bgeo
""")
case("stress_points", f"""
    {BOX}
    stress box.bgeo points.geo --triangles 300 -o stress.bgeo
    stress two.obj --condition high=9,-0.49,9 --condition kind=force force=0,1e4,0 low=-9,0.49,-9 --triangles 400 \
      -o two.bgeo
    voronoi box.bgeo --pieces 1 --prefix body -o named.bgeo
    stress box.bgeo --condition axes=x group=left --condition axes=xz group=back --condition axes=y group=bottom \
      --condition kind=traction traction=0,1e5,0 group=top --triangles 300 -o sliding.bgeo
    stress named.bgeo --condition kind=pressure pressure=1e4 attribute=name match=body0 --triangles 300 \
      -o matched.bgeo
""", files={**TWO, "points.geo": points_geo([[0, 0, 0], [0, 1, 0]], kind=["displacement", "force"],
                                            force=[[0, 0, 0], [0, -1000, 0]], radius=[0.5, 0.4])})
case("stress_presets", BOX, *(f"""
    stress box.bgeo --preset {preset} --condition group=bottom --condition axes=z group=top displacement=0,0,1e-6 \
      --triangles 200 -o {preset}.bgeo
""" for preset in PRESETS))

# Voronoi -----------------------------------------------------------------------------------------------------------

case("voronoi", f"""
    {FIGURE}
    voronoi figure.bgeo -o pieces.bgeo glue.bgeo hulls.bgeo
    voronoi figure.bgeo --pieces 60 --seed 3 --relaxation 4 -o relaxed.bgeo
""")
case("voronoi_clusters", f"""
    {GOBLET}
    voronoi goblet.bgeo --pieces 40 --cluster at=0.2,0.9,0 radius=0.12 --cluster at=0,0,0 radius=0.05 \
      --clustered 0.6 -o pieces.bgeo
    voronoi goblet.bgeo - clusters.geo --pieces 30 -o points.bgeo
""", files={"clusters.geo": points_geo([[0.2, 0.9, 0], [0, 0.3, 0]], radius=[0.1, 0.2])})
case("voronoi_levels", f"""
    model knot --size 1 --resolution 20 -o knot.bgeo
    voronoi knot.bgeo --pieces 8 --levels 3 --level-pieces 3 --min-volume 0.002 -o pieces.bgeo glue.bgeo hulls.bgeo
    voronoi pieces.bgeo --pieces 3 --seed 5 -o each.bgeo
    {TORUS}
    voronoi torus.bgeo --pieces 5 -o few.bgeo
    voronoi few.bgeo --pieces 9 --seed 2 --no-each -o all.bgeo
""")
case("voronoi_detail", """
    model column --size 1 --resolution 16 -o column.bgeo
    voronoi column.bgeo --pieces 6 --detail-size 0.02 --detail-amount 0.03 --detail-scale 0.1 --detail-roughness 0.7 \
      --detail-seed 2 -o pieces.bgeo glue.bgeo hulls.bgeo
    voronoi column.bgeo --pieces 4 --detail-size 0.03 --detail-amount 0.02 --triangulate -o triangles.bgeo
""")
case("voronoi_stretch", """
    model gear --size 1 --resolution 16 -o gear.bgeo
    voronoi gear.bgeo --pieces 30 --stretch 1,1,4 --seed 4 -o pieces.bgeo
    voronoi gear.bgeo --pieces 12 --relaxation 3 --stretch 3,1,1 -o relaxed.bgeo
""")
case("voronoi_density", f"""
    voronoi painted.ply --density paint --pieces 30 -o attribute.bgeo
    {field("density", "density.vdb")}
    voronoi painted.ply - - density.vdb --pieces 30 -o volume.bgeo
""", files=PAINTED)
case("voronoi_sites", f"""
    {BOX}
    voronoi box.bgeo sites.geo -o pieces.bgeo glue.bgeo hulls.bgeo
""", files={"sites.geo": points_geo([[0.1, 0.2, 0], [-0.3, 0.7, 0.2], [0.25, 0.75, -0.4], [0, 0.5, 0.1],
                                    [0.1, 0.1, -0.2]])})
case("voronoi_output", f"""
    {BOX}
    voronoi box.bgeo --pieces 12 --prefix bit --triangulate --uv-scale 3 --cusp-angle 10 --inside-group new \
      --outside-group old --constraint-name Weld --constraint-type position --constraint-strength 50 \
      --proxy-shrink 0.01 -o pieces.bgeo glue.bgeo hulls.bgeo
""")
case("voronoi_dirty", """
    voronoi flipped.obj --pieces 5 -o flipped.bgeo
    voronoi two.obj --pieces 6 -o two.bgeo
    ! voronoi open.obj -o open.bgeo
    ! voronoi crossing.obj -o crossing.bgeo
""", files={**OPEN, **FLIPPED, **CROSSING, **TWO})

# CVD ---------------------------------------------------------------------------------------------------------------

BLOW = "--impact at=0,1,0 dir=0,-1,0 impulse=40 --preset ceramic"
case("cvd", f"""
    {FIGURE}
    cvd figure.bgeo {BLOW} --cells 20 --pieces 30 -o pieces.bgeo glue.bgeo hulls.bgeo
""")
for metric in ("interior", "diffusion", "surface", "euclidean"):
    case(f"cvd_{metric}", f"""
        {TORUS}
        cvd torus.bgeo --impact at=0.5,0.1,0 dir=-1,0,0 impulse=100 --metric {metric} --pieces 12 --cells 12 \
          -o pieces.bgeo
        cvd torus.bgeo --impact at=0.5,0.1,0 dir=-1,0,0 impulse=100 --metric {metric} --cells 10 --degree threshold \
          --gamma 1e-3 --max-pieces 40 -o threshold.bgeo
    """)
case("cvd_threshold", f"""
    {FIGURE}
""", *(f"cvd figure.bgeo {BLOW} --cells 16 --degree threshold --gamma {gamma} --prefix g{gamma}_ -o gamma_{gamma}.bgeo"
       for gamma in ("0.06", "0.01", "0.002")), f"""
    cvd figure.bgeo {BLOW} --cells 12 --degree threshold --gamma 1e-6 --max-pieces 20 -o most.bgeo
    cvd figure.bgeo --impact at=0,1,0 impulse=0 --degree threshold --cells 10 -o whole.bgeo
""")
case("cvd_impacts", """
    model box --size 1 --proportions 1,1,0.12 --centre --resolution 8 -o wall.bgeo
    cvd wall.bgeo --impact at=0.1,0.1,0.06 dir=0,0,-1 impulse=60 mass=5 radius=0.1 \
      --impact at=-0.4,-0.4,0.06 dir=0,0,-1 impulse=20 speed=30 --preset concrete --cells 20 --pieces 30 \
      --granularity 0.5 --seed 2 -o pieces.bgeo
    cvd wall.bgeo impacts.geo --density 2000 --young 1e10 --poisson 0.15 --cells 16 --pieces 15 -o points.bgeo
    cvd wall.bgeo --granularity 0 --pieces 12 --cells 12 -o even.bgeo
""", files={"impacts.geo": points_geo([[0.3, 0.3, 0.06], [-0.2, 0.4, 0.06]], dir=[[0, 0, -1], [0, 0.2, -1]],
                                      impulse=[30, 10], mass=[2, 5], radius=[0.05, 0.2])})
case("cvd_painted", f"""
    cvd painted.ply --granularity 0 --fragility paint --pieces 12 --cells 10 -o fragility.bgeo
    cvd painted.ply --granularity 0 --warp lean --pieces 12 --cells 10 -o warp.bgeo
    cvd painted.ply --granularity 0 --warp paint --wave-direction 0,0,1 --pieces 12 --cells 10 -o warp_one.bgeo
    {field("field", "field.vdb")}
    cvd painted.ply - field.vdb --impact at=0,0.5,0 impulse=100 --pieces 12 --cells 10 -o fragility_vdb.bgeo
    cvd painted.ply - - field.vdb --granularity 0 --pieces 12 --cells 10 -o warp_vdb.bgeo
    cvd painted.ply - - - field.vdb --pieces 12 --cells 10 -o energy_vdb.bgeo
""", files=PAINTED)
case("cvd_wood", """
    model box --size 1 --proportions 1,0.1,0.5 --resolution 10 -o board.bgeo
    cvd board.bgeo --impact at=0.1,0.1,0 impulse=30 --preset wood --cells 20 --pieces 20 --granularity 0.6 \
      --stretch 6,1,1 --wave-amount 0.04 --wave-length 0.3 --wave-along 1,0,0.2 --wave-direction 0,0,1 \
      -o pieces.bgeo
""")
case("cvd_output", f"""
    {DUMBBELL}
    cvd dumbbell.bgeo --impact at=0.5,0.2,0 impulse=50 --cells 14 --pieces 8 --prefix bit --min-volume 0.01 \
      --triangulate --uv-scale 2 --cusp-angle 50 --inside-group new --outside-group old --detail-size 0.03 \
      --detail-amount 0.01 --detail-scale 0.1 --detail-roughness 0.3 --detail-seed 7 --constraint-name Weld \
      --constraint-type rotation --constraint-strength 9 --proxy-shrink 0.005 -o pieces.bgeo glue.bgeo hulls.bgeo
""")
TRAIN = "--cells 8 --orientations 6 --heights 3 --repeats 2 --held-out 2 --pieces 6 --max-pieces 40"
case("cvd_learned", f"""
    {DUMBBELL}
    cvd_train dumbbell.bgeo {TRAIN} --cache drops -o dumbbell.degree learned.png
    cvd_train dumbbell.bgeo {TRAIN} --cache drops --centres 4 --error 0.1 --pca-error 0.1 -o again.degree
    cvd dumbbell.bgeo - - - - dumbbell.degree --degree learned --impact at=0.5,0.2,0 impulse=400 --cells 8 \
      -o learned.bgeo
    cvd dumbbell.bgeo - - - - dumbbell.degree --degree learned --gamma 2 --impact at=0.5,0.2,0 impulse=400 --cells 8 \
      -o gamma.bgeo
    ! cvd dumbbell.bgeo - - - - dumbbell.degree --degree learned --impact at=0.5,0.2,0 --cells 9 -o not.bgeo
""")
case("cvd_train", f"""
    cvd_train painted.ply --cells 6 --orientations 4 --lowest 1 --highest 4 --heights 2 --repeats 1 --held-out 1 \
      --gamma 0.5 --seed 3 --granularity 0.7 --fragility paint --warp lean --metric euclidean --stretch 2,1,1 \
      --wave-amount 0.02 --wave-length 0.4 --wave-along 0,0,1 --wave-direction 1,0,0 --preset glass \
      -o box.degree plot.png
    cvd_train painted.ply --cells 5 --orientations 3 --heights 2 --repeats 1 --held-out 1 --pieces 4 \
      --metric diffusion --density 900 --young 2e9 --poisson 0.35 -o diffusion.degree
    cvd_train painted.ply --cells 5 --orientations 3 --heights 2 --repeats 1 --held-out 1 --pieces 4 \
      --metric surface -o surface.degree
    {field("field", "field.vdb")}
    cvd_train painted.ply field.vdb - --cells 5 --orientations 3 --heights 2 --repeats 1 --held-out 0 --pieces 4 \
      -o vdb.degree
""", files=PAINTED)
case("cvd_refused", f"""
    {FIGURE}
    ! cvd figure.bgeo -o not.bgeo
    ! cvd open.obj {BLOW} -o not.bgeo
    ! cvd figure.bgeo --impact at=0,90,0 -o not.bgeo
    ! cvd figure.bgeo --impact at=0,1,0 dir=0,0,0 -o not.bgeo
    ! cvd figure.bgeo {BLOW} --fragility nothing -o not.bgeo
    ! cvd figure.bgeo {BLOW} --degree learned -o not.bgeo
    ! cvd figure.bgeo - figure.bgeo {BLOW} -o not.bgeo
    ! cvd crossing.obj {BLOW} -o not.bgeo
    ! cvd_train open.obj --cells 5 --orientations 1 -o not.degree
""", files={**OPEN, **CROSSING})

# Cracks ------------------------------------------------------------------------------------------------------------

PULL = "--condition group=bottom --condition group=top kind=traction traction=0,4e6,0"
DISC = "--initial at=0,0.5,0 normal=0,1,0 radius=0.2 --cracks 0"
SPLIT = f"--triangles 200 --ratio 6 {PULL} {DISC}"
ALL = "-o pieces.bgeo glue.bgeo hulls.bgeo cracks.bgeo elements.bgeo volumes.vdb surfaces.bgeo"
case("crack", f"""
    {BOX}
    crack box.bgeo {SPLIT} {ALL}
    crack box.bgeo {SPLIT} --no-output-cracks --close-gaps off --displace --open --displacement-scale 100 \
      -o pieces2.bgeo - - - - - surfaces2.bgeo
""")
case("crack_starts", f"""
    {BAR}
    crack bar.bgeo --preset pmma --triangles 300 --ratio 8 --steps 6 --cracks 3 --compression-ratio 2 \
      --condition group=support_left --condition axes=yz group=support_right \
      --condition kind=force force=0,-2e5,0 group=load -o pieces.bgeo glue.bgeo hulls.bgeo cracks.bgeo elements.bgeo
""")
case("crack_conditions", f"""
    {BOX}
    crack box.bgeo - conditions.geo --triangles 200 --ratio 6 --steps 8 --cracks 0 --initial at=0,0.5,0 radius=0.2 \
      -o points.bgeo
    crack box.bgeo --triangles 200 --ratio 5 --steps 6 --cracks 0 --initial at=0,0.5,0 normal=1,0,0 radius=0.2 \
      --condition kind=pressure pressure=-8e6 group=left --condition kind=pressure pressure=-8e6 group=right \
      -o flight.bgeo
    crack box.bgeo --triangles 200 --ratio 5 --steps 6 --cracks 0 --initial at=0,0.5,0 radius=0.2 \
      --condition axes=y high=9,0.01,9 displacement=0,-2e-5,0 --condition displacement=0,3e-5,0 group=top \
      -o moved.bgeo
    voronoi box.bgeo --pieces 1 --prefix body -o named.bgeo
    crack named.bgeo --triangles 200 --ratio 5 --steps 6 --cracks 0 --initial at=0,0.5,0 radius=0.2 \
      --condition group=bottom attribute=name match=body0 \
      --condition kind=force force=0,6e6,0 at=0,1,0 radius=0.6 group=top -o matched.bgeo
""", files={"conditions.geo": points_geo([[0, 0, 0], [0, 1, 0]], kind=["displacement", "traction"],
                                         traction=[[0, 0, 0], [0, 6e6, 0]], group=["bottom", "top"], radius=[-1, -1])})
case("crack_initial", f"""
    {BOX}
    crack box.bgeo --triangles 200 --ratio 6 {PULL} --cracks 0 --steps 8 \
      --initial shape=ellipse at=0.1,0.5,0 normal=0.2,1,0 along=1,0,1 radius=0.25 across=0.1 \
      -o ellipse.bgeo - - cracks.bgeo
    crack box.bgeo --triangles 200 --ratio 6 {PULL} --cracks 0 --steps 8 \
      --initial shape=rectangle at=0,0.5,-0.35 normal=0,1,0 along=1,0,0 radius=0.51 across=0.16 -o rectangle.bgeo
    crack box.bgeo - - initial.geo --triangles 200 --ratio 6 {PULL} --cracks 0 --steps 6 -o points.bgeo - - two.bgeo
    crack box.bgeo - - - sheet.obj --triangles 200 --ratio 6 {PULL} --cracks 0 --steps 8 -o sheet.bgeo - - bent.bgeo
""", files={"sheet.obj": obj(sheet()),
            "initial.geo": points_geo([[0.1, 0.4, 0], [-0.1, 0.7, 0.1]], N=[[0, 1, 0], [1, 1, 0]], radius=[0.15, 0.1])})
CRACK_PATTERNS = {
    "layers": "--toughness-direction 0.3,1,0 --strength-direction 1,0,0",
    "grains": "--toughness-blend 0.02 --toughness-stretch 1,2,1 --toughness-rotate 0,30,10 --toughness-variety 0.6 \
      --toughness-tile 6 --toughness-seed 3",
    "grain_values": "--strength-blend 0.05 --strength-stretch 2,1,1 --strength-rotate 10,0,0 --strength-variety 0.1 \
      --strength-tile 5 --strength-seed 2",
    "noise": "--toughness-seed 4 --strength-seed 6",
}
for pattern, more in CRACK_PATTERNS.items():
    case(f"crack_{pattern}", f"""
        {BOX}
        crack box.bgeo --triangles 200 --ratio 8 {PULL} --cracks 2 --steps 6 --strength 3.5e6 \
          --initial at=0,0.5,0 radius=0.2 --toughness-pattern {pattern} --toughness-amount 0.3 --toughness-size 0.15 \
          --strength-pattern {pattern} --strength-amount 0.2 --strength-size 0.25 {more} \
          -o pieces.bgeo glue.bgeo hulls.bgeo cracks.bgeo
    """)
case("crack_fields", f"""
    {BOX}
    {field("toughness", "fields.vdb")}
    crack box.bgeo - - - - fields.vdb {SPLIT} --toughness-pattern vdb --toughness-amount 0.4 -o scaled.bgeo
    crack box.bgeo - - - - fields.vdb {SPLIT} --toughness 1e5 --toughness-pattern vdb_values --steps 4 -o values.bgeo
    crack box.bgeo - - - - fields.vdb --triangles 200 --ratio 5 --steps 4 --cracks 2 {PULL} --strength-pattern vdb \
      --strength-vdb toughness --strength 3e6 -o strength.bgeo
    crack box.bgeo - - - - fields.vdb {SPLIT} --steps 3 --toughness-pattern vdb --toughness-vdb toughness \
      --strength-pattern vdb_values --strength-vdb toughness -o named.bgeo
    ! crack box.bgeo {SPLIT} --toughness-pattern vdb -o not.bgeo
""")
for method in ("fast", "hybrid"):
    case(f"crack_{method}", f"""
        {BOX}
        crack box.bgeo --triangles 200 --ratio 8 {PULL} {DISC} --initial at=0.2,0.3,0 normal=1,2,0 radius=0.1 \
          --method {method} --hybrid-elements 300 -o pieces.bgeo - - cracks.bgeo elements.bgeo
    """)
case("crack_branching", f"""
    {BOX}
    crack box.bgeo --triangles 200 --ratio 6 --steps 5 --cracks 6 --strength 5e6 --branching {PULL} \
      --initial at=0,0.5,0 radius=0.15 -o pieces.bgeo - - cracks.bgeo
""")
case("crack_sequence", f"""
    {BOX}
    crack box.bgeo {SPLIT} --sequence step.##.bgeo -o pieces.bgeo
    crack box.bgeo {SPLIT} --steps 2 --sequence sub.###.bgeo --sequence-by sub_step -o sub.bgeo
    crack box.bgeo {SPLIT} --steps 3 --sequence elements.#.bgeo --sequence-of elements -o elements.bgeo
    crack box.bgeo {SPLIT} --steps 2 --sequence volumes.#.vdb --sequence-of volumes -o volumes.bgeo
""")
case("crack_state", f"""
    {BOX}
    crack box.bgeo {SPLIT} --steps 2 --state run.crack -o two.bgeo
    $ cp run.crack early.crack
    crack box.bgeo {SPLIT} --state run.crack --resume -o pieces.bgeo
    crack box.bgeo --triangles 200 --ratio 6 --condition group=bottom \
      --condition group=top kind=traction traction=0,9e6,0 {DISC} --toughness 8e5 --state early.crack --resume \
      -o harder.bgeo
    ! crack box.bgeo {SPLIT} --resume -o not.bgeo
    model box --size 1 --resolution 5 -o other.bgeo
    ! crack other.bgeo {SPLIT} --state run.crack --resume -o not.bgeo
""")
PULL_TWO = "--condition high=9,-0.49,9 --condition kind=traction traction=0,4e6,0 low=-9,0.49,-9"
case("crack_bodies", f"""
    crack two.obj {PULL_TWO} --initial at=0,0,0 radius=0.2 --initial at=3,0,0 normal=0.2,1,0 radius=0.15 --cracks 0 \
      --triangles 400 --coarse 0.25 --fine 0.05 --state run.crack --sequence c.##.bgeo \
      -o pieces.bgeo - - cracks.bgeo elements.bgeo
    $ rm run.body2.crack
    crack two.obj {PULL_TWO} --initial at=0,0,0 radius=0.2 --initial at=3,0,0 normal=0.2,1,0 radius=0.15 --cracks 0 \
      --triangles 400 --coarse 0.25 --fine 0.05 --state run.crack --resume -o again.bgeo
""", files=TWO)
case("crack_mesh", f"""
    model box --size 1 --resolution 8 -o fine.bgeo
    {BOX}
    crack fine.bgeo box.bgeo --ratio 6 {PULL} {DISC} --mesh-offset 1 -o pieces.bgeo - - - elements.bgeo
    crack fine.bgeo --triangles 120 --ratio 6 {PULL} {DISC} --steps 6 -o coarse.bgeo - - - elements_coarse.bgeo
""")
case("crack_again", f"""
    {BOX}
    crack box.bgeo {SPLIT} --toughness-pattern grains --toughness-size 0.1 -o halves.bgeo
    crack halves.bgeo --triangles 300 --ratio 6 --cracks 0 --condition group=left \
      --condition group=right kind=traction traction=9e6,0,0 --initial at=0,0.25,0 normal=1,0,0 radius=0.1 \
      --initial at=0,0.75,0 normal=1,0,0 radius=0.1 -o quarters.bgeo glue.bgeo
""")
case("crack_output", f"""
    {BOX}
    crack box.bgeo {SPLIT} --threshold 0.8 --ligament 1 --tolerance 0.3 --smallest 0.2 --prefix bit \
      --min-volume 0.001 --triangulate --uv-scale 2 --cusp-angle 50 --inside-group new --outside-group old \
      --detail-size 0.05 --detail-amount 0.01 --detail-scale 0.1 --detail-roughness 0.3 --detail-seed 7 \
      --constraint-name Weld --constraint-type position --constraint-strength 9 --proxy-shrink 0.005 \
      -o pieces.bgeo glue.bgeo hulls.bgeo cracks.bgeo
""")
case("crack_unbroken", f"""
    {BOX}
    crack box.bgeo --triangles 200 --ratio 4 --condition group=bottom \
      --condition group=top kind=traction traction=0,1e5,0 -o strong.bgeo
    crack box.bgeo {SPLIT} --toughness 1e9 -o tough.bgeo
    crack box.bgeo {SPLIT} --steps 1 -o early.bgeo
    crack box.bgeo {SPLIT} --smallest 100 -o crumbs.bgeo
    crack box.bgeo {SPLIT} --steps 0 -o none.bgeo
""")
case("crack_refused", f"""
    {BOX}
    ! crack box.bgeo -o not.bgeo
    ! crack open.obj {PULL_TWO} -o not.bgeo
    ! crack crossing.obj {PULL_TWO} -o not.bgeo
    ! crack box.bgeo {PULL} --fine 1 -o not.bgeo
    ! crack box.bgeo {PULL} --fine 1e-5 -o not.bgeo
    ! crack box.bgeo {PULL} --toughness 0 -o not.bgeo
    ! crack box.bgeo {PULL} --initial at=5,5,5 -o not.bgeo
    ! crack box.bgeo {PULL} --initial normal=0,0,0 -o not.bgeo
    ! crack box.bgeo {PULL} --initial at=0,0.5,0 radius=2 -o not.bgeo
    ! crack box.bgeo --condition group=nowhere -o not.bgeo
    ! crack box.bgeo {PULL} --sequence frame.bgeo -o not.bgeo
    ! crack box.bgeo --condition axes=y group=bottom -o not.bgeo
""", files={**OPEN, **CROSSING})

# Modes -------------------------------------------------------------------------------------------------------------

MODES = "--modes 6 --elements 1200 --starts 3"
case("modes", f"""
    {FIGURE}
    modes figure.bgeo {MODES} --preset plaster -o figure.modes parts.bgeo lattice.bgeo
    prefracture figure.modes figure.bgeo --modes 4 -o four.bgeo glue.bgeo hulls.bgeo
    prefracture figure.modes --sigma 0.3 --prefix mode_ -o sigma.bgeo
    modes_impact figure.modes --preset plaster --at 0.25,0.75,0 --dir -1,0,0 --impulse 30 \
      -o hit.bgeo hit_glue.bgeo hit_hulls.bgeo
    modes_impact figure.modes - - figure.bgeo --preset plaster --at 0,0.03,0.19 --dir 0,0,-1 --impulse 80 \
      --projection parts --velocity -o parts_hit.bgeo
    modes_impact figure.modes --at 0,1,0 --impulse 60 --modes 3 --sigma 0.5 --young 4e9 --poisson 0.3 --strength 2e6 \
      --toughness 1e5 -o sigma_hit.bgeo
    modes_impact figure.modes --at 0,1,0 --impulse 0.001 -o held.bgeo
    modes_impact figure.modes -o none.bgeo
    modes_impact figure.modes --at 50,90,0 --impulse 60 --threshold 0.01 -o far.bgeo
""")
case("modes_again", f"""
    {GOBLET}
    modes goblet.bgeo {MODES} --preset ceramic -o goblet.modes
    modes_impact goblet.modes impacts.geo --threshold 0.5 --impact at=0,0,0 dir=0,1,0 impulse=300 -o first.bgeo
    modes_impact goblet.modes - first.bgeo --at 0,0.9,0.2 --impulse 900 --threshold 0.1 --prefix bit \
      --constraint-name Weld --constraint-type position --constraint-strength 9 --proxy-shrink 0.005 \
      -o second.bgeo glue.bgeo hulls.bgeo
    modes_impact goblet.modes - first.bgeo --impact at=0,0.5,0 impulse=900 piece=piece0 --threshold 0.1 -o named.bgeo
""", files={"impacts.geo": points_geo([[0.2, 0.95, 0]], dir=[[-1, 0, 0]], impulse=[500])})
case("modes_weights", f"""
    modes painted.ply {MODES} --weight 10,10,1 -o axis.modes axis.bgeo
    modes painted.ply {MODES} --weight-attribute paint --density-attribute paint -o paint.modes paint.bgeo
    modes painted.ply {MODES} --modes 3 --weight-attribute axes -o axes.modes axes.bgeo
    {field("field", "field.vdb")}
    modes painted.ply field.vdb {MODES} -o weights.modes weights.bgeo
    modes painted.ply - field.vdb {MODES} -o densities.modes densities.bgeo
    modes_impact axis.modes --at 0,0.5,0 --impulse 9000 --threshold 0.01 --velocity -o hit.bgeo
""", files=PAINTED)
case("modes_lattice", f"""
    {DUMBBELL}
    modes dumbbell.bgeo --modes 3 --cell-size 0.08 --smoothing 0 --min-jump 0.05 --filter gaussian --spread 0.2 \
      --density 1000 -o a.modes a.bgeo
    modes_impact a.modes --at 0.5,0.2,0 --impulse 100 --threshold 0.1 -o a_hit.bgeo
    modes dumbbell.bgeo --modes 3 --elements 800 --smoothing 3 --min-volume 0.02 --triangulate --uv-scale 2 \
      --cusp-angle 50 --inside-group new --outside-group old --detail-size 0.05 --detail-amount 0.01 \
      --detail-scale 0.2 --detail-roughness 0.3 --detail-seed 5 -o b.modes b.bgeo
    prefracture b.modes --constraint-name Weld --constraint-type rotation --constraint-strength 7 \
      --proxy-shrink 0.005 -o b_all.bgeo b_glue.bgeo b_hulls.bgeo
""")
case("modes_dirty", """
    transform open.obj --scale 1,0.15,0.15 -o open.bgeo
    modes open.bgeo --modes 2 --elements 500 -o open.modes parts.bgeo
    modes crossing.obj --modes 2 --elements 500 -o crossing.modes crossing.bgeo
    modes flipped.obj --modes 2 --elements 500 -o flipped.modes flipped.bgeo
    ! modes open.obj --no-resurface --modes 2 -o not.modes
    ! modes two.obj --modes 2 -o not.modes
    ! modes flipped.obj --modes 900 --elements 60 -o not.modes
    ! prefracture open.modes flipped.obj -o not.bgeo
    ! modes_impact open.modes --at 0,0,0 --modes 5 -o not.bgeo
    ! modes_impact open.modes --at 0,0,0 --dir 0,0,0 -o not.bgeo
    ! modes_impact open.modes - - flipped.obj --at 0,0,0 -o not.bgeo
    $ head -c 500 open.modes >short.modes
    ! modes_impact short.modes --at 0,0,0 -o not.bgeo
    ! prefracture flipped.obj -o not.bgeo
""", files={**OPEN, **CROSSING, **FLIPPED, **TWO})

# Pictures ----------------------------------------------------------------------------------------------------------

SMALL = "--width 120 --height 90 --samples 8"
case("render_colours", f"""
    {FIGURE}
    voronoi figure.bgeo --pieces 9 -o pieces.bgeo glue.bgeo
""", *(f"render pieces.bgeo --colour {colour} {SMALL} -o {colour}.png"
       for colour in ("plain", "piece", "inside", "uv", "normal")), f"""
    render pieces.bgeo --colour attribute --attribute depth {SMALL} -o depth.png
    render pieces.bgeo --colour attribute --attribute P --component y --range given --range-min 0.1 --range-max 0.5 \
      --no-legend {SMALL} -o height.png
    render pieces.bgeo --colour inside --base 0.2,0.4,0.6 --inside 1,0,0 --background 0,0,0 --no-floor --seed 4 \
      --title Pieces {SMALL} -o dark.png
    render painted.ply --colour plain --no-use-cd {SMALL} -o painted.png
""", files=PAINTED)
case("render_lines", f"""
    {TORUS}
    voronoi torus.bgeo --pieces 9 -o pieces.bgeo glue.bgeo
    render glue.bgeo --line-width 6 {SMALL} -o lines.png
    render sites.geo --point-size 20 {SMALL} -o points.png
    render pieces.bgeo --wireframe --wire-width 2 --cusp-angle 80 {SMALL} -o wires.png
    tets torus.bgeo --count 400 -o tets.bgeo
    render tets.bgeo {SMALL} -o tets.png
    sdf torus.bgeo --voxel-size 0.05 -o torus.vdb
    merge pieces.bgeo torus.vdb -o both.bgeo
    render both.bgeo {SMALL} -o both.png
""", files={"sites.geo": points_geo([[0, 0, 0], [1, 0.5, 0], [0.3, 1, 0.2]])})
case("render_camera", f"""
    {TORUS}
    render torus.bgeo --views 3 --azimuth 70 --elevation -10 --fov 50 --zoom 1.5 {SMALL} -o views.png
    render torus.bgeo --camera explicit --position 1,1,1 --target 0,0.2,0 {SMALL} -o explicit.png
    render torus.bgeo --light-azimuth 80 --light-elevation 10 --light-softness 0 {SMALL} -o hard.png
    render torus.bgeo --width 64 --height 48 --samples 40 -o samples.png
""")

# The program itself ------------------------------------------------------------------------------------------------

case("program", """
    list
    help
    --help
    formats
    completion bash
    completion zsh
    $ mkdir reference
    docs reference
""")
case("refused_words", f"""
    {BOX}
    ! nothing box.bgeo
    ! voronoi box.bgeo --piece 3 -o not.bgeo
    ! voronoi box.bgeo --pieces many -o not.bgeo
    ! voronoi box.bgeo --pieces 0 -o not.bgeo
    ! voronoi box.bgeo --cluster position=0,1,0 -o not.bgeo
    ! voronoi missing.bgeo -o not.bgeo
    ! voronoi -o not.bgeo
    ! voronoi box.bgeo -o not.unknown
    ! voronoi box.bgeo -o folder/not.bgeo
    ! cvd box.bgeo --metric manhattan -o not.bgeo
    ! info broken.bgeo
    ! info broken.ply
    ! model nothing -o not.bgeo
    ! voronoi nan.obj -o not.bgeo
    ! voronoi empty.obj -o not.bgeo
    ! surface box.bgeo -o not.bgeo
    ! decimate open.obj -o not.bgeo
    ! modes_impact box.bgeo -o not.bgeo
    ! render box.bgeo --colour attribute -o not.png
    ! render box.bgeo --colour attribute --attribute nothing -o not.png
    ! render box.bgeo -o not.jpg
""", files={**OPEN, "broken.bgeo": "no geometry", "broken.ply": "ply\nformat ascii 1.0\nelement vertex 3\n",
            "nan.obj": "v 0 0 0\nv 1 0 nan\nv 0 1 0\nf 1 2 3\n", "empty.obj": ""})
case("refused_stress", f"""
    {BOX}
    ! stress box.bgeo -o not.bgeo
    ! stress box.bgeo --condition group=tpo -o not.bgeo
    ! stress box.bgeo --condition axes=y group=bottom -o not.bgeo
    ! stress box.bgeo --condition group=top --condition kind=force force=0,1,0 group=top -o not.bgeo
    ! stress open.obj --condition kind=pressure pressure=1 -o not.bgeo
    ! stress crossing.obj --condition kind=pressure pressure=1 -o not.bgeo
""", files={**OPEN, **CROSSING})

# Examples ----------------------------------------------------------------------------------------------------------

# Smaller sizes than the scripts have, so that all of them take seconds: flags before theirs, which count where they say
# nothing, and flags after theirs, which count always.
EXAMPLE_VARIABLES = {"SCALE": "3"}
EXAMPLE_DEFAULTS = {"model": "--resolution 24"}
EXAMPLE_SIZES = {
    "cvd": "--cells 14",
    "modes": "--elements 800 --starts 2",
    "render": "--width 96 --height 64 --samples 8",
    "stress": "--triangles 800",
}
for script in ("demo", "voronoi", "cvd", "modes", "stress"):
    example(f"example_{script}", f"{script}.sh")
for scene in "edge controlled penny compressed bar layered granular column link concrete tear split smash".split():
    example(f"example_crack_{scene}", f"crack.sh {scene}")
