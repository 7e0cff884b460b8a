#!/bin/sh
# Compares the time to convert OBJ to GLB with `assimp export` of the same file. The two programs run alternately; whole
# processes are measured.
#
#     benches/assimp.sh [ROUNDS]      default: 11 rounds
#
# python3 writes the file: a grid of 448 by 448 vertices (200,704) with texture coordinates, normals and 399,618
# triangles. `meshspec` is the release build. `assimp` is from Debian's package assimp-utils; if missing, apt-get
# installs it, which requires root. Prints each round, and the median ratio of wall times. Not part of .ci/run, since it
# needs network access and an idle machine.
set -eu
cd "$(dirname "$0")/.."
rounds=${1:-11}

command -v assimp >/dev/null || { apt-get update && apt-get install -y assimp-utils; }
cargo build --locked --release --package meshspec-cli
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

python3 - "$PWD/target/release/meshspec" "$folder" "$rounds" <<'PYTHON'
import math, os, statistics, subprocess, sys, time

program, folder, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3])
side = 448
source = os.path.join(folder, "grid.obj")

with open(source, "w") as file:
    points = [(x / side, z / side) for z in range(side) for x in range(side)]
    for x, z in points:
        file.write(f"v {x:.6f} {math.sin(20 * x) * math.cos(20 * z) / 10:.6f} {z:.6f}\n")
    for x, z in points:
        file.write(f"vt {x:.6f} {z:.6f}\n")
    for x, z in points:
        slope = (-2 * math.cos(20 * x) * math.cos(20 * z), 1, 2 * math.sin(20 * x) * math.sin(20 * z))
        length = math.hypot(*slope)
        file.write("vn " + " ".join(f"{s / length:.6f}" for s in slope) + "\n")
    for z in range(side - 1):
        for x in range(side - 1):
            first = z * side + x + 1
            for face in ((first, first + side, first + 1), (first + 1, first + side, first + side + 1)):
                file.write("f " + " ".join(f"{corner}/{corner}/{corner}" for corner in face) + "\n")


def seconds(command, target):
    if os.path.exists(target):
        os.remove(target)
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    duration = time.perf_counter() - start
    with open(target, "rb") as file:
        assert file.read(4) == b"glTF", command
    return duration


own, other = (os.path.join(folder, name) for name in ("meshspec.glb", "assimp.glb"))
ratios = []
for index in range(rounds):
    ours = seconds([program, "convert", source, own], own)
    theirs = seconds(["assimp", "export", source, other], other)
    ratios.append(theirs / ours)
    print(f"round {index + 1}: meshspec {ours:.3f} s, assimp {theirs:.3f} s, {theirs / ours:.1f} times as fast")
size = os.path.getsize(source)
print(f"median of {rounds} rounds, {side * side} vertices, {size} bytes: {statistics.median(ratios):.1f} times as fast")
PYTHON
