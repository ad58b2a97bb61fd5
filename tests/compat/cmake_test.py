"""The build files use nothing newer than the CMake that they ask for: 3.20 is what the oldest systems that run Houdini have, and
Debian has no such CMake to try. Usage: cmake_test.py SOURCE_DIR

CMake's own manual (`cmake --help-full`) says with which version each command, option, variable, property, policy, module and
generator expression came. What came later than the minimum must not occur. Behaviour follows by policies: a minimum
without a range leaves every policy after 3.20 as it was then, also in the newer CMake that runs here.
"""
import pathlib
import re
import subprocess
import sys
import unittest

SOURCE = pathlib.Path(sys.argv.pop()).resolve()
MINIMUM = (3, 20)
OLDER_TOO = {"SYSTEM"}  # a property since 3.25, an option of target_include_directories since 2.8
ADDED = re.compile(r"^(\d+\.|\*|#\.)?\s*\.\. versionadded:: (\d+)\.(\d+)")
HEADING = re.compile(r"^([-=*#^~\"])\1+$")


def is_newer(line):
    match = ADDED.match(line)
    return bool(match) and (int(match.group(2)), int(match.group(3))) > MINIMUM


class Manual:
    """What came after the minimum: names that mean something anywhere, and options of commands."""

    def __init__(self, text):
        self.names, self.expressions = set(), set()
        self.options = {"add_subdirectory": {"SYSTEM"}}  # 3.25; the manual does not mark it
        lines = text.splitlines()
        section = ""
        for i, line in enumerate(lines):
            if HEADING.match(line) and i and lines[i - 1] and len(lines[i - 1]) <= len(line) and line[0] == "-":
                section = lines[i - 1]
            if is_newer(line):
                self.note(section, lines, i)

    def note(self, section, lines, i):
        above = [line for line in lines[max(0, i - 12):i] if line.strip()]
        last = above[-1] if above else ""
        if HEADING.match(last) and above[-2] == section:
            self.names.add(section)
            return
        expression = re.match(r"\s*\.\. genex:: \$<([A-Z_]+)", last) or re.match(r"\s*``\$<([A-Z_]+)", last)
        if expression:
            self.expressions.add(expression.group(1))
            return
        if not re.fullmatch(r"[a-z_]+", section):
            return
        # An option is defined above, or named by the note itself, or the first word of a signature above.
        indented = lines[i].startswith((" ", "\t"))
        own = []
        for line in lines[i + 1:]:
            if not line.startswith(" "):
                break
            own.append(line)
        defined = re.match(r"\s*``(?:if\([^)]*> )?([A-Z][A-Z_]+)\b", last) if indented else None
        words = [defined.group(1)] if defined else re.findall(r"``([A-Z][A-Z_]{2,})``", " ".join(own)) if not indented else []
        if not indented and not "".join(own[:1]).strip():
            near = " ".join([*above[-4:], *lines[i + 1:i + 8]])
            words = re.findall(rf"\b{section}\(\s*([A-Z][A-Z_]+)", near) or re.findall(r"\[([A-Z][A-Z_]+) <", near)
        self.options.setdefault(section, set()).update(words)


def code(path):
    return re.sub(r"(?m)#(?!\[).*$", "", path.read_text())


def calls(text):
    for match in re.finditer(r"(?m)\b(\w+)\s*\(", text):
        depth, end = 1, match.end()
        while depth and end < len(text):
            depth += {"(": 1, ")": -1}.get(text[end], 0)
            end += 1
        yield match.group(1).lower(), text[match.end():end - 1]


def newer(text, manual):
    """What of a build file the minimum does not have."""
    words = set(re.findall(r"\w+", text))
    found = {name for name in words & manual.names - OLDER_TOO if not name.islower() or re.search(rf"(?m)^\s*{name}\s*\(", text)}
    for command, arguments in calls(text):
        found |= {f"{command}({option})" for option in manual.options.get(command, ())
                  if re.search(rf"(?<![\w$<{{]){option}(?![\w>}}])", arguments)}
    return found | {f"$<{name}" for name in manual.expressions if f"$<{name}:" in text or f"$<{name}>" in text}


class OldCMake(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.manual = Manual(subprocess.run(["cmake", "--help-full"], capture_output=True, text=True, check=True).stdout)

    def files(self):
        paths = [path for name in ("CMakeLists.txt", "*.cmake", "*.cmake.in") for path in SOURCE.rglob(name)
                 if not any(part.startswith(("build", "out")) for part in path.relative_to(SOURCE).parts)]
        self.assertGreater(len(paths), 10)
        return paths

    def test_nothing_is_newer_than_the_minimum(self):
        for path in self.files():
            self.assertEqual(newer(code(path), self.manual), set(), path.relative_to(SOURCE))

    def test_all_ask_for_that_version_and_no_later_policies(self):
        for path in self.files():
            for wanted, range_end in re.findall(r"cmake_minimum_required\(\s*VERSION\s+([\d.]+?)(\.\.\.\S+)?\s*\)", code(path)):
                self.assertLessEqual(tuple(map(int, wanted.split(".")[:2])), MINIMUM, path)
                self.assertEqual(range_end, "", f"{path}: a range sets policies of newer versions")

    def test_the_package_is_not_configured_by_a_preset(self):
        """Presets of this version need CMake 3.25."""
        body = re.search(r"(?ms)^houdini\(\) \{.*?^\}", (SOURCE / "run").read_text()).group(0)
        self.assertNotIn("--preset", body)

    def test_the_checker_finds_what_is_newer(self):
        for text in ("block(SCOPE_FOR VARIABLES)", "cmake_policy(SET CMP0135 NEW)", "target_sources(x PUBLIC FILE_SET HEADERS)",
                     "add_subdirectory(a SYSTEM)", "set(CMAKE_COMPILE_WARNING_AS_ERROR ON)", "if(PROJECT_IS_TOP_LEVEL)",
                     "find_library(q qhull_r NO_CACHE)", "return(PROPAGATE x)", "file(COPY_FILE a b)",
                     "cmake_language(GET_MESSAGE_LOG_LEVEL l)", 'target_link_libraries(a "$<LINK_GROUP:RESCAN,b,c>")'):
            self.assertNotEqual(newer(text, self.manual), set(), text)
        self.assertEqual(newer("cmake_path(GET p FILENAME n)\ncmake_policy(SET CMP0115 NEW)\nadd_subdirectory(systems)\n"
                               "target_sources(x PRIVATE a.cpp)\nfile(COPY a DESTINATION b)\nreturn()", self.manual), set())


if __name__ == "__main__":
    unittest.main()
