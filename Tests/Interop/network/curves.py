"""Draws rates and queue of a link over time, as SVG."""
from xml.sax.saxutils import escape

WIDTH, RATE, QUEUE = 420, 130, 80
MARGIN_LEFT, MARGIN_TOP, GAP = 52, 56, 30
INK, GRID = "#24292f", "#d0d7de"
LINES = {"capacity": ("#6e7781", "link"), "sent": ("#0969da", "sent"), "target": ("#cf222e", "target of the encoder")}


def svg(title, panels):
    """A picture with a panel for each (name, curves), two side by side. `curves` come from judge.curves."""
    seconds = max((points[-1][0] for _, curves in panels for points in (curves["queue"],) if points), default=1) + 1
    most_rate = _ceiling(max((y for _, curves in panels for name in LINES for _, y in curves[name] if y), default=1))
    most_queue = _ceiling(max((y for _, curves in panels for _, y in curves["queue"]), default=1))
    panel_width, panel_height = MARGIN_LEFT + WIDTH + 16, RATE + GAP + QUEUE + 58
    rows = (len(panels) + 1) // 2
    width, height = 2 * panel_width, MARGIN_TOP + rows * panel_height
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
           'font-family="sans-serif" font-size="11">',
           f'<rect width="{width}" height="{height}" fill="white"/>', _text(16, 22, title, size=15)]
    x = 16
    for colour, name in LINES.values():
        out += [f'<path d="M{x} 40h22" stroke="{colour}" stroke-width="2"/>', _text(x + 27, 44, name)]
        x += 60 + 7 * len(name)
    for index, (name, curves) in enumerate(panels):
        left, top = MARGIN_LEFT + index % 2 * panel_width, MARGIN_TOP + index // 2 * panel_height + 16
        out.append(_text(left, top - 4, name, size=12))
        out += _chart(left, top, RATE, seconds, most_rate, "kbit/s", {
            colour: _steps(curves[key], seconds) if key == "capacity" else curves[key] for key, (colour, _) in LINES.items()})
        out += _chart(left, top + RATE + GAP, QUEUE, seconds, most_queue, "queue, ms", {"#8250df": curves["queue"]})
        out.append(_text(left + WIDTH, top + RATE + GAP + QUEUE + 26, "seconds", anchor="end"))
    return "\n".join([*out, "</svg>", ""])


def _chart(left, top, height, seconds, most, unit, lines):
    out = []
    for index in range(5):
        y = top + height - index * height / 4
        out += [f'<path d="M{left} {y:.1f}h{WIDTH}" stroke="{GRID}" stroke-width="{1 if index else 1.5}"/>',
                _text(left - 5, y + 4, f"{most * index / 4:,.0f}", anchor="end")]
    step = next(step for step in (5, 10, 20, 50, 100, 1000) if seconds / step <= 10)
    for second in range(0, int(seconds) + 1, step):
        out.append(_text(left + second * WIDTH / seconds, top + height + 13, str(second), anchor="middle"))
    out.append(_text(left + 4, top + 10, unit))
    for colour, points in lines.items():
        places = " ".join(f"{left + min(t, seconds) * WIDTH / seconds:.1f},{top + height - min(y, most) * height / most:.1f}"
                          for t, y in points if y is not None)
        if places:
            out.append(f'<polyline points="{places}" fill="none" stroke="{colour}" stroke-width="1.3"/>')
    return out


def _steps(points, seconds):
    """A stepped line."""
    found = []
    for (t, y), (until, _) in zip(points, [*points[1:], (seconds, None)]):
        found += [(t, y), (until, y)]
    return found


def _ceiling(value):
    """A round number that is not smaller."""
    unit = 1
    while unit * 10 < value:
        unit *= 10
    return next(unit * factor for factor in (1, 2, 4, 6, 8, 10) if unit * factor >= value)


def _text(x, y, words, anchor="start", size=None):
    size = f' font-size="{size}"' if size else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" fill="{INK}" text-anchor="{anchor}"{size}>{escape(words)}</text>'
