import RTCPeer
import Testing

@testable import RTC

@Suite("Signals that came before anybody read them", .timeLimit(.minutes(1)))
struct UnreadSignalTests {
    @Test("A reader that starts after the first offer connects all the same")
    func lateReader() async throws {
        let offerer = try PeerConnection(configuration: LoopbackPair.configuration())
        let answerer = try PeerConnection(configuration: LoopbackPair.configuration())
        let channel = try await offerer.createDataChannel("chat")
        // By now the offer is made: a task that is slow to start does not see it being made.
        while await offerer.signalingState == .stable { try await Task.sleep(for: .milliseconds(1)) }
        let forwarding = [(offerer, answerer), (answerer, offerer)].map { source, target in
            Task { for await signal in source.signals { try? await target.receive(signal) } }
        }
        let events = answerer.events
        let incoming = Task { await events.first { if case .dataChannel = $0 { true } else { false } } }
        try await channel.send("hello")
        #expect(await incoming.value != nil)
        await offerer.close()
        await answerer.close()
        for task in forwarding { await task.value }
    }

    @Test("The first reader alone gets what was kept, the newest of it, in order")
    func kept() async {
        let broadcast = Broadcast<Int>(.unbounded, keepingUnread: 3)
        for value in 0..<5 { broadcast.send(value) }
        let (first, second) = (broadcast.subscribe(), broadcast.subscribe())
        broadcast.send(5)
        broadcast.finish()
        #expect(await Self.all(first) == [2, 3, 4, 5])
        #expect(await Self.all(second) == [5])
    }

    @Test("Nothing is kept unless it is asked for, and nothing after the end")
    func notKept() async {
        let broadcast = Broadcast<Int>(.unbounded)
        broadcast.send(1)
        let stream = broadcast.subscribe()
        broadcast.finish()
        #expect(await Self.all(stream) == [])
        let ended = Broadcast<Int>(.unbounded, keepingUnread: 3)
        ended.send(1)
        ended.finish()
        ended.send(2)
        #expect(await Self.all(ended.subscribe()) == [])
    }

    private static func all(_ stream: AsyncStream<Int>) async -> [Int] {
        var values: [Int] = []
        for await value in stream { values.append(value) }
        return values
    }
}
