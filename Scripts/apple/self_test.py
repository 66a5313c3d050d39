"""What the check says of branches, and what it keeps: python3 -m unittest apple.self_test, with PYTHONPATH=Scripts."""
import tempfile
import unittest
from pathlib import Path

from . import branches, cache, faults, sdk
from .platforms import every

PLATFORMS = {platform.folder: platform for platform in every()}

BRANCHES = """\
let always = 1
#if os(macOS)
let mac = 1
#elseif canImport(UIKit) && !os(visionOS)
let phone = 1
#if targetEnvironment(simulator)
let simulated = 1
#endif
#else
let rest = 1
#endif
"""


class BranchTests(unittest.TestCase):
    def lines(self, name):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "Branches.swift"
            path.write_text(BRANCHES)
            found = branches.conditions(path)
        platform = PLATFORMS[name]
        return [number for number, levels in found if branches.active(levels, platform, lambda module: platform.system != "macos")]

    def test_each_platform_has_its_own_branches(self):
        self.assertEqual(self.lines("macos"), [3])
        self.assertEqual(self.lines("ios"), [5])
        self.assertEqual(self.lines("ios-simulator"), [5, 7])
        self.assertEqual(self.lines("visionos"), [10])

    def test_a_condition_that_cannot_be_read_is_an_error(self):
        with self.assertRaises(cache.Failed):
            branches.holds("hasAttribute(something)", PLATFORMS["ios"], lambda module: True)

    def test_a_negation_is_of_one_term(self):
        self.assertTrue(branches.holds("!os(Linux) && os(iOS)", PLATFORMS["ios"], lambda module: False))
        self.assertFalse(branches.holds("!(os(Linux) || os(iOS))", PLATFORMS["ios"], lambda module: False))


class CacheTests(unittest.TestCase):
    def test_a_step_is_taken_again_when_an_input_changes(self):
        with tempfile.TemporaryDirectory() as folder:
            stamps = cache.Stamps(Path(folder))
            stamps.write("module", "inputs", "output")
            self.assertEqual(stamps.read("module", "inputs"), "output")
            self.assertIsNone(stamps.read("module", "others"))

    def test_what_is_the_same_is_not_written_again(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "header.h"
            cache.mirror(None, path, "one")
            before = path.stat().st_mtime_ns
            cache.mirror(None, path, "one")
            self.assertEqual(path.stat().st_mtime_ns, before)


class FaultTests(unittest.TestCase):
    def test_every_fault_says_where_and_why_it_is_refused(self):
        files = sorted((sdk.HERE / "faults").glob("*.swift"))
        self.assertGreater(len(files), 12)
        for path in files:
            systems, reason = faults.head(path)
            self.assertTrue(set(systems) <= {"macos", "ios", "visionos"}, path.name)
            self.assertTrue(reason.strip(), path.name)


if __name__ == "__main__":
    unittest.main()
