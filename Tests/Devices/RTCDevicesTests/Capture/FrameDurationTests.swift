import Testing

@testable import RTCDevices

@Suite("How long a picture lasts, as the framework says it")
struct FrameDurationTests {
    /// A format as AVFoundation has it: a duration out of its ranges is the end of the app.
    private struct FrameworkFormat {
        let ranges: [ClosedRange<FrameDuration>]

        func accepts(_ duration: FrameDuration) -> Bool { ranges.contains { $0.contains(duration) } }
        /// What a rate is chosen of.
        var rates: [ClosedRange<Double>] { ranges.map { $0.upperBound.rate...$0.lowerBound.rate } }
    }

    private static func exactly(_ value: Int64, _ timescale: Int32) -> ClosedRange<FrameDuration> {
        let duration = FrameDuration(value: value, timescale: timescale)
        return duration...duration
    }

    private static let formats = [
        // A USB camera, which counts in 100 ns.
        FrameworkFormat(ranges: [exactly(333_333, 10_000_000), exactly(666_666, 10_000_000), exactly(1, 5)]),
        // Television.
        FrameworkFormat(ranges: [exactly(1_001, 30_000), exactly(1_001, 60_000)]),
        // A built-in camera.
        FrameworkFormat(ranges: [
            FrameDuration(value: 1, timescale: 60)...FrameDuration(value: 1, timescale: 1),
            FrameDuration(value: 1_000, timescale: 240_000)...FrameDuration(value: 1_000, timescale: 2_000),
        ]),
    ]

    @Test("Whatever rate is chosen of a format, the duration is one that it accepts", arguments: formats.indices)
    func accepted(_ index: Int) throws {
        let format = Self.formats[index]
        let camera = CameraFormat(width: 640, height: 480, frameRates: format.rates, pixelFormat: .yuy2)
        for wanted in [1, 5, 14.99, 15, 24, 25, 29.97, 29.97002997, 30, 30.00003, 50, 59.94, 60, 120, 240] {
            let request = CaptureRequest(width: 640, height: 480, frameRate: wanted)
            let rate = try #require(FormatChoice.nearest(to: request, of: [camera])).frameRate
            let duration = try #require(FrameDuration.nearest(to: rate, in: format.ranges))
            #expect(format.accepts(duration), "\(wanted): \(duration)")
            #expect(abs(duration.rate - rate) < rate / 200)
        }
    }

    @Test("A rate that no range has is left as it is; so is nonsense")
    func refused() {
        let format = Self.formats[0]
        for rate in [20, 60, 0, -1, .nan, .infinity, 1e300] {
            #expect(FrameDuration.nearest(to: rate, in: format.ranges) == nil)
        }
        #expect(FrameDuration.nearest(to: 30, in: []) == nil)
        #expect(
            FrameDuration.nearest(to: 30, in: [Self.exactly(0, 0), Self.exactly(1, 0), Self.exactly(0, 30)]) == nil)
    }
}
