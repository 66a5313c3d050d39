import RTCWire
import Testing

@testable import RTC

@Suite("The bitrate of sound")
struct AudioBitrateTests {
    private func bitrate(_ change: (inout RTPSendParameters) -> Void = { _ in }, target: Int64?, channels: Int = 1)
        -> Int64
    {
        var parameters = RTPSendParameters()
        change(&parameters)
        return AudioEncoding.bitrate(parameters, channels: channels, target: target.map { .kilobits($0) }).bitsPerSecond
            / 1_000
    }

    @Test("What is wished for, as far as the path has room, and never below the minimum")
    func bounds() {
        #expect(bitrate(target: nil) == 32)
        #expect(bitrate(target: nil, channels: 2) == 64)
        #expect(bitrate(target: 1_000) == 32)
        #expect(bitrate(target: 24) == 24)
        #expect(bitrate(target: 1) == 6)
        #expect(bitrate({ $0.maxBitrate = .kilobits(96) }, target: 1_000) == 96)
        #expect(bitrate({ $0.minBitrate = .kilobits(16) }, target: 8) == 16)
        // A minimum above the maximum is no reason to send more.
        #expect(bitrate({ ($0.minBitrate, $0.maxBitrate) = (.kilobits(64), .kilobits(20)) }, target: 8) == 20)
    }

    @Test("A minimum of nothing is refused")
    func refused() {
        var parameters = RTPSendParameters()
        parameters.minBitrate = Bitrate(bitsPerSecond: 0)
        #expect(throws: RTCError.self) { try parameters.validate() }
    }
}
