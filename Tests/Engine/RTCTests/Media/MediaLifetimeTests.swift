import RTC
import RTCFrames
import Synchronization
import Testing

@testable import RTC

/// A source that counts how often it was started and stopped.
private final class CountedSource: VideoSource {
    private let state = Mutex((starts: 0, stops: 0))
    func start(delivering sink: any VideoSink) { state.withLock { $0.starts += 1 } }
    func stop() { state.withLock { $0.stops += 1 } }
    var starts: Int { state.withLock { $0.starts } }
    var stops: Int { state.withLock { $0.stops } }
}

/// What must be gone when a call is over.
private final class Remains: @unchecked Sendable {
    weak var engine: Engine?
    weak var connection: PeerConnection?
    weak var transceiver: RTPTransceiver?
    weak var local: VideoTrack?
    weak var remote: VideoTrack?
    weak var sending: AudioSendPipeline?
    weak var receiving: AudioReceivePipeline?

    init(local: VideoTrack, remote: VideoTrack) {
        self.local = local
        self.remote = remote
    }

    /// The names of what is still there.
    var names: [String] {
        let all: [(String, AnyObject?)] = [
            ("engine", engine), ("connection", connection), ("transceiver", transceiver), ("local", local),
            ("remote", remote), ("sending", sending), ("receiving", receiving),
        ]
        return all.filter { $0.1 != nil }.map(\.0)
    }
}

extension PeerConnection {
    fileprivate func note(in remains: Remains) {
        remains.engine = engine
        remains.connection = self
        remains.transceiver = transceivers.first
        for pipelines in engine.pipelines.values {
            if case .audio(let pipeline) = pipelines.sending { remains.sending = pipeline }
            if case .audio(let pipeline) = pipelines.receiving { remains.receiving = pipeline }
        }
    }
}

@Suite("Nothing of a call is left behind", .timeLimit(.minutes(2)))
struct MediaLifetimeTests {
    private func call(closing: Bool) async throws -> Remains {
        let pair = try LoopbackPair.media(["VP8", "opus"])
        let incoming = IncomingTracks(pair.answerer)
        let local = VideoTrack.test()
        try await pair.offerer.addTrack(local)
        try await pair.offerer.addTrack(AudioTrack.tone(440))
        let remote = try await incoming.video()
        let reader = PictureReader()
        remote.add(reader)
        #expect(await reader.waitForReadings(2))
        let remains = Remains(local: local, remote: remote)
        await pair.answerer.note(in: remains)
        if closing { await pair.close() }
        return remains
    }

    @Test("Closed or let go of: engines, tracks and pipelines are freed", arguments: [true, false])
    func freed(closing: Bool) async throws {
        let remains = try await call(closing: closing)
        _ = await eventually { remains.names.isEmpty }
        #expect(remains.names == [])
    }

    @Test("Closing in the middle of the set-up ends everything", arguments: [0, 1, 3, 10, 30])
    func midSetup(milliseconds: Int) async throws {
        let pair = try LoopbackPair.media(["VP8", "opus"])
        let source = CountedSource()
        let track = VideoTrack(source: source)
        let sender = try await pair.offerer.addTrack(track)
        try await pair.offerer.addTrack(AudioTrack.tone(440))
        try await pair.answerer.addTrack(VideoTrack.test())
        try await Task.sleep(for: .milliseconds(milliseconds))
        await pair.close()
        #expect(await eventually { source.starts == 1 && source.stops == 1 })
        await #expect(throws: RTCError.self) { try await sender.replaceTrack(nil) }
        #expect(await pair.offerer.transceivers.isEmpty)
    }

    @Test("Play-out stops with the last call")
    func playout() async throws {
        let pair = try LoopbackPair.media(["opus"])
        let incoming = IncomingTracks(pair.answerer)
        let before = AudioPlayout.shared.count
        try await pair.offerer.addTrack(AudioTrack.tone(440))
        _ = try await incoming.audio()
        #expect(await eventually { AudioPlayout.shared.count > before })
        await pair.close()
        #expect(await eventually { AudioPlayout.shared.count <= before })
    }

    @Test("A source runs while somebody needs it")
    func sources() async throws {
        let source = CountedSource()
        let track = VideoTrack(source: source)
        #expect(source.starts == 0)
        let reader = PictureReader()
        track.add(reader)
        #expect(source.starts == 1)
        let pair = try LoopbackPair.media(["VP8"])
        let sender = try await pair.offerer.addTrack(track)
        track.remove(reader)
        #expect(source.stops == 0)
        try await pair.offerer.removeTrack(sender)
        #expect(source.stops == 1)
        try await sender.replaceTrack(track)
        #expect(source.starts == 2)
        track.stop()
        #expect(source.stops == 2)
        await pair.close()
    }
}
