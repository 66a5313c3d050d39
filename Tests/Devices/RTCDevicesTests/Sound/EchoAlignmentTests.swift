import RTCWire
import Testing

@testable import RTCDevices

@Suite("How late played sound is in what a microphone delivers")
struct EchoAlignmentTests {
    private static let start = Instant(nanoseconds: 5_000_000_000)

    /// Sound that comes and goes, as a voice does, at a sample.
    private static func voice(_ position: Int, seed: UInt64) -> Int16 {
        guard position >= 0 else { return 0 }
        // Another loudness each 20 ms.
        var hash = UInt64(position / 960) &* 0x9E37_79B9_7F4A_7C15 &+ seed
        hash = (hash ^ hash >> 29) &* 0xBF58_476D_1CE4_E5B9
        return Int16((hash >> 51) & 0x1FFF) * (position.isMultiple(of: 2) ? 1 : -1)
    }

    /// - Returns: What was found, and in which hundredth of a second.
    private func run(
        seconds: Int = 6, speaks: UInt64? = nil, gain: Double = 0.1, delay: (Int) -> Int?
    ) -> [(at: Int, delay: TimeDelta)] {
        var alignment = EchoAlignment()
        var found: [(at: Int, delay: TimeDelta)] = []
        for frame in 0..<seconds * 100 {
            let time = Self.start + .milliseconds(Int64(frame) * 10)
            let positions = frame * 480..<(frame + 1) * 480
            let played = positions.flatMap { [Self.voice($0, seed: 1), Self.voice($0, seed: 1)] }
            played.withUnsafeBufferPointer { alignment.plays($0, channels: 2, at: time) }
            let heard = positions.map { position in
                let echo = delay(frame).map { gain * Double(Self.voice(position - 48 * $0, seed: 1)) } ?? 0
                return Int16(echo + Double(speaks.map { Self.voice(position, seed: $0) } ?? 0))
            }
            let late = heard.withUnsafeBufferPointer { alignment.hears($0, channels: 1, at: time) }
            if let late { found.append((frame, late)) }
        }
        return found
    }

    @Test("An echo that is left is found after a second and a half, wherever it is", arguments: [-20, 0, 27, 51, 140])
    func found(delay: Int) {
        let found = run { _ in delay }
        #expect(found.count >= 8)
        #expect(found.allSatisfy { abs($0.delay.milliseconds - Int64(delay)) <= 1 })
        #expect(found.first.map { $0.at <= 210 } ?? false)
    }

    @Test("An echo that moves is found again")
    func moves() {
        let found = run { $0 < 300 ? 51 : 27 }
        #expect(found.contains { $0.at < 300 && abs($0.delay.milliseconds - 51) <= 1 })
        #expect(found.last.map { abs($0.delay.milliseconds - 27) <= 1 } ?? false)
        #expect(found.allSatisfy { abs($0.delay.milliseconds - 51) <= 1 || abs($0.delay.milliseconds - 27) <= 1 })
    }

    @Test("What a canceller leaves of it, which fits elsewhere each time, does not hide where the echo is")
    func distorted() {
        var alignment = EchoAlignment()
        var found: [(at: Int, delay: TimeDelta)] = []
        for frame in 0..<400 {
            let time = Self.start + .milliseconds(Int64(frame) * 10)
            func sound(delay: Int, gain: Double) -> [Int16] {
                (frame * 480..<(frame + 1) * 480).map { Int16(gain * Double(Self.voice($0 - 48 * delay, seed: 1))) }
            }
            let (played, recorded) = (sound(delay: 0, gain: 1), sound(delay: 80, gain: 0.5))
            let heard = sound(delay: 100 + frame / 50 * 9, gain: 0.1)
            played.withUnsafeBufferPointer { alignment.plays($0, channels: 1, at: time) }
            recorded.withUnsafeBufferPointer { alignment.records($0, channels: 1, at: time) }
            let late = heard.withUnsafeBufferPointer { alignment.hears($0, channels: 1, at: time) }
            if let late { found.append((frame, late)) }
        }
        #expect(found.first.map { $0.at <= 210 } ?? false)
        #expect(found.allSatisfy { abs($0.delay.milliseconds - 80) <= 1 })
    }

