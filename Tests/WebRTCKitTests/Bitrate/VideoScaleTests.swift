import Testing

@testable import WebRTCKit

@Suite("The size of the picture for a bitrate")
struct VideoScaleTests {
    @Test(
        "≥ 4 M 1080, ≥ 1.8 M 720, ≥ 1.4 M 540, ≥ 1 M 480, ≥ 0.6 M 360, ≥ 0.3 M 240, else 144",
        arguments: [
            (Int.max, 1_080), (6_000_000, 1_080), (4_000_000, 1_080), (3_999_999, 720), (1_800_000, 720),
            (1_799_999, 540), (1_400_000, 540), (1_399_999, 480), (1_000_000, 480), (999_999, 360), (600_000, 360),
            (599_999, 240), (300_000, 240), (299_999, 144), (1, 144), (0, 144), (-1, 144), (Int.min, 144),
        ])
    func table(bitrate: Int, rows: Int) {
        #expect(VideoScale.shorterSide(for: bitrate) == rows)
    }

    @Test("It is the shorter side that counts, so that a picture that stands is as sharp as one that lies")
    func shorterSide() {
        #expect(VideoScale.factor(width: 1_280, height: 720, bitrate: 1_000_000) == 1.5)
        #expect(VideoScale.factor(width: 720, height: 1_280, bitrate: 1_000_000) == 1.5)
        #expect(VideoScale.factor(width: 1_920, height: 1_080, bitrate: 299_999) == 7.5)
        #expect(VideoScale.factor(width: 3_840, height: 2_160, bitrate: 6_000_000) == 2)
    }

    @Test("A picture is never made larger, whatever its size")
    func neverLarger() {
        #expect(VideoScale.factor(width: 640, height: 480, bitrate: 6_000_000) == 1)
        #expect(VideoScale.factor(width: 176, height: 144, bitrate: 1) == 1)
        for (width, height) in [(0, 0), (-1, 5), (1, 1), (.max, .max), (.min, .max)] {
            let factor = VideoScale.factor(width: width, height: height, bitrate: 100)
            #expect(factor >= 1 && factor.isFinite)
        }
    }
}
