"""Keeps the medians of benchmark results: record.py FOLDER_OF_JSON OUT.json. Programs without a new result keep their old one."""
import json
import pathlib
import sys

folder, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
result = {"command": "./run bench --record", "machine": {}, "medians": {}}
if out.exists():
    result["medians"] = json.loads(out.read_text())["medians"]
for path in sorted(folder.glob("*.json")):
    data = json.loads(path.read_text())
    context = data["context"]
    result["machine"] = {"cpus": context["num_cpus"], "mhz": context["mhz_per_cpu"], "build": context["library_build_type"]}
    rows = {}
    for row in data["benchmarks"]:
        once = row.get("run_type") == "iteration" and row.get("repetitions") == 1
        if row.get("aggregate_name") != "median" and not once:
            continue
        kept = {"real": round(row["real_time"], 4), "cpu": round(row["cpu_time"], 4), "unit": row["time_unit"]}
        known = {"name", "family_index", "per_family_instance_index", "run_name", "run_type", "repetitions", "threads",
                 "aggregate_name", "aggregate_unit", "repetition_index", "iterations", "real_time", "cpu_time", "time_unit", "label"}
        for key, value in row.items():
            if key not in known:
                kept[key] = round(value, 4) if isinstance(value, float) else value
        rows[row["run_name"]] = kept
    result["medians"][path.stem] = rows
result["medians"] = dict(sorted(result["medians"].items()))
out.parent.mkdir(parents=True, exist_ok=True)
out.write_text(json.dumps(result, indent=1) + "\n")
print(f"kept in {out}")
