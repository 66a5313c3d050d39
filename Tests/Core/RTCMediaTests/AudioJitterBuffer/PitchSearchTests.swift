import Testing

@testable import RTCMedia

@Suite("The search for a period of sound")
struct PitchSearchTests {
    /// 200 Hz at 8 kHz: a period of 40 samples.
    private func match(_ count: Int, start: Int, direction: Int) -> PitchSearch.Match? {
        let period = (0..<40).map { (index: Int) in Int16(1_000 * min(index, 40 - index)) }
        return (0..<count).map { period[$0 % 40] }.withUnsafeBufferPointer {
            PitchSearch.match(in: $0, channels: 1, sampleRate: 8_000, start: start, window: 40, direction: direction)
        }
    }

    @Test("Samples for the window and for 15 ms more are enough, one less is not")
    func reach() {
        #expect(match(160, start: 0, direction: 1)?.lag.isMultiple(of: 40) == true)
        #expect(match(159, start: 0, direction: 1) == nil)
        #expect(match(160, start: 120, direction: -1)?.lag.isMultiple(of: 40) == true)
        #expect(match(159, start: 120, direction: -1) == nil)
        #expect(match(160, start: 119, direction: -1) == nil)
    }
}
