"""Compares the values of Kaitai's parsers with those of the walker.

    compare.py PARSERS DUMP_VALUES [FIXTURES]

PARSERS is the folder of the compiled definitions, DUMP_VALUES the example program, FIXTURES a folder with an
`index.json` of files. Compares the sample with one of everything in tests/golden, the files in samples/ and those of
FIXTURES. Both sides must read equal values under the same names, in the same order, and fail on the same files. Files
that Kaitai rejects by a constraint must violate one in the walker, too.
"""

import importlib
import inspect
import json
import math
import re
import struct
import subprocess
import sys
from collections import Counter
from itertools import chain
from pathlib import Path

from kaitaistruct import KaitaiStruct, KaitaiStructError, ValidationFailedError

# The formats whose definitions work in Python. Seed is a text format, and the bitcode descriptor of IyMA has a decoder only
# in Rust.
FORMATS = {path.stem for path in Path("docs/schema").glob("*.md")} - {"iyma", "seed"}

# The names of lookahead fields.
LOOKAHEADS = {
    field["name"]
    for path in Path("docs/schema").glob("*.json")
    if path.stem in FORMATS
    for declaration in json.loads(path.read_text())["declarations"]
    for field in declaration.get("fields", [])
    if field.get("lookahead")
}

INDEX = re.compile(r"\[\d+\]")

# The `struct` formats of floats and of their bits.
FLOATS = {"f32": ("f", "I"), "f64": ("d", "Q")}


def walker_values(lines):
    """Returns the types and values by name, from the lines of dump_values."""
    values = {}
    word = None
    keys = {}
    for line in lines:
        entry = json.loads(line)
        path = entry["path"]
        if entry["type"] == "word":
            # Names of nested bit fields are joined.
            word = path if "bits" not in entry else word
            continue
        if "bits" in entry:
            path = word + "." + path[len(word) + 1 :].replace(".", "_")
        value = entry["value"]
        if entry["type"] in FLOATS:
            value = int(value, 16)
        names = INDEX.sub("", path)
        if names not in keys:
            keys[names] = ".".join(map(identifier, filter(None, names.split("."))))
        kinds, found = values.setdefault(keys[names], ([], []))
        kinds.append(entry["type"])
        found.append(value)
    return values


def identifier(name):
    """Returns the name as spelled in the definitions."""
    if name.startswith("_"):
        return "unnamed_" + name[1:]
    return "field_" + name if name[0].isdigit() else name


def kaitai_values(value, names, values):
    """Adds the leaves of a parsed value to `values`, by name."""
    if isinstance(value, KaitaiStruct):
        for name, child in fields(value):
            # Wrappers that the declaration lacks.
            kaitai_values(child, names if name.startswith("as_") else names + [name], values)
    elif isinstance(value, list):
        for item in value:
            kaitai_values(item, names, values)
    else:
        values.setdefault(".".join(names), []).append(value)


def fields(struct_value):
    """Returns names and values of the fields of a parsed struct, without those that the definitions add."""
    cls = type(struct_value)
    parameters = set(inspect.signature(cls.__init__).parameters)
    properties = [name for name, member in vars(cls).items() if isinstance(member, property)]
    for name, value in list(vars(struct_value).items()):
        if name.startswith(("_", "check_")) or name == "magic_bytes" or name in parameters:
            continue
        if name.endswith("_bits") and name[:-5] in properties:
            name = name[:-5]
            properties.remove(name)
            value = getattr(struct_value, name)
        yield name, value
    for name in properties:
        value = getattr(struct_value, name)
        if name != "choice" and name not in LOOKAHEADS and value is not None:
            yield name, value


def difference(kinds, expected, found):
    """Returns the position of the first difference between walker and Kaitai; None if all values are equal."""
    if len(set(kinds)) == 1 and kinds[0] in FLOATS and all(type(value) is float for value in found):
        # Fast path: compares whole lists.
        number, bits = (f"<{len(found)}{code}" for code in FLOATS[kinds[0]])
        if struct.pack(number, *found) == struct.pack(bits, *expected):
            return None
    values = enumerate(zip(kinds, expected, found))
    return next((index for index, value in values if not is_same(*value)), None)


def is_same(kind, expected, found):
    """Returns True if a value of the walker equals a value of Kaitai."""
    if kind == "bool":
        return found is expected
    if kind == "int":
        return not isinstance(found, (bool, float, bytes)) and int(found) == expected
    if kind == "bytes":
        return isinstance(found, bytes) and found.hex() == expected
    code, bits = FLOATS[kind]
    number = struct.unpack("<" + code, struct.pack("<" + bits, expected))[0]
    if math.isnan(number):
        # Python does not preserve the NaN payload of an f32.
        return isinstance(found, float) and math.isnan(found)
    return isinstance(found, float) and struct.pack("<" + code, found) == struct.pack("<" + bits, expected)


