import RTCWire
import Testing

@testable import NATS

@Suite("An ordered consumer of JetStream")
struct OrderedConsumerTests {
    private static func metadata(_ stream: UInt64, _ consumer: UInt64, pending: UInt64) -> DeliveryMetadata? {
        DeliveryMetadata(
            reply: NATSSubject(unchecked: "$JS.ACK.KV_b.c.1.\(stream).\(consumer).1700000000000000000.\(pending)"))
    }

    private static func rules(existing: UInt64) -> OrderedConsumerRules {
        var rules = OrderedConsumerRules(start: .lastPerSubject, heartbeat: .seconds(2))
        _ = rules.created(pending: existing, delivered: 0, at: .zero)
        return rules
    }

    @Test("What a message's reply subject says, in both forms")
    func metadata() throws {
        let old = try #require(Self.metadata(70, 7, pending: 3))
        #expect(old.streamSequence == 70 && old.consumerSequence == 7 && old.pending == 3)
        for end in ["", ".x", ".x.y"] {
            let new = DeliveryMetadata(reply: NATSSubject(unchecked: "$JS.ACK._.hash.KV_b.c.1.70.7.17.3\(end)"))
            #expect(new == old)
        }
        for text in [
            "$JS.ACK.s.c.1.70.7.17", "$JS.ACK._.s.c.1.70.7.17.3", "$JS.NAK.s.c.1.70.7.17.3", "$JS.ACK.s.c.1.x.7.17.3",
            "$JS.ACK.s.c.1.-1.7.17.3", "a",
        ] {
            #expect(DeliveryMetadata(reply: NATSSubject(unchecked: text)) == nil, "\(text)")
        }
        #expect(DeliveryMetadata(reply: nil) == nil)
    }

    @Test("With nothing to deliver it has caught up when it is created")
    func empty() {
        var rules = OrderedConsumerRules(start: .lastPerSubject, heartbeat: .seconds(2))
        let verdict = rules.created(pending: 0, delivered: 0, at: .zero)
        #expect(verdict == .caughtUp)
        let again = rules.created(pending: 0, delivered: 0, at: .zero)
        #expect(again == .ignore)
    }

    @Test("It has caught up with the last of the messages that existed, though more come meanwhile")
    func caughtUp() throws {
        var rules = Self.rules(existing: 3)
        let verdicts = [(10, 1, 2), (12, 2, 5), (13, 3, 4), (14, 4, 0)].map { stream, consumer, pending in
            Self.metadata(UInt64(stream), UInt64(consumer), pending: UInt64(pending)).map {
                rules.received($0, at: .zero)
            }
        }
        #expect(
            verdicts == [
                .deliver(isLast: false), .deliver(isLast: false), .deliver(isLast: true), .deliver(isLast: false),
            ])
        #expect(rules.nextStart == .sequence(15))
    }

    @Test("Messages that were delivered before the answer came count as existing")
    func delivered() throws {
        var rules = OrderedConsumerRules(start: .lastPerSubject, heartbeat: .seconds(2))
        let verdict = rules.created(pending: 0, delivered: 1, at: .zero)
        #expect(verdict == .ignore)
        let message = try #require(Self.metadata(5, 1, pending: 0))
        let last = rules.received(message, at: .zero)
        #expect(last == .deliver(isLast: true))
    }

    @Test("A gap, a repetition and an older message need another consumer, which begins after the last good one")
    func gaps() throws {
        for (stream, consumer) in [(UInt64(12), UInt64(3)), (12, 1), (12, 0), (10, 2), (3, 2)] {
            var rules = Self.rules(existing: 9)
            let first = try #require(Self.metadata(10, 1, pending: 8))
            _ = rules.received(first, at: .zero)
            let next = try #require(Self.metadata(stream, consumer, pending: 1))
            let verdict = rules.received(next, at: .zero)
            #expect(verdict == .recreate && rules.nextStart == .sequence(11), "\(stream) \(consumer)")
        }
        #expect(Self.rules(existing: 9).nextStart == .lastPerSubject)
    }

    @Test("Heartbeats reveal lost messages at the end, and entries that expired before they came")
    func heartbeats() throws {
        var rules = Self.rules(existing: 2)
        let first = try #require(Self.metadata(10, 1, pending: 1))
        _ = rules.received(first, at: .zero)
        let stalled = rules.receivedHeartbeat(last: 1, isStalled: true, at: .zero)
        #expect(stalled == .ignore)
        let idle = rules.receivedHeartbeat(last: 1, isStalled: false, at: .zero)
        #expect(idle == .caughtUp)
        let again = rules.receivedHeartbeat(last: 1, isStalled: false, at: .zero)
        #expect(again == .ignore)
        let ahead = rules.receivedHeartbeat(last: 2, isStalled: false, at: .zero)
        #expect(ahead == .recreate)
        let silent = rules.receivedHeartbeat(last: nil, isStalled: false, at: .zero)
        #expect(silent == .ignore)
    }

    @Test("Three missing heartbeats are silence")
    func silence() {
        var rules = Self.rules(existing: 0)
        #expect(!rules.isSilent(at: .zero + .milliseconds(5_999)))
        #expect(rules.isSilent(at: .zero + .seconds(6)))
        rules.heardFlowControl(at: .zero + .seconds(6))
        #expect(!rules.isSilent(at: .zero + .seconds(11)))
    }

    @Test("A watch of changes only begins after the last write, also when its first consumer fails")
    func changesOnly() {
        let rules = OrderedConsumerRules(start: .sequence(8), heartbeat: .seconds(2))
        #expect(rules.isCaughtUp && rules.nextStart == .sequence(8))
    }
}
