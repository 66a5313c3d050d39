#!/usr/bin/env python3
"""Holds what frameworks/ declares against public facts about Apple's SDK, and writes facts.tsv: how much of it matches, how much is
by hand, and of what is by hand each declaration with the page of Apple's documentation that it is from.

    Scripts/apple/facts.py OBJC2_GENERATED MACIOS

The paths of madsmtm/objc2-generated and dotnet/macios, as checkouts or git directories; or DUET_APPLE_FACTS=OBJC2_GENERATED:MACIOS.
The facts stay outside of the repository, so this is no part of `make test`: run it after each change of frameworks/. A declaration
that contradicts the facts, or that they do not know, is an error, unless facts-exceptions.tsv has a page of the documentation for
it. facts-visionos.tsv has what was read of visionOS, which has no facts for machines.
"""
import os
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from apple import facts_declared, facts_known, facts_types, platforms, sdk  # noqa: E402
from apple.facts_compare import Comparison, documentation  # noqa: E402

SYSTEMS = {"macos": "macOS", "ios": "iOS", "visionos": "visionOS"}


class Ledger:
    """What matches, what contradicts, and what is declared by hand."""

    def __init__(self):
        self.matched, self.wrong, self.hand = set(), {}, {}
        self.read = {name: rest for name, *rest in self.lines("facts-visionos.tsv")}
        self.exceptions = {(name, aspect): page for name, aspect, page in self.lines("facts-exceptions.tsv")}

    @staticmethod
    def lines(name):
        return [line.split("\t") for line in (HERE / name).read_text().splitlines() if line and not line.startswith("#")]

    def compare(self, row, name, aspect, ours, theirs):
        if ours == theirs:
            self.matched.add((name, aspect))
        elif (name, aspect) in self.exceptions:
            self.by_hand(row, name, aspect, self.exceptions[name, aspect])
        else:
            self.wrong[name, aspect] = f"declared {ours}, known {theirs}"

    def missing(self, row, name, aspect):
        """Reports a declaration that the facts lack as misspelt, unless the exceptions have it or its type."""
        page = self.exceptions.get((name, aspect)) or self.exceptions.get((row.owner, "members"))
        if page:
            self.by_hand(row, name, aspect, page)
        else:
            self.wrong[name, aspect] = "the facts do not know it"

    def by_hand(self, row, name, aspect, page=None):
        if (name, aspect) not in self.hand:
            self.hand[name, aspect] = page or documentation(row)


def main():
    given = sys.argv[1:] or os.environ.get("DUET_APPLE_FACTS", "").split(":")
    if len(given) != 2 or not all(Path(path).exists() for path in given):
        raise SystemExit(
            "facts: NOTHING WAS CHECKED, the facts are not here: give the paths of madsmtm/objc2-generated and dotnet/macios")
    names = sorted(path.name for path in (HERE / "frameworks").iterdir() if path.is_dir())
    facts, versions = facts_known.Facts(given[0], names), facts_known.Versions(given[1], names)
    ledger = Ledger()
    for platform in platforms.every():
        if platform.folder not in SYSTEMS:
            continue
        present = [path.name for path in sdk.frameworks(platform)]
        sdk.assemble(platform)
        rows = facts_declared.declared(platform.work / "sdk", platform.target, present)
        floor = tuple(map(int, platforms.least(SYSTEMS[platform.folder]).split(".")))
        comparison = Comparison(rows, facts, versions, ledger, floor)
        comparison.run()
        comparison.availability(platform.folder)
    for key in set(ledger.hand) & ledger.matched:
        del ledger.hand[key]
    for line in sorted(f"{name}: {aspect}: {words}" for (name, aspect), words in ledger.wrong.items()):
        print(line)
    listed = sorted(f"{name}\t{aspect}\t{page}" for (name, aspect), page in ledger.hand.items())
    # The Swift overlays have no facts either.
    listed += sorted(facts_types.faces(HERE / "overlays"))
    head = [f"# matched\t{len(ledger.matched)}", f"# by hand\t{len(listed)}",
            f"# madsmtm/objc2-generated\t{facts_known.commit(given[0])}", f"# dotnet/macios\t{facts_known.commit(given[1])}"]
    print(f"facts: {len(ledger.matched)} matched, {len(listed)} by hand, {len(ledger.wrong)} contradict the facts")
    if ledger.wrong:
        raise SystemExit(1)
    (HERE / "facts.tsv").write_text("\n".join(head + listed) + "\n")


if __name__ == "__main__":
    main()
