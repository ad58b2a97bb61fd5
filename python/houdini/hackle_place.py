"""Viewer state that places records of Hackle's nodes on the surface: impacts, clusters of pieces, initial cracks, conditions.

Select a node and press Enter in the viewport (assets), or use the shelf tool Place (all nodes).

    click           adds a record where the pointer is, along the inward normal
    drag a record   moves it over the surface; with Shift it keeps its direction
    Ctrl + click    removes a record
    mouse wheel     changes the strength of the record under the pointer; with Shift its radius
    L               goes on to the next list of the node

Guides show the place, the direction (longer where the record is stronger) and the radius. Houdini finds this file in
viewer_states of the package. Everything above the class needs no viewport.
"""

import math

try:
    import hou
except ImportError:  # for tests of what needs no Houdini
    hou = None

STATE = "hackle_place"
LABEL = "Hackle Place"

# Fields of a record, the first that a list has.
DIRECTIONS = ("dir", "normal")
STRENGTHS = ("impulse", "speed")
RADII = ("radius",)
_STEP = 1.1  # of the wheel


# Vectors ---------------------------------------------------------------------------------------------------------------


def _add(a, b, scale=1.0):
    return tuple(x + scale * y for x, y in zip(a, b))


def _length(a):
    return math.sqrt(sum(x * x for x in a))


def _unit(a, fallback=(0.0, -1.0, 0.0)):
    size = _length(a)
    return tuple(x / size for x in a) if size > 1e-12 else fallback


def _cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


# Lists of a node -------------------------------------------------------------------------------------------------------


class PlaceList:
    """A list of a node whose records have a position, or the one place that a node has."""

    def __init__(self, name, label, fields):
        self.name, self.label, self.fields = name, label, fields

    def _parm(self, field, number):
        return f"{self.name}_{field}{number}" if self.name else field

    def _switch(self, field, number):
        return f"{self.name}_use_{field}{number}" if self.name else f"use_{field}"

    def _first(self, names):
        return next((name for name in names if name in self.fields), None)

    def count(self, node):
        return int(node.parm(self.name).eval()) if self.name else 1

    def get(self, node, number, field):
        return tuple(node.parmTuple(self._parm(field, number)).eval())

    def set(self, node, number, field, values):
        node.parmTuple(self._parm(field, number)).set(values)
        switch = node.parm(self._switch(field, number))
        if switch is not None:
            switch.set(1)

    def record(self, node, number):
        """Position, direction or None, strength or None, radius or None."""
        read = {"at": self.get(node, number, "at")}
        for word, names in (("direction", DIRECTIONS), ("strength", STRENGTHS), ("radius", RADII)):
            field = self._first(names)
            switch = node.parm(self._switch(field, number)) if field else None
            known = field and (switch is None or switch.eval())
            values = self.get(node, number, field) if known else None
            read[word] = values if values is None or word == "direction" else values[0]
        return read

    def add(self, node, at, normal):
        """The number of a new record there."""
        if not self.name:
            number = ""
        else:
            number = self.count(node) + 1
            node.parm(self.name).set(number)
        self.move(node, number, at, normal)
        return number

    def move(self, node, number, at, normal=None):
        self.set(node, number, "at", at)
        field = self._first(DIRECTIONS)
        if field and normal is not None:
            self.set(node, number, field, _unit(tuple(-x for x in normal)))

    def remove(self, node, number):
        if self.name:
            node.parm(self.name).removeMultiParmInstance(number - 1)

    def scale(self, node, number, word, factor):
        """Multiplies the strength or the radius; False where the list has none."""
        field = self._first(STRENGTHS if word == "strength" else RADII)
        if field is None:
            return False
        value = self.get(node, number, field)[0]
        self.set(node, number, field, ((value if value > 0 else 1.0) * factor,))
        return True

    def numbers(self, node):
        return range(1, self.count(node) + 1) if self.name else [""]

    def nearest(self, node, place, reach):
        """The number of the record nearest to a place, at most `reach` away; None without one."""
        best, gap = None, reach
        for number in self.numbers(node):
            distance = _length(_add(self.get(node, number, "at"), place, -1))
            if distance <= gap:
                best, gap = number, distance
        return best


