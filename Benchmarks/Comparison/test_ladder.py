"""The arithmetic of the ladder's tables, with samples that are made up."""
import math
import unittest

from ladder_tables import chosen, crossing, decibels, loss, score


def sample(bits, scale, divisor, psnr, ssim, film="film"):
    return {"film": film, "codec": "VP8", "bitsPerPixel": bits, "targetKbps": 1000 * bits, "scale": scale, "rateDivisor": divisor,
            "psnr": psnr, "ssim": ssim, "width": 640, "height": 360, "filmFramesPerSecond": 25,
            "shownPerSecond": 10 if bits < 0.02 and scale == 1 else 25 / divisor}


SAMPLES = [
    sample(0.01, 1, 1, 30, 0.9), sample(0.01, 2, 1, 32, 0.9), sample(0.01, 1, 2, 20, 0.8),
    sample(0.04, 1, 1, 36, 0.95), sample(0.04, 2, 1, 34, 0.95), sample(0.04, 1, 2, 25, 0.9),
]


class Ladder(unittest.TestCase):
    def test_a_tenth_missing_is_ten_decibels(self):
        self.assertAlmostEqual(decibels(0.9), 10)
        self.assertAlmostEqual(score(SAMPLES[0]), (30 + 20) / 2)

    def test_steps_cross_between_the_points(self):
        # One decibel below at 0.01 and one above at 0.04: half way of a scale on which each doubling is as long.
        self.assertAlmostEqual(crossing(SAMPLES, "film", "VP8", (1, 1), (2, 1)), 0.02)
        self.assertEqual(crossing(SAMPLES, "film", "VP8", (1, 1), (1, 2)), 0)
        self.assertEqual(crossing(SAMPLES, "film", "VP8", (1, 2), (1, 1)), math.inf)
        self.assertIsNone(crossing(SAMPLES, "film", "VP8", (1, 1), (3, 1)))

    def test_the_bits_are_those_of_the_first_step(self):
        self.assertAlmostEqual(
            crossing([one | {"scale": one["scale"] * 2} for one in SAMPLES], "film", "VP8", (2, 1), (4, 1)), 0.08)

    def test_a_ladder_takes_the_first_step_with_enough(self):
        ladder = [(1, 1, 0.02), (2, 1, 0)]
        self.assertEqual(chosen(SAMPLES[:3], ladder)["scale"], 2)
        self.assertEqual(chosen(SAMPLES[3:], ladder)["scale"], 1)
        self.assertEqual(loss(SAMPLES, ladder), (0, 0))
        self.assertEqual(loss(SAMPLES, [(1, 1, 0)]), (0.5, 1))

    def test_a_step_that_drops_too_many_is_left(self):
        ladder = [(1, 1, 0), (2, 1, 0)]
        self.assertEqual(chosen(SAMPLES[:3], ladder)["scale"], 1)
        self.assertEqual(chosen(SAMPLES[:3], ladder, dropped=0.3)["scale"], 2)
        self.assertEqual(chosen(SAMPLES[3:], ladder, dropped=0.3)["scale"], 1)

    def test_a_step_with_too_few_pixels_is_not_taken(self):
        small = [one | {"width": 176, "height": 144} for one in SAMPLES[:3]]
        self.assertEqual(chosen(small, [(1, 1, 0.02), (2, 1, 0)])["scale"], 1)


if __name__ == "__main__":
    unittest.main()
