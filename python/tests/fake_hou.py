"""A stand-in for the `hou` module: only the documented methods that hackle.houdini and examples/houdini use. Nodes
of type hackle::ID cook through the Python module, so that the scripts' networks give real results."""

import types

import hackle


class Geometry:
    def __init__(self, content=None):
        self._content = content or hackle.Geometry()

    def saveToFile(self, file_name):
        self._content.save(file_name)

    def loadFromFile(self, file_name):
        self._content = hackle.read(file_name)

    def clear(self):
        self._content = hackle.Geometry()

    def primStringAttribValues(self, name):
        return tuple(self._content.attribute(name, "primitive"))

    def intrinsicValue(self, name):
        return {"primitivecount": self._content.primitive_count}[name]


class Parm:
    def __init__(self, node, name):
        self._node, self._name = node, name

    def set(self, value):
        self._node._values[self._name] = value

    def name(self):
        return self._name

    def menuItems(self):
        outputs = [p["name"] for p in self._node._operator["outputs"] if p.get("type", "geometry") == "geometry"]
        return tuple(outputs) if self._name == "hackle_stream" else tuple(i["token"] for i in self._node._known[self._name]["menu"])

    def evalAsString(self):
        return str(self._node._values[self._name])

    def __getitem__(self, component):
        return Parm(self._node, self._name + "xyz"[component])

    def __iter__(self):
        return iter([self[0], self[1], self[2]])


class Node:
    def __init__(self, parent, kind, name):
        self._parent, self._kind, self._name = parent, kind, name
        self._children, self._inputs, self._values, self._errors, self._result = [], {}, {}, [], None
        self._operator = None
        if kind.startswith("hackle::"):
            name, *version = kind[len("hackle::"):].split("::")
            if version not in ([], ["1.0"]) or name not in hackle.operators():
                raise OperationFailed(f"Invalid node type name {kind}")
            self._operator = hackle.describe(name)
            self._known = {p["name"]: p for p in self._operator["parameters"]}

    def createNode(self, node_type_name, node_name=None):
        if self._kind == "geo" and not node_type_name.startswith("hackle::"):
            raise OperationFailed(f"Invalid node type name {node_type_name}")
        node = Node(self, node_type_name, node_name or f"{node_type_name.split('::')[-1]}{len(self._children) + 1}")
        self._children.append(node)
        return node

    def path(self):
        return (self._parent.path() if self._parent else "") + "/" + self._name

    def _parameter(self, name):
        """True where the node has a parameter of that name: of the table, a field of a numbered record, or the switch
        of one that may stay unset."""
        stem = name.rstrip("0123456789")
        fields = {f"{p['name']}_{f['name']}" for p in self._known.values() for f in p.get("fields", [])}
        switches = {f"use_{p['name']}" for p in self._known.values() if p["optional"]}
        for p in self._known.values():
            fields |= {f"{p['name']}_use_{f['name']}" for f in p.get("fields", []) if f["optional"]}
        return name in self._known or stem in fields or name in switches or name == "hackle_stream"

    def parm(self, name):
        return Parm(self, name) if self._operator is None or self._parameter(name) else None

    def parmTuple(self, name):
        return self.parm(name)

    def setInput(self, input_index, item):
        self._inputs[input_index] = item

    def setDisplayFlag(self, on):
        pass

    def layoutChildren(self):
        pass

    def _parameters(self):
        values = {}
        for name, value in self._values.items():
            row = self._known.get(name)
            if name == "hackle_stream" or row is None and "use_" in name:
                continue
            if row is None:  # a field of a record
                number = int(name[len(name.rstrip("0123456789")):])
                listed = next(p for p in self._known.values() if p.get("fields") and name.startswith(p["name"] + "_"))
                field = name[len(listed["name"]) + 1:].rstrip("0123456789")
                values.setdefault(listed["name"], {}).setdefault(number, {})[field] = value
            elif row["type"] != "list":
                values[name] = value
        return {k: [v[i] for i in sorted(v)] if isinstance(v, dict) else v for k, v in values.items()}

    def cook(self, force=False):
        inputs = []
        for i in range(1 + max(self._inputs, default=-1)):
            self._inputs[i].cook()
            inputs.append(self._inputs[i]._result)
        try:
            result = hackle.run(self._operator["id"], inputs, self._parameters())
        except hackle.Error as error:
            self._errors = [f"{error.message}. Remedy: {error.remedy}"]
            raise OperationFailed(self._errors[0]) from None
        stream = self._values.get("hackle_stream", self._operator["outputs"][0]["name"] if self._operator["outputs"] else "")
        self._result = result if isinstance(result, hackle.Geometry) else getattr(result, stream, None)

    def errors(self):
        return tuple(self._errors)

    def geometry(self, output_index=0):
        return Geometry(self._result)

    def type(self):
        return self._kind


class OperationFailed(Exception):
    pass


class HipFile:
    def save(self, file_name=None):
        with open(file_name, "w") as file:
            file.write("a scene\n")


class Verb:
    def __init__(self, name):
        self._name, self._values = name, {}

    def setParms(self, values):
        self._values = values

    def execute(self, target, inputs):
        result = hackle.run(self._name, [item._content for item in inputs], self._values)
        target._content = result if isinstance(result, hackle.Geometry) else result.geometry


class Category:
    def nodeVerb(self, name):
        plain = name[len("hackle::"):].removesuffix("::1.0")
        return Verb(plain) if name.endswith("::1.0") and plain in hackle.operators() else None

    def nodeTypes(self):
        return {f"hackle::{name}::1.0": None for name in hackle.operators()}


def make():
    """A fresh `hou` with an empty /obj."""
    hou = types.ModuleType("hou")
    root = Node(None, "obj", "obj")
    hou.node = lambda path: root if path == "/obj" else None
    hou.Geometry, hou.hipFile, hou.OperationFailed = Geometry, HipFile(), OperationFailed
    hou.sopNodeTypeCategory = Category
    hou.applicationVersionString = lambda: "0.0.0"
    return hou
