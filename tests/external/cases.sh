#!/usr/bin/env bash
# Runs the cases that once came out wrong: small inputs through the program, and small declared formats.
#
# Usage: tests/external/cases.sh
#
# $MESHSPEC_WRONG_CASES is the folder of the cases (default: ../shared/cases), with the script `run.py`. Requires cargo
# and python3. Cases of declared formats that need features planned later are not run; they are listed below.
set -euo pipefail

root=$(cd "$(dirname "$0")/../.." && pwd)
cases=${MESHSPEC_WRONG_CASES:-$root/../shared/cases}
cd "$root"
target=$(cargo metadata --format-version 1 --no-deps | python3 -c 'import json, sys; print(json.load(sys.stdin)["target_directory"])')
cargo build --quiet --locked -p meshspec-cli

# Runs cases. Fails unless all of them are right, and there is one.
run_cases() {
    local output status=0
    output=$(python3 "$cases/run.py" "$@") || status=$?
    echo "$output"
    [[ ${output##*$'\n'} != "0 of 0 right" ]] || return 1
    return "$status"
}
run_cases "$target/debug/meshspec"

# The formats are in a separate crate, which names the checkout that it depends on.
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
cp -r "$cases/declared/." "$folder"
chmod -R u+w "$folder"
sed -i "s#PROJECT#$root#" "$folder/Cargo.toml"
cargo build --quiet --manifest-path "$folder/Cargo.toml" --target-dir "$target/cases"
# Left out: generated values (`generated_`).
for prefix in read_ check_ corpus_of_empty_items wide_number kaitai_ inline_ recount_ rename_; do
    run_cases "$target/cases/debug/declared" --only "$prefix" "$cases/declared.py"
done
