"""A Crucible loader in plain Python with one bug, which --fixed fixes.

    meshspec conform corpus --crash-status 1 -- python3 crucible_loader.py {}

Prints the contents of the file as JSON and exits with status 0, or prints the reason for a rejection and exits with
status 2. Python itself exits with status 1 after an uncaught exception.
"""

import json
import struct
import sys

FIXED = "--fixed" in sys.argv

# Maps the bit of each attribute to its name and its format for `struct`. The dialects differ from bit 4 on. Floats are
# read as integers with the same bits, since the conversion to Python's 64-bit floats would change signalling NaNs.
COMMON = {0: ("position", "3I"), 1: ("position_2d", "2I"), 2: ("normal", "3I"), 3: ("uv_0", "2I")}
DIALECTS = {
    "spec": COMMON | {4: ("color_0", "4B"), 5: ("weights", "HIHIHIHI")},
    "tangent": COMMON | {4: ("tangent", "3I"), 5: ("color_0", "4B"), 6: ("weights", "HIHIHIHI")},
}


class Rejected(Exception):
    """The reason for a rejection."""


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, size):
        if size > len(self.data) - self.at:
            raise Rejected("the file is truncated")
        self.at += size
        return self.data[self.at - size : self.at]

    def number(self, form):
        return struct.unpack("<" + form, self.take(struct.calcsize("<" + form)))[0]

    def end(self):
        if self.at != len(self.data):
            raise Rejected("bytes follow the last stream")


def unpack_lz4(block, size):
    """Unpacks a raw LZ4 block to exactly `size` bytes."""
    if size == 0 and block != b"\0":
        raise Rejected("empty data is not the single byte 0")
    reader, out = Reader(block), bytearray()
    while True:
        token = reader.take(1)[0]
        out += reader.take(read_length(reader, token >> 4))
        if reader.at == len(block):
            break
        offset = reader.number("H")
        count = read_length(reader, token & 15) + 4
        if not 0 < offset <= len(out) or len(out) + count > size:
            raise Rejected("a match of an LZ4 block is out of range")
        # A match may overlap its own output.
        for _ in range(count):
            out.append(out[-offset])
    if len(out) != size:
        raise Rejected("an LZ4 block has another size than stated")
    return bytes(out)


def read_length(reader, nibble):
    """Returns an LZ4 length. If the nibble is 15, adds the next bytes, up to the first one below 255."""
    total = nibble
    while nibble == 15:
        more = reader.take(1)[0]
        total += more
        if more < 255:
            break
    return total


def read_block(reader):
    packed, unpacked = reader.number("i"), reader.number("i")
    if packed <= 0 or unpacked < 0:
        raise Rejected("a size is negative or 0")
    return unpack_lz4(reader.take(packed), unpacked)


def values(data, form):
    """Returns the values of a block, each as a tuple."""
    form = "<" + form
    if len(data) % struct.calcsize(form):
        raise Rejected("a block ends inside a value")
    return list(struct.iter_unpack(form, data))


def read_chunk(reader, attributes):
    index_size = reader.number("B")
    if index_size > 1:
        raise Rejected("the index size is neither 0 nor 1")
    indices = [index for index, in values(read_block(reader), "I" if index_size else "H")]
    streams = {}
    for _ in range(reader.number("B")):
        flags = reader.number("H")
        bit = flags.bit_length() - 1
        if bit not in attributes or flags != 1 << bit:
            raise Rejected("an attribute is not exactly one known bit")
        name, form = attributes[bit]
        # The bug: a second stream of an attribute replaces the first one.
        if FIXED and name in streams:
            raise Rejected("two streams of one attribute")
        streams[name] = values(read_block(reader), form)
    counts = {len(stream) for stream in streams.values()}
    if len(counts) > 1:
        raise Rejected("streams differ in the number of vertices")
    vertices = max(counts, default=0)
    if streams and any(index >= vertices for index in indices):
        raise Rejected("an index is out of range")
    return {"vertices": vertices, "attributes": contents_of(streams), "indices": indices}


def contents_of(streams):
    """Returns the attributes in the form of docs/contents.md, with floats as their bits."""
    attributes = {}
    for name, stream in streams.items():
        if name == "weights":
            attributes["joints"] = [vertex[0::2] for vertex in stream]
            stream = [vertex[1::2] for vertex in stream]
        if name == "color_0":
            attributes[name] = stream
        else:
            attributes[name] = {"bits": [f"{bits:08x}" for vertex in stream for bits in vertex]}
    return attributes


def read(data, dialect):
    reader, attributes = Reader(data), DIALECTS[dialect]
    meshes = []
    if data.startswith(b"cmodel\n"):
        reader.take(7)
        for _ in range(reader.number("I")):
            chunk = Reader(reader.take(reader.number("Q")))
            meshes.append(read_chunk(chunk, attributes))
            chunk.end()
    else:
        meshes.append(read_chunk(reader, attributes))
    reader.end()
    return {"format": "crucible", "dialect": dialect, "meshes": meshes}


def main():
    with open(sys.argv[-1], "rb") as file:
        data = file.read()
    for dialect in DIALECTS:
        try:
            return print(json.dumps(read(data, dialect)))
        except Rejected as error:
            why = error
    print(why, file=sys.stderr)
    sys.exit(2)


main()
