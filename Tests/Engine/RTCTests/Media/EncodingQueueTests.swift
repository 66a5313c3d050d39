import RTCCodecs
import RTCFrames
import RTCMedia
import RTCWire
import Testing

@testable import RTC

@Suite("Frames that are encoded while earlier ones wait for the network")
struct EncodingQueueTests {
    @Test("They are smaller, and the target stays")
    func smaller() throws {
        let codec = try #require(CodecCatalog.system.codecs(of: .video).first { $0.name == "VP8" })
        let random = SeededRandom(seed: 1)
        let noise = (0..<4).map { _ in
            I420Buffer(width: 320, height: 180) { planes in
                for y in 0..<180 { for x in 0..<320 { planes.y.row(y)[x] = UInt8(random.next(below: 256)) } }
            }
        }
        var parameters = RTPSendParameters()
        parameters.maxBitrate = .megabits(3)
        /// Encodes three seconds.
        ///
        /// - Returns: The bytes of the last two.
        func bytes(queue: TimeDelta) throws -> Int {
            var encoding = VideoEncoding()
            var bytes = 0
            for number in 0..<90 {
                let now = Instant.zero + .milliseconds(Int64(number) * 33)
                let outcome = try encoding.encode(
                    VideoFrame(buffer: noise[number % 4], timestamp: now), codec: codec, parameters: parameters,
                    target: .megabits(3), queue: queue, framesPerSecond: 30, keyFrame: number == 0, at: now)
                #expect(outcome.target == .megabits(3))
                if number >= 30 { bytes += outcome.frame?.data.count ?? 0 }
            }
            return bytes
        }
        let (free, queued) = (try bytes(queue: .zero), try bytes(queue: .milliseconds(60)))
        #expect(Double(queued) < Double(free) * 0.9, "\(queued) after \(free)")
    }
}
