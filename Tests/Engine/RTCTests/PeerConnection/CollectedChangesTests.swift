import RTC
import Synchronization
import Testing

/// Counts the offers that a connection makes.
private final class OfferCounter: Sendable {
    private let offers = Atomic(0)

    init(_ connection: PeerConnection) {
        let signals = connection.signals
        Task { [weak self] in
            for await case .description(let description) in signals where description.type == .offer {
                self?.offers.add(1, ordering: .relaxed)
            }
        }
    }

    var count: Int { offers.load(ordering: .relaxed) }
}

@Suite("Changes that are collected", .timeLimit(.minutes(1)))
struct CollectedChangesTests {
    @Test("Tracks and channels become one offer, however long they take")
    func oneOffer() async throws {
        let pair = try LoopbackPair.media(["opus", "VP8"])
        let incoming = IncomingTracks(pair.answerer)
        // A channel that nobody has is closed.
        let events = pair.answerer.events
        let keeping = Task {
            var kept: [DataChannel] = []
            for await case .dataChannel(let channel) in events { kept.append(channel) }
            return kept.count
        }
        let first = try await pair.offerer.createDataChannel("first")
        try await first.waitUntilOpen()
        let offers = OfferCounter(pair.offerer)
        await pair.offerer.suspendNegotiation()
        try await pair.offerer.addTrack(AudioTrack.tone(440))
        try await Task.sleep(for: .milliseconds(50))
        try await pair.offerer.addTrack(VideoTrack.test())
        let second = try await pair.offerer.createDataChannel("second")
        try await Task.sleep(for: .milliseconds(50))
        #expect(offers.count == 0)
        await pair.offerer.resumeNegotiation()
        let (listener, reader) = (ToneListener(), PictureReader())
        try await incoming.audio().add(listener)
        try await incoming.video().add(reader)
        #expect(await listener.waitForTone(440))
        #expect(await reader.waitForReadings(2))
        try await second.waitUntilOpen()
        #expect(offers.count == 1)
        await pair.close()
        #expect(await keeping.value == 2)
    }

    @Test("A track that the other side ceases to send is told of, and again when it comes back")
    func removed() async throws {
        let pair = try LoopbackPair.media(["VP8"])
        let log = Mutex<[String]>([])
        let events = pair.answerer.events
        let sender = try await pair.offerer.addTrack(VideoTrack.test())
        let watching = Task {
            for await event in events {
                switch event {
                case .track(let transceiver, _): log.withLock { $0.append("track \(transceiver.kind)") }
                case .trackRemoved(let transceiver): log.withLock { $0.append("removed \(transceiver.kind)") }
                default: break
                }
            }
        }
        #expect(await eventually { log.withLock { $0 } == ["track video"] })
        try await pair.offerer.removeTrack(sender)
        #expect(await eventually { log.withLock { $0 } == ["track video", "removed video"] })
        let transceiver = try #require(await pair.offerer.transceivers.first)
        try await sender.replaceTrack(VideoTrack.test())
        try await transceiver.setDirection(.sendrecv)
        #expect(await eventually { log.withLock { $0.count } == 3 })
        await transceiver.stop()
        #expect(await eventually { log.withLock { $0 }.last == "removed video" && log.withLock { $0.count } == 4 })
        await pair.close()
        await watching.value
        #expect(log.withLock { $0 } == ["track video", "removed video", "track video", "removed video"])
    }
}
