"""Makes the assets of the package with Houdini's own calls, in the file format of the Houdini that runs it.

    hython examples/houdini/make_assets.py FOLDER     writes FOLDER/NAME.hda for every asset

The package describes them in assets.json; the same description is behind the expanded text in otls/. Called by ./run
houdini, which keeps the text where this fails. The package without a plug-in has its nodes as text, and only rbd_hackle is
made.
"""

import json
import os
import re
import sys

import hackle_tools
import hou


def connect(subnet, made, node):
    for index, source in enumerate(node["inputs"]):
        if not source:
            continue
        outer = re.fullmatch(r"\((\d+)\)", source)
        item = subnet.indirectInputs()[int(outer.group(1))] if outer else made[source]
        made[node["name"]].setInput(index, item)


def plain(text):
    """A stored value as Python has it: text in quotes, or a number."""
    if text.startswith('"'):
        text = text[1:-1].replace('\\"', '"').replace("\\n", "\n")
        return {"on": 1, "off": 0}.get(text, text)
    return float(text) if re.search(r"[.e]", text) else int(text)


def fill(node, rows):
    """Values, and links to the asset's parameters of the same names."""
    for row in rows:
        if not row["follows"]:
            node.parm(row["name"]).set(plain(row["values"][0]))
            continue
        for channel, value in zip(row["follows"], row["values"]):
            parm = node.parm(channel)
            call = "chs" if value.startswith('"') else "ch"
            if call == "chs":
                parm.set(f'`chs("../{channel}")`')
            else:
                parm.setExpression(f'ch("../{channel}")', hou.exprLanguage.Hscript)


def make(asset, place, folder):
    subnet = place.createNode("subnet", asset["name"])
    made = {node["name"]: subnet.createNode(node["type"], node["name"]) for node in asset["nodes"]}
    for node in asset["nodes"]:
        connect(subnet, made, node)
    path = os.path.join(folder, asset["name"] + ".hda")
    digital = subnet.createDigitalAsset(name=asset["type"], hda_file_name=path, description=asset["label"],
                                        min_num_inputs=asset["required_inputs"], max_num_inputs=len(asset["inputs"]),
                                        ignore_external_references=True)
    definition = digital.type().definition()
    group = hou.ParmTemplateGroup()
    group.setToDialogScript(asset["dialog_script"])
    definition.setParmTemplateGroup(group)
    definition.setMaxNumOutputs(len(asset["outputs"]))
    definition.addSection("IconSVG", asset["icon"])
    if asset["state"]:
        definition.addSection("DefaultState", asset["state"])
    definition.setIcon(f"opdef:/{digital.type().nameWithCategory()}?IconSVG")
    # The links need the asset's parameters, which are there now.
    digital.allowEditingOfContents()
    for node in asset["nodes"]:
        inner = digital.node(node["name"])
        fill(inner, node["settings"])
        for link in node["links"]:
            hou.hscript(f"opmultiparm {inner.path()} '{link}' '../{link}'")
    digital.node(asset["shown"]).setDisplayFlag(True)
    digital.node(asset["shown"]).setRenderFlag(True)
    definition.updateFromNode(digital)
    digital.matchCurrentDefinition()
    return path


def main(folder, description=None):
    description = description or os.path.join(os.environ["HACKLE"], "assets.json")
    os.makedirs(folder, exist_ok=True)
    place = hou.node("/obj").createNode("geo", "assets")
    assets = []
    if os.path.exists(description):
        with open(description) as file:
            assets = json.load(file)
    made = [make(asset, place, folder) for asset in assets]
    with open(os.path.join(os.path.dirname(description), "simulation.json")) as file:
        simulation = json.load(file)
    try:
        made.append(hackle_tools.make_rbd_hackle(place, os.path.join(folder, "rbd_hackle.hda"), simulation["dialog_script"],
                                                 simulation["icon"]))
    except hou.OperationFailed as why:
        # The other assets are of use without it, and the shelf tool makes its nodes by themselves.
        print(f"make_assets: rbd_hackle cannot be made: {why}", file=sys.stderr)
    return made


if __name__ == "__main__":
    for name in main(sys.argv[1]):
        print(name)