def place_lists(node):
    """What can be placed for a node: its lists with a field `at`, or its own parameter `at`."""
    lists = []

    def visit(templates):
        for template in templates:
            children = template.parmTemplates() if hasattr(template, "parmTemplates") else ()
            name = template.name()
            fields = [c.name()[len(name) + 1:-1] for c in children if c.name().startswith(name + "_") and c.name().endswith("#")]
            if "at" in fields:
                lists.append(PlaceList(name, template.label(), fields))
            else:
                visit(children)

    visit(node.parmTemplateGroup().entries())
    own = [field for field in ("at", *DIRECTIONS, *STRENGTHS, *RADII) if node.parmTuple(field) is not None]
    if not lists and "at" in own:
        lists.append(PlaceList("", "Place", own))
    return lists


# Guides ----------------------------------------------------------------------------------------------------------------


def guide_lines(record, size, sides=24):
    """Polylines of a record: an arrow that ends at its position, and a ring of its radius. `size` is that of the object.
    The arrow is a tenth of it for the strength 1 and grows with the logarithm."""
    at, direction = record["at"], record["direction"]
    axis = _unit(direction if direction is not None else (0.0, -1.0, 0.0))
    side = _unit(_cross(axis, (1.0, 0.0, 0.0) if abs(axis[0]) < 0.9 else (0.0, 1.0, 0.0)))
    other = _cross(axis, side)
    radius = record["radius"] or 0.02 * size
    ring = []
    for i in range(sides + 1):
        angle = 2 * math.pi * i / sides
        ring.append(_add(_add(at, side, radius * math.cos(angle)), other, radius * math.sin(angle)))
    lines = [ring]
    if direction is not None:
        strength = record["strength"]
        length = 0.1 * size * (1 + 0.5 * math.log10(1 + strength) if strength and strength > 0 else 1)
        head = 0.2 * length
        lines.append([_add(at, axis, -length), at])
        for sign in (-1, 1):
            lines.append([_add(_add(at, axis, -head), side, sign * 0.5 * head), at])
    return lines


def fill_guide(geometry, lines):
    """Replaces the content of a hou.Geometry by these polylines."""
    geometry.clear()
    for line in lines:
        polygon = geometry.createPolygon(is_closed=False)
        for point in geometry.createPoints(line):
            polygon.addVertex(point)


# The state -------------------------------------------------------------------------------------------------------------


