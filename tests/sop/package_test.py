"""The Houdini package that comes out of the registry has the form that Houdini reads. Usage: package_test.py SOURCE PROGRAM HACKLE

What is checked against what: the layout of expanded asset libraries, of help cards and of package files as the public
documentation and public packages show them (docs/houdini.md says which). No Houdini was run.
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

import houdini_format

HACKLE = sys.argv.pop()
PROGRAM = sys.argv.pop()
SOURCE = pathlib.Path(sys.argv.pop())
# Older states of a library, each of which Houdini would probably not read or read wrongly: file, what is there, what was.
DAMAGES = [
    ("Contents.dir/Sections.list", None, None),
    ("INDEX__SECTION", "Outputs:      3\n", ""),
    ("INDEX__SECTION", "Icon:         opdef:/", "Icon:         "),
    ("Contents.dir/Contents.mime", "type = attribwrangle\nmatchesdef = 1", "type = attribwrangle\nmatchesdef = 0"),
    ("Contents.dir/Contents.mime", '2 "output1"', '1 "output1"'),
    ("Contents.dir/Contents.mime", 'filename="hdaroot/rewire.userdata"', 'filename="hdaroot/rewire.other"'),
    ("Contents.dir/Contents.mime", "connectornextid 0", "connectornextid 1"),
    ("Contents.dir/Contents.mime", "0 \tconstraints_in 1 1", '0 \t(1) "" 1'),
    ("Contents.dir/Contents.mime", "outputidx\t[ 0\tlocks=0 ]\t(\t2", "outputidx\t[ 0\tlocks=0 ]\t(\t1"),
    ("Contents.dir/Contents.mime", "create -1", "create 0"),
    ("DialogScript", "    help {\n        \"\"\n    }\n", ""),
    ("DialogScript", "default     0\n", 'default     { "0" }\n'),
    ("DialogScript", "default     0\n", 'default     0\n            help        "Blows."\n'),
    ("DialogScript", "type        toggle", "type        switch"),
    ("DialogScript", '                range       { -10 10 }\n', ""),
    ("DialogScript", 'size        3\n                default     { "0" "0" "0" }', 'default     { "0" "0" "0" }\n                size        3'),
    ("Contents.dir/Contents.mime", "0 \tkeep_proxies 0 1\n", ""),
    ("DialogScript", 'name        "folder0"', 'name        "folder0_1"'),
    ("Contents.dir/Contents.mime", "author hackle@hackle", "author hackle"),
    ("Contents.dir/Contents.mime", "HOUDINIMIMEBOUNDARY0x", "BOUNDARY0x"),
    ("CreateScript", "Creation script for", "Script for"),
    ("InternalFileOptions", None, None),
    ("ExtraFileOptions", None, None),
    ("Help", "", "= Title =\n"),
    ("Tools.shelf", '<toolMenuContext name="viewer">', '<toolMenuContext name="other">'),
]


class Package(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.root = pathlib.Path(cls.folder.name)
        subprocess.run([PROGRAM, cls.root], check=True)
        subprocess.run([PROGRAM, cls.root], check=True)  # over an older one
        listed = subprocess.run([HACKLE, "list"], check=True, capture_output=True, text=True).stdout
        # Houdini simulates and plays frames by itself; the plug-in has a DOP for the step.
        stand_alone = {"sim", "flipbook", "fracture_step"}
        cls.operators = [name for name in re.findall(r"^  (\w+)\s", listed, re.M) if name not in stand_alone]
        cls.assets = sorted((cls.root / "hackle/otls").glob("*.hda"))

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_package_file(self):
        package = json.loads((self.root / "hackle.json").read_text())
        self.assertLessEqual(set(package), {"enable", "load_package_once", "env", "hpath", "version", "requires"})
        self.assertEqual(package["hpath"], "$HACKLE")
        self.assertEqual(package["env"][0]["HACKLE"], "$HOUDINI_PACKAGE_PATH/hackle")

    def test_a_plugin_is_enabled_for_its_own_release_only(self):
        for built, ours, others in (("20.5.445", ["20.5.278", "20.5.445"], ["20.0.724", "21.0.440", "19.5.805"]),
                                    ("19.5.805", ["19.5.303"], ["19.0.720", "20.0.506"])):
            with tempfile.TemporaryDirectory() as folder:
                subprocess.run([PROGRAM, folder, built], check=True)
                enable = json.loads((pathlib.Path(folder) / "hackle.json").read_text())["enable"]
            numbers = lambda text: tuple(int(word) for word in text.split("."))
            clauses = re.findall(r"houdini_version (>=|<) '([\d.]+)'", enable)
            self.assertEqual(enable, " and ".join(f"houdini_version {op} '{v}'" for op, v in clauses))
            holds = lambda version: all((numbers(version) >= numbers(v)) == (op == ">=") for op, v in clauses)
            self.assertEqual([holds(v) for v in ours + others], [True] * len(ours) + [False] * len(others), enable)

    def test_every_operator_has_a_card_and_an_icon(self):
        self.assertGreater(len(self.operators), 15)
        for name in self.operators:
            card = (self.root / f"hackle/help/nodes/sop/hackle--{name}-1.0.txt").read_text()
            self.assertRegex(card, r"\A= Hackle .+ =\n\n#type: node\n#context: sop\n")
            self.assertIn(f"#internal: hackle::{name}\n#version: 1.0\n#icon: ", card)
            self.assertRegex(card, r'\n"""[^"]+\."""\n')
            icon = re.search(r"#icon: (\S+)", card).group(1)
            svg = xml.etree.ElementTree.parse(self.root / f"hackle/config/Icons/{icon}.svg").getroot()
            self.assertTrue(svg.tag.endswith("svg"))
            self.assertTrue((self.root / f"hackle/help/icons/{icon}.svg").exists())

    def test_cards_explain_every_parameter(self):
        for name in self.operators:
            card = (self.root / f"hackle/help/nodes/sop/hackle--{name}-1.0.txt").read_text()
            page = (SOURCE / f"docs/reference/{name}.md").read_text()
            rows = re.findall(r"^\| `(\w+)`<br>", re.sub(r"Fields of a record of.*?\n\n.*?\n\n", "", page, flags=re.S), re.M)
            if "## Parameters" in page:
                self.assertTrue(rows)
            for row in rows:
                self.assertIn(f"#id: {row}\n", card)
            # The markup has no escapes: what it could mistake stands in backticks.
            self.assertNotRegex(card, r"\\\\|&#")
            for line in card.splitlines():
                bare = re.sub(r"`[^`]*`|\[Node:[^]]*\]", "", line)
                if not bare.strip().startswith(("#", "=", "@")):
                    self.assertFalse(re.search(r"\[(?!Node:)|\w_\w|\*", bare), f"{name}: taken for markup: {line}")

    def test_icons_differ(self):
        icons = [p.read_text() for p in (self.root / "hackle/config/Icons").glob("*.svg")]
        self.assertEqual(len(set(icons)), len(icons))

    def test_libraries_have_the_form_that_houdini_reads(self):
        self.assertGreaterEqual(len(self.assets), 4)
        for library in self.assets:
            operator, parms, nodes, _ = houdini_format.check_library(library)
            self.assertEqual(operator, f"hackle::{library.stem}::1.0")
            self.assertEqual(nodes["fracture"].type, f"hackle::{library.stem[len('rbd_'):]}::1.0")

    def test_the_checker_refuses_what_earlier_libraries_had(self):
        library = next(path for path in self.assets if path.stem == "rbd_cvd")
        for file, there, was in DAMAGES:
            with self.subTest(file=file, was=was), tempfile.TemporaryDirectory() as folder:
                copy = pathlib.Path(shutil.copytree(library, pathlib.Path(folder) / library.name))
                inner = next(p for p in copy.iterdir() if p.is_dir())
                path = copy / file if file == "INDEX__SECTION" else inner / file
                if there is None:
                    path.unlink()
                else:
                    text = path.read_text()
                    self.assertIn(there, text)
                    path.write_text(text.replace(there, was, 1) if there else was)
                with self.assertRaises((houdini_format.FormatError, OSError, KeyError)):
                    houdini_format.check_library(copy)

    def test_parameters_inside_follow_those_outside(self):
        for library in self.assets:
            _, parms, nodes, files = houdini_format.check_library(library)
            outside = {p.name for p in parms} | {f.name for p in parms for f in p.fields}
            fracture = nodes["fracture"]
            count, *lines = files.get("hdaroot/fracture.multiparm", "0").splitlines()
            self.assertEqual(int(count), len(lines))
            linked = []
            for line in lines:
                inner, outer = line.split(" ")
                self.assertEqual(outer, "../" + inner)
                self.assertEqual(inner.count("#"), 1)
                linked.append(inner)
            outside |= {p.name + "#" + part for p in parms if p.type == "ramp_flt" for part in ("pos", "value", "interp")}
            followers = fracture.channels + linked
            names = {n for n in outside for c in followers if c == n or c[:-1] == n and c[-1] in "xyzrgb"}
            self.assertEqual(names, outside)
            self.assertEqual([c for c in linked if c not in outside and c[:-1] not in outside], [])

    def test_groups_attributes_and_volumes_have_menus(self):
        found = dict.fromkeys(("generateInputGroupMenu(0, hou.geometryType.Primitives)",
                               "generateInputAttribMenu(0, hou.attribType.Point)", "primStringAttribValues('name')"), 0)
        for library in self.assets:
            _, parms, _, _ = houdini_format.check_library(library)
            for parm in parms + [f for p in parms for f in p.fields]:
                text = str(parm.menu).replace("\\", "")
                if parm.type == "string" and parm.menu:
                    self.assertEqual(parm.menu[0][0], "script")
                    kinds = [call for call in found if call in text]
                    self.assertEqual(len(kinds), 1, text)
                    found[kinds[0]] += 1
                # Groups have an arrow, too, and nothing else has.
                self.assertEqual("script_action" in parm.tags, "generateInputGroupMenu" in text, parm.name)
                if "script_action" in parm.tags:
                    self.assertIn("soputils.selectGroupParm", parm.tags["script_action"])
                    compile(parm.tags["script_action"], parm.name, "exec")
        self.assertTrue(all(found.values()), found)

    def test_lists_are_there(self):
        _, _, nodes, files = houdini_format.check_library(next(p for p in self.assets if p.stem == "rbd_cvd"))
        self.assertIn("impact_at#x ../impact_at#x\n", files["hdaroot/fracture.multiparm"])
        self.assertIn("impact_use_speed# ../impact_use_speed#\n", files["hdaroot/fracture.multiparm"])
        self.assertIn("impact", nodes["fracture"].channels)

    def test_proxies_that_come_in_reach_the_third_output(self):
        for library in self.assets:
            _, _, nodes, _ = houdini_format.check_library(library)
            sources = lambda node: [row[1] for row in nodes[node].plain]
            self.assertEqual(sources("output2"), ["all_proxies"])
            self.assertEqual(sources("all_proxies"), ["keep_proxies", "unpack_proxies"])
            self.assertEqual(sources("keep_proxies"), ["proxies_in", "(0)"])
            self.assertEqual(sources("proxies_in"), ["(2)"])
            self.assertEqual(nodes["proxies_in"].type, "null")

    def test_the_tree_has_the_assets_as_the_registry_makes_them(self):
        """otls/ in the source tree; `hackle_houdini_package FOLDER` makes FOLDER/hackle/otls."""
        files = lambda root: {str(p.relative_to(root)): p.read_bytes() for p in root.rglob("*") if p.is_file()}
        self.assertEqual(files(SOURCE / "otls"), files(self.root / "hackle/otls"), "copy hackle/otls of a new package to otls/")

    def test_the_asset_of_simulations_has_the_parameters_of_the_node(self):
        described = json.loads((self.root / "hackle/simulation.json").read_text())
        parms, inputs, outputs = houdini_format.check_dialog(described["dialog_script"], described["type"])
        self.assertEqual((inputs, outputs), (2, 1))
        names = {parm.name for parm in parms}
        card = (self.root / "hackle/help/nodes/dop/hackle_fracture.txt").read_text()
        self.assertEqual(names, set(re.findall(r"#id: (\w+)", card)))
        self.assertGreater(len(names), 20)

    def test_the_description_is_of_the_same_assets(self):
        described = json.loads((self.root / "hackle/assets.json").read_text())
        described.sort(key=lambda asset: asset["name"])
        self.assertEqual([a["name"] for a in described], [p.stem for p in self.assets])
        for asset, library in zip(described, self.assets):
            operator, _, nodes, _ = houdini_format.check_library(library)
            self.assertEqual(asset["type"], operator)
            self.assertEqual([n["name"] for n in asset["nodes"]], list(nodes))
            for node in asset["nodes"]:
                self.assertEqual([row["name"] for row in node["settings"]], nodes[node["name"]].rows)


if __name__ == "__main__":
    unittest.main()
