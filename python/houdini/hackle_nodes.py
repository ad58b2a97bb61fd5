"""The Hackle nodes without a plug-in: what the Python SOPs in their assets call.

Geometry goes to the program `hackle` and back as .bgeo files in a temporary folder. The program stays for as long as
Houdini runs (`hackle __worker`, a pipe in each direction), so what it precomputed for a node is found again at the next
cook. A crash or a lack of memory ends the program and is an error of the node, nothing more; the next cook starts it
anew. Needs no compiled module and any Python from 3.7.
"""

import atexit
import hashlib
import json
import os
import select
import subprocess
import tempfile
import threading

import hou

_POLL = 0.05  # seconds between looks for Esc


class Failed(Exception):
    """What the node shows as its error."""


class Interrupted(Exception):
    """The user pressed Esc."""


def program():
    """The path of `hackle`: HACKLE_PROGRAM, or that of the package."""
    return os.environ.get("HACKLE_PROGRAM") or os.path.join(os.environ.get("HACKLE", ""), "bin", "hackle")


class Worker:
    """One running program. Calls from several threads wait for each other."""

    def __init__(self):
        try:
            self._process = subprocess.Popen([program(), "__worker"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        except OSError as why:
            raise Failed(f"the program {program()} cannot be started: {why.strerror}. Remedy: set HACKLE_PROGRAM to the "
                         "path of hackle") from None
        self._lock = threading.Lock()
        self._number = 0
        self._rest = b""

    def alive(self):
        return self._process.poll() is None

    def end(self):
        if self.alive():
            self._process.stdin.close()
            try:
                self._process.wait(timeout=2)
            except subprocess.TimeoutExpired:
                self._process.kill()
        self._process.stdout.close()

    def run(self, session, words, progress):
        """The report of a command. `progress(stage, fraction)` is asked often and returns False to stop."""
        with self._lock:
            self._number += 1
            number = str(self._number)
            self._send("run", number, session, *words)
            stopping, stage, fraction = False, "", 0.0
            while True:
                for line in self._lines():
                    if line.get("id") != number:
                        continue
                    if "report" in line:
                        if stopping:
                            raise Interrupted
                        return line["report"]
                    stage, fraction = line["stage"], line["fraction"]
                if not stopping and not progress(stage, fraction):
                    stopping = True
                    self._send("cancel", number)

    def _send(self, *words):
        escaped = (w.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n") for w in words)
        try:
            self._process.stdin.write(("\t".join(escaped) + "\n").encode())
            self._process.stdin.flush()
        except OSError:
            self._gone()

    def _lines(self):
        """What came in within a moment."""
        out = self._process.stdout
        if not select.select([out], [], [], _POLL)[0]:
            return []
        data = os.read(out.fileno(), 1 << 16)
        if not data:
            self._gone()
        *lines, self._rest = (self._rest + data).split(b"\n")
        return [json.loads(line) for line in lines]

    def _gone(self):
        code = self._process.wait()
        reason = f"signal {-code}" if code < 0 else f"exit code {code}"
        raise Failed(f"the program hackle ended ({reason}). Remedy: if memory ran out, use a lower resolution; else report "
                     "this with the input")


_workers = {}
_workers_lock = threading.Lock()


def worker(session):
    """That of a node. Nodes that cook at once have programs of their own, at most four."""
    slot = int(hashlib.md5(session.encode()).hexdigest(), 16) % 4
    with _workers_lock:
        known = _workers.get(slot)
        if known is None or not known.alive():
            known = _workers[slot] = Worker()
        return known


def end_workers():
    with _workers_lock:
        for known in _workers.values():
            known.end()
        _workers.clear()
    for kept in _kept.values():
        kept.folder.cleanup()
    _kept.clear()


atexit.register(end_workers)


# Parameters ------------------------------------------------------------------------------------------------------------


_operators = None


def describe(operator):
    """The table of an operator, from operators.json of the package."""
    global _operators
    if _operators is None:
        with open(os.path.join(os.environ["HACKLE"], "operators.json")) as file:
            _operators = {row["id"]: row for row in json.load(file)}
    return _operators[operator]


def _text(node, row, name):
    """The value of a parameter as the command line takes it."""
    kind = row["type"]
    if kind in ("vector", "colour"):
        return ",".join(repr(value) for value in node.parmTuple(name).eval())
    parm = node.parm(name)
    if kind == "toggle":
        return "on" if parm.eval() else "off"
    if kind == "ramp":
        ramp = parm.eval()
        return ",".join(f"{key!r}:{value!r}" for key, value in zip(ramp.keys(), ramp.values()))
    if kind in ("float", "int"):
        return repr(parm.eval())
    return parm.evalAsString()


def _is_set(node, row, prefix="", suffix=""):
    """False where a toggle leaves the parameter to its preset, or not set at all."""
    switch = node.parm(f"{prefix}use_{row['name']}{suffix}")
    if switch is None or switch.eval():
        return True
    return bool(row.get("preset")) and not row["optional"] and node.parm(row["preset"]).evalAsString() in row["empty_presets"]


def words_of(node, operator):
    """The parameters of a node as words of a command line; greyed ones have no say."""
    words = []
    for row in describe(operator)["parameters"]:
        name = row["name"]
        flag = "--" + name.replace("_", "-")
        if row["type"] == "list":
            for number in range(1, node.parm(name).eval() + 1):
                words.append(flag)
                for field in row["fields"]:
                    own = f"{name}_{field['name']}{number}"
                    if _is_set(node, field, name + "_", str(number)):
                        words.append(f"{field['name']}={_text(node, field, own)}")
            continue
        parms = node.parmTuple(name)
        if not _is_set(node, row) or parms[0].isDisabled():
            continue
        text = _text(node, row, name)
        if text != row["default"]:
            words += [flag, text]
    return words


# Cooking ---------------------------------------------------------------------------------------------------------------


class _Kept:
    """The results of a node's last run, so that its other outputs need no other."""

    def __init__(self):
        self.key, self.folder, self.report = None, None, None


_kept = {}


def _temporary():
    memory = "/dev/shm"
    parent = memory if os.path.isdir(memory) and os.access(memory, os.W_OK) else None
    return tempfile.TemporaryDirectory(prefix="hackle_", dir=parent)


def _write_inputs(geometries, folder):
    """(words, digest): a file per input, "-" where nothing is connected."""
    words, digest = [], hashlib.md5()
    for index, geometry in enumerate(geometries):
        if geometry is None:
            words.append("-")
            digest.update(b"-")
            continue
        path = os.path.join(folder, f"input{index}.bgeo")
        geometry.saveToFile(path)
        with open(path, "rb") as file:
            for block in iter(lambda: file.read(1 << 20), b""):
                digest.update(block)
        words.append(path)
    while words and words[-1] == "-":
        words.pop()
    return words, digest.hexdigest()


def run(session, operator, geometries, words, progress):
    """(report, files by output) of an operator. The same run again gives the files that are there."""
    ports = [port["name"] for port in describe(operator)["outputs"] if port["type"] == "geometry"]
    folder = _temporary()
    inputs, digest = _write_inputs(geometries, folder.name)
    key = (operator, digest, tuple(words))
    kept = _kept.get(session) or _Kept()
    if kept.key == key:
        folder.cleanup()
        return kept.report, {port: os.path.join(kept.folder.name, port + ".bgeo") for port in ports}
    files = {port: os.path.join(folder.name, port + ".bgeo") for port in ports}
    outputs = ["-o", *(files[port["name"]] if port["name"] in files else "-" for port in describe(operator)["outputs"])]
    try:
        report = worker(session).run(session, [operator, *inputs, *(outputs if files else []), *words], progress)
        if "error" in report:
            error = report["error"]
            raise Failed(error["message"] + (f". Remedy: {error['remedy']}" if error["remedy"] else ""))
    except BaseException:
        folder.cleanup()
        raise
    if kept.folder is not None:
        kept.folder.cleanup()
    kept.key, kept.folder, kept.report = key, folder, report
    _kept[session] = kept
    return report, files


def cook(node):
    """What the Python SOP inside an asset does: node is that SOP, its parent the asset."""
    asset = node.parent()
    operator = asset.type().nameComponents()[2]
    geometries = [source.geometry() if source is not None else None for source in node.inputs()]
    streams = [port["name"] for port in describe(operator)["outputs"] if port["type"] == "geometry"]
    chosen = asset.parm("hackle_stream")
    stream = chosen.evalAsString() if chosen is not None else (streams or [None])[0]
    try:
        with hou.InterruptableOperation("Hackle: " + describe(operator)["label"], open_interrupt_dialog=True) as operation:

            def progress(stage, fraction):
                try:
                    operation.updateProgress(fraction)
                except hou.OperationInterrupted:
                    return False
                return True

            report, files = run(asset.path(), operator, geometries, words_of(asset, operator), progress)
    except Interrupted:
        raise hou.NodeWarning(describe(operator)["label"] + " was interrupted") from None
    except Failed as why:
        raise hou.NodeError(str(why)) from None
    geometry = node.geometry()
    geometry.clear()
    if stream is not None:
        geometry.loadFromFile(files[stream])
    if report["warnings"]:
        raise hou.NodeWarning("\n".join(report["warnings"]))
