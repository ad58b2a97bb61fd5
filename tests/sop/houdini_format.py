"""The grammar of dialog scripts and of expanded asset libraries, counted over 417 public assets: what none of them has is
an error. `check_dialog` and `check_library` raise FormatError with the place."""
import json
import re
import xml.etree.ElementTree


class FormatError(Exception):
    pass


def need(condition, message):
    if not condition:
        raise FormatError(message)


# Dialog scripts --------------------------------------------------------------------------------------------------------

TOKEN = re.compile(r'\s*(?:#[^\n]*|"((?:\\["\\nr]|[^"\\\n])*)"|([{}\[\]])|([^\s{}\[\]"]+))')


def tokens(text):
    """(kind, value): quoted text, a brace or bracket, or a bare word. A quote that is not closed on its line, or has an
    escape that Houdini never writes, is an error."""
    at, found = 0, []
    while text[at:].strip():
        match = TOKEN.match(text, at)
        need(match and match.end() > at, f"no token at: {text[at:at + 40]!r}")
        at = match.end()
        quoted, brace, word = match.groups()
        if quoted is not None:
            found.append(("quoted", re.sub(r"\\(.)", lambda m: {"n": "\n", "r": "\r"}.get(m.group(1), m.group(1)), quoted)))
        elif brace:
            found.append(("brace", brace))
        elif word:
            found.append(("word", word))
    return found


class Reader:
    def __init__(self, text):
        self.tokens, self.at = tokens(text), 0

    def peek(self):
        return self.tokens[self.at] if self.at < len(self.tokens) else ("end", "")

    def take(self, kind=None, value=None):
        token = self.peek()
        need(kind is None or token[0] == kind, f"expected {kind}, got {token}")
        need(value is None or token[1] == value, f"expected {value}, got {token}")
        self.at += 1
        return token[1]

    def closes(self):
        return self.peek() == ("brace", "}")

    def block(self):
        """What is between braces, as a list of tokens."""
        self.take("brace", "{")
        items = []
        while not self.closes():
            items.append(self.peek())
            self.at += 1
        self.take("brace", "}")
        return items


PARM_KEYS = ["name", "baseparm", "label", "type", "invisible", "nolabel", "joinnext", "size", "default", "help", "disablewhen",
             "hidewhen", "menu", "range", "export", "parmtag"]
MENUS = {"menu", "menumini", "menureplace", "menutoggle"}
TYPES = {  # type: (sizes, range needed, range allowed, menu allowed)
    **{t: ((1, 2, 3, 4), True, True, False) for t in ("float", "angle", "log")},
    "integer": ((1, 2, 3, 4), True, True, True),
    **{t: ((3,), True, True, False) for t in ("vector", "color", "direction")},
    **{t: ((2,), True, True, False) for t in ("vector2", "intvector2", "int_minmax")},
    "toggle": ((1,), False, True, False),
    "ordinal": ((1,), False, True, True),
    "string": ((1, 2, 3, 4), False, True, True),
    **{t: ((1,), False, False, True) for t in ("file", "image", "geometry", "directory", "oppath", "oplist")},
    **{t: ((1,), True, True, False) for t in ("ramp_flt", "ramp_rgb")},
    **{t: ((1,), False, False, False) for t in ("button", "separator", "label")},
}
CONDITION = re.compile(r"(\{( [A-Za-z_]\w*#? (==|!=|<|>|>=) (\S+))+ \})( \{( [A-Za-z_]\w*#? (==|!=|<|>|>=) (\S+))+ \})*")
NUMBER = re.compile(r"-?\d+(\.\d+)?(e[+-]?\d+)?")
NAME = re.compile(r"[A-Za-z_]\w*#?")


class Parm:
    def __init__(self, name, kind):
        self.name, self.type, self.size, self.default, self.menu, self.tags = name, kind, 1, [], [], {}
        self.fields = []
        self.conditions = []


