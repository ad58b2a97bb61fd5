"""Networks around Hackle's nodes, built by Houdini's own calls: behind the shelf, the asset rbd_hackle and check.py.

Node types and parameters of Houdini differ a little between 19.5 and 21. What a node does not have is left as it is and
told, so that a tool never stops half way.
"""

import hou

FRACTURE = "hackle_fracture"  # the DOP
STEP = "fracture_step"  # the SOP that does the same in a SOP Solver


def make(place, kind, *inputs, name=None):
    """A node with its inputs: nodes, (node, output) or None."""
    node = place.createNode(kind, name)
    for index, source in enumerate(inputs):
        if isinstance(source, tuple):
            node.setInput(index, *source)
        elif source is not None:
            node.setInput(index, source)
    return node


def settle(node, **values):
    """Sets parameters that the node has; returns the names of the others."""
    missing = []
    for name, value in values.items():
        parm = node.parmTuple(name) if isinstance(value, tuple) else node.parm(name)
        if parm is None:
            missing.append(name)
        else:
            parm.set(value)
    return missing


def settle_first(node, names, value):
    """Sets the first of these parameters that the node has: they were renamed between versions."""
    return next((name for name in names if not settle(node, **{name: value})), None)


def input_named(node, word):
    """Number of the input whose label has the word, without dashes and spaces."""
    for index, label in enumerate(node.inputLabels()):
        if word in label.lower().replace("-", "").replace(" ", ""):
            return index
    raise hou.OperationFailed(f"{node.type().name()} has no input {word} but {list(node.inputLabels())}")


# Simulation with fracture in it ----------------------------------------------------------------------------------------


def has_plugin():
    return FRACTURE in hou.dopNodeTypeCategory().nodeTypes()


def child(solver, names, kind=None):
    """The first child of one of these names, else the first of the kind: what is in a SOP Solver differs by version."""
    for name in names:
        if solver.node(name) is not None:
            return solver.node(name)
    return next((node for node in solver.children() if node.type().name() == kind), None)


# The streams of a SOP Solver that are used, and its output: names, and types where the names differ.
STREAMS = [(("dop_geometry",), "dopimport"), (("impacts", "dop_impacts"), "dopimportrecords"), (("OUT",), "output")]


def fill_sop_solver(solver):
    """The step inside a SOP Solver, between its streams and its output. Returns the node that does the work."""
    geometry, impacts, out = [child(solver, names, kind) for names, kind in STREAMS]
    if geometry is None or out is None:
        names = [node.name() for node in solver.children()]
        raise hou.OperationFailed(f"the SOP Solver has no dop_geometry or OUT but {names}: wire hackle::{STEP} there by hand")
    step = make(solver, f"hackle::{STEP}::1.0", geometry, impacts, name="fracture")
    # Straight to the output, past the compiled block that newer solvers have: Python cannot be compiled.
    out.setInput(0, step)
    settle_first(solver, ("invoke", "usecompiled", "invokecompiled"), 0)
    for name, stamp, otherwise in (("time", "ST", "$T"), ("timestep", "TIMESTEP", "1 / $FPS")):
        step.parm(name).setExpression(f'stamp("../{out.name()}", "{stamp}", {otherwise})', hou.exprLanguage.Hscript)
    return step


def solve_constraints(solver, step):
    """Lets a second SOP Solver change ConstraintGeometry before the pieces change: it makes the same step, which gives the same
    pieces, and takes the constraints. Returns its node, or None where the solver's parameters are not as expected."""
    target = next((parm for parm in solver.parms() if parm.evalAsString() == "Geometry"), None)
    if target is None:
        return None
    target.set("ConstraintGeometry")
    own = fill_sop_solver(solver)
    constraints, out = own.inputs()[0], child(solver, *STREAMS[2]).name()
    stamped = lambda name: f'`stamps("../{out}", "{name}", "")`'
    pieces = make(solver, "dopimport", name="pieces")
    settle_first(pieces, ("doppath",), stamped("DOPNET"))
    settle_first(pieces, ("objpattern", "objectmask"), stamped("OBJNAME"))
    own.setInput(0, pieces)
    own.setInput(2, constraints)
    follow_parameters(step, own, ("time", "timestep", "hackle_stream"))
    settle(own, hackle_stream="constraints")
    return own


