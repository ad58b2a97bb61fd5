"""Shelf tools, the asset of simulations, presets and the viewer state, with a stand-in for hou."""

import importlib
import os
import re
import sys
import tempfile
import types
import unittest
import xml.etree.ElementTree
from pathlib import Path

SOURCE = Path(os.environ["HACKLE_SOURCE_DIR"])
sys.path.insert(0, str(SOURCE / "python/houdini"))
sys.path.insert(0, str(SOURCE / "examples/houdini"))

import hackle  # noqa: E402

# Parameters of Houdini's own nodes that tools set; others do not exist here.
KNOWN = {"rbdpackedobject": {"soppath"}, "hackle_fracture": {"engine", "engine_parameters", "seed", "delay"},
         "rigidbodysolver": {"addimpact"}, "assemble": {"newname", "pack_geo"}, "attribwrangle": {"snippet", "class"},
         "dopimport": {"doppath", "objpattern"}, "output": {"outputidx"}, "rbdbulletsolver": {"useground"},
         "rbdconstraintproperties": {"type"}, "transformpieces": {"attrib"},
         "hackle::fracture_step::1.0": {"engine", "engine_parameters", "seed", "delay", "time", "timestep", "hackle_stream"}}
# What a new SOP Solver has in it.
SOP_SOLVER = [("dop_geometry", "dopimport"), ("impacts", "dopimportrecords"), ("feedbacks", "dopimportrecords"),
              ("relationship_geometry", "dopimport"), ("OUT", "output")]
SOP, OBJ = "Sop", "Object"


class OperationFailed(Exception):
    pass


class Parm:
    def __init__(self, node, name):
        self.node, self._name = node, name

    def name(self):
        return self._name

    def set(self, value):
        if isinstance(value, Parm):
            value = f'ch("{value.node.path()}/{value.name()}")'
        self.node.values[self._name] = value

    def setExpression(self, text, language):
        self.node.values[self._name] = text

    def evalAsString(self):
        return str(self.node.values.get(self._name, ""))

    def eval(self):
        value = self.node.values.get(self._name, 0)
        return value[0] if isinstance(value, tuple) and len(value) == 1 else value

    def removeMultiParmInstance(self, index):
        count = self.node.values[self._name]
        fields = {key.rstrip("0123456789") for key in self.node.values if key.startswith(self._name + "_")}
        for field in fields:
            row = [self.node.values.pop(f"{field}{i}", None) for i in range(1, count + 1)]
            del row[index]
            self.node.values.update({f"{field}{i + 1}": value for i, value in enumerate(row) if value is not None})
        self.node.values[self._name] = count - 1


class Tuple(Parm):
    def eval(self):
        value = self.node.values.get(self._name, (0.0, 0.0, 0.0))
        return value if isinstance(value, tuple) else (value,)


class Type:
    def __init__(self, name, category):
        self._name, self._category = name, category

    def name(self):
        return self._name

    def category(self):
        return self._category

    def nameWithCategory(self):
        return f"Sop/{self._name}"

    def definition(self):
        return self.made


