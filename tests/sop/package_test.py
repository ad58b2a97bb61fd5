"""The Houdini package that comes out of the registry has the form that Houdini reads. Usage: package_test.py SOURCE PROGRAM HACKLE

What is checked against what: the layout of expanded asset libraries, of help cards and of package files as the public
documentation and public packages show them (docs/houdini.md says which). No Houdini was run.
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

HACKLE = sys.argv.pop()
PROGRAM = sys.argv.pop()
SOURCE = pathlib.Path(sys.argv.pop())


def blocks(text):
    """Names of all parameters of a dialog script, checking that braces and quotes pair up."""
    depth, names, quoted = 0, [], False
    bare = re.sub(r"^\s*#.*", "", text, flags=re.M)
    for i, c in enumerate(bare):
        if c == '"' and bare[i - 1] != "\\":
            quoted = not quoted
        elif not quoted:
            depth += (c == "{") - (c == "}")
            assert depth >= 0, "a brace too many"
    assert depth == 0 and not quoted, "braces or quotes do not pair up"
    for found in re.finditer(r'(?:parm|multiparm) \{\s*name\s+"([^"]+)"', text):
        names.append(found.group(1))
    return names


def parts(mime):
    """The attachments of a Contents.mime by file name."""
    boundary = re.search(r'boundary="([^"]+)"', mime).group(1)
    pieces = mime.split(f"--{boundary}")
    assert pieces[-1].strip() == "--", "the last boundary does not close"
    found = {}
    for piece in pieces[1:-1]:
        head, body = piece.strip("\n").split("\n\n", 1)
        found[re.search(r'filename="([^"]+)"', head).group(1)] = body + "\n"
    return found


class Package(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.root = pathlib.Path(cls.folder.name)
        subprocess.run([PROGRAM, cls.root], check=True)
        subprocess.run([PROGRAM, cls.root], check=True)  # over an older one
        listed = subprocess.run([HACKLE, "list"], check=True, capture_output=True, text=True).stdout
        cls.operators = re.findall(r"^  (\w+)\s", listed, re.M)
        cls.assets = sorted((cls.root / "hackle/otls").glob("*.hda"))

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_package_file(self):
        package = json.loads((self.root / "hackle.json").read_text())
        self.assertLessEqual(set(package), {"name", "enable", "load_package_once", "env", "hpath", "version", "show", "requires"})
        self.assertIn("houdini_version", package["enable"])
        self.assertEqual(package["hpath"], "$HACKLE")
        self.assertEqual(package["env"][0]["HACKLE"], "$HOUDINI_PACKAGE_PATH/hackle")

    def test_every_operator_has_a_card_and_an_icon(self):
        self.assertGreater(len(self.operators), 15)
        for name in self.operators:
            card = (self.root / f"hackle/help/nodes/sop/hackle--{name}.txt").read_text()
            self.assertRegex(card, r"\A= Hackle .+ =\n\n#type: node\n#context: sop\n")
            self.assertIn(f"#internal: hackle::{name}\n", card)
            self.assertRegex(card, r'\n"""[^"]+\."""\n')
            icon = re.search(r"#icon: (\S+)", card).group(1)
            svg = xml.etree.ElementTree.parse(self.root / f"hackle/config/Icons/{icon}.svg").getroot()
            self.assertTrue(svg.tag.endswith("svg"))

    def test_cards_explain_every_parameter(self):
        for name in self.operators:
            card = (self.root / f"hackle/help/nodes/sop/hackle--{name}.txt").read_text()
            page = (SOURCE / f"docs/reference/{name}.md").read_text()
            rows = re.findall(r"^\| `(\w+)`<br>", re.sub(r"Fields of a record of.*?\n\n.*?\n\n", "", page, flags=re.S), re.M)
            if "## Parameters" in page:
                self.assertTrue(rows)
            for row in rows:
                self.assertIn(f"#id: {row}\n", card)
            for line in card.splitlines():
                self.assertFalse(re.search(r"(?<!\\)\[(?!Node:)", line), f"{name}: an unescaped link: {line}")

    def test_icons_differ(self):
        icons = [p.read_text() for p in (self.root / "hackle/config/Icons").glob("*.svg")]
        self.assertEqual(len(set(icons)), len(icons))

    def test_libraries_list_their_sections(self):
        self.assertTrue(self.assets)
        for library in self.assets:
            sections = (library / "Sections.list").read_text().splitlines()
            self.assertEqual(sections[0], '""')
            for line in sections[1:]:
                file, section = line.split("\t")
                self.assertTrue((library / file).exists(), line)
            folder, section = sections[-1].split("\t")
            self.assertEqual(section, f"hackle::Sop/{library.stem}")
            # An underscore doubles, : is _8 and / is _1.
            self.assertEqual(folder, section.replace("_", "__").replace(":", "_8").replace("/", "_1"))
            for line in (library / folder / "Sections.list").read_text().splitlines()[1:]:
                file, _ = line.split("\t")
                expanded = "Contents.dir/Contents.mime" if file == "Contents.gz" else file
                self.assertTrue((library / folder / expanded).exists(), line)

    def test_indices_name_the_type(self):
        for library in self.assets:
            index = dict(re.findall(r"^(\w+): +(.*)$", (library / "INDEX__SECTION").read_text(), re.M))
            self.assertEqual(index["Operator"], f"hackle::{library.stem}")
            self.assertEqual(index["Table"], "Sop")
            self.assertEqual(index["Path"], "oplib:/hackle::Sop/{0}?hackle::Sop/{0}".format(library.stem))
            self.assertRegex(index["Inputs"], r"^\d+ to \d+$")

    def each_asset(self):
        for library in self.assets:
            folder = next(p for p in library.iterdir() if p.is_dir())
            yield library, folder, parts((folder / "Contents.dir/Contents.mime").read_text())

    def test_dialogs_have_three_labelled_outputs(self):
        for library, folder, _ in self.each_asset():
            script = (folder / "DialogScript").read_text()
            names = blocks(script)
            self.assertEqual(len(names), len(set(names)))
            self.assertEqual(len(re.findall(r"^\s*outputlabel", script, re.M)), 3)
            inputs = int((library / "INDEX__SECTION").read_text().split("Inputs:")[1].split("to")[1].split()[0])
            self.assertEqual(len(re.findall(r"^\s*inputlabel", script, re.M)), inputs)

    def test_contents_are_a_network_that_holds_together(self):
        for library, _, files in self.each_asset():
            self.assertEqual(files["node_type"].strip(), "Sop")
            order = files["hdaroot.order"].split()
            nodes = order[1:]
            self.assertEqual(int(order[0]), len(nodes))
            sockets = int(files["hdaroot.inp"].split()[0])
            for node in nodes:
                for kind in ("init", "def", "parm"):
                    self.assertIn(f"hdaroot/{node}.{kind}", files)
                definition = files[f"hdaroot/{node}.def"]
                for source in re.findall(r"^\d+ \t(\S+) ", definition, re.M):
                    if source.startswith("("):
                        self.assertLess(int(source.strip("()")), sockets)
                    else:
                        self.assertIn(source, nodes)
            outputs = [re.search(r"outputidx\t.*\(\t(\d)", files[f"hdaroot/{n}.parm"]).group(1)
                       for n in nodes if files[f"hdaroot/{n}.init"].startswith("type = output\n")]
            self.assertEqual(outputs, ["0", "1", "2"])
            self.assertIn(f"type = hackle::{library.stem[len('rbd_'):]}\n", files["hdaroot/fracture.init"])

    def test_parameters_inside_follow_those_outside(self):
        for _, folder, files in self.each_asset():
            outside = set(blocks((folder / "DialogScript").read_text()))
            channels = re.findall(r"channel (\w+) \{", files["hdaroot/fracture.chn"])
            followed = re.findall(r'chs?\(\\"\.\./(\w+)\\"\)', files["hdaroot/fracture.chn"])
            self.assertEqual(channels, followed)
            # Fields of records, and of the knots of ramps, are linked one by one as records come and go.
            count, *lines = files.get("hdaroot/fracture.multiparm", "0").splitlines()
            self.assertEqual(int(count), len(lines))
            linked = []
            for line in lines:
                inner, outer = line.split(" ")
                self.assertEqual(outer, "../" + inner)
                self.assertEqual(inner.count("#"), 1)
                linked.append(inner)
            ramps = re.findall(r'name\s+"(\w+)"\s+label\s+"[^"]*"\s+type\s+ramp_flt', (folder / "DialogScript").read_text())
            outside |= {ramp + "#" + part for ramp in ramps for part in ("pos", "value", "interp")}
            names = {n for n in outside for c in channels + linked if c == n or c[:-1] == n and c[-1] in "xyzrgb"}
            self.assertEqual(names, outside)
            # The other way round: nothing follows what is not there.
            self.assertEqual([c for c in linked if c not in outside and c[:-1] not in outside], [])

    def test_lists_are_there(self):
        files = dict((library.stem, files) for library, _, files in self.each_asset())
        self.assertIn("impact_at#x ../impact_at#x\n", files["rbd_cvd"]["hdaroot/fracture.multiparm"])
        self.assertIn("impact_use_speed# ../impact_use_speed#\n", files["rbd_cvd"]["hdaroot/fracture.multiparm"])
        self.assertIn('ch(\\"../impact\\")', files["rbd_cvd"]["hdaroot/fracture.chn"])

    def test_proxies_that_come_in_reach_the_third_output(self):
        for _, _, files in self.each_asset():
            sources = lambda node: re.findall(r"^\d+ \t(\S+) 0 1$", files[f"hdaroot/{node}.def"], re.M)
            self.assertEqual(sources("output2"), ["all_proxies"])
            self.assertEqual(sources("all_proxies"), ["keep_proxies", "unpack_proxies"])
            self.assertEqual(sources("keep_proxies"), ["(2)", "(0)"])


if __name__ == "__main__":
    unittest.main()
