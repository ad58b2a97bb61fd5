"""Checks an installed package inside a real Houdini: hython examples/houdini/check.py. Called by ./run houdini.

Goes on after failures and prints a table, one line per check: paste it into a report and every open question about the
package is answered. The exit code is 1 if anything failed. The checks run in a second hython: where one crashes or does not
come to its end, the next goes on after it. The package without a plug-in has no Python module to compare with: there the
nodes are cooked, and what needs the plug-in is skipped.
"""

import glob
import importlib.util
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
import traceback

import hou

MISSING = {}  # what could not be imported, and why
try:
    import hackle_tools
except Exception as why:
    hackle_tools, MISSING["the package's tools"] = None, why
try:
    import hackle
    import hackle.houdini
    import numpy
except Exception as why:
    hackle, MISSING["the Python module"] = None, why  # fine in the package without a plug-in

SOLID = {"shape": "column", "size": 1}
# Operators that need something else than a solid as their first input, or a second one.
SKIPPED = {"surface", "boolean", "segment"}
NO_NODES = {"fracture_step"}  # the plug-in has a DOP in its place
VERSION = "1.0"


TIME_LIMIT = 900  # seconds without a word from a check, after which it is ended
MARK = "\x01"  # begins the lines that are meant for the process that watches


class Skipped(Exception):
    """A check that this Houdini or this build cannot make."""


def need(condition, *words):
    if not condition:
        raise AssertionError(" ".join(str(word) for word in words))


def make(place, kind, *inputs, **values):
    node = place.createNode(kind)
    for index, source in enumerate(inputs):
        if source is not None:
            node.setInput(index, source)
    for name, value in values.items():
        (node.parmTuple if isinstance(value, tuple) else node.parm)(name).set(value)
    return node


def cooked(node, output=0):
    """The geometry of a node, or its errors as a failure."""
    try:
        node.cook(force=True)
    except hou.OperationFailed:
        pass
    need(not node.errors(), "; ".join(node.errors()))
    return node.geometry(output) if output else node.geometry()


def piece_count(geometry):
    return len(set(geometry.primStringAttribValues("name")))


def need_module():
    if hackle is None:
        raise Skipped("needs the plug-in's Python module")


def scripted_operators():
    with open(os.path.join(os.environ["HACKLE"], "operators.json")) as file:
        return json.load(file)


# Checks ----------------------------------------------------------------------------------------------------------------


def check_scripted_node(place, operator):
    """A node of the package without a plug-in cooks, or says why not and what to do."""
    node = place.createNode(f"hackle::{operator['id']}::{VERSION}")
    model = make(place, "hackle::model", **SOLID) if operator["inputs"] else None
    for index in range(len(operator["inputs"]) if operator["id"] in SKIPPED else min(1, len(operator["inputs"]))):
        node.setInput(index, model)
    try:
        node.cook(force=True)
    except hou.OperationFailed:
        pass
    if node.errors():
        need("Remedy: " in node.errors()[0], node.errors()[0])
        return f"says: {node.errors()[0]}"
    return f"{node.geometry().intrinsicValue('primitivecount')} primitives"


def check_node(place, name):
    """The node against the function of the same name: the same error, or the same geometry."""
    inputs = [port for port in hackle.describe(name)["inputs"] if not port.get("optional")]
    kind = f"hackle::{name}::{VERSION}"
    node = place.createNode(kind)
    need(hou.sopNodeTypeCategory().nodeVerb(kind) is not None, "there is no verb")
    if name in SKIPPED or any(port.get("type", "geometry") != "geometry" for port in inputs):
        raise Skipped("made, not cooked: needs another input than a solid")
    model = make(place, "hackle::model", **SOLID)
    for i in range(len(inputs)):
        node.setInput(i, model)
    try:
        node.cook(force=True)
    except hou.OperationFailed:
        pass  # what the node says is looked at below
    solid = hackle.model(**SOLID)
    try:
        expected = hackle.run(name, [solid] * len(inputs))
    except hackle.Error as error:
        need(node.errors() and error.message in node.errors()[0], "expected the error", error.message, "got", node.errors())
        return f"says: {error.message}"
    need(not node.errors(), node.errors())
    expected = expected if isinstance(expected, hackle.Geometry) else getattr(expected, "geometry", None)
    if expected is None or not inputs:
        return "cooks"
    got = hackle.houdini.from_hou(node.geometry())
    need(got.point_count == expected.point_count, got.point_count, "points for", expected.point_count)
    numpy.testing.assert_allclose(got.points, expected.points, rtol=0, atol=1e-6)
    numpy.testing.assert_array_equal(got.vertex_points, expected.vertex_points)
    return f"{got.point_count} points agree with the Python module"