    @Test("Where nothing is left, or somebody speaks, nothing is found", arguments: [UInt64?.none, 2, 3])
    func nothing(speaks: UInt64?) {
        #expect(run(seconds: 20, speaks: speaks) { _ in nil }.isEmpty)
        // Too soft to be heard.
        #expect(run(gain: 0.000_5) { _ in 50 }.isEmpty)
    }

    /// What is left of an echo, and who speaks, in each hundredth of a second.
    ///
    /// - Returns: Since when an echo counted as left, at the end of each hundredth of a second.
    private func losses(
        seconds: Int, echo: (Int) -> Bool, speaks: (Int) -> Bool = { _ in false }, plays: (Int) -> Bool = { _ in true }
    ) -> [TimeDelta?] {
        var alignment = EchoAlignment()
        return (0..<seconds * 100).map { frame in
            let time = Self.start + .milliseconds(Int64(frame) * 10)
            let positions = frame * 480..<(frame + 1) * 480
            let played = positions.map { plays(frame) ? Self.voice($0, seed: 1) : 0 }
            played.withUnsafeBufferPointer { alignment.plays($0, channels: 1, at: time) }
            let heard = positions.map { position in
                let rest = echo(frame) ? Double(Self.voice(position - 48 * 40, seed: 1)) * 0.1 : 0
                return Int16(rest + (speaks(frame) ? Double(Self.voice(position, seed: 2)) : 0))
            }
            _ = heard.withUnsafeBufferPointer { alignment.hears($0, channels: 1, at: time) }
            return alignment.lostSince.map { $0 - Self.start }
        }
    }

    @Test("The hold is lost after a second and a half of echo, since its beginning, and is back after a second without")
    func hold() throws {
        let losses = losses(seconds: 12) { (300..<700).contains($0) }
        #expect(losses[..<400].allSatisfy { $0 == nil })
        let since = try #require(losses[500])
        #expect((2_500...3_500).contains(since.milliseconds))
        #expect(losses[500..<700].allSatisfy { $0 == since })
        #expect(losses[850...].allSatisfy { $0 == nil })
    }

    @Test("Neither a voice nor silence tells that the hold is back")
    func uncertain() {
        let spoken = losses(seconds: 9) {
            $0 < 300
        } speaks: {
            (300..<700).contains($0)
        }
        #expect(spoken[250..<700].allSatisfy { $0 != nil } && spoken[850...].allSatisfy { $0 == nil })
        let silent = losses(seconds: 9) {
            $0 < 300
        } plays: {
            $0 < 300 || $0 >= 700
        }
        #expect(silent[250..<700].allSatisfy { $0 != nil } && silent[850...].allSatisfy { $0 == nil })
    }

    @Test("Sound of any time and length does no harm")
    func hostile() {
        var alignment = EchoAlignment()
        let samples = [Int16](repeating: 100, count: 4_801)
        samples.withUnsafeBufferPointer { samples in
            for time: Int64 in [0, 1 << 62, -(1 << 62), 5_000_000_000, 4_000_000_000] {
                for count in [0, 1, 47, 4_801] {
                    let part = UnsafeBufferPointer(rebasing: samples.prefix(count))
                    alignment.plays(part, channels: 1, at: Instant(nanoseconds: time))
                    alignment.records(part, channels: 1, at: Instant(nanoseconds: time))
                    _ = alignment.hears(part, channels: 2, at: Instant(nanoseconds: time))
                }
            }
        }
        #expect(alignment.hears(UnsafeBufferPointer(start: nil, count: 0), channels: 1, at: .zero) == nil)
    }
}
