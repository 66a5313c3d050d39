import Logging
import Testing

@testable import RTC

@Suite("Events that wait for a subscriber", .timeLimit(.minutes(1)))
struct EventFeedTests {
    private let feed = EventFeed(log: Logger(label: "test"))

    @Test("All come, in order, to a subscriber that falls behind a little")
    func complete() async {
        let events = feed.subscribe()
        for _ in 0..<50 {
            feed.send(.iceConnectionStateChange(.disconnected))
            feed.send(.iceConnectionStateChange(.connected))
        }
        feed.finish()
        var states: [ICEConnectionState] = []
        for await case .iceConnectionStateChange(let state) in events { states.append(state) }
        #expect(states == (0..<50).flatMap { _ in [.disconnected, .connected] })
    }

    @Test("Of states that nobody reads, the last of each kind is left")
    func superseded() async {
        let events = feed.subscribe()
        feed.send(.signalingStateChange(.haveLocalOffer))
        for _ in 0..<100_000 {
            feed.send(.connectionStateChange(.disconnected))
            feed.send(.connectionStateChange(.connected))
        }
        feed.send(.connectionStateChange(.failed))
        feed.finish()
        var count = 0
        var last: ConnectionState?
        var signaling: SignalingState?
        for await event in events {
            count += 1
            if case .connectionStateChange(let state) = event { last = state }
            if case .signalingStateChange(let state) = event { signaling = state }
        }
        #expect(count <= EventQueue.compactSize)
        #expect(last == .failed && signaling == .haveLocalOffer)
    }

    @Test("A cancelled reader returns, and so does one whose feed has ended")
    func endings() async {
        let events = feed.subscribe()
        let reader = Task { for await _ in events {} }
        reader.cancel()
        await reader.value
        let other = feed.subscribe()
        let waiting = Task { for await _ in other {} }
        feed.finish()
        await waiting.value
        for await _ in feed.subscribe() {}
    }

    @Test("A channel that waits in an unread sequence does not keep the connection")
    func retain() async throws {
        weak var connection: PeerConnection?
        let events: AsyncStream<PeerConnection.Event>
        do {
            let pair = try LoopbackPair()
            connection = pair.answerer
            events = pair.answerer.events
            let channel = try await pair.offerer.createDataChannel("data")
            try await channel.send("unread")
            try await channel.waitUntilOpen()
            try await Task.sleep(for: .milliseconds(100))
            await pair.offerer.close()
        }
        for _ in 0..<200 where connection != nil { try await Task.sleep(for: .milliseconds(10)) }
        #expect(connection == nil)
        // The channel is still reported, and by the end it is closed.
        var channels: [DataChannel] = []
        for await case .dataChannel(let channel) in events { channels.append(channel) }
        #expect(channels.map(\.state) == [.closed])
    }
}