def assets():
    return sorted({name for name in hou.sopNodeTypeCategory().nodeTypes() if name.startswith("hackle::rbd_")})


def check_asset(place, kind):
    node = make(place, kind, make(place, "hackle::model", **SOLID))
    counts = []
    if "impact" in [p.name() for p in node.parms()]:
        node.parm("impact").set(1)
        node.parmTuple("impact_at1").set((0, 1, 0))
        node.parm("impact_impulse1").set(100)
    for output in range(3):
        geometry = cooked(node, output)
        counts.append(f"output {output}: {geometry.intrinsicValue('primitivecount')} primitives")
    need(len(node.type().definition().sections()) > 5, "sections", list(node.type().definition().sections()))
    return ", ".join(counts)


def check_menu_tokens(place):
    node = place.createNode("hackle::voronoi")
    tokens = node.parm("preset").menuItems() if node.parm("preset") else node.parm("hackle_stream").menuItems()
    parm = node.parm("preset") or node.parm("hackle_stream")
    for token in tokens:
        parm.set(token)
        need(parm.evalAsString() == token, token, "gives", parm.evalAsString())
    return " ".join(tokens)


def check_streams(place):
    node = make(place, "hackle::voronoi", make(place, "hackle::model", **SOLID), pieces=8)
    counts = []
    for token in node.parm("hackle_stream").menuItems():
        node.parm("hackle_stream").set(token)
        counts.append(f"{token} {cooked(node).intrinsicValue('primitivecount')}")
    return ", ".join(counts)


def check_records(place):
    need_module()
    node = make(place, "hackle::voronoi", make(place, "hackle::model", **SOLID), pieces=4, cluster=2)
    node.parmTuple("cluster_at1").set((0, 1, 0))
    node.parmTuple("cluster_at2").set((0, 0, 0))
    need([p.name() for p in node.parmTuple("cluster_at2")][0] == "cluster_at2x", "names of the second record")
    records = [{"at": (0, 1, 0)}, {"at": (0, 0, 0)}]
    expected = hackle.voronoi(hackle.model(**SOLID), pieces=4, cluster=records).geometry
    got = hackle.houdini.from_hou(cooked(node))
    need(got.point_count == expected.point_count, got.point_count, "points for", expected.point_count)
    return "two records arrive"


def check_record_links(place):
    """A record that is added on an asset reaches the node inside."""
    need_module()
    kind = next((k for k in assets() if "voronoi" in k), None)
    need(kind, "there is no rbd_voronoi")
    node = make(place, kind, make(place, "hackle::model", **SOLID), cluster=1)
    node.parmTuple("cluster_at1").set((0.25, 1, 0))
    inner = node.node("fracture")
    need(inner.parm("cluster").eval() == 1, "the number of records inside is", inner.parm("cluster").eval())
    need(abs(inner.parm("cluster_at1x").eval() - 0.25) < 1e-6, "cluster_at1x inside is", inner.parm("cluster_at1x").eval())
    return "linked"


def check_ramp(place):
    """The first node with a ramp: another one gives another result, or at least arrives without an error."""
    need_module()
    for name in hackle.operators():
        ramps = [p["name"] for p in hackle.describe(name)["parameters"] if p["type"] == "ramp"]
        if not ramps:
            continue
        node = make(place, f"hackle::{name}", make(place, "hackle::model", **SOLID))
        node.parm(ramps[0]).set(hou.Ramp((hou.rampBasis.Linear,) * 3, (0, 0.5, 1), (0, 1, 0.25)))
        cooked(node)
        return f"{name}.{ramps[0]} with three knots"
    raise Skipped("no operator has a ramp")