def parse(layout, path):
    """Returns the values by name, from Kaitai's parser of a layout."""
    parser = getattr(importlib.import_module(layout), "".join(map(str.capitalize, layout.split("_"))))
    found = {}
    with parser.from_file(path) as parsed:
        kaitai_values(parsed, [], found)
    return found


def assert_rejected(layout, path, reason):
    """Raises an error unless Kaitai also rejects the file."""
    try:
        parse(layout, path)
    except (EOFError, ValueError, RuntimeError, KaitaiStructError):
        return
    raise AssertionError(f"{path}: Kaitai reads what the walker does not: {reason}")


def is_rejected(layout, path):
    """Returns True if Kaitai rejects values of the file. Its definitions cannot express all constraints."""
    try:
        parse(layout, path)
    except ValidationFailedError:
        return True
    return False


def compare(layout, path, lines):
    """Returns the number of compared values; raises an error at the first difference."""
    found = parse(layout, path)
    # Byte arrays are compared as a whole.
    expected = walker_values(lines)
    for key, values in found.items():
        if key in expected and expected[key][0][0] == "int" and values and isinstance(values[0], bytes):
            found[key] = [byte for value in values for byte in value]
    found = {key: values for key, values in found.items() if values}
    if found.keys() != expected.keys():
        raise AssertionError(f"{path}: only on one side: {sorted(found.keys() ^ expected.keys())}")
    for key, (kinds, values) in expected.items():
        others = found[key]
        if len(values) != len(others):
            raise AssertionError(f"{path}: {key}: {len(values)} values, but {len(others)} in Kaitai")
        index = difference(kinds, values, others)
        if index is not None:
            value, other = values[index], others[index]
            raise AssertionError(f"{path}: {key}, number {index}: {kinds[index]} {value}, but {other!r} in Kaitai")
    return sum(len(values) for _, values in expected.values())


def samples():
    """Yields the path, format, dialect and validity of each file in samples/."""
    for path in sorted(Path("samples").glob("*/*")):
        if path.parent.name in FORMATS:
            yield path, [path.parent.name], True


def reference_files(fixtures):
    """Yields the path, format, optional dialect and validity of each file in the index of the fixtures."""
    for entry in json.loads((fixtures / "index.json").read_text()):
        names = [entry["format"]]
        # The walker cannot distinguish the dialects of MESH in every broken file.
        if entry["format"] == "mesh" and entry["expected"]:
            sidecar = json.loads((fixtures / entry["expected"]).read_text())
            names.append("renderlib" if sidecar.get("variant") == "78E" else "spec")
        if entry["format"] in FORMATS:
            yield fixtures / entry["file"], names, entry["strict"] == "accept"


def main(parsers, dump_values, fixtures=None):
    sys.path.insert(0, parsers)
    golden = Path("tests/golden/sample.bin")
    values = compare("sample", str(golden), golden.with_suffix(".bin.values").read_text().splitlines())
    compared = Counter({("sample", "files"): 1, ("sample", "values"): values})
    files = chain(samples(), reference_files(Path(fixtures)) if fixtures else [])
    for path, names, valid in files:
        dump = subprocess.run([dump_values, str(path), *names], capture_output=True, text=True)
        if not dump.stdout:
            raise AssertionError(f"{path}: {dump.stderr.strip()}")
        head, *lines = dump.stdout.splitlines()
        layout = json.loads(head)["layout"]
        if dump.returncode == 0 and dump.stderr and is_rejected(layout, str(path)):
            compared[layout, "refused"] += 1
        elif dump.returncode == 0:
            compared[layout, "values"] += compare(layout, str(path), lines)
            compared[layout, "files"] += 1
        elif valid:
            raise AssertionError(f"{path}: {dump.stderr.strip()}")
        else:
            assert_rejected(layout, str(path), dump.stderr.strip())
            compared[layout, "refused"] += 1
    for layout in sorted({layout for layout, _ in compared}):
        count = {what: compared[layout, what] for what in ("files", "values", "refused")}
        print("{}: {files} files, {values} values the same; {refused} files refused".format(layout, **count))
    total = {what: sum(n for (_, key), n in compared.items() if key == what) for what in ("files", "values", "refused")}
    print("{files} files, {values} values: the same in Kaitai and in the walker; {refused} files refused by both".format(**total))


if __name__ == "__main__":
    main(*sys.argv[1:])
