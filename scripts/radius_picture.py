#!/usr/bin/env python3
"""Draw what an l2 radius of 0.25 looks like, from the images of the demo.

    python3 scripts/radius_picture.py docs/radius.png

From left to right: an image; the same with every pixel changed a little, 0.25 in all; with a change of 0.25 in 3 x 3
pixels; with a change of 1 in all; with noise of sigma = 0.25, as the network sees it. Needs nothing but Python.
"""

import pathlib
import random
import struct
import sys
import zlib

SIDE, SCALE, GAP = 28, 5, 10
IMAGES = pathlib.Path(__file__).parent.parent / "crates/qcrs-cli/demo/t10k-images-idx3-ubyte"


def image(index):
    start = 16 + index * SIDE * SIDE
    return [byte / 255 for byte in IMAGES.read_bytes()[start : start + SIDE * SIDE]]


def moved(pixels, change, size):
    """The image plus `change`, scaled to the length `size`."""
    length = sum(value * value for value in change) ** 0.5
    return [pixel + size / length * value for pixel, value in zip(pixels, change)]


def panels(pixels):
    draw = random.Random(1)
    signs = [draw.choice([-1, 1]) for _ in pixels]
    spot = [float(13 <= at // SIDE < 16 and 13 <= at % SIDE < 16) for at in range(len(pixels))]
    noise = [pixel + draw.gauss(0, 0.25) for pixel in pixels]
    return [pixels, moved(pixels, signs, 0.25), moved(pixels, spot, -0.25), moved(pixels, signs, 1), noise]


def rows(row_of_panels):
    blank = bytes([255] * GAP)
    for y in range(SIDE):
        line = blank.join(
            bytes(round(255 * min(max(pixel, 0), 1)) for pixel in panel[y * SIDE : (y + 1) * SIDE] for _ in range(SCALE))
            for panel in row_of_panels
        )
        yield from [line] * SCALE


def png(lines):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", len(lines[0]), len(lines), 8, 0, 0, 0, 0)
    pixels = zlib.compress(b"".join(b"\0" + line for line in lines), 9)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    lines = []
    for index in [1, 4]:
        lines += list(rows(panels(image(index)))) + [bytes([255] * (5 * SIDE * SCALE + 4 * GAP))] * GAP
    pathlib.Path(sys.argv[1]).write_bytes(png(lines[:-GAP]))


if __name__ == "__main__":
    main()