def read_parm(reader):
    reader.take("brace", "{")
    parm, reached, seen, has_range = Parm("", ""), -1, set(), False
    while not reader.closes():
        key = reader.take("word")
        place = "menu" if key in MENUS else key
        need(place in PARM_KEYS, f"{parm.name}: unknown key {key}")
        need(PARM_KEYS.index(place) > reached or place == "parmtag" and PARM_KEYS.index(place) == reached,
             f"{parm.name}: {key} is out of order")
        reached = PARM_KEYS.index(place)
        seen.add(place)
        if key == "name":
            parm.name = reader.take("quoted")
        elif key == "label":
            parm.label = reader.take("quoted")
        elif key == "type":
            parm.type = reader.take("word")
        elif key == "size":
            parm.size = int(reader.take("word"))
        elif key == "help":
            reader.take("quoted")
        elif key in ("disablewhen", "hidewhen"):
            parm.conditions.append(reader.take("quoted"))
        elif key == "default":
            items = reader.block()
            need(all(kind == "quoted" for kind, _ in items), f"{parm.name}: defaults are in quotes")
            parm.default = [value for _, value in items]
        elif key in MENUS:
            parm.menu = read_menu(reader, parm.name)
        elif key == "range":
            has_range = True
            check_range(reader.block(), parm.name)
        elif key == "parmtag":
            items = reader.block()
            need(len(items) == 2 and all(kind == "quoted" for kind, _ in items), f"{parm.name}: parmtag has two texts")
            parm.tags[items[0][1]] = items[1][1]
        elif key == "export":
            reader.take("word")
    reader.take("brace", "}")
    need({"name", "label", "type", "default"} <= seen, f"{parm.name}: name, label, type and default are needed")
    check_parm(parm, has_range)
    return parm


def read_menu(reader, name):
    items = reader.block()
    if items and items[0] == ("brace", "["):
        texts = [value for kind, value in items if kind == "quoted"]
        rest = [value for kind, value in items if kind != "quoted"]
        need(rest == ["[", "]"] * len(texts) + ["language", "python"] or rest == ["[", "]"] * len(texts),
             f"{name}: a script menu has lines in brackets and perhaps its language")
        if "python" in rest:
            compile("def menu(kwargs):\n" + "\n".join("  " + line for line in texts), name, "exec")
        return [("script", "\n".join(texts))]
    need(len(items) % 2 == 0 and all(kind == "quoted" for kind, _ in items), f"{name}: a menu has pairs of texts")
    return [(items[i][1], items[i + 1][1]) for i in range(0, len(items), 2)]


def check_range(items, name):
    need(len(items) == 2 and all(kind == "word" for kind, _ in items), f"{name}: a range has two ends")
    ends = [value.rstrip("!") for _, value in items]
    need(all(NUMBER.fullmatch(end) for end in ends), f"{name}: ends of a range are numbers")
    need(float(ends[0]) < float(ends[1]), f"{name}: the range is empty")


def check_parm(parm, has_range):
    need(NAME.fullmatch(parm.name), f"{parm.name!r} is no name")
    need(parm.type in TYPES, f"{parm.name}: unknown type {parm.type}")
    sizes, ranged, may_range, may_menu = TYPES[parm.type]
    need(parm.size in sizes, f"{parm.name}: a {parm.type} has no size {parm.size}")
    need(len(parm.default) == parm.size, f"{parm.name}: {len(parm.default)} defaults for {parm.size} components")
    need(has_range or not ranged, f"{parm.name}: a {parm.type} needs a range")
    need(may_range or not has_range, f"{parm.name}: a {parm.type} has no range")
    need(may_menu or not parm.menu, f"{parm.name}: a {parm.type} has no menu")
    if parm.type == "toggle":
        need(parm.default[0] in ("0", "1", "on", "off"), f"{parm.name}: default of a toggle")
    if parm.type == "ordinal":
        need(parm.default[0].isdigit() or parm.default[0] in dict(parm.menu), f"{parm.name}: the default is not in the menu")
    if parm.type.startswith("ramp"):
        words = parm.tags.get("rampfloatdefault", "")
        need(re.fullmatch(r"(\d+pos \( \S+ \) \d+value \( \S+ \) \d+interp \( \w+ \) ?)*", words), f"{parm.name}: default of the ramp")
        need(len(re.findall(r"\d+pos", words)) == int(parm.default[0]), f"{parm.name}: the count of knots is wrong")
    elif parm.type not in ("string", "file", "ordinal", "toggle", "button", "separator", "label"):
        need(all(NUMBER.fullmatch(d) for d in parm.default), f"{parm.name}: defaults are numbers")
    for condition in parm.conditions:
        need(CONDITION.fullmatch(condition), f"{parm.name}: condition {condition!r}")