class Node:
    def __init__(self, parent, kind, name, category=SOP):
        self.up, self.kind, self._name, self.category = parent, kind, name, category
        self.kids, self.inputs_, self.values, self.shown = [], {}, {}, False
        self._type = Type(kind, category)

    def createNode(self, kind, name=None):
        if kind.startswith("hackle::rbd_hackle") and kind not in sys.modules["hou"].types:
            raise OperationFailed(kind)
        node = Node(self, kind, name or kind)
        self.kids.append(node)
        if kind == "sopsolver":  # comes with its streams and an output
            for inside, type_name in SOP_SOLVER:
                node.createNode(type_name, inside)
            node.node("OUT").setInput(0, node.node("dop_geometry"))
            node.values["solved"] = "Geometry"
        return node

    def children(self):
        return tuple(self.kids)

    def destroy(self):
        self.up.kids.remove(self)

    def path(self):
        return (self.up.path() if self.up else "") + "/" + self._name

    def node(self, path):
        head, _, rest = path.partition("/")
        found = next((c for c in self.kids if c._name == head), None)
        return found.node(rest) if found and rest else found

    def name(self):
        return self._name

    def parent(self):
        return self.up

    def type(self):
        return self._type

    def setInput(self, index, item, output=0):
        self.inputs_[index] = (item, output)

    def inputs(self):
        return tuple(self.inputs_[i][0] for i in sorted(self.inputs_))

    def inputLabels(self):
        return ("Objects", "Pre-solve", "Post-Solve") if self.kind == "rigidbodysolver" else ("Input",)

    def has(self, name):
        return name in KNOWN.get(self.kind, ()) or self.kind not in KNOWN and name in self.values

    def parm(self, name):
        return Parm(self, name) if self.has(name) else None

    def parmTuple(self, name):
        return Tuple(self, name) if self.has(name) else None

    def parms(self):
        if self.kind == "hackle::rbd_hackle::1.0":
            return [Parm(self, name) for name in KNOWN["hackle_fracture"]]
        return [Parm(self, name) for name in KNOWN.get(self.kind, self.values)]

    def indirectInputs(self):
        return [f"input {i} of {self._name}" for i in range(4)]

    def createDigitalAsset(self, **options):
        self.kind = options["name"]
        self._type = Type(self.kind, SOP)
        self._type.made = Definition()
        sys.modules["hou"].definitions.append((options, self._type.made))
        return self

    def setDisplayFlag(self, on):
        self.shown = on

    def setSelected(self, on, clear_all_selected=False):
        sys.modules["hou"].selected = [self]

    setCurrent = setSelected

    def displayNode(self):
        return next((c for c in self.kids if c.shown), None)

    def ignore(self, *_, **__):
        pass

    setRenderFlag = layoutChildren = allowEditingOfContents = matchCurrentDefinition = ignore


class Definition:
    def __init__(self):
        self.sections = {}

    def addSection(self, name, text):
        self.sections[name] = text

    def ignore(self, *_):
        pass

    setParmTemplateGroup = setIcon = updateFromNode = ignore


class Group:
    def __init__(self, name):
        self.name = name

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return False


def make_hou():
    hou = types.ModuleType("hou")
    hou.root = Node(None, "obj", "obj", OBJ)
    hou.node = lambda path: hou.root
    hou.selected, hou.definitions, hou.types, hou.commands = [], [], {}, []
    hou.selectedNodes = lambda: tuple(hou.selected)
    hou.sopNodeTypeCategory = lambda: types.SimpleNamespace(nodeTypes=lambda: hou.types, __eq__=None)
    hou.sopNodeTypeCategory = lambda: SOPS
    hou.objNodeTypeCategory = lambda: OBJ
    hou.dop_types = {"hackle_fracture": None}
    hou.dopNodeTypeCategory = lambda: types.SimpleNamespace(nodeTypes=lambda: hou.dop_types)
    hou.exprLanguage = types.SimpleNamespace(Hscript="hscript")
    hou.OperationFailed = OperationFailed
    hou.undos = types.SimpleNamespace(group=Group)
    hou.ParmTemplateGroup = lambda: types.SimpleNamespace(setToDialogScript=lambda text: None)
    hou.hscript = lambda text: (hou.commands.append(text), ("", ""))[1]
    return hou


class Category(str):
    def nodeTypes(self):
        return sys.modules["hou"].types


SOPS = Category(SOP)


class Case(unittest.TestCase):
    def setUp(self):
        self.before = sys.modules.get("hou")
        sys.modules["hou"] = self.hou = make_hou()
        self.geo = self.hou.root.createNode("geo", "vase")
        self.geo._type = Type("geo", OBJ)
        self.source = self.geo.createNode("box", "model")
        self.source.shown = True

    def tearDown(self):
        if self.before is None:
            del sys.modules["hou"]
        else:
            sys.modules["hou"] = self.before

    def load(self, name):
        sys.modules.pop(name, None)
        return importlib.import_module(name)


