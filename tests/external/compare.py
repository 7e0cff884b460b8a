"""Compares the triangles that meshspec writes with those that trimesh reads.

Usage: compare.py INTERCHANGE SAMPLES [FIXTURES]
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy
import trimesh


def files(samples, fixtures):
    yield from sorted(path for path in Path(samples).rglob("*") if path.is_file())
    if fixtures:
        for entry in json.loads(Path(fixtures, "index.json").read_text()):
            if entry["strict"] == "accept":
                yield Path(fixtures, entry["file"])


def convert(program, path, out):
    """The triangles as floats of 32 bits; None for a format that is not built in, or a mesh that is not finite."""
    result = subprocess.run([program, path, out], capture_output=True, text=True)
    if result.returncode != 0:
        return None, result.stderr.strip()
    triangles = numpy.array(json.loads(result.stdout.replace("inf", "Infinity")))
    return triangles.astype(numpy.float32).reshape(-1, 3, 3), ""


def main():
    program, samples, *rest = sys.argv[1:]
    compared, skipped, wrong = 0, [], []
    with tempfile.TemporaryDirectory() as folder:
        for path in files(samples, rest[0] if rest else None):
            for extension in ("obj", "ply", "stl"):
                out = Path(folder, f"out.{extension}")
                expected, problem = convert(program, path, out)
                if expected is None:
                    skipped.append(f"{path} -> {extension}: {problem}")
                    continue
                if len(expected) == 0:
                    continue
                read = trimesh.load(out, process=False, force="mesh", skip_materials=True)
                got = numpy.asarray(read.triangles, dtype=numpy.float32)
                compared += 1
                # trimesh may put the meshes of a file in another order.
                same = got.shape == expected.shape and numpy.array_equal(order(got), order(expected), equal_nan=True)
                if not same:
                    wrong.append(f"{path} -> {extension}: {len(expected)} triangles, trimesh reads {len(got)}")
    print(*skipped, *wrong, sep="\n")
    print(f"{compared} files compared, {len(skipped)} not converted, {len(wrong)} wrong")
    return 1 if wrong or compared == 0 else 0


def order(triangles):
    flat = triangles.reshape(-1, 9)
    return flat[numpy.lexsort(flat.T)]


sys.exit(main())