def read_multiparm(reader):
    reader.take("brace", "{")
    parm, order, reached = Parm("", "multiparm"), ["name", "label", "invisible", "default", "disablewhen", "hidewhen", "parmtag", "parm"], -1
    while not reader.closes():
        key = reader.take("word")
        need(key in order, f"{parm.name}: a multiparm has no {key}")
        need(order.index(key) > reached or key in ("parm", "parmtag") and order.index(key) == reached,
             f"{parm.name}: {key} is out of order")
        reached = order.index(key)
        if key == "parm":
            field = read_parm(reader)
            need(field.name.count("#") == 1, f"{field.name}: a field has one #")
            parm.fields.append(field)
        elif key == "default":
            parm.default = [reader.take("word")]  # bare
            need(parm.default[0].isdigit(), f"{parm.name}: the default is a number")
        elif key == "name":
            parm.name = reader.take("quoted")
        elif key == "parmtag":
            reader.block()
        elif key != "invisible":
            reader.take("quoted")
    reader.take("brace", "}")
    need(parm.fields, f"{parm.name}: a multiparm without fields")
    return parm


def read_blocks(reader, parms, groups):
    while not reader.closes():
        kind = reader.take("word")
        if kind == "parm":
            parms.append(read_parm(reader))
        elif kind == "multiparm":
            parms.append(read_multiparm(reader))
        elif kind in ("group", "groupsimple", "groupcollapsible", "groupradio"):
            reader.take("brace", "{")
            reader.take("word", "name")
            groups.append(reader.take("quoted"))
            reader.take("word", "label")
            reader.take("quoted")
            while reader.peek() == ("word", "grouptag"):
                reader.take()
                reader.block()
            read_blocks(reader, parms, groups)
            reader.take("brace", "}")
        else:
            raise FormatError(f"unknown block {kind}")


def check_dialog(text, operator):
    """(parameters, inputs, outputs) of the script of an asset."""
    reader = Reader(text)
    reader.take("brace", "{")
    reader.take("word", "name")
    need(reader.take("word") == operator, "the script has another name than the operator")
    reader.take("word", "script")
    reader.take("word")
    reader.take("word", "label")
    reader.take("quoted")
    reader.take("word", "help")
    need(reader.block() == [("quoted", "")], 'the script has no help { "" }')
    labels = {"inputlabel": 0, "outputlabel": 0}
    for key in labels:
        while reader.peek() == ("word", key):
            reader.take()
            labels[key] += 1
            need(reader.take("word") == str(labels[key]), f"{key}s are not numbered from 1")
            reader.take("quoted")
    parms, groups = [], []
    read_blocks(reader, parms, groups)
    reader.take("brace", "}")
    need(reader.peek()[0] == "end", "text after the script")
    names = [p.name for p in parms] + [f.name for p in parms for f in p.fields] + groups
    need(len(names) == len(set(names)), "a name is there twice")
    tabs = [g for g in groups if re.fullmatch(r"folder0(_\d+)?", g)]
    need(tabs == ["folder0" if i == 0 else f"folder0_{i}" for i in range(len(tabs))], f"tabs {tabs}")
    known = {p.name for p in parms} | {f.name for p in parms for f in p.fields}
    for parm in parms + [f for p in parms for f in p.fields]:
        for condition in parm.conditions:
            for name in re.findall(r"(\S+) (?:==|!=|<|>|>=) ", condition):
                need(name in known, f"{parm.name}: condition of {name}, which is not there")
    return parms, labels["inputlabel"], labels["outputlabel"]


# Libraries -------------------------------------------------------------------------------------------------------------

BOUNDARY = r"HOUDINIMIMEBOUNDARY0x[0-9A-F]{8}-0x[0-9A-F]{8}-0x[0-9A-F]{8}-0x[0-9A-F]{8}HOUDINIMIMEBOUNDARY"
INDEX_KEYS = ["Operator", "Label", "Path", "Icon", "Table", "License", "Extra", "User", "Inputs", "Outputs", "Subnet", "Python",
              "Empty", "Modified"]


