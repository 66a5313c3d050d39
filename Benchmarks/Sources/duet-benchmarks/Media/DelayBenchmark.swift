import ArgumentParser
import Foundation
import RTC
import RTCFrames
import RTCMedia
import RTCWire
import Synchronization

/// From a picture that is delivered to the sender's track to the same one at a sink of the receiver's, over loopback.
///
/// The burned-in number says which it is. The own part is what remains when the encoder's and the decoder's mean times
/// are taken off.
struct DelayBenchmark: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "delay")

    @Option(help: "How long to measure, in seconds, after two of warming up.")
    var seconds = 8.0
    @Option(help: "VP8, VP9 or H264.")
    var codec = "VP8"
    @Option(help: "The picture's width.")
    var width = 1_280
    @Option(help: "The picture's height.")
    var height = 720

    func run() async throws {
        let pair = try MediaPair(codec: codec)
        let events = await pair.answerer.events
        let track = VideoTrack()
        let sent = Mutex<[UInt32: Instant]>([:])
        let delays = Mutex<[Double]>([])
        try await pair.offerer.addTrack(track)
        try await pair.offerer.addTrack(AudioTrack(source: PacedAudioSource(Tone())))
        let watching = Task { () -> VideoWatcher? in
            for await case .track(let transceiver, _) in events {
                guard let received = transceiver.receiver.track as? VideoTrack else { continue }
                let sink = VideoWatcher { frame in
                    let now = MediaClock.now
                    guard let reading = TestPicture.read(from: frame.buffer),
                        let start = sent.withLock({ $0.removeValue(forKey: reading.number) })
                    else { return }
                    delays.withLock { $0.append((now - start).seconds * 1e3) }
                }
                received.add(sink)
                return sink
            }
            return nil
        }
        let source = PacedVideoSource(TestPicture(width: width, height: height), framesPerSecond: 30)
        let entrance = VideoWatcher { frame in
            if let reading = TestPicture.read(from: frame.buffer) {
                sent.withLock { $0[reading.number] = MediaClock.now }
            }
            track.deliver(frame)
        }
        source.start(delivering: entrance)
        try await Task.sleep(for: .seconds(2))
        let before = await Self.codecTimes(pair)
        delays.withLock { $0 = [] }
        try await Task.sleep(for: .seconds(seconds))
        let measured = delays.withLock { $0 }
        let after = await Self.codecTimes(pair)
        source.stop()
        await pair.close()
        _ = await watching.value
        let encode = (after.encode - before.encode) / max(after.encoded - before.encoded, 1) * 1e3
        let decode = (after.decode - before.decode) / max(after.decoded - before.decoded, 1) * 1e3
        print(
            """
            {"benchmark":"delay","codec":"\(codec)","frames":\(measured.count),"medianMs":\(rounded(measured.median)),\
            "p95Ms":\(rounded(measured.percentile(95))),"encodeMs":\(rounded(encode)),"decodeMs":\(rounded(decode)),\
            "ownMs":\(rounded(measured.median - encode - decode))}
            """)
    }

    private static func codecTimes(
        _ pair: MediaPair
    ) async -> (encode: Double, encoded: Double, decode: Double, decoded: Double) {
        let sent = await pair.offerer.getStats().outboundRTP.first { $0.kind == .video }
        let received = await pair.answerer.getStats().inboundRTP.first { $0.kind == .video }
        return (
            sent?.totalEncodeTime ?? 0, Double(sent?.framesEncoded ?? 0), received?.totalDecodeTime ?? 0,
            Double(received?.framesDecoded ?? 0)
        )
    }
}
