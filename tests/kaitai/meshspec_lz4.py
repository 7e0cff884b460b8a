"""The custom process of the generated definitions: unpacks a raw LZ4 block of known size."""

import lz4.block


class MeshspecLz4:
    def __init__(self, size):
        self.size = size

    def decode(self, data):
        if not 0 <= self.size <= 255 * len(data):
            raise ValueError(f"{len(data)} bytes cannot unpack to {self.size}")
        if has_zero_offset(data):
            raise ValueError("a match of offset 0")
        try:
            content = lz4.block.decompress(data, uncompressed_size=self.size)
        except lz4.block.LZ4BlockError as error:
            raise ValueError(str(error)) from error
        if len(content) != self.size:
            raise ValueError(f"unpacks to {len(content)} bytes, but {self.size} are stated")
        return content


def has_zero_offset(block):
    """Returns True if a match has offset 0, which the format forbids but the C library accepts."""

    def length(at, nibble):
        while nibble == 15 or nibble > 15 and block[at - 1] == 255:
            nibble += block[at]
            at += 1
        return at, nibble

    at = 0
    try:
        while True:
            token = block[at]
            at, literals = length(at + 1, token >> 4)
            at += literals
            if at >= len(block):
                return False
            if block[at] == block[at + 1] == 0:
                return True
            at, _ = length(at + 2, token & 15)
    except IndexError:
        # Truncated: the decoder reports the error.
        return False