def parts(mime):
    """The attachments of a Contents.mime, in their order."""
    head = re.match(rf'MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="({BOUNDARY})"\n\n', mime)
    need(head, "the head of Contents.mime, or its boundary")
    pieces = mime[head.end():].split(f"--{head.group(1)}")
    need(pieces[0] == "" and pieces[-1] == "--\n", "the boundaries do not open and close")
    found = {}
    for piece in pieces[1:-1]:
        part = re.fullmatch(r'\nContent-Disposition: attachment; filename="([^"]+)"\nContent-Type: text/plain\n\n(.*\n)\n', piece, re.S)
        need(part, f"a part without its head: {piece[:80]!r}")
        need(part.group(1) not in found, f"{part.group(1)} is there twice")
        found[part.group(1)] = part.group(2)
    return found


DEFINITION = re.compile(
    r'sopflags sopflags = \ncomment ""\nposition (-?[\d.e+-]+) (-?[\d.e+-]+)\nconnectornextid (\d+)\nflags =  ([^\n]*)\n'
    r'outputsNamed3\n\{\n((?:\d+ "output\d+"\n)*)\}\ninputsNamed3\n\{\n((?:\d+ \t\S+ \S+ 1 "input\d+"\n)*)\}\n'
    r'inputs\n\{\n((?:\d+ \t\S+ \d+ 1\n)*)\}\nstat\n\{\n  create -1\n  modify -1\n  author \S+@\S+\n  access 0777\n\}\n'
    r'color UT_Color RGB \S+ \S+ \S+ \ndelscript ""\nexprlanguage hscript\nend\n')


class Node:
    def __init__(self, definition, name):
        match = DEFINITION.fullmatch(definition)
        need(match, f"{name}.def has another form:\n{definition}")
        need(match.group(2) != "-0", f"{name}: position -0")
        self.next_id = int(match.group(3))
        self.shown = "display on render on" in match.group(4)
        self.outputs = [int(row.split()[0]) for row in match.group(5).splitlines()]
        self.named = [row.split() for row in match.group(6).splitlines()]
        self.plain = [row.split() for row in match.group(7).splitlines()]
        ids = self.outputs + [int(row[0]) for row in self.named]
        need(len(ids) == len(set(ids)), f"{name}: connector ids {ids} are not unique")
        need(self.next_id == max(ids, default=-1) + 1, f"{name}: connectornextid {self.next_id} after {ids}")
        need([int(row[0]) for row in self.plain] == list(range(len(self.plain))), f"{name}: inputs have gaps")
        need([row[1] for row in self.plain] == [row[1] for row in self.named], f"{name}: inputs and inputsNamed3 differ")
        need([row[4] for row in self.named] == [f'"input{k + 1}"' for k in range(len(self.named))], f"{name}: names of inputs")


ROW = re.compile(r'(\w+)\t\[ [08]\tlocks=0 \]\t\((.*)\t\)', re.S)
CHANNEL = re.compile(r'    channel (\w+) \{\n      lefttype = extend\n      righttype = extend\n(?:      default = (\S+)\n)?      flags = 0\n'
                     r'      segment \{ length = 0 (?:value = (\S+) (\S+) )?expr = (chs?\(\\"\.\./(\w+)\\"\)) \}\n    \}\n')


def check_values(files, name):
    """(names of rows, names of channels). Driven components and channels are the same."""
    text = files[f"{name}.parm"]
    need(text.startswith("{\nversion 0.8\n") and text.endswith("}\n"), f"{name}.parm: head or end")
    rows = re.findall(r'^(\w+)\t\[ [08]\tlocks=0 \]\t\((.*?)\t\)$', text, re.M | re.S)
    driven = re.findall(r"\t\[ (\w+)\t(\S+) \] ", text)
    channels = []
    if f"{name}.chn" in files:
        body = files[f"{name}.chn"]
        found = list(CHANNEL.finditer(body))
        need("{\n" + "".join(m.group(0) for m in found) + "  }\n" == body, f"{name}.chn has another form")
        channels = [m.group(1) for m in found]
        need(all(m.group(1) == m.group(6) for m in found), f"{name}.chn follows other names")
    need(sorted(c for c, _ in driven) == sorted(channels), f"{name}: channels and driven components differ")
    names = [row[0] for row in rows]
    need(len(names) == len(set(names)), f"{name}: a row is there twice")
    return names, channels


