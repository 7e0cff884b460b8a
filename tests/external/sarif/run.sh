#!/usr/bin/env bash
# Validates the SARIF logs of `meshspec check` against the schema of SARIF 2.1.0.
#
# Usage: tests/external/sarif/run.sh
#
# Requires cargo and node with npm; installs the schema and a validator, pinned in package.json beside this file, into
# $MESHSPEC_CACHE (default: the user's cache folder). Checks the files in samples/, complete and truncated.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
cache=${MESHSPEC_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/meshspec}/sarif

mkdir -p "$cache"
cp "$here/package.json" "$cache/"
npm install --prefix "$cache" --no-audit --no-fund --loglevel=error

cd "$root"
target=$(cargo metadata --format-version 1 --no-deps | python3 -c 'import json, sys; print(json.load(sys.stdin)["target_directory"])')
cargo build --quiet -p meshspec-cli
program=$target/debug/meshspec

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/files"
for file in samples/*/*; do
    name=$(basename "$file")
    cp "$file" "$work/files/$name"
    size=$(($(wc -c < "$file") * 2 / 3))
    head -c "$size" "$file" > "$work/files/short $name"
done
printf 'v 0 0 0\nv 1 0 zero\n' > "$work/files/bad.obj"

# Exit status 1 means errors.
"$program" check --format sarif "$work/files" > "$work/errors.sarif" || [ $? -eq 1 ]
"$program" check --format sarif --max-findings 1 "$work/files" "$work/missing.mesh" > "$work/missing.sarif" 2> /dev/null \
    || [ $? -eq 3 ]
node "$here/validate.cjs" "$cache/node_modules" "$work"/*.sarif