class State:
    def __init__(self, state_name, scene_viewer):
        self.state_name, self.scene_viewer = state_name, scene_viewer
        self.node, self.lists, self.current = None, [], 0
        self.held = None  # number of the record that is dragged
        self.hit = None  # (position, normal) under the pointer
        self.geometry, self.size = None, 1.0
        self.guides = hou.Geometry()
        self.cursor = hou.Geometry()
        make = lambda name, geometry, colour: hou.GeometryDrawable(
            scene_viewer, hou.drawableGeometryType.Line, name, geometry, params={"color1": colour, "line_width": 2})
        self.drawables = [make("hackle_records", self.guides, (1.0, 0.6, 0.1, 1.0)),
                          make("hackle_pointer", self.cursor, (1.0, 1.0, 1.0, 1.0))]

    @property
    def list(self):
        return self.lists[self.current]

    # Entering and leaving

    def onEnter(self, kwargs):
        self._take(kwargs.get("node"))

    def onResume(self, kwargs):
        self._take(self.node or kwargs.get("node"))

    def onExit(self, kwargs):
        self._show(False)

    def onInterrupt(self, kwargs):
        self._show(False)

    def _take(self, node):
        if node is None:
            chosen = [n for n in hou.selectedNodes() if n.type().category() == hou.sopNodeTypeCategory()]
            node = chosen[0] if chosen else None
        self.lists = place_lists(node) if node is not None else []
        if not self.lists:
            self.node = None
            self.scene_viewer.setPromptMessage("Select a Hackle node that has impacts, clusters, cracks or conditions first")
            return
        self.node, self.current = node, min(self.current, len(self.lists) - 1)
        source = node.inputs()[0] if node.inputs() else None
        self.geometry = source.geometry() if source is not None else None
        if self.geometry is not None:
            self.size = max(_length(tuple(self.geometry.boundingBox().sizevec())), 1e-9)
        # Drawables are in the world, nodes in the space of their object.
        place = node
        while place is not None and place.type().category() != hou.objNodeTypeCategory():
            place = place.parent()
        for drawable in self.drawables:
            if place is not None:
                drawable.setTransform(place.worldTransform())
        self._prompt()
        self._refresh()
        self._show(True)

    def _prompt(self):
        other = "" if len(self.lists) < 2 else " L: next list."
        self.scene_viewer.setPromptMessage(
            f"{self.list.label}: click to add, drag to move, Ctrl+click to remove, wheel for strength, Shift+wheel for radius.{other}")

    def _show(self, on):
        for drawable in self.drawables:
            drawable.show(on)

    def _refresh(self):
        lines = []
        for number in self.list.numbers(self.node):
            lines += guide_lines(self.list.record(self.node, number), self.size)
        fill_guide(self.guides, lines)
        pointer = []
        if self.hit is not None and self.held is None:
            at, normal = self.hit
            pointer = guide_lines({"at": at, "direction": tuple(-x for x in normal), "strength": None, "radius": None}, self.size)
        fill_guide(self.cursor, pointer)
        for drawable, geometry in zip(self.drawables, (self.guides, self.cursor)):
            drawable.setGeometry(geometry)

    # Events

    def _under(self, ui_event):
        """(position, normal) of the surface under the pointer, or None."""
        if self.geometry is None:
            return None
        origin, direction = ui_event.ray()
        position, normal, uvw = hou.Vector3(), hou.Vector3(), hou.Vector3()
        if self.geometry.intersect(origin, direction, position, normal, uvw) < 0:
            return None
        return tuple(position), tuple(normal)

    def onMouseEvent(self, kwargs):
        if self.node is None:
            return False
        ui_event = kwargs["ui_event"]
        device, reason = ui_event.device(), ui_event.reason()
        self.hit = self._under(ui_event)
        if self.hit is not None and reason in (hou.uiEventReason.Start, hou.uiEventReason.Picked) and self.held is None:
            self._press(device)
        elif self.hit is not None and self.held is not None and device.isLeftButton():
            self.list.move(self.node, self.held, self.hit[0], None if device.isShiftKey() else self.hit[1])
        if self.held is not None and (reason in (hou.uiEventReason.Changed, hou.uiEventReason.Picked) or not device.isLeftButton()):
            self.held = None
            self.scene_viewer.endStateUndo()
        self._refresh()
        return False

    def _press(self, device):
        number = self.list.nearest(self.node, self.hit[0], 0.03 * self.size)
        if device.isCtrlKey():
            if number is not None:
                with hou.undos.group(f"Remove from {self.list.label}"):
                    self.list.remove(self.node, number)
            return
        self.scene_viewer.beginStateUndo(f"Place {self.list.label}")
        self.held = number if number is not None else self.list.add(self.node, *self.hit)

    def onMouseWheelEvent(self, kwargs):
        if self.node is None or self.hit is None:
            return False
        number = self.list.nearest(self.node, self.hit[0], 0.05 * self.size)
        device = kwargs["ui_event"].device()
        if number is None:
            return False
        factor = _STEP if device.mouseWheel() > 0 else 1 / _STEP
        word = "radius" if device.isShiftKey() else "strength"
        with hou.undos.group(f"Change {word}"):
            used = self.list.scale(self.node, number, word, factor)
        self._refresh()
        return used

    def onKeyEvent(self, kwargs):
        if self.node is None or kwargs["ui_event"].device().keyString().lower() != "l":
            return False
        self.current = (self.current + 1) % len(self.lists)
        self._prompt()
        self._refresh()
        return True

    def onDraw(self, kwargs):
        for drawable in self.drawables:
            drawable.draw(kwargs["draw_handle"])


def createViewerStateTemplate():
    """Houdini calls this for every file in viewer_states."""
    template = hou.ViewerStateTemplate(STATE, LABEL, hou.sopNodeTypeCategory())
    template.bindFactory(State)
    template.bindIcon("hackle_voronoi")
    return template