class Shelf(Case):
    def test_tools_of_the_shelf_exist(self):
        tools = self.load("hackle_tools")
        root = xml.etree.ElementTree.parse(SOURCE / "python/houdini/hackle.shelf").getroot()
        members = [m.get("name") for m in root.find("toolshelf")]
        self.assertEqual(members, [tool.get("name") for tool in root.findall("tool")])
        for tool in root.findall("tool"):
            script = tool.find("script").text
            compile(script, tool.get("name"), "exec")
            for name in re.findall(r"hackle_tools\.(\w+)", script):
                self.assertTrue(callable(getattr(tools, name)), name)

    def test_fracture_takes_the_displayed_node_of_the_selected_object(self):
        self.hou.selected = [self.geo]
        fracture = self.load("hackle_tools").tool_fracture()
        self.assertEqual(fracture.kind, "hackle::rbd_voronoi")
        self.assertIs(fracture.inputs_[0][0], self.source)
        apart = self.geo.node("apart")
        self.assertEqual(apart.inputs_[0], (fracture, 0))
        self.assertTrue(apart.shown)

    def test_destroy_hands_three_streams_from_node_to_node(self):
        self.hou.selected = [self.source]
        solver = self.load("hackle_tools").tool_destroy()
        glue, fracture = self.geo.node("glue"), self.geo.node("fracture")
        for stream in range(3):
            self.assertEqual(solver.inputs_[stream], (glue, stream))
            self.assertEqual(glue.inputs_[stream], (fracture, stream))
        self.assertEqual(glue.values, {"type": "glue"})
        self.assertEqual(solver.values, {"useground": 1})

    def test_simulate_builds_the_network_where_there_is_no_asset(self):
        self.hou.selected = [self.source]
        result = self.load("hackle_tools").tool_simulate()
        self.assertEqual(result.kind, "dopimport")
        net = self.geo.node("simulation")
        self.assertEqual(result.values, {"doppath": net.path(), "objpattern": "pieces"})
        solver = net.node("solver")
        self.assertEqual(solver.inputs_[2][0], net.node("fracture"))
        self.assertEqual(solver.values, {"addimpact": 1})
        self.assertEqual(net.node("pieces").values["soppath"], self.geo.node("name_pieces").path())
        collide = net.node("collide")
        self.assertEqual([collide.inputs_[i][0].kind for i in range(2)], ["groundplane", "rigidbodysolver"])
        self.assertIs(net.node("output").inputs_[0][0], net.node("gravity"))

    def test_without_the_plugin_sop_solvers_break_the_pieces(self):
        self.hou.dop_types.clear()
        self.hou.selected = [self.source]
        self.load("hackle_tools").tool_simulate()
        net = self.geo.node("simulation")
        both = net.node("solver").inputs_[2][0]
        # The constraints are solved first: the second step needs the pieces as they were.
        self.assertEqual([node.name() for node in both.inputs()], ["break_constraints", "break_pieces"])
        step = net.node("break_pieces/fracture")
        self.assertEqual(step.kind, "hackle::fracture_step::1.0")
        self.assertEqual([node.name() for node in step.inputs()], ["dop_geometry", "impacts"])
        self.assertIs(net.node("break_pieces/OUT").inputs_[0][0], step)
        self.assertEqual(step.values["time"], 'stamp("../OUT", "ST", $T)')
        self.assertEqual(step.values["timestep"], 'stamp("../OUT", "TIMESTEP", 1 / $FPS)')
        self.assertEqual(step.values["engine_parameters"], "pieces=20")
        constraints = net.node("break_constraints")
        self.assertEqual(constraints.values["solved"], "ConstraintGeometry")
        own = net.node("break_constraints/fracture")
        self.assertEqual([node.name() for node in own.inputs()], ["pieces", "impacts", "dop_geometry"])
        self.assertEqual(own.values["hackle_stream"], "constraints")
        self.assertEqual(own.values["time"], 'stamp("../OUT", "ST", $T)')
        self.assertEqual(own.values["seed"], f'ch("{step.path()}/seed")')
        self.assertEqual(net.node("break_constraints/pieces").values["objpattern"], '`stamps("../OUT", "OBJNAME", "")`')

    def test_sop_solvers_of_other_versions(self):
        """Streams are found by their type where their names differ; a solver without any says what to do."""
        tools = self.load("hackle_tools")
        net = self.geo.createNode("dopnet", "net")
        other = net.createNode("sopsolver", "other")
        other.node("dop_geometry")._name = "stream"
        self.assertEqual(tools.fill_sop_solver(other).inputs()[0].name(), "stream")
        other.values.clear()
        self.assertIsNone(tools.solve_constraints(other, None))  # no parameter says which data it solves
        empty = net.createNode("sopsolver", "empty")
        empty.kids.clear()
        with self.assertRaisesRegex(OperationFailed, "wire hackle::fracture_step there by hand"):
            tools.fill_sop_solver(empty)

    def test_simulate_prefers_the_asset(self):
        self.hou.selected = [self.source]
        self.hou.types["hackle::rbd_hackle::1.0"] = None
        self.assertEqual(self.load("hackle_tools").tool_simulate().kind, "hackle::rbd_hackle::1.0")

    def test_without_a_selection_tools_say_what_to_do(self):
        with self.assertRaisesRegex(OperationFailed, "select a geometry object or a SOP first"):
            self.load("hackle_tools").tool_destroy()

    def test_the_asset_of_simulations_follows_its_parameters(self):
        tools = self.load("hackle_tools")
        tools.make_rbd_hackle(self.geo, "rbd_hackle.hda", "{ }", "<svg/>")
        options, definition = self.hou.definitions[0]
        self.assertEqual(options["name"], "hackle::rbd_hackle::1.0")
        self.assertIn("IconSVG", definition.sections)
        subnet = self.geo.node("rbd_hackle")
        fracture = subnet.node("simulation/fracture")
        self.assertEqual(fracture.values["seed"], f'ch("{subnet.path()}/seed")')
        self.assertEqual(subnet.node("pack").inputs_[0][0], "input 0 of rbd_hackle")
        self.assertEqual((options["min_num_inputs"], options["max_num_inputs"]), (1, 2))

    def test_geometry_for_rendering_follows_the_pieces_of_its_names(self):
        tools = self.load("hackle_tools")
        tools.make_rbd_hackle(self.geo, "rbd_hackle.hda", "{ }", "<svg/>")
        inside = self.geo.node("rbd_hackle").node
        self.assertEqual(inside("render_in").inputs_[0][0], "input 1 of rbd_hackle")
        self.assertEqual(inside("still_whole").inputs(), (inside("render_in"), inside("fetch")))
        self.assertEqual(inside("move").inputs(), (inside("still_whole"), inside("fetch"), inside("name_pieces")))
        self.assertEqual(inside("move").values, {"attrib": "name"})
        self.assertEqual(inside("not_rendered").inputs(), (inside("fetch"), inside("render_in")))
        self.assertEqual(inside("with_render").inputs(), (inside("move"), inside("not_rendered")))
        self.assertIs(inside("output0").inputs_[0][0], inside("with_render"))