def check_volumes(place):
    model = make(place, "hackle::model", **SOLID)
    sdf = make(place, "hackle::sdf", model)
    names = [prim.attribValue("name") for prim in cooked(sdf).prims()]
    need(all(names), "VDBs without a name:", names)
    vdb = make(place, "vdbfrompolygons", model)
    vdb.parm("distancename").set("mine")
    surface = make(place, "hackle::surface", vdb)
    if surface.parm("grid"):
        surface.parm("grid").set("mine")
    need(cooked(surface).intrinsicValue("primitivecount") > 0, "the VDB mine was not found")
    kinds = {prim.intrinsicValue("volumevisualmode") for prim in sdf.geometry().prims()}
    return f"out {names}, drawn as {sorted(kinds)}, in 'mine'"


def check_verb(place):
    need_module()
    verb = hou.sopNodeTypeCategory().nodeVerb(f"hackle::voronoi::{VERSION}")
    verb.setParms({"pieces": 5})
    result = hou.Geometry()
    verb.execute(result, [hackle.houdini.as_hou(hackle.model(**SOLID))])
    need(piece_count(result) == 5, piece_count(result), "pieces for 5")
    return "5 pieces"


def check_compiled_block(place):
    need_module()
    begin = make(place, "compile_begin", make(place, "hackle::model", **SOLID))
    fracture = make(place, "hackle::voronoi", begin, pieces=5)
    end = make(place, "compile_end", fracture)
    begin.parm("blockpath").set(end.path())
    need(piece_count(cooked(end)) == 5, "pieces")
    return "5 pieces"


def check_packed(place):
    model = make(place, "hackle::model", **SOLID)
    first = make(place, "hackle::voronoi", model, pieces=3)
    packed = make(place, "assemble", first, newname=0, pack_geo=1)
    again = make(place, "hackle::voronoi", packed, pieces=2)
    return f"{piece_count(cooked(again))} pieces of 3 packed ones"


def check_libraries(place):
    need_module()
    found = []
    for path in glob.glob(os.path.join(os.environ["HACKLE"], "dso", "*.so")):
        text = subprocess.run(["ldd", path], capture_output=True, text=True, check=True).stdout
        needs = re.findall(r"^\s*(\S+) => (\S+)", text, re.M)
        for library, place_of in needs:
            need(not re.match(r"lib(qhull|blosc|png|embree)", library), path, "needs", library)
            need(not (re.match(r"lib(tbb|openvdb)", library) and place_of.startswith("/usr")), path, "takes", place_of)
        found.append(f"{os.path.basename(path)}: {', '.join(sorted(name for name, _ in needs))}")
    need(found, "there is no plug-in in", os.environ["HACKLE"])
    return "; ".join(found)


def check_program(place):
    path = os.environ.get("HACKLE_PROGRAM") or os.path.join(os.environ["HACKLE"], "bin", "hackle")
    run = subprocess.run([path, "--version"], capture_output=True, text=True)
    need(run.returncode == 0, run.stderr)
    return run.stdout.strip()


def simulate(place, frames=24):
    """A column that falls on the ground, packed, with the fracture node on the post-solve; the names of its pieces by frame."""
    lifted = make(place, "xform", make(place, "hackle::model", **SOLID), t=(0, 3, 0))
    net, fracture, _ = hackle_tools.build_rbd_hackle(place, lifted)
    fracture.parm("engine_parameters").set("pieces=6")
    body = net.node("pieces")
    history = []
    for frame in range(1, frames + 1):
        hou.setFrame(frame)
        found = net.simulation().findObject(body.name())
        need(found is not None, "the object", body.name(), "is not in the simulation")
        geometry = found.geometry()
        history.append([point.attribValue("name") for point in geometry.points()])
    need(not fracture.errors(), fracture.errors())
    return net, body, fracture, history


def check_simulation(place):
    net, body, fracture, history = simulate(place)
    found = net.simulation().findObject(body.name())
    impacts = found.findSubData("Impacts")
    records = impacts.records("Impacts") if impacts is not None else ()
    fields = {n: records[0].field(n) for n in records[0].fieldNames()} if records else "none"
    ids = [point.attribValue("id") for point in found.geometry().points()] if found.geometry().findPointAttrib("id") else "none"
    detail = f"pieces by frame {[len(names) for names in history]}, first record {fields}, ids {ids}"
    need(len(history[-1]) > len(history[0]), "nothing broke;", detail)
    need(len(set(history[-1])) == len(history[-1]), "names are not unique;", detail)
    hou.setFrame(4)
    seed = fracture.parm("seed")
    seed.set(seed.eval() + 1)
    seed.set(seed.eval() - 1)
    hou.setFrame(24)
    again = [point.attribValue("name") for point in net.simulation().findObject(body.name()).geometry().points()]
    need(again == history[-1], "another result after a rewind;", detail)
    return detail


