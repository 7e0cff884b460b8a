"""Compares the triangles that meshspec writes with the triangles that trimesh reads.

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
    """Converts a file. Returns its triangles as 32-bit floats, or the error message."""
    result = subprocess.run([program, path, out], capture_output=True, text=True)
    if result.returncode != 0:
        return None, result.stderr.strip()
    triangles = numpy.array(json.loads(result.stdout.replace("inf", "Infinity")))
    return triangles.astype(numpy.float32).reshape(-1, 3, 3), ""


# Disabled formats, inconsistent documents, and positions that OBJ cannot express.
EXPECTED_PROBLEMS = ("not a file of a known format", "no scene", "is not finite")


def has_faces_of_several_sizes(obj):
    lines = obj.read_text().splitlines() if obj.exists() else []
    return len({len(line.split()) for line in lines if line.startswith("f ")}) > 1


def main():
    program, samples, *rest = sys.argv[1:]
    compared, skipped, wrong = 0, 0, []
    with tempfile.TemporaryDirectory() as folder:
        for path in files(samples, rest[0] if rest else None):
            for extension in ("obj", "ply", "stl"):
                out = Path(folder, f"out.{extension}")
                out.unlink(missing_ok=True)
                expected, problem = convert(program, path, out)
                if any(words in problem for words in EXPECTED_PROBLEMS) or expected is not None and len(expected) == 0:
                    skipped += 1
                    continue
                if expected is None:
                    wrong.append(f"{path} -> {extension}: {problem}")
                    continue
                if extension == "ply" and has_faces_of_several_sizes(Path(folder, "out.obj")):
                    # trimesh reads binary PLY only if all lists have the same length.
                    skipped += 1
                    continue
                meshes = trimesh.load_scene(out, process=False, skip_materials=True).geometry.values()
                got = numpy.concatenate([mesh.triangles for mesh in meshes]).astype(numpy.float32)
                compared += 1
                # trimesh may reorder the meshes of a file.
                same = got.shape == expected.shape and numpy.array_equal(order(got), order(expected), equal_nan=True)
                if not same:
                    wrong.append(f"{path} -> {extension}: {len(expected)} triangles, trimesh reads {len(got)}")
    print(*wrong, sep="\n", end="\n" if wrong else "")
    print(f"{compared} files compared, {skipped} without triangles or not convertible, {len(wrong)} wrong")
    return 1 if wrong or compared == 0 else 0


def order(triangles):
    """Sorts triangles, each rotated to its smallest corner first, since trimesh splits quads at another corner."""
    first = numpy.lexsort((triangles[..., 2], triangles[..., 1], triangles[..., 0]), axis=1)[:, :1]
    places = (first + numpy.arange(3)) % 3
    flat = numpy.take_along_axis(triangles, places[..., None], axis=1).reshape(-1, 9)
    return flat[numpy.lexsort(flat.T)]


sys.exit(main())