ASSET_TYPES = {"attribwrangle", "rbdbulletsolver"}  # assets themselves: locked, stored without content


def check_contents(files, operator, inputs, outputs):
    expected = ["node_type", "hdaroot.init", "hdaroot.def", "hdaroot.userdata"] + (["hdaroot.inp"] if inputs else [])
    need(list(files)[:len(expected)] == expected, f"the order of the parts is {list(files)[:6]}")
    need(list(files)[-2:] == ["hdaroot.order", "hdaroot.net"] and files["hdaroot.net"] == "1\n", "order and net come last")
    need(files["hdaroot.init"] == f"type = {operator}\nmatchesdef = 0\n", "hdaroot.init")
    root = Node(files["hdaroot.def"], "hdaroot")
    need(not root.outputs and not root.named and root.next_id == 0, "the root has connectors")
    need("hdaroot.parm" not in files, "the root has values")
    if inputs:
        rows = files["hdaroot.inp"].splitlines()
        need(rows[0] == str(inputs) and len(rows) == inputs + 1, "hdaroot.inp does not fit the number of inputs")
    count, *names = files["hdaroot.order"].split()
    need(int(count) == len(names) == len(set(names)), "hdaroot.order")
    nodes, seen = {}, []
    for file in files:
        if match := re.fullmatch(r"hdaroot/(\w+)\.(\w+)", file):
            seen.append(match.groups())
    kinds = ["init", "def", "multiparm", "chn", "parm", "userdata"]
    for name in names:
        own = [kind for node, kind in seen if node == name]
        need(own == [k for k in kinds if k in own] and {"init", "def", "parm", "userdata"} <= set(own), f"{name} has parts {own}")
        nodes[name] = Node(files[f"hdaroot/{name}.def"], name)
        init = re.fullmatch(r"type = (\S+)\nmatchesdef = ([01])\n", files[f"hdaroot/{name}.init"])
        need(init, f"{name}.init")
        nodes[name].type = init.group(1)
        need(init.group(2) == ("1" if init.group(1) in ASSET_TYPES else "0"), f"{name}: matchesdef of {init.group(1)}")
        nodes[name].rows, nodes[name].channels = check_values(files, f"hdaroot/{name}")
    need({node for node, _ in seen} == set(names), "nodes that the order does not list")
    for file, text in files.items():
        if file.endswith(".userdata"):
            need(set(json.loads(text)["___Version___"]) == {"type", "value"}, file)
    check_wires(nodes, inputs)
    check_outputs(nodes, files, outputs)
    return nodes


def check_wires(nodes, inputs):
    for name, node in nodes.items():
        for row in node.named:
            source, source_id = row[1], row[2]
            if outer := re.fullmatch(r"\((\d+)\)", source):
                need(int(outer.group(1)) < inputs and source_id == '""', f"{name}: input {source}")
                need(node.type not in ASSET_TYPES or outer.group(1) == "0", f"{name}: an input that may be open feeds a wrangle")
            elif source == '""':
                need(source_id == '""', f"{name}: an unwired input with an id")
            else:
                need(source in nodes, f"{name}: there is no node {source}")
                need(source_id == str(nodes[source].outputs[0]), f"{name}: {source} has no output {source_id}")


def check_outputs(nodes, files, outputs):
    numbers = [re.search(r"outputidx\t\[ [08]\tlocks=0 \]\t\(\t(\d+)\t\)", files[f"hdaroot/{name}.parm"]).group(1)
               for name, node in nodes.items() if node.type == "output"]
    need(sorted(numbers) == [str(i) for i in range(outputs)], f"output nodes {numbers} for {outputs} outputs")
    need(sum(node.shown for node in nodes.values()) == 1, "one node has the display flag")


def listed(text):
    lines = text.splitlines()
    need(lines[0] == '""' and all("\t" in line for line in lines[1:]) and text.endswith("\n"), "a Sections.list")
    return dict(line.split("\t") for line in lines[1:])


