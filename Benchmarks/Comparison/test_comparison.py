"""The arithmetic behind the published figures. `Scripts/figures --check` runs it."""
import unittest

import machine
from figures import summary
from markers import complaints, updated
from measuring import call_figures, throughput_figures, time_figures
from tables import Chapter, network, shown


class Arithmetic(unittest.TestCase):
    def test_the_bits_of_a_call_are_those_of_one_direction(self):
        before = [{"frames": 10, "bytes": 1_000, "width": 1280, "height": 720}] * 2
        after = [{"frames": 310, "bytes": 1_251_000, "width": 1280, "height": 720},
                 {"frames": 250, "bytes": 1_251_000, "width": 1280, "height": 720}]
        figures = call_figures(before, after, seconds=10, used=15)
        # 1,250,000 bytes each way in 10 s are 1,000 kbit/s, and 300 and 240 frames are 27 a second.
        self.assertAlmostEqual(figures["kilobitsPerSecond"], 1_000)
        self.assertAlmostEqual(figures["framesPerSecond"], 27)
        self.assertAlmostEqual(figures["cpuSecondsPerSecond"], 1.5)
        self.assertAlmostEqual(figures["coresPer30Frames"], 1.5 / 27 * 30)

    def test_a_peer_that_counts_no_bytes_has_no_bits(self):
        ends = [{"frames": 0, "width": 0, "height": 0}] * 2
        figures = call_figures(ends, ends, seconds=1, used=1)
        self.assertNotIn("kilobitsPerSecond", figures)
        self.assertNotIn("coresPer30Frames", figures)

    def test_throughput(self):
        self.assertEqual(throughput_figures(5 * 10**8, 2.5, 3), {"megabytesPerSecond": 200, "cpuSecondsPerGB": 6})

    def test_times(self):
        self.assertEqual(time_figures([5, 1, 3]), {"runs": 3, "medianMs": 3, "minimumMs": 1, "p95Ms": 5})


class Samples(unittest.TestCase):
    @staticmethod
    def sample(rate, disturbed=False):
        return {"benchmark": "memory", "peer": "duet", "of": None, "kibibytesPerPair": rate, "disturbed": disturbed}

    def test_minimum_median_and_maximum(self):
        entry = summary([self.sample(rate) for rate in (7, 3, 4)])[0]
        self.assertEqual((entry["minimum"], entry["median"], entry["maximum"], entry["samples"]), (3, 4, 7, 3))
        self.assertFalse(entry["disturbed"])

    def test_what_was_disturbed_counts_only_where_there_is_nothing_else(self):
        entry = summary([self.sample(9, True), self.sample(3), self.sample(5)])[0]
        self.assertEqual((entry["maximum"], entry["samples"], entry["disturbed"]), (5, 2, False))
        entry = summary([self.sample(9, True), self.sample(3, True)])[0]
        self.assertEqual((entry["maximum"], entry["samples"], entry["disturbed"]), (9, 2, True))


class TheMachine(unittest.TestCase):
    def test_a_process_has_a_parent_and_its_childrens_time(self):
        line = "7 (a) b) c) S 3 " + " ".join(["0"] * 9) + " 100 50 30 20 0 0"
        self.assertEqual(machine.stat_fields(line), (3, 200 / machine.TICKS))

    def test_all_work_counts_and_no_waiting(self):
        text = "cpu  100 200 300 9999 9999 10 20 40 5 5\ncpu0 1 2 3"
        busy, steal = machine.machine_seconds(text)
        self.assertEqual((busy, steal), (630 / machine.TICKS, 40 / machine.TICKS))

    def test_descendants(self):
        parents = {1: 0, 2: 0, 5: 1, 6: 5, 7: 6, 8: 1, 9: 2}
        self.assertEqual(machine.descendants(parents, 5), {5, 6, 7})
        self.assertEqual(machine.descendants(parents, 9), {9})

    def test_others_are_what_neither_we_nor_the_kernel_used(self):
        before = {"time": 0, "busy": 100, "steal": 1, "ours": 10, "kernel": 5}
        after = {"time": 4, "busy": 107, "steal": 1.2, "ours": 16, "kernel": 5.4}
        self.assertAlmostEqual(machine.others(before, after), 0.2)

    def test_what_is_disturbed_is_measured_again(self):
        quiet = machine.Quiet(FakeMachine([0.5, 0.3, 0.02]), budget=60)
        sample = quiet.measure(lambda: {"rate": 1})
        self.assertEqual((sample["tries"], sample["disturbed"], sample["othersCores"]), (3, False, 0.02))

    def test_what_stays_disturbed_says_so(self):
        quiet = machine.Quiet(FakeMachine([0.5, 0.3, 0.4]), budget=60)
        rates = iter([1, 2, 3])
        sample = quiet.measure(lambda: {"rate": next(rates)})
        self.assertEqual((sample["tries"], sample["disturbed"], sample["rate"]), (3, True, 2))

    def test_patience_ends(self):
        quiet = machine.Quiet(FakeMachine([0.5, 0.3]), budget=0)
        sample = quiet.measure(lambda: {})
        self.assertEqual((sample["tries"], sample["disturbed"]), (1, True))


