"""The table Tests/tiers.tsv: which test belongs to which tier, and how it may be run beside others.

A line has four fields, separated by tabs:

    tier     smoke (in make smoke, make test and make soak), test (in make test and make soak), or soak
    lane     work: computes; wait: waits for most of its time; paced: keeps real time, with less than a core, and wants the rest
             of the machine quiet; alone: compares times or loads, and wants the machine to itself
    seconds  about how long it takes, all its cases together: what shards are cut by
    test     of Swift MODULE.SUITE or MODULE.SUITE/FUNCTION, of the interop tests FILE::FUNCTION or FILE::FUNCTION[CASE]; the longest
             that fits counts

Every test needs a line, and every line a test.
"""
from dataclasses import dataclass

from .commands import ROOT

PATH = ROOT / "Tests/tiers.tsv"
TIERS = ("smoke", "test", "soak")
LANES = ("work", "wait", "paced", "alone")


@dataclass(frozen=True)
class Row:
    tier: str
    lane: str
    seconds: float
    test: str


class Table:
    def __init__(self, text=None):
        self.rows, self.problems = {}, []
        for number, line in enumerate((PATH.read_text() if text is None else text).splitlines(), 1):
            if not line or line.startswith("#"):
                continue
            fields = line.split("\t")
            if len(fields) != 4 or fields[0] not in TIERS or fields[1] not in LANES:
                self.problems.append(f"tiers.tsv:{number}: is no line of the table: {line[:80]}")
                continue
            if fields[3] in self.rows:
                self.problems.append(f"tiers.tsv:{number}: is there twice: {fields[3]}")
            self.rows[fields[3]] = Row(fields[0], fields[1], float(fields[2]), fields[3])

    def row(self, test):
        """The line of a test, by its whole name; None if it has none."""
        for name in _names(test):
            if name in self.rows:
                return self.rows[name]
        return None

    def check(self, tests, prefix):
        """What is wrong of the lines that begin with one of `prefix`, given the tests that there are."""
        used = {row.test for row in map(self.row, tests) if row}
        problems = [f"{test}: has no line in Tests/tiers.tsv" for test in tests if not self.row(test)]
        # A line may be there for the cases of a function of which each has a line of its own; then it is no use.
        return problems + [f"{name}: there is no such test, but a line in Tests/tiers.tsv"
                           for name in self.rows if name.startswith(prefix) and name not in used]


def _names(test):
    """The names by which the table may call a test, the most exact one first."""
    if "::" in test:
        return [test, test.partition("[")[0]]
    suite = test.rpartition("/")[0] or test
    names = [test, suite]
    while "/" in suite:  # a suite within a suite
        suite = suite.rpartition("/")[0]
        names.append(suite)
    return names


def chosen(table, tests, tiers):
    """The tests of these tiers."""
    return [test for test in tests if (row := table.row(test)) and row.tier in tiers]


def shards(table, tests, longest):
    """Cuts tests into shards of one lane, in the order given, each of about `longest` seconds at most: lists of
    (lane, seconds, tests). The cases of a row share its seconds."""
    cases = {}
    for test in tests:
        cases.setdefault(table.row(test).test, []).append(test)
    found = []
    for lane in LANES:
        shard, seconds, group = [], 0.0, None
        for test in tests:
            row = table.row(test)
            if row.lane != lane:
                continue
            weight = row.seconds / len(cases[row.test])
            module = _module(test)
            # What a module or a file sets up is set up once for each shard, so one is not cut for little.
            full = seconds + weight > longest or module != group and seconds > longest / 2
            if shard and full:
                found.append((lane, seconds, shard))
                shard, seconds = [], 0.0
            shard.append(test)
            seconds, group = seconds + weight, module
        if shard:
            found.append((lane, seconds, shard))
    return found


def _module(test):
    return test.partition("::")[0] if "::" in test else test.partition(".")[0]
