import NATS
import NATSConformance
import RTCWire
import Testing

@Suite("The model of NATS in memory")
struct MemoryStoreTests {
    @Test("It keeps the rules that a server keeps", arguments: ConformanceCase.all)
    func conformance(rule: ConformanceCase) async throws {
        let broker = MemoryBroker(seed: 1)
        try await rule.run { broker.client() }
    }

    @Test("A client that was cut off is told what it missed: the last write of each key, and that messages are missing")
    func cutOff() async throws {
        let broker = MemoryBroker(seed: 2)
        let (writer, watcher) = (broker.client(), broker.client())
        var changes = try await watcher.watch(.all).makeAsyncIterator()
        let subscription = try await watcher.subscribe(NATSSubjectFilter("news"))
        let first = try await writer.create(KeyValueKey("a"), [1])
        let seen = [try await changes.next(), try await changes.next()]
        #expect(seen.first == .caughtUp && Self.revision(seen[1]) == first)
        watcher.setConnected(false)
        var last = first
        for number in 2..<6 { last = try await writer.update(KeyValueKey("a"), [UInt8(number)], revision: last) }
        _ = try await writer.create(KeyValueKey("b"), [])
        try await writer.publish(NATSSubject("news"), [1])
        let refused = await #expect(throws: NATSError.self) { try await watcher.get(KeyValueKey("a")) }
        #expect(refused?.code == .notConnected)
        watcher.setConnected(true)
        try await writer.publish(NATSSubject("news"), [2])
        let missed = [Self.revision(try await changes.next()), Self.revision(try await changes.next())]
        #expect(missed == [last, last + 1])
        var news = subscription.makeAsyncIterator()
        let deliveries = [try await news.next(), try await news.next()]
        #expect(
            deliveries == [.lost(.reconnection), .message(NATSMessage(subject: try NATSSubject("news"), payload: [2]))])
    }

    private static func revision(_ change: KeyValueChange?) -> UInt64? {
        if case .entry(let entry)? = change { entry.revision } else { nil }
    }

    @Test("Answers that are lost leave writes that have happened", arguments: 0..<20)
    func lostAnswers(seed: UInt64) async throws {
        var faults = KeyValueModel.Faults()
        faults.lostReplies = 0.3
        faults.lostRequests = 0.2
        let store = MemoryBroker(seed: seed, faults: faults).client()
        var outcomes: Set<String> = []
        var last: UInt64 = 0
        for number in 0..<60 {
            do {
                last = try await store.update(KeyValueKey("k"), [UInt8(number)], revision: last)
            } catch {
                #expect(error.isOutcomeUnknown)
                var entry: KeyValueEntry?
                while true {
                    do { entry = try await store.get(KeyValueKey("k")) } catch { continue }
                    break
                }
                outcomes.insert(entry?.value == [UInt8(number)] ? "happened" : "not")
                last = entry?.revision ?? 0
            }
        }
        #expect(outcomes == ["happened", "not"])
    }
}