class Presets(Case):
    def test_presets_have_parameters_of_their_operators(self):
        sys.modules.pop("networks", None)
        presets = self.load("make_presets")
        names = set()
        for operator, name, values, records in presets.PRESETS:
            table = {p["name"]: p for p in hackle.describe(operator)["parameters"]}
            self.assertLessEqual(set(values) | set(records), set(table), f"{operator}: {name}")
            for key, value in values.items():
                if table[key]["type"] == "menu":
                    self.assertIn(value, [item[0] for item in table[key]["menu"]], f"{operator}: {name}")
            self.assertNotIn((operator, name), names)
            names.add((operator, name))

    def test_they_are_saved_into_the_package(self):
        sys.modules.pop("networks", None)
        presets = self.load("make_presets")
        self.hou.types = {"hackle::cvd::1.0": None, "hackle::rbd_cvd::1.0": None}
        for kind in self.hou.types:
            KNOWN[kind] = {"preset", "granularity", "use_preset"}
        saved = presets.main("/packages/hackle")
        self.assertEqual(len(saved), 6)
        self.assertRegex(self.hou.commands[0], r'^oppresetsave /obj/presets/\S+ "Ceramic" /packages/hackle$')
        self.assertFalse(any(recipe for _, _, recipe in saved))  # this hou is older than 20.5

    def test_newer_houdinis_have_them_as_recipes_too(self):
        sys.modules.pop("networks", None)
        presets = self.load("make_presets")
        self.hou.types = {"hackle::cvd::1.0": None}
        KNOWN["hackle::cvd::1.0"] = {"preset", "granularity", "use_preset"}
        recipes = []
        # As hou.data documents it.
        self.hou.data = types.SimpleNamespace(
            saveNodePresetRecipe=lambda name, label, location, node, nodetype_patterns="", visible=True, submenu="", **_:
            recipes.append((name, label, location, node.type().name(), nodetype_patterns)))
        with tempfile.TemporaryDirectory() as folder:
            saved = presets.main(folder)
            self.assertTrue(all(recipe for _, _, recipe in saved))
            self.assertEqual(recipes[0], ("hackle::cvd_ceramic::1.0", "Ceramic", os.path.join(folder, "otls/hackle_recipes.hda"),
                                          "hackle::cvd::1.0", "Sop/hackle::cvd::1.0"))
            self.assertEqual(len({name for name, *_ in recipes}), len(saved))