class FakeMachine:
    """Others use so many cores during each measurement of a second."""

    def __init__(self, used):
        self.used, self.snapshots, self.busy = used, 0, 0

    def snapshot(self):
        if self.snapshots % 2:
            self.busy += self.used[self.snapshots // 2]
        self.snapshots += 1
        return {"time": self.snapshots, "busy": self.busy, "steal": 0, "ours": 0, "kernel": 0}

    def wait_for_quiet(self, seconds):
        return 0


class Tables(unittest.TestCase):
    def chapter(self, *entries):
        return Chapter({"data": {"figures": [
            {"benchmark": "b", "peer": peer, "of": None, "figure": "f", "minimum": median / 2, "median": median,
             "maximum": median * 2, "disturbed": disturbed} for peer, median, disturbed in entries]}}, "data")

    def test_the_ratio_is_to_the_best_peer(self):
        chapter = self.chapter(("duet", 300, False), ("duet in batches", 600, False), ("pion", 20, False),
                               ("libdatachannel", 60, False))
        self.assertEqual(chapter.ratio("b", "f", more_is_better=True), "5 ×")
        self.assertEqual(chapter.ratio("b", "f", more_is_better=False), "15 ×")
        self.assertEqual(chapter.ratio("b", "f", more_is_better=True, ours="duet in batches"), "10 ×")
        self.assertEqual(chapter.best("b", "f"), "libdatachannel")

    def test_what_was_disturbed_has_a_mark(self):
        chapter = self.chapter(("duet", 3.14159, True))
        self.assertEqual(chapter.span("b", "duet", "f"), "3.14* (1.57–6.28)")
        self.assertEqual(chapter.span("b", "pion", "f"), "–")
        self.assertEqual(chapter.ratio("b", "f"), "–")

    def test_calls_across_links_have_a_table_for_each(self):
        def sample(benchmark, peer, of, **figures):
            return {"benchmark": benchmark, "peer": peer, "of": of, "disturbed": False, **figures}
        text = network({"network": {
            "figures": summary([sample("network", "duet to chromium", "bloat", goodputKbps=412, drainSeconds=None),
                                sample("network", "chromium to chromium", "bloat", goodputKbps=400),
                                sample("narrow throughput", "duet", "lossy-20", megabytesPerSecond=1.5)]),
            "date": "today", "cores": 2, "processor": "one", "versions": {"linux": "6", "duet": "0"}, "rounds": 1, "measuredAgain": 0,
            "samples": 3}})
        self.assertIn("![](images/network-bloat.svg)", text)
        self.assertLess(text.index("| Chromium to Chromium | 400 (400–400) | –"), text.index("| Duet to Chromium | 412 (412–412) | –"))
        self.assertIn("| lossy-20 | 1.5 (1.5–1.5) | – |", text)

    def test_digits(self):
        self.assertEqual([shown(value) for value in (0.0512, 2.394, 69.94, 468.4, 1_045_000)],
                         ["0.0512", "2.39", "69.9", "468", "1,045,000"])

    def test_a_page_says_what_the_results_say(self):
        page = "a\n<!-- figures: one, by hand -->\nold\n<!-- end of figures -->\nb\n"
        self.assertEqual(list(complaints(page, ["one"], {})), [])
        self.assertEqual(len(list(complaints(page, ["one", "two"], {}))), 1)
        self.assertEqual(len(list(complaints(page, ["one"], {"one": "new"}))), 1)
        page = updated(page, {"one": "new"})
        self.assertEqual(page, "a\n<!-- figures: one -->\nnew\n<!-- end of figures -->\nb\n")
        self.assertEqual(list(complaints(page, ["one"], {"one": "new"})), [])
        self.assertEqual(len(list(complaints(page.replace("new", "newer"), ["one"], {"one": "new"}))), 1)
        self.assertEqual(len(list(complaints(page, ["one"], {}))), 1)


if __name__ == "__main__":
    unittest.main()