def check_sop_solver(place):
    """What is in a SOP Solver and which parameter names its data, for simulations without the plug-in; and a step in it, where the
    node is there."""
    net = place.createNode("dopnet")
    solver = net.createNode("sopsolver")
    inside = {node.name(): node.type().name() for node in solver.children()}
    geometry = [parm.name() for parm in solver.parms() if parm.evalAsString() == "Geometry"]
    detail = f"{solver.type().name()} has {inside}, Geometry in {geometry}"
    need(geometry, "no parameter names the data:", detail)
    if f"hackle::{hackle_tools.STEP}::{VERSION}" not in hou.sopNodeTypeCategory().nodeTypes():
        # Whatever else would be in its place shows how the streams are found.
        found = [hackle_tools.child(solver, names, kind) for names, kind in hackle_tools.STREAMS]
        need(all(found), "streams", [node and node.name() for node in found], detail)
        return detail
    known, hackle_tools.has_plugin = hackle_tools.has_plugin, lambda: False
    try:
        history = simulate(place)[3]
    finally:
        hackle_tools.has_plugin = known
    need(len(history[-1]) > len(history[0]), "nothing broke;", [len(names) for names in history], detail)
    return f"pieces by frame {[len(names) for names in history]}, {detail}"


def check_asset_of_simulations(place):
    kind = "hackle::rbd_hackle::1.0"
    if kind not in hou.sopNodeTypeCategory().nodeTypes():
        raise Skipped("make_assets.py did not make it; its message is above")
    lifted = make(place, "xform", make(place, "hackle::model", **SOLID), t=(0, 3, 0))
    node = make(place, kind, lifted, engine_parameters="pieces=6")
    counts = []
    for frame in range(1, 25):
        hou.setFrame(frame)
        counts.append(cooked(node).intrinsicValue("primitivecount"))
    need(counts[-1] > counts[0] > 0, "pieces by frame", counts)
    return f"pieces by frame {counts}"


INTERRUPTED = """
import time, hou
place = hou.node("/obj").createNode("geo")
model = place.createNode("hackle::model")
fracture = place.createNode("hackle::voronoi")
fracture.setInput(0, model)
fracture.parm("pieces").set(20000)
fracture.parm("relaxation").set(50)
print("cooking", flush=True)
start = time.time()
caught = ""
try:
    fracture.cook(force=True)
except (hou.OperationFailed, hou.OperationInterrupted, KeyboardInterrupt) as why:
    caught = type(why).__name__
print(f"after {time.time() - start:.1f} s, caught {caught or 'nothing'}, warnings {fracture.warnings()}, errors {fracture.errors()}")
"""


