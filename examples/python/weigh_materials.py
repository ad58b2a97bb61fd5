"""What does a goblet weigh in each material? Loops over the material presets and writes a table.

    PYTHONPATH=build/python python3 examples/python/weigh_materials.py out
"""

import csv
import sys
from pathlib import Path

import hackle


def main(out_dir):
    goblet = hackle.model("goblet")
    rows = []
    for name, material in hackle.materials().items():
        report = {}
        hackle.measure(goblet, preset=name, report=report)
        rows.append({"material": name, "density": material["density"], "mass": report["result"]["mass"]})
    rows.sort(key=lambda row: row["mass"])
    table = Path(out_dir) / "goblet_mass.csv"
    with open(table, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    for row in rows:
        print(f"{row['material']:10} {row['density']:6.0f} kg/m^3 {row['mass']:9.4f} kg")
    return rows


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else ".")
