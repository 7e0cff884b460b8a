#!/bin/sh
# Measures the peak memory and the time of the program's commands on large files of each binary format.
#
#     benches/memory.sh [PROGRAM...]      default: the release build of this tree
#
# python3 writes a wavy sheet as PLY, from which each program converts its files: about 100 MB of MESH and Crucible, 20 MB
# of BMD and IyMA. Prints the peak resident memory of each command as a multiple of the file, and its seconds; with several
# programs, one column for each, measured in turn. Not part of .ci/run, since it needs an idle machine and 8 GB of memory.
set -eu
cd "$(dirname "$0")/.."

if [ $# -eq 0 ]; then
    cargo build --locked --release --package meshspec-cli
    set -- "$PWD/target/release/meshspec"
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

python3 - "$folder" "$@" <<'PYTHON'
import array, math, os, subprocess, sys, time

folder, programs = sys.argv[1], sys.argv[2:]
SECONDS = 300


def write_sheet(path, side):
    """Writes a sheet of side² vertices with normals and texture coordinates."""
    vertices, faces = array.array("f"), bytearray()
    waves = [(math.sin(20 * i / side), math.cos(20 * i / side)) for i in range(side)]
    for z, (sine_z, cosine_z) in enumerate(waves):
        for x, (sine_x, cosine_x) in enumerate(waves):
            # Noise, so that packed files are not much smaller than their content.
            noise = (x * 7919 + z * 104729) % 1009 / 100_000
            normal = (-2 * cosine_x * cosine_z, 1, 2 * sine_x * sine_z)
            length = math.sqrt(sum(n * n for n in normal))
            vertices.extend((x / side, sine_x * cosine_z / 10 + noise, z / side))
            vertices.extend(n / length for n in normal)
            vertices.extend((x / side, z / side))
    corners = array.array("i", (0, 0, 0))
    for z in range(side - 1):
        for x in range(side - 1):
            first = z * side + x
            for corners[0], corners[1], corners[2] in (
                (first, first + side, first + 1),
                (first + 1, first + side, first + side + 1),
            ):
                faces += b"\3" + corners.tobytes()
    names = "".join(f"property float {name}\n" for name in ("x", "y", "z", "nx", "ny", "nz", "s", "t"))
    with open(path, "wb") as file:
        file.write(
            f"ply\nformat binary_little_endian 1.0\nelement vertex {side * side}\n{names}"
            f"element face {2 * (side - 1) ** 2}\nproperty list uchar int vertex_indices\nend_header\n".encode()
        )
        file.write(vertices.tobytes())
        file.write(faces)


def measure(program, *arguments, out=None):
    """Runs a command. Returns its peak memory in bytes and its seconds; `None` if it takes too long."""
    stdout = open(out, "wb") if out else subprocess.DEVNULL
    start = time.perf_counter()
    child = subprocess.Popen([program, *arguments], stdout=stdout, stderr=subprocess.DEVNULL)
    while True:
        pid, status, usage = os.wait4(child.pid, os.WNOHANG)
        seconds = time.perf_counter() - start
        if pid:
            break
        if seconds > SECONDS:
            child.kill()
            os.wait4(child.pid, 0)
            return None
        time.sleep(0.005)
    # `diff` ends with status 1 if the files differ.
    code = os.waitstatus_to_exitcode(status)
    if code != 0 and not (code == 1 and arguments[0] == "diff"):
        sys.exit(f"{program} {' '.join(arguments)}: status {code}")
    # Linux counts in KiB.
    return usage.ru_maxrss * 1024, seconds


def rows(program, file, edit):
    """Yields the name, peak memory and time of each command on a file."""
    base = os.path.join(folder, "out")
    extension = os.path.splitext(file)[1]
    document, dump, other, page = base + ".json", base + ".jsonl", base + extension, base + ".html"
    yield "check", measure(program, "check", file)
    yield "convert to JSON", measure(program, "convert", file, document, "--force")
    yield "convert from JSON", measure(program, "convert", document, other, "--force")
    yield "dump --json", measure(program, "dump", file, "--json", out=dump)
    yield "assemble", measure(program, "assemble", dump, other, "--force")
    yield "edit", measure(program, "edit", file, other, "--force", "--set", edit)
    yield "diff", measure(program, "diff", file, other)
    yield "view", measure(program, "view", file, "--out", page, "--force")


LARGE, SMALL = (os.path.join(folder, name) for name in ("large.ply", "small.ply"))
write_sheet(LARGE, 1400)
write_sheet(SMALL, 800)
# The format, the sheet, and a value to edit.
FORMATS = [
    ("mesh", "mesh", LARGE, "vertices[7].position[1]=0.5"),
    ("crucible", "cmodel", LARGE, "chunks[0].aabb_min[0]=-1"),
    ("bmd", "bmd", SMALL, "header.resv1=1"),
    ("iyma", "ima", SMALL, "descriptor.meshes[0].first_index=3"),
]
for name, extension, sheet, edit in FORMATS:
    file = os.path.join(folder, "file." + extension)
    subprocess.run([programs[0], "convert", sheet, file, "--to", name, "--quiet"], check=True)
    size = os.path.getsize(file)
    print(f"{name}, {size / 1e6:.0f} MB", flush=True)
    for results in zip(*(rows(program, file, edit) for program in programs)):
        columns = [
            f"{peak[0] / size:7.1f} × file {peak[1]:7.1f} s" if peak else f"more than {SECONDS} s".rjust(24)
            for _, peak in results
        ]
        print(f"  {results[0][0]:<20}{''.join(columns)}", flush=True)
PYTHON