def check_interrupt(place):
    """A second hython cooks for long; Ctrl+C a second after it began. What the node says then is the result."""
    with subprocess.Popen([hython(), "-c", INTERRUPTED], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as child:
        try:
            line = child.stdout.readline()
            while line and line.strip() != "cooking":
                line = child.stdout.readline()
            time.sleep(1)
            child.send_signal(signal.SIGINT)
            text = " ".join(child.communicate(timeout=60)[0].split())
        except subprocess.TimeoutExpired:
            child.kill()
            raise AssertionError("the cook went on for a minute after Ctrl+C") from None
    need("was interrupted" in text, "the node did not say so:", text)
    return text


def check_soups(place):
    model = make(place, "hackle::model", **SOLID)
    soup = make(place, "polysoup", model)
    kinds = {prim.type().name() for prim in cooked(soup).prims()}
    need(piece_count(cooked(make(place, "hackle::voronoi", soup, pieces=4))) == 4, "pieces of", kinds)
    return f"4 pieces of {sorted(kinds)}"


def check_native_volumes(place):
    volume = make(place, "isooffset", make(place, "hackle::model", **SOLID))
    kinds = {prim.type().name() for prim in cooked(volume).prims()}
    surface = cooked(make(place, "hackle::surface", volume))
    need(surface.intrinsicValue("primitivecount") > 0, "no surface of", kinds)
    return f"{surface.intrinsicValue('primitivecount')} polygons from {sorted(kinds)}"


def check_arrays(place):
    need_module()
    wrangle = make(place, "attribwrangle", make(place, "hackle::model", **SOLID))
    settled = hackle_tools.settle(wrangle, snippet="i[]@history = array(@primnum, 7); dict d; d['n'] = @primnum; d@more = d;\n")
    settled += hackle_tools.settle(wrangle, **{"class": "primitive"})
    need(not settled, "a wrangle has no", settled)
    node = make(place, "hackle::voronoi", wrangle, pieces=4)
    geometry = cooked(node)
    need(not node.warnings(), node.warnings())
    lists = geometry.findPrimAttrib("history")
    need(lists is not None, "there are no arrays")
    full = [prim.attribValue("history") for prim in geometry.prims() if len(prim.attribValue("history"))]
    need(full and all(values[1] == 7 for values in full), "arrays", full[:3])
    need(geometry.findPrimAttrib("hackle_origin") is None, "the mark of the origin is left")
    return f"{len(full)} of {geometry.intrinsicValue('primitivecount')} primitives have theirs, dictionaries " \
           f"{'too' if geometry.findPrimAttrib('more') else 'are lost'}"


def check_presets(place):
    node = place.createNode("hackle::cvd")
    names = hou.hscript(f"oppresetls {node.path()}")[0].split("\n")
    need("Ceramic" in names, "presets", names)
    hou.hscript(f"oppresetload {node.path()} Ceramic")
    need(node.parm("preset").evalAsString() == "ceramic", "preset gives", node.parm("preset").evalAsString())
    said = f"{len([n for n in names if n])} presets of cvd"
    if not hasattr(getattr(hou, "data", None), "applyNodePresetRecipe"):
        return said + ", no recipes before 20.5"
    node = place.createNode("hackle::cvd")
    hou.data.applyNodePresetRecipe("hackle::cvd_ceramic::1.0", node)
    need(node.parm("preset").evalAsString() == "ceramic", "a recipe gives", node.parm("preset").evalAsString())
    return said + ", recipes apply"


def check_viewer_state(place):
    path = os.path.join(os.environ["HACKLE"], "viewer_states", "hackle_place.py")
    need(os.path.exists(path), "there is no", path)
    spec = importlib.util.spec_from_file_location("hackle_place", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    node = place.createNode("hackle::cvd")
    lists = module.place_lists(node)
    need([found.name for found in lists] == ["impact"], "lists", [found.name for found in lists])
    number = lists[0].add(node, (0.0, 1.0, 0.0), (0.0, 1.0, 0.0))
    need(lists[0].record(node, number)["direction"] == (0.0, -1.0, 0.0), lists[0].record(node, number))
    lists[0].remove(node, number)
    need(node.parm("impact").eval() == 0, "a removed record is still there")
    guide = hou.Geometry()
    module.fill_guide(guide, module.guide_lines({"at": (0, 1, 0), "direction": (0, -1, 0), "strength": 2.0, "radius": None}, 1.0))
    need(guide.intrinsicValue("primitivecount") == 4, "guides")
    template = module.createViewerStateTemplate() if hou.isUIAvailable() else "not made without a viewport"
    return f"places, guides; template {template}"


def check_help(place):
    root = os.path.join(os.environ["HACKLE"], "help", "nodes", "sop")
    cards = len(glob.glob(os.path.join(root, "hackle--*.txt")))
    need(cards > 15, cards, "cards in", root)
    return f"{cards} cards"


CHECKS = [("menu tokens", check_menu_tokens), ("streams", check_streams), ("two records", check_records),
          ("records of an asset", check_record_links), ("an edited ramp", check_ramp), ("VDB names", check_volumes),
          ("verb from Python", check_verb), ("compiled block", check_compiled_block), ("packed input", check_packed),
          ("polygon soups", check_soups), ("native volumes", check_native_volumes), ("arrays and dictionaries", check_arrays),
          ("presets", check_presets), ("viewer state", check_viewer_state), ("interrupt", check_interrupt),
          ("libraries of the plug-in", check_libraries), ("the program", check_program),
          ("simulation over 24 frames", check_simulation), ("SOP Solver", check_sop_solver),
          ("asset of simulations", check_asset_of_simulations),
          ("help cards", check_help)]


def run(name, function, *arguments):
    """(name, verdict, detail) of one check, whatever happens in it."""
    place = hou.node("/obj").createNode("geo", re.sub(r"\W", "_", "check_" + name))
    try:
        return name, "ok", str(function(place, *arguments))
    except Skipped as why:
        return name, "skipped", str(why)
    except Exception as failure:  # a check that breaks is a result too
        where = traceback.extract_tb(failure.__traceback__)[-1]
        return name, "FAILED", f"{type(failure).__name__} in {where.name}: {' '.join(str(failure).split())}"


def missing(place, why):
    raise why


def planned(operators=None):
    """(name, function, arguments) of every check."""
    without_plugin = hackle is None and os.path.exists(os.path.join(os.environ.get("HACKLE", ""), "operators.json"))
    checks = [(name, missing, why) for name, why in MISSING.items() if not (without_plugin and name == "the Python module")]
    if without_plugin:
        checks += [(f"node {row['id']}", check_scripted_node, row) for row in scripted_operators()]
    elif hackle is not None:
        checks += [(f"node {name}", check_node, name) for name in operators or hackle.operators() if name not in NO_NODES]
        checks += [(f"asset {name}", check_asset, name) for name in assets()] or \
            [("assets", missing, AssertionError("there are none"))]
    return checks + CHECKS


def show(name, verdict, detail):
    print(f"{name:<28}  {verdict:<8} {detail}", flush=True)


def main(operators=None, first=0, tell=show):
    """The rows of the checks from one on, each told as soon as it is known."""
    rows = []
    if first == 0:
        release = hackle.__version__ if hackle else "without its Python module"
        rows = [("Houdini", "", f"{hou.applicationVersionString()} with Python {sys.version.split()[0]}, Hackle {release}")]
        tell(*rows[0])
    for number, (name, function, *arguments) in enumerate(planned(operators)[first:], first):
        if tell is not show:
            print(MARK + json.dumps({"begins": number, "name": name}), flush=True)
        rows.append(run(name, function, *arguments))
        tell(*rows[-1])
    return rows


def tell_the_watcher(*row):
    print(MARK + json.dumps({"row": row}), flush=True)


def watched(command, first):
    """Runs the checks from one on in another process. Returns (rows, number and name of the check that never ended, why)."""
    rows, running, ended = [], None, []
    with subprocess.Popen(command + ["--from", str(first)], stdout=subprocess.PIPE, text=True, errors="replace") as child:
        def end():
            ended.append(f"no word for {TIME_LIMIT} s")
            child.kill()

        timer = threading.Timer(TIME_LIMIT, end)
        timer.start()
        for line in child.stdout:
            timer.cancel()
            timer = threading.Timer(TIME_LIMIT, end)
            timer.start()
            if not line.startswith(MARK):
                print(line, end="", flush=True)  # what Houdini says in between
                continue
            told = json.loads(line[len(MARK):])
            if "row" in told:
                rows.append(tuple(told["row"]))
                show(*rows[-1])
                running = None
            else:
                running = told["begins"], told["name"]
        timer.cancel()
    code = child.returncode
    why = ended[0] if ended else f"it ended with signal {-code}" if code < 0 else f"it ended with code {code}"
    return rows, running, "" if code == 0 and running is None else why


def watch(command):
    """All checks, also after one that takes its process with it. Returns the rows."""
    rows, first, why = [], 0, "not begun"
    while why:
        more, running, why = watched(command, first)
        rows += more
        if not why:
            break
        name = running[1] if running else "hython"
        rows.append((name, "CRASHED", f"{why}; with HOUDINI_DSO_ERROR=2 Houdini says more"))
        show(*rows[-1])
        if running is None:
            break  # it does not even begin
        first = running[0] + 1
    print("\nThe table, without what else was said:\n")
    for row in rows:
        show(*row)
    failed = sum(verdict in ("FAILED", "CRASHED") for _, verdict, _ in rows)
    print(f"{max(0, len(rows) - 1)} checks, {failed} failed")
    return rows


def hython():
    program = os.path.join(os.environ.get("HFS", ""), "bin", "hython")
    return program if os.path.exists(program) else sys.executable


if __name__ == "__main__":
    if "--from" in sys.argv:
        main(first=int(sys.argv[sys.argv.index("--from") + 1]), tell=tell_the_watcher)
    else:
        sys.exit(any(row[1] in ("FAILED", "CRASHED") for row in watch([hython(), os.path.abspath(__file__)])))