def make_fracture(net):
    """(what goes to the post-solve, the node with the parameters): the microsolver of the plug-in, or SOP Solvers that have
    the program do the same."""
    if has_plugin():
        fracture = make(net, FRACTURE, name="fracture")
        return fracture, fracture
    pieces = make(net, "sopsolver", name="break_pieces")
    step = fill_sop_solver(pieces)
    constraints = make(net, "sopsolver", name="break_constraints")
    if solve_constraints(constraints, step) is None:
        constraints.destroy()
        return pieces, step
    # From left to right: constraints first, for the second step needs the pieces as they were.
    return make(net, "multisolver", None, constraints, pieces, name="break_both"), step


def build_simulation(net, source, engine="voronoi", engine_parameters="pieces=20", ground=True):
    """Fills a DOP network: packed pieces of the SOP `source`, which break on impact, gravity and a ground. Returns
    (object, fracture)."""
    body = make(net, "rbdpackedobject", name="pieces")
    settle(body, soppath=source)
    breaking, fracture = make_fracture(net)
    settle(fracture, engine=engine, engine_parameters=engine_parameters)
    solver = make(net, "rigidbodysolver", body, name="solver")
    solver.setInput(input_named(solver, "postsolve"), breaking)
    settle_first(solver, ("addimpact", "addimpactdata", "bullet_add_impact"), 1)
    last = solver
    if ground:
        # The first input affects the second: objects to the right collide with those to the left.
        last = make(net, "merge", make(net, "groundplane", name="ground"), solver, name="collide")
    last = make(net, "gravity", last, name="gravity")
    out = net.node("output") or net.createNode("output")
    out.setInput(0, last)
    net.layoutChildren()
    return body, fracture


def build_rbd_hackle(place, source, render=None):
    """Pieces that break in a simulation, as SOPs: pack -> simulation -> fetch. Geometry for rendering follows the pieces of its
    names. Returns (network, fracture, result)."""
    packed = make(place, "assemble", source, name="pack")
    # Names that are there stay: what was fractured before comes in as its pieces.
    settle(packed, newname=0, pack_geo=1)
    named = make(place, "attribwrangle", packed, name="name_pieces")
    settle(named, snippet='if (s@name == "") s@name = sprintf("piece%d", @ptnum);\ni@bullet_add_impact = 1;\n')
    settle(named, **{"class": "point"})
    net = make(place, "dopnet", name="simulation")
    body, fracture = build_simulation(net, named.path())
    result = make(place, "dopimport", name="fetch")
    settle(result, doppath=net.path())
    settle_first(result, ("objpattern", "objectmask"), body.name())
    if render is not None:
        result = follow_pieces(place, render, named, result)
    return net, fracture, result


# Of geometry for rendering, only pieces that are still whole stay; of the simulation, only those that it does not have.
STILL_WHOLE = 'if (findattribval(1, "point", "name", s@name) < 0) removeprim(0, @primnum, 1);\n'
NOT_RENDERED = 'if (findattribval(1, "prim", "name", point(0, "name", primpoint(0, @primnum, 0))) >= 0)\n    removeprim(0, @primnum, 1);\n'


def follow_pieces(place, render, rest, pieces):
    """Geometry for rendering, with the primitive attribute name, moves with the pieces of the same names. What breaks is shown by
    its fragments, which come from the simulation. Returns the node with both."""
    given = make(place, "null", render, name="render_in")  # a wrangle without input fails
    whole = make(place, "attribwrangle", given, pieces, name="still_whole")
    settle(whole, snippet=STILL_WHOLE)
    settle(whole, **{"class": "primitive"})
    moved = make(place, "transformpieces", whole, pieces, rest, name="move")
    settle_first(moved, ("attrib", "attribute", "pieceattrib"), "name")
    others = make(place, "attribwrangle", pieces, given, name="not_rendered")
    settle(others, snippet=NOT_RENDERED)
    settle(others, **{"class": "primitive"})
    return make(place, "merge", moved, others, name="with_render")