def check_library(library):
    """(operator, parameters, nodes inside) of an expanded library with one definition."""
    read = lambda path: (library / path).read_text()
    index = read("INDEX__SECTION")
    rows = [line.split(":", 1) for line in index.splitlines() if line]
    need(index.endswith("\n\n"), "INDEX__SECTION ends with an empty line")
    keys = [row[0] for row in rows]
    need(keys == [k for k in INDEX_KEYS if k in keys] and set(INDEX_KEYS) - set(keys) <= {"Outputs"}, f"INDEX__SECTION {keys}")
    need(all(len(line.split(":", 1)[0] + ":") + len(line.split(":", 1)[1]) - len(line.split(":", 1)[1].lstrip()) == 14
             for line in index.splitlines() if line and line.split(":", 1)[1].strip()), "values start at column 14")
    value = {key: text.strip() for key, text in rows}
    path = re.fullmatch(r"oplib:/(\S+)\?(\S+)", value["Path"])
    need(path and path.group(1) == path.group(2), "Path")
    need(value["Icon"] == f"opdef:/{path.group(1)}?IconSVG", "Icon")
    folder = path.group(1).replace("_", "__").replace(":", "_8").replace("/", "_1")
    need(listed(read("Sections.list")) == {"INDEX__SECTION": "INDEX_SECTION", "houdini.hdalibrary": "houdini.hdalibrary",
                                           folder: path.group(1)}, "Sections.list of the library")
    need(read("houdini.hdalibrary") == "", "houdini.hdalibrary is empty")
    inputs = int(re.fullmatch(r"\d+ to (\d+)", value["Inputs"]).group(1))
    outputs = int(value.get("Outputs", "1"))
    need("Outputs" not in value or outputs != 1, "one output goes without saying")
    parms, labelled_inputs, labelled_outputs = check_dialog(read(f"{folder}/DialogScript"), value["Operator"])
    need(labelled_inputs >= inputs and labelled_outputs == outputs, f"{labelled_inputs} inputs and {labelled_outputs} outputs have labels")
    check_sections(library / folder)
    files = parts(read(f"{folder}/Contents.dir/Contents.mime"))
    nodes = check_contents(files, value["Operator"], inputs, outputs)
    return value["Operator"], parms, nodes, files


def check_sections(folder):
    needed = ["DialogScript", "CreateScript", "TypePropertiesOptions", "Help", "Tools.shelf", "InternalFileOptions", "Contents.gz",
              "IconSVG", "ExtraFileOptions"]
    # The default viewer state is of the documented sections; none of the counted assets has one.
    if (folder / "DefaultState").exists():
        needed.insert(-1, "DefaultState")
        need(re.fullmatch(r"\w+", (folder / "DefaultState").read_text()), "DefaultState")
    sections = listed((folder / "Sections.list").read_text())
    need(list(sections) == needed and all(k == v for k, v in sections.items()), f"sections {list(sections)}")
    on_disk = {p.name for p in folder.iterdir()}
    need(on_disk == set(needed) - {"Contents.gz"} | {"Sections.list", "Contents.dir"}, f"files {sorted(on_disk)}")
    need({p.name for p in (folder / "Contents.dir").iterdir()} == {"Contents.mime", "Sections.list"}, "Contents.dir")
    need((folder / "Contents.dir/Sections.list").read_text() == '""\nContents.mime\tContents.mime\n', "Contents.dir/Sections.list")
    need((folder / "Help").read_text() == "", "Help is empty: the card is in the help folder")
    options = json.loads((folder / "InternalFileOptions").read_text())
    need(options == {k: {"type": "bool", "value": False} for k in ("nodeconntype", "nodeparmtype")}, "InternalFileOptions")
    need((folder / "ExtraFileOptions").read_text() == "{\n}\n", "ExtraFileOptions")
    need(len(re.findall(r"^\w+ := \d+;$", (folder / "TypePropertiesOptions").read_text(), re.M)) == 14, "TypePropertiesOptions")
    script = (folder / "CreateScript").read_text()
    need(re.search(r"#  Creation script for \S+ operator\n", script) and "opuserdata -n '___Version___' -v '" in script, "CreateScript")
    tool = xml.etree.ElementTree.parse(folder / "Tools.shelf").getroot().find("tool")
    contexts = {c.get("name"): c[0] for c in tool.findall("toolMenuContext")}
    need(contexts["viewer"].tag == "contextNetType" and contexts["viewer"].text == "SOP", "Tools.shelf: viewer")
    need(contexts["network"].text == "$HDA_TABLE_AND_NAME", "Tools.shelf: network")
    xml.etree.ElementTree.parse(folder / "IconSVG")
