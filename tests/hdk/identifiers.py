"""The HDK identifiers that sop/ uses, read from the double's headers, where each stands after a comment
`//@ page[; note]` that names the documentation page with its signature.

    identifiers.py SOURCE_DIR             fails where sop/ and the double use what is not so marked, or the list is old
    identifiers.py SOURCE_DIR --write     writes tests/hdk/IDENTIFIERS.md
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1]).resolve()
HEADERS = ROOT / "tests/hdk/include"
LIST = ROOT / "tests/hdk/IDENTIFIERS.md"
PREFIXED = re.compile(r"\b(?:UT|GA|GEO|GU|GOP|OP|PRM|SOP|SIM|GAS|SYS|CH)_\w+|\b(?:UT|GA|GEO|GU)[a-z]\w+(?=\()|\b(?:exint|fpreal(?:32|64)?|int32|int64)\b")
OURS = re.compile(r"(?:SOP|GAS)_Hackle\w*$")


def name_of(statement):
    """The identifier that a declaration introduces."""
    text = re.sub(r'^template\s*<[^>]*>\s*|^extern "C" __attribute__\(\(.*?\)\)\) ', "", statement.strip())
    for pattern in (r"(?:class|struct|enum)\s+(\w+)", r"typedef\s+OP_Node\*\s*\(\*(\w+)\)", r"typedef\s.*\b(\w+)\s*;"):
        if found := re.match(pattern, text):
            return found.group(1)
    if re.match(r"enum\s*\{", text):
        return None
    if "operator" in text:
        return re.search(r"operator\s*(\(\)|\S+?)(?=\()", text).group(0).replace(" ", "")
    if (call := re.search(r"(\w+)\s*\(", text)) and "=" not in text[: call.start()]:
        return call.group(1)
    return re.findall(r"\w+", re.split(r"[=\[;,{]", text)[0])[-1]


def declarations():
    """(identifier with its class, declaration, page, note) of every marked line."""
    rows = []
    for path in sorted(HEADERS.rglob("*.h")):
        scope, mark, statement = [], None, ""
        for line in path.read_text().splitlines():
            indent = len(line) - len(line.lstrip())
            while scope and indent <= scope[-1][0] and line.strip().startswith("}"):
                scope.pop()
            if found := re.match(r"\s*//@\s*([^;]+)(?:;\s*(.*))?$", line):
                mark, statement = (found.group(1).strip(), found.group(2) or ""), ""
                continue
            if mark and not statement and (more := re.match(r"\s*// (.*)", line)):
                mark = (mark[0], f"{mark[1]} {more.group(1)}")
                continue
            if mark and (macro := re.match(r"#define (\w+)(\([^)]*\))?", line)):
                rows.append((macro.group(1), macro.group(0), *mark))
                mark = None
            if mark:
                statement += " " + line.split("//")[0].strip()
                if re.search(r"[;{,]\s*$|\{.*\}", line.split("//")[0]) and not re.search(r"\([^)]*$", statement) or \
                        re.fullmatch(r"\s*[A-Z_0-9]+( = \w+)?", line):
                    if not statement.strip().startswith("template") or re.search(r"[;{]", statement):
                        name = name_of(statement)
                        if name:
                            prefix = "".join(s[1] + "::" for s in scope if s[1])
                            declared = re.sub(r"\s+", " ", re.split(r"\{|\s:\s(?!:)", statement)[0].strip().rstrip(",;"))
                            rows.append((prefix + name, declared, *mark))
                        mark = None
            if found := re.match(r"\s*(?:class|struct)\s+(\w+)[^;]*\{\s*$", line):
                scope.append((indent, found.group(1)))
    return rows


def test_only(known):
    """Members that only the double has, but for names that Hackle's own types have too."""
    names = set()
    for path in HEADERS.rglob("*.h"):
        names |= set(re.findall(r"^\s{2,}[\w:<>*& ]+?[ *&](\w+)\([^)]*\)[^;{]*[;{]", path.read_text(), re.M))
    own = "\n".join(p.read_text() for folder in ("lib/hackle/geometry", "lib/hackle/core", "lib/hackle/ops", "lib/hackle/coupling", "sop", "dop")
                    for p in (ROOT / folder).glob("*.*"))
    return {n for n in names - known if not re.search(rf"\b{n}\(", own)}


def table(rows):
    out = ("# HDK identifiers that Hackle uses\n\nMade by `tests/hdk/identifiers.py . --write` from the double's headers; do not "
           "edit. A page is\nsidefx.com/docs/hdk/PAGE.html (stored copies of 2024 and 2025, that is Houdini 20.5 and 21; none of 19.5\n"
           "was at hand). Nothing here was compiled against a real HDK.\n\n| Identifier | Declaration | Page | Versions, doubts |\n"
           "| --- | --- | --- | --- |\n")
    seen = set()
    for name, declared, page, note in rows:
        row = f"| `{name}` | `{declared.replace('|', chr(92) + '|')}` | {page} | {note} |\n"
        if row not in seen:
            out += row
            seen.add(row)
    return out