def make_rbd_hackle(place, path, dialog_script, icon):
    """The asset hackle::rbd_hackle: geometry and, if it is not the same, geometry for rendering come in, packed pieces over time
    go out. The parameters are those of the DOP, which follows them."""
    subnet = place.createNode("subnet", "rbd_hackle")
    geometry, render = subnet.indirectInputs()[:2]
    net, fracture, result = build_rbd_hackle(subnet, geometry, render)
    out = make(subnet, "output", result, name="output0")
    settle(out, outputidx=0)
    out.setDisplayFlag(True)
    out.setRenderFlag(True)
    subnet.layoutChildren()
    inside = fracture.path()[len(subnet.path()) + 1:]
    digital = subnet.createDigitalAsset(name="hackle::rbd_hackle::1.0", hda_file_name=path, description="Hackle RBD Simulation",
                                        min_num_inputs=1, max_num_inputs=2, ignore_external_references=True)
    definition = digital.type().definition()
    group = hou.ParmTemplateGroup()
    group.setToDialogScript(dialog_script)
    definition.setParmTemplateGroup(group)
    definition.addSection("IconSVG", icon)
    definition.setIcon(f"opdef:/{digital.type().nameWithCategory()}?IconSVG")
    digital.allowEditingOfContents()
    follow_parameters(digital, digital.node(inside))
    definition.updateFromNode(digital)
    digital.matchCurrentDefinition()
    return path


def follow_parameters(outer, inner, left=()):
    """Lets the parameters of a node follow those of the same names of another, but for some; returns their names."""
    names = []
    for parm in outer.parms():
        own = inner.parm(parm.name())
        if own is None or parm.name() in left:
            continue
        own.set(parm)  # a reference by a relative path
        names.append(parm.name())
    return names


# Shelf -----------------------------------------------------------------------------------------------------------------


def chosen_sop():
    """The SOP to work on: the selected one, or the displayed one of the selected object."""
    for node in hou.selectedNodes():
        category = node.type().category()
        if category == hou.sopNodeTypeCategory():
            return node
        if category == hou.objNodeTypeCategory() and node.displayNode() is not None:
            return node.displayNode()
    raise hou.OperationFailed("select a geometry object or a SOP first")


def finish(node):
    """Shows the end of a new network."""
    node.setDisplayFlag(True)
    node.setRenderFlag(True)
    node.parent().layoutChildren()
    node.setSelected(True, clear_all_selected=True)
    return node


def tool_fracture(operator="voronoi"):
    """The selected geometry, its pieces apart."""
    source = chosen_sop()
    with hou.undos.group("Hackle Fracture"):
        fracture = make(source.parent(), f"hackle::rbd_{operator}", source, name="fracture")
        apart = make(source.parent(), "hackle::explode", (fracture, 0), name="apart")
        finish(apart)
        fracture.setSelected(True, clear_all_selected=True)
    return fracture


def tool_destroy(operator="voronoi"):
    """The selected geometry fractured, glued and simulated by the RBD Bullet Solver: fracture, constraint properties, solver."""
    source = chosen_sop()
    with hou.undos.group("Hackle Destroy"):
        place = source.parent()
        fracture = make(place, f"hackle::rbd_{operator}", source, name="fracture")
        glue = make(place, "rbdconstraintproperties", *[(fracture, i) for i in range(3)], name="glue")
        settle_first(glue, ("type", "constrainttype"), "glue")
        solver = make(place, "rbdbulletsolver", *[(glue, i) for i in range(3)], name="solve")
        settle_first(solver, ("useground", "enableground", "ground_type", "groundtype"), 1)
        return finish(solver)


def tool_simulate():
    """The selected geometry in a simulation in which it breaks where it is hit."""
    source = chosen_sop()
    with hou.undos.group("Hackle Simulate"):
        place = source.parent()
        kind = "hackle::rbd_hackle::1.0"
        if kind in hou.sopNodeTypeCategory().nodeTypes():
            return finish(make(place, kind, source, name="simulate"))
        # Without the asset, which only Houdini itself can make, the same nodes lie open.
        return finish(build_rbd_hackle(place, source)[2])


def tool_place():
    """Enters the viewer state that places impacts, clusters, cracks and conditions of the selected node."""
    viewer = hou.ui.paneTabOfType(hou.paneTabType.SceneViewer)
    if viewer is None:
        raise hou.OperationFailed("open a scene viewer first")
    node = chosen_sop()
    viewer.setPwd(node.parent())
    node.setCurrent(True, clear_all_selected=True)
    viewer.setCurrentState("hackle_place")
