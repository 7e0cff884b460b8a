#!/usr/bin/env bash
# Tests the pages of `meshspec view` in Chromium: no errors, no requests, and linked selections in all panes.
#
# Usage: tests/external/view/run.sh
#
# Requires cargo and node with npm. Installs the driver, pinned in package-lock.json, into $MESHSPEC_CACHE (default: the
# user's cache folder), and Debian's chromium if none is found. Saves screenshots of both themes and widths to
# target/view.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
cache=${MESHSPEC_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/meshspec}/view

mkdir -p "$cache"
# Node resolves packages relative to the scripts.
cp "$here"/package*.json "$here"/*.mjs "$cache/"
cp "$root/cli/src/view/tree.js" "$cache/tree.mjs"
npm ci --prefix "$cache" --no-audit --no-fund --loglevel=error

chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)
if [[ -z $chromium ]]; then
    sudo=$([[ $(id -u) -eq 0 ]] || echo sudo)
    $sudo apt-get update -qq
    $sudo apt-get install -y -qq chromium
    chromium=$(command -v chromium)
fi

cd "$root"
cargo build --quiet -p meshspec-cli
target=$(cargo metadata --format-version 1 --no-deps | python3 -c 'import json, sys; print(json.load(sys.stdin)["target_directory"])')
program=$target/debug/meshspec

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
shots=$target/view
rm -rf "$shots"
mkdir -p "$work/files" "$shots"
cp samples/*/* corpus/mesh/spec/broken/mesh-index-range-1.mesh "$work/files/"
head -c 1800 samples/mesh/tentacle.mesh > "$work/files/truncated.mesh"
"$program" convert --quiet samples/bmd/tentacle.bmd "$work/files/tentacle.glb"
node "$cache/make_files.mjs" "$work/files"
for file in "$work"/files/*; do
    [[ $file == *.png || $file == *.mtl ]] || "$program" view "$file" 2> /dev/null
done
"$program" view "$work"/files/{before,after}.mesh --out "$work/files/comparison.html" 2> /dev/null
"$program" view "$work"/files/tentacle.{mesh,bmd} --out "$work/files/formats.html" 2> /dev/null
"$program" convert --quiet "$work/files/after.mesh" "$work/after.glb"
"$program" view "$work/files/before.mesh" "$work/after.glb" --out "$work/files/scenes.html" 2> /dev/null
"$program" view "$work"/files/hostile.{mesh,gltf} --out "$work/files/hostile_both.html" 2> /dev/null
node "$cache/check.mjs" "$chromium" "$program" "$work/files" "$shots"
