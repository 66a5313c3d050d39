import RTCWire
import Testing

@testable import RTCTransport

@Suite("SCTP numbers wrap around")
struct SCTPNumberWrapTests {
    /// Yields `first`, and then what follows from a seed.
    private final class ChosenRandom: RandomSource {
        private var first: UInt64?
        private let rest = SeededRandom(seed: 1)

        init(first: UInt64) {
            self.first = first
        }

        func next() -> UInt64 {
            defer { first = nil }
            return first ?? rest.next()
        }
    }

    @Test("TSNs, with losses", arguments: 0..<6 as Range<UInt64>)
    func transmissionSequenceNumbers(seed: UInt64) throws {
        // The upper half is the initial TSN.
        let random = ChosenRandom(first: 0xFFFF_FFF0_0000_0007)
        var link = SCTPLink(
            SCTPAssociation(configuration: SCTPConfiguration(), random: random),
            SCTPAssociation(configuration: SCTPConfiguration(), random: SeededRandom(seed: 2)),
            conditions: .terrible, seed: seed)
        #expect(link.a.localInitialTSN.rawValue == 0xFFFF_FFF0)
        link.connect()
        for number in 0..<40 as Range<UInt32> {
            try link.a.send(
                SCTPMessage(stream: 1, protocolIdentifier: number, bytes: [UInt8](repeating: 0, count: 3_000)),
                reliability: number % 4 == 3 ? .maxRetransmits(0) : .reliable, at: link.now)
        }
        var received: [UInt32] = []
        link.run(for: .seconds(120), react: { received += $0.b.drainMessages(at: $0.now).map(\.protocolIdentifier) })
        #expect(received == received.sorted())
        #expect(Set(received).isSuperset(of: (0..<40).filter { $0 % 4 != 3 }))
        #expect(link.a.bufferedAmount == 0)
        #expect(link.a.outstanding.nextTSN.rawValue < 1_000)
    }

    @Test("stream sequence numbers")
    func streamSequenceNumbers() throws {
        var link = SCTPLink(conditions: LinkConditions(delay: .milliseconds(1), loss: 0.01), seed: 3)
        link.connect()
        var sent: UInt32 = 0
        var expected: UInt32 = 0
        var isInOrder = true
        link.run(
            for: .seconds(600),
            react: { link in
                while sent < 70_000, link.a.unsentBytes(of: 1) < 20_000 {
                    let message = SCTPMessage(stream: 1, protocolIdentifier: sent, bytes: [1, 2])
                    guard (try? link.a.send(message, at: link.now)) != nil else { break }
                    sent += 1
                }
                for message in link.b.drainMessages(at: link.now) {
                    if message.protocolIdentifier != expected { isInOrder = false }
                    expected += 1
                }
            }, until: { _ in expected == 70_000 })
        #expect(expected == 70_000)
        #expect(isInOrder)
    }

    @Test("what has arrived is kept as a model keeps it", arguments: 0..<20 as Range<UInt64>)
    func receivedNumbers(seed: UInt64) {
        let random = SeededRandom(seed: seed)
        let initial = TransmissionSequenceNumber(0xFFFF_FF80)
        var received = ReceivedTSNs(initialTSN: initial)
        var model: Set<Int> = []
        var cumulative = -1
        for _ in 0..<2_000 {
            let number = cumulative + 1 + Int(random.next(below: 60)) - 10
            let tsn = initial.advanced(by: number)
            let isKnown = number <= cumulative || model.contains(number)
            switch received.classify(tsn) {
            case .duplicate: #expect(isKnown)
            case .next:
                #expect(number == cumulative + 1)
                received.insert(tsn)
            case .ahead:
                #expect(!isKnown)
                received.insert(tsn)
            case .unreasonable: Issue.record("nothing was unreasonable")
            }
            if !isKnown { model.insert(number) }
            if random.next(below: 50) == 0 {
                let skipped = cumulative + 1 + Int(random.next(below: 20))
                received.skip(to: initial.advanced(by: skipped))
                for number in 0...skipped { model.insert(number) }
            }
            while model.contains(cumulative + 1) { cumulative += 1 }
            #expect(received.cumulative == initial.advanced(by: cumulative))
            var listed: Set<Int> = []
            for range in received.ranges {
                for number in initial.distance(to: range.first)...initial.distance(to: range.last) {
                    listed.insert(number)
                }
            }
            #expect(listed == model.filter { $0 > cumulative })
        }
    }
}
