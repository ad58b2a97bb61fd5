"""Fails if any C++ file differs from what clang-format would write. Usage: format.py SOURCE_DIR"""
import pathlib
import subprocess
import sys

root = pathlib.Path(sys.argv[1]).resolve()
files = sorted(
    str(path)
    for folder in ("lib", "cli", "python", "sop", "dop", "tests", "examples")
    for path in (root / folder).rglob("*")
    if path.suffix in {".h", ".cpp"}
)
result = subprocess.run(["clang-format", "--dry-run", "--Werror", *files], capture_output=True, text=True)
if result.returncode != 0:
    bad = sorted({line.split(":")[0] for line in result.stderr.splitlines() if "error:" in line})
    print("not clang-formatted (clang-format -i FILE mends it):", *bad, sep="\n  ")
    sys.exit(1)
print(f"{len(files)} files are clang-formatted")