class Template:
    def __init__(self, name, children=None, label=""):
        self._name, self._label = name, label
        if children is not None:
            self.parmTemplates = lambda: tuple(children)

    def name(self):
        return self._name

    def label(self):
        return self._label


def impact_node(source=None):
    """A node with a list of impacts inside a tab, as the dialog script of cvd has it."""
    node = Node(None, "hackle::cvd::1.0", "cvd")
    fields = [Template(f"impact_{f}#") for f in ("at", "dir", "impulse", "use_radius", "radius")]
    entries = [Template("folder0", [Template("pieces"), Template("impact", fields, "Impacts")])]
    node.parmTemplateGroup = lambda: types.SimpleNamespace(entries=lambda: entries)
    node.values["impact"] = 0
    node.has = lambda name: not name.startswith("use_") and (name == "impact" or re.fullmatch(r"impact_\w+?\d+", name) is not None
                                                            and "use_at" not in name and "use_dir" not in name
                                                            and "use_impulse" not in name)
    if source is not None:
        node.inputs_[0] = (source, 0)
    return node


class Placing(Case):
    def test_lists_with_places_are_found(self):
        place = self.load("hackle_place")
        (found,) = place.place_lists(impact_node())
        self.assertEqual((found.name, found.label), ("impact", "Impacts"))
        self.assertEqual(found.fields, ["at", "dir", "impulse", "use_radius", "radius"])
        single = Node(None, "hackle::modes_impact::1.0", "modes")
        single.values.update(at=(0.0, 0.0, 0.0), dir=(0.0, 1.0, 0.0))
        single.parmTemplateGroup = lambda: types.SimpleNamespace(entries=lambda: [Template("at"), Template("dir")])
        (found,) = place.place_lists(single)
        self.assertEqual(found.count(single), 1)
        found.move(single, "", (1.0, 2.0, 3.0), (0.0, 0.0, 2.0))
        self.assertEqual(single.values["at"], (1.0, 2.0, 3.0))
        self.assertEqual(single.values["dir"], (0.0, 0.0, -1.0))

    def test_every_operator_with_places_has_fields_that_the_state_knows(self):
        place = self.load("hackle_place")
        found = 0
        for name in hackle.operators():
            for row in hackle.describe(name)["parameters"]:
                fields = [f["name"] for f in row.get("fields", [])]
                if "at" not in fields:
                    continue
                found += 1
                self.assertEqual(next(f for f in row["fields"] if f["name"] == "at")["type"], "vector", f"{name}.{row['name']}")
                if row["name"] == "impact":
                    self.assertTrue(set(fields) & set(place.DIRECTIONS) and set(fields) & set(place.STRENGTHS))
        self.assertGreater(found, 3)

    def test_records_are_added_moved_scaled_and_removed(self):
        place = self.load("hackle_place")
        node = impact_node()
        impacts = place.place_lists(node)[0]
        self.assertEqual(impacts.add(node, (0.0, 1.0, 0.0), (0.0, 1.0, 0.0)), 1)
        self.assertEqual(impacts.add(node, (2.0, 0.0, 0.0), (1.0, 0.0, 0.0)), 2)
        self.assertEqual(node.values["impact_dir2"], (-1.0, 0.0, 0.0))
        self.assertEqual(impacts.nearest(node, (1.9, 0.0, 0.0), 0.2), 2)
        self.assertIsNone(impacts.nearest(node, (1.0, 0.0, 0.0), 0.2))
        impacts.move(node, 2, (3.0, 0.0, 0.0))  # keeps its direction
        self.assertEqual(node.values["impact_dir2"], (-1.0, 0.0, 0.0))
        self.assertTrue(impacts.scale(node, 2, "strength", 2.0))
        self.assertEqual(node.values["impact_impulse2"], (2.0,))
        self.assertIsNone(impacts.record(node, 2)["radius"])  # its switch is off
        self.assertTrue(impacts.scale(node, 2, "radius", 0.5))
        self.assertEqual(impacts.record(node, 2)["radius"], 0.5)  # and now on
        impacts.remove(node, 1)
        self.assertEqual(impacts.count(node), 1)
        self.assertEqual(impacts.record(node, 1)["at"], (3.0, 0.0, 0.0))

    def test_guides_end_at_the_place_and_grow_with_the_strength(self):
        place = self.load("hackle_place")
        record = {"at": (1.0, 2.0, 3.0), "direction": (0.0, -4.0, 0.0), "strength": 1.0, "radius": 0.5}
        ring, arrow, *heads = place.guide_lines(record, 2.0)
        for point in ring:
            self.assertAlmostEqual(place._length(place._add(point, record["at"], -1)), 0.5)
            self.assertAlmostEqual(point[1], 2.0)
        self.assertEqual(arrow[-1], record["at"])
        self.assertGreater(arrow[0][1], 2.0)
        self.assertEqual([head[-1] for head in heads], [record["at"]] * 2)
        longer = place.guide_lines({**record, "strength": 100.0}, 2.0)[1]
        self.assertGreater(longer[0][1], arrow[0][1])
        self.assertEqual(len(place.guide_lines({**record, "direction": None}, 2.0)), 1)


