"""From samples of `duet-benchmarks ladder` to tables: how each step looks, where the next one looks better, what a ladder loses."""
import math


def decibels(ssim):
    """SSIM on a scale on which equal steps look about equally large: -10 log10 of what is missing to 1."""
    return -10 * math.log10(max(1 - ssim, 1e-6))


def score(sample):
    """How good it looks: PSNR and SSIM in decibels. SSIM counts twice, since its decibels span half as much."""
    return (min(sample["psnr"], 60) + 2 * decibels(sample["ssim"])) / 2


def groups(samples):
    """The samples of each film, codec and bitrate."""
    found = {}
    for sample in samples:
        found.setdefault((sample["film"], sample["codec"], sample["bitsPerPixel"]), []).append(sample)
    return dict(sorted(found.items()))


def step(sample):
    return sample["scale"], sample["rateDivisor"]


def name(scale, divisor):
    size = "1" if scale == 1 else f"1/{scale:g}"
    return size if divisor == 1 else f"{size}, rate 1/{divisor:g}"


def best(group, figure=score):
    return max(group, key=figure)


def table(samples):
    """A line for each film, codec and bitrate: PSNR and SSIM of the whole size, and of the best step by each and by both."""
    lines = ["| film | codec | bits per pixel | kbit/s | whole size and rate | best by PSNR | best by SSIM | best by both |",
             "| --- | --- | --- | --- | --- | --- | --- | --- |"]

    def shown(sample):
        return f"{name(*step(sample))}: {sample['psnr']:.1f} dB, {sample['ssim']:.3f}"

    for (film, codec, bits), group in groups(samples).items():
        whole = next((sample for sample in group if step(sample) == (1, 1)), None)
        lines.append(f"| {film} | {codec} | {bits:g} | {group[0]['targetKbps']:.0f} | {shown(whole) if whole else ''} | "
                     f"{shown(best(group, lambda one: one['psnr']))} | {shown(best(group, lambda one: one['ssim']))} | "
                     f"{shown(best(group))} |")
    return "\n".join(lines)


def crossing(samples, film, codec, first, second, figure=score):
    """The bits per pixel of `first` below which `second` looks better, between the measured points; None if there is none."""
    points = []
    for (one_film, one_codec, bits), group in groups(samples).items():
        found = {step(sample): figure(sample) for sample in group}
        if (one_film, one_codec) == (film, codec) and first in found and second in found:
            points.append((bits * first[0] ** 2 * first[1], found[first] - found[second]))
    points.sort()
    for (low, before), (high, after) in reversed(list(zip(points, points[1:]))):
        if before < 0 <= after:
            share = -before / (after - before)
            return math.exp(math.log(low) + share * (math.log(high) - math.log(low)))
    if points and points[-1][1] < 0:
        return math.inf
    return 0.0 if points else None


def crossings(samples, pairs):
    """A line for each film and codec, a column for each pair of steps: the bits per pixel of the first of both."""
    lines = ["| film | codec | " + " | ".join(f"{name(*one)} → {name(*other)}" for one, other in pairs) + " |",
             "| --- | --- |" + " --- |" * len(pairs)]

    def shown(value):
        return "" if value is None else "always" if value == math.inf else "never" if value == 0 else f"{value:.3f}"

    for film, codec in sorted({(sample["film"], sample["codec"]) for sample in samples}):
        values = [crossing(samples, film, codec, one, other) for one, other in pairs]
        lines.append(f"| {film} | {codec} | " + " | ".join(map(shown, values)) + " |")
    return "\n".join(lines)


LEAST_PIXELS = 160 * 90
"""The engine makes no smaller frames. The film of the head is hardly larger."""


def is_allowed(sample):
    return step(sample) == (1, 1) or sample["width"] * sample["height"] / sample["scale"] ** 2 >= LEAST_PIXELS


def chosen(group, ladder, dropped=1):
    """The sample that a ladder takes: the first step whose least bits per pixel are there, and that drops no more than this share."""
    found = {step(sample): sample for sample in group if is_allowed(sample)}
    taken = None
    for scale, divisor, least in ladder:
        if (scale, divisor) not in found:
            continue
        taken = found[scale, divisor]
        kept = taken["shownPerSecond"] / taken["filmFramesPerSecond"] * divisor
        if taken["bitsPerPixel"] * scale ** 2 * divisor >= least and kept >= 1 - dropped:
            break
    return taken


def loss(samples, ladder, dropped=1):
    """How much worse a ladder looks than the best step of each film, codec and bitrate: mean and worst, in decibels."""
    losses = []
    for group in groups(samples).values():
        taken = chosen(group, ladder, dropped)
        if taken:
            losses.append(score(best(list(filter(is_allowed, group)))) - score(taken))
    return sum(losses) / len(losses), max(losses)


def losses(samples, sizes):
    """A line for each rule, a column for each codec: the mean and the worst loss, in decibels."""
    rules = {"0.032 bits per pixel": (0.032, 1), "30 % dropped": (0, 0.3), "30 % dropped, or 0.02 bits per pixel": (0.02, 0.3)}
    codecs = sorted({sample["codec"] for sample in samples})
    lines = ["| rule | " + " | ".join(codecs) + " |", "| --- |" + " --- |" * len(codecs)]
    for rule, (least, dropped) in rules.items():
        found = [loss([sample for sample in samples if sample["codec"] == codec], [(size, 1, least) for size in sizes], dropped)
                 for codec in codecs]
        lines.append(f"| {rule} | " + " | ".join(f"{mean:.2f}, {worst:.2f}" for mean, worst in found) + " |")
    return "\n".join(lines)
