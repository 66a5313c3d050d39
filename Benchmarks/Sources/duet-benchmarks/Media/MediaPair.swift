import RTC
import RTCFrames
import RTCMedia
import RTCPeer
import RTCWire
import Synchronization

/// Two connections of this process that call each other, the signals handed over directly.
struct MediaPair {
    let offerer: PeerConnection
    let answerer: PeerConnection
    private let forwarding: [Task<Void, Never>]

    init(codec: String) throws {
        var configuration = PeerConnection.Configuration()
        configuration.media.codecs =
            PeerConnection.supportedCodecs(.audio) + PeerConnection.supportedCodecs(.video).filter { $0.name == codec }
        configuration.negotiation = .perfect(isPolite: false)
        offerer = try PeerConnection(configuration: configuration)
        configuration.negotiation = .perfect(isPolite: true)
        answerer = try PeerConnection(configuration: configuration)
        forwarding = [Self.forward(offerer.signals, to: answerer), Self.forward(answerer.signals, to: offerer)]
    }

    private static func forward(_ signals: AsyncStream<Signal>, to connection: PeerConnection) -> Task<Void, Never> {
        Task { [weak connection] in
            for await signal in signals { try? await connection?.receive(signal) }
        }
    }

    func close() async {
        await offerer.close()
        await answerer.close()
        for task in forwarding { task.cancel() }
    }
}

/// Calls `body` for each picture, on the thread that delivers it.
final class VideoWatcher: VideoSink {
    private let body: @Sendable (VideoFrame) -> Void

    init(_ body: @escaping @Sendable (VideoFrame) -> Void) { self.body = body }

    func deliver(_ frame: VideoFrame) { body(frame) }
}

/// Calls `body` for each piece of sound, on the thread that plays out.
final class AudioWatcher: AudioSink {
    private let body: @Sendable (AudioFrame) -> Void

    init(_ body: @escaping @Sendable (AudioFrame) -> Void) { self.body = body }

    func deliver(_ frame: AudioFrame) { body(frame) }
}

/// When something happened for the first time.
final class FirstTime: Sendable {
    private let time = Mutex<Instant?>(nil)

    func note() {
        let now = MediaClock.now
        time.withLock { $0 = $0 ?? now }
    }

    var value: Instant? { time.withLock { $0 } }

    /// Waits until it has happened.
    func wait() async throws -> Instant {
        let end = MediaClock.now + .seconds(20)
        while MediaClock.now < end {
            if let value { return value }
            try await Task.sleep(for: .milliseconds(1))
        }
        throw RTCError(code: .connectionFailed, message: "nothing was seen or heard within 20 s")
    }
}

extension [Double] {
    /// The middle one; 0 of none.
    var median: Double { isEmpty ? 0 : sorted()[count / 2] }

    func percentile(_ share: Int) -> Double { isEmpty ? 0 : sorted()[Swift.min(count * share / 100, count - 1)] }
}
