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
        let events = pair.answerer.events
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
                    guard let reading = TestPattern.read(from: frame.buffer),
                        let start = sent.withLock({ $0.removeValue(forKey: reading.number) })
                    else { return }
                    delays.withLock { $0.append((now - start).seconds * 1e3) }
                }
                received.add(sink)
                return sink
            }
            return nil
        }
        let source = PacedVideoSource(TestPattern(width: width, height: height), framesPerSecond: 30)
        let entrance = VideoWatcher { frame in
            if let reading = TestPattern.read(from: frame.buffer) {
                sent.withLock { $0[reading.number] = MediaClock.now }
            }
            track.deliver(frame)
        }
        source.start(delivering: entrance)
        try await Task.sleep(for: .seconds(2))
        let before = await Self.times(pair)
        delays.withLock { $0 = [] }
        try await Task.sleep(for: .seconds(seconds))
        let measured = delays.withLock { $0 }
        let used = await Self.times(pair).since(before)
        source.stop()
        await pair.close()
        _ = await watching.value
        print(
            """
            {"benchmark":"delay","codec":"\(codec)","frames":\(measured.count),"medianMs":\(rounded(measured.median)),\
            "p95Ms":\(rounded(measured.percentile(95))),"encodeMs":\(rounded(used.encode)),\
            "decodeMs":\(rounded(used.decode)),"ownMs":\(rounded(measured.median - used.encode - used.decode)),\
            "assemblyMs":\(rounded(used.assembly)),"bufferMs":\(rounded(used.buffer)),"targetMs":\(rounded(used.target))}
            """)
    }

    /// Sums over pictures, in seconds, and how many pictures they are of.
    private struct Times {
        var encode = 0.0, encoded = 0.0, decode = 0.0, decoded = 0.0
        /// From a picture's first packet to its last, and to its leaving the jitter buffer, which aims at the target.
        var assembly = 0.0, assembled = 0.0, buffer = 0.0, target = 0.0, emitted = 0.0

        /// The means of what has happened since, in milliseconds.
        func since(_ start: Times) -> Times {
            func mean(_ sum: KeyPath<Times, Double>, _ count: KeyPath<Times, Double>) -> Double {
                (self[keyPath: sum] - start[keyPath: sum])
                    / max(self[keyPath: count] - start[keyPath: count], 1) * 1e3
            }
            return Times(
                encode: mean(\.encode, \.encoded), decode: mean(\.decode, \.decoded),
                assembly: mean(\.assembly, \.assembled), buffer: mean(\.buffer, \.emitted),
                target: mean(\.target, \.emitted))
        }
    }

    private static func times(_ pair: MediaPair) async -> Times {
        let sent = await pair.offerer.getStats().outboundRTP.first { $0.kind == .video }
        guard let received = await pair.answerer.getStats().inboundRTP.first(where: { $0.kind == .video }) else {
            return Times()
        }
        return Times(
            encode: sent?.totalEncodeTime ?? 0, encoded: Double(sent?.framesEncoded ?? 0),
            decode: received.totalDecodeTime ?? 0, decoded: Double(received.framesDecoded ?? 0),
            assembly: received.totalAssemblyTime ?? 0,
            assembled: Double(received.framesAssembledFromMultiplePackets ?? 0),
            buffer: received.jitterBufferDelay, target: received.jitterBufferTargetDelay,
            emitted: Double(received.jitterBufferEmittedCount))
    }
}