class Box:
    """A floor at y = 0, as hou.Geometry intersects it."""

    def intersect(self, origin, direction, position, normal, uvw):
        if direction[1] >= 0:
            return -1
        reach = -origin[1] / direction[1]
        position[:] = [origin[i] + reach * direction[i] for i in range(3)]
        normal[:] = [0.0, 1.0, 0.0]
        return 0

    def boundingBox(self):
        return types.SimpleNamespace(sizevec=lambda: (1.0, 0.0, 0.0))


class Drawn:
    def __init__(self, *_, **__):
        self.lines, self.visible = [], False

    def clear(self):
        self.lines = []

    def createPolygon(self, is_closed):
        line = []
        self.lines.append(line)
        return types.SimpleNamespace(addVertex=line.append)

    def createPoints(self, line):
        return tuple(line)

    def show(self, on):
        self.visible = on

    def ignore(self, *_):
        pass

    setGeometry = setTransform = draw = ignore


class Viewer:
    def __init__(self):
        self.open, self.undos, self.prompt = 0, [], ""

    def setPromptMessage(self, text):
        self.prompt = text

    def beginStateUndo(self, name):
        self.open += 1
        self.undos.append(name)

    def endStateUndo(self):
        self.open -= 1


class StateOfTheViewport(Case):
    def setUp(self):
        super().setUp()
        names = ["Start", "Active", "Changed", "Picked", "Located"]
        self.hou.uiEventReason = types.SimpleNamespace(**{name: name for name in names})
        self.hou.Geometry, self.hou.GeometryDrawable, self.hou.Vector3 = Drawn, Drawn, lambda: [0.0, 0.0, 0.0]
        self.hou.drawableGeometryType = types.SimpleNamespace(Line="line")
        source = types.SimpleNamespace(geometry=Box)
        self.node = impact_node(source)
        self.viewer = Viewer()
        self.state = self.load("hackle_place").State("hackle_place", self.viewer)
        self.state.onEnter({"node": self.node})

    def event(self, reason, x, left=True, ctrl=False, shift=False, y=-1.0, wheel=0, key=""):
        device = types.SimpleNamespace(isLeftButton=lambda: left, isCtrlKey=lambda: ctrl, isShiftKey=lambda: shift,
                                       mouseWheel=lambda: wheel, keyString=lambda: key)
        return {"ui_event": types.SimpleNamespace(device=lambda: device, reason=lambda: reason, ray=lambda: ((x, 1.0, 0.0), (0.0, y, 0.0)))}

    def test_a_click_adds_a_record_along_the_inward_normal(self):
        self.state.onMouseEvent(self.event("Located", 0.25, left=False))
        self.assertTrue(self.state.cursor.lines)
        self.state.onMouseEvent(self.event("Picked", 0.25))
        self.assertEqual(self.node.values["impact"], 1)
        self.assertEqual(self.node.values["impact_at1"], (0.25, 0.0, 0.0))
        self.assertEqual(self.node.values["impact_dir1"], (0.0, -1.0, 0.0))
        self.assertEqual((self.viewer.open, len(self.viewer.undos)), (0, 1))
        self.assertTrue(self.state.guides.lines)

    def test_a_drag_moves_the_record_in_one_undo(self):
        self.state.onMouseEvent(self.event("Picked", 0.25))
        self.state.onMouseEvent(self.event("Start", 0.26))
        self.assertEqual(self.viewer.open, 1)
        for x in (0.3, 0.4):
            self.state.onMouseEvent(self.event("Active", x))
        self.state.onMouseEvent(self.event("Changed", 0.5))
        self.assertEqual(self.node.values["impact"], 1)
        self.assertEqual(self.node.values["impact_at1"], (0.5, 0.0, 0.0))
        self.assertEqual((self.viewer.open, len(self.viewer.undos)), (0, 2))

    def test_control_removes_and_the_wheel_changes(self):
        self.state.onMouseEvent(self.event("Picked", 0.25))
        self.assertTrue(self.state.onMouseWheelEvent(self.event("Active", 0.25, wheel=1)))
        self.assertAlmostEqual(self.node.values["impact_impulse1"][0], 1.1)
        self.assertTrue(self.state.onMouseWheelEvent(self.event("Active", 0.25, wheel=-1, shift=True)))
        self.assertAlmostEqual(self.node.values["impact_radius1"][0], 1 / 1.1)
        self.state.onMouseEvent(self.event("Picked", 0.25, ctrl=True))
        self.assertEqual(self.node.values["impact"], 0)
        self.assertEqual(self.viewer.open, 0)

    def test_beside_the_surface_nothing_happens(self):
        self.state.onMouseEvent(self.event("Picked", 0.25, y=1.0))
        self.assertEqual(self.node.values["impact"], 0)
        self.assertEqual(self.state.cursor.lines, [])

    def test_without_a_node_it_says_what_to_do(self):
        self.state.node = None
        self.state.onEnter({"node": None})
        self.assertIn("Select a Hackle node", self.viewer.prompt)
        self.assertFalse(self.state.onMouseEvent(self.event("Picked", 0.25)))


if __name__ == "__main__":
    unittest.main()