def documented():
    """Signatures by page, and whether the page is complete, from documented_members.txt."""
    pages, page = {}, None
    for line in (ROOT / "tests/hdk/documented_members.txt").read_text().splitlines():
        if not line or line.startswith("#"):
            continue
        if re.fullmatch(r"[a-z_0-9]+ unread", line):
            continue
        if head := re.fullmatch(r"([a-z_0-9]+) (complete|partial)", line):
            page = pages.setdefault(head.group(1), (head.group(2) == "complete", []))
        else:
            page[1].append(line)
    return pages


def unlisted_pages(rows):
    """Pages that the double names and documented_members.txt does not; and pages there that nothing names."""
    listed = set(re.findall(r"^([a-z_0-9]+) (?:complete|partial|unread)$", (ROOT / "tests/hdk/documented_members.txt").read_text(), re.M))
    named = {page for _, _, page, _ in rows}
    return [f"{page} is not in documented_members.txt: read it, and list what the double has of it" for page in sorted(named - listed)] + \
           [f"{page} is in documented_members.txt, but the double has nothing of it" for page in sorted(listed - named)]


def same_signature(declared, known):
    """Equal but for spaces; the double may leave away defaults, and arguments at the end that have them."""
    bare = lambda text: re.sub(r"\s+", "", re.sub(r"^(virtual|explicit|static|template) ", "", text.strip()))
    own, page = bare(declared), bare(known)
    plain = lambda text: re.sub(r"=[^,()]+(\(\))?(?=[,)])", "", text)
    if own == page or own == plain(page) or own.split("=")[0] == page and "(" not in own:
        return True
    if not own.endswith(")") or not page.startswith(own[:-1] + ","):
        return False
    return all("=" in argument for argument in page[len(own):-1].split(","))


def wrong_signatures(rows):
    """What the double declares otherwise than the pages that were read."""
    found, pages = [], documented()
    for name, declared, page, _ in rows:
        declared = re.sub(r"^template <[^>]*> ", "", declared)
        if page not in pages or re.match(r"(?:class|struct|enum)\b", declared):
            continue
        complete, known = pages[page]
        last = name.split("::")[-1]
        alike = [line for line in known if re.search(rf"\b{re.escape(last)}(?!\w)", line)]
        if (complete or alike) and not any(same_signature(declared, line) for line in alike):
            found.append(f"{name}: the double has `{declared}`, the page {alike or 'nothing of that name'}")
    return found


def main():
    rows = declarations()
    if "--write" in sys.argv:
        LIST.write_text(table(rows))
        return
    failures = []
    known = {name.split("::")[-1] for name, *_ in rows}
    for name, _, page, _ in rows:
        if not re.fullmatch(r"[a-z_0-9]+", page):
            failures.append(f"{name}: {page} is not the name of a page")
    failures += wrong_signatures(rows) + unlisted_pages(rows)
    helpers = test_only(known)
    used = set()
    for path in sorted([*(ROOT / "sop").glob("*.[hc]*"), *(ROOT / "dop").glob("*.[hc]*")]):
        text = re.sub(r'"(?:\\.|[^"\\])*"|//[^\n]*|#include[^\n]*', "", path.read_text())
        names = set(PREFIXED.findall(text)) | (set(re.findall(r"(?:\.|->)(\w+)\s*\(", text)) & helpers)
        for header in re.findall(r"#include <((?:UT|GA|GEO|GU|OP|PRM|SOP|SIM|GAS|SYS)/\w+\.h)>", path.read_text()):
            if not (HEADERS / header).exists():
                failures.append(f"{path.name} includes {header}, which the double does not have")
        used |= set(re.findall(r"\w+", text))
        for name in sorted(names):
            if name not in known and not OURS.match(name):
                failures.append(f"{path.name} uses {name}, which no marked declaration of the double has")
    for name, *_ in rows:
        last = name.split("::")[-1]
        if last not in used and not last.startswith("operator") and last not in BASES:
            failures.append(f"{name} is in the double, but sop/ does not use it")
    if not LIST.exists() or LIST.read_text() != table(rows):
        failures.append("tests/hdk/IDENTIFIERS.md is old: run tests/hdk/identifiers.py . --write")
    print("\n".join(failures) or f"{len(rows)} declarations, all with their page")
    sys.exit(bool(failures))


# Types that stand behind those we name.
BASES = {"UT_StringRef", "UT_Array", "GA_Group", "GA_GroupTable", "GA_Detail", "GEO_Detail", "UT_Interrupt", "GA_PolyCounts",
         "UTgetInterrupt", "UT_ErrorSeverity", "SOP_NodeFlags", "GA_AttributeScope", "GA_DataId", "GA_PointGroup",
         "GA_VertexGroup", "GA_PrimitiveGroup", "GA_Primitive", "OP_Constructor", "UT_ISTREAM_READTYPE", "UT_ColorNode",
         "UT_OptionEntry", "UT_FRGBA", "GEO_VolumeVis", "GA_ConstDetailHandle", "GU_ConstDetailHandle", "SOP_ErrorCodes", "GA_AIFNumericArray", "SIM_ErrorCodes", "GA_EdgeGroupTable", "SIM_Data", "SIM_RootData", "SIM_Options", "SIM_OptionsUser",
         "SIM_DATA_GET", "GA_AttributeSet", "SIM_Relationship"}

if __name__ == "__main__":
    main()
