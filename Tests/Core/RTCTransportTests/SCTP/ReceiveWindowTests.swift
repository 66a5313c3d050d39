import RTCWire
import Testing

@testable import RTCTransport

@Suite("SCTP's receive window follows its reader")
struct ReceiveWindowTests {
    private static let start = 1 << 20

    /// Lets as many bytes arrive and be taken as the window allows, once per `interval`.
    private func window(
        after rounds: Int, roundTrip: TimeDelta?, interval: TimeDelta, share: Double = 1, maximum: Int = 16 << 20
    ) -> ReceiveWindow {
        var window = ReceiveWindow(initial: Self.start, maximum: maximum)
        var now = Instant.zero
        for _ in 0..<rounds {
            let bytes = Int(Double(window.available) * share)
            window.keep(bytes)
            now += interval
            window.take(bytes, roundTripTime: roundTrip, at: now)
        }
        return window
    }

    @Test("A window that is used up each round trip doubles, up to its maximum")
    func doubles() {
        let trip = TimeDelta.milliseconds(100)
        #expect(window(after: 1, roundTrip: trip, interval: trip).size == Self.start)
        #expect(window(after: 2, roundTrip: trip, interval: trip).size == 2 * Self.start)
        #expect(window(after: 3, roundTrip: trip, interval: trip).size == 4 * Self.start)
        #expect(window(after: 20, roundTrip: trip, interval: trip).size == 16 << 20)
        #expect(window(after: 20, roundTrip: trip, interval: trip, maximum: 3_000_000).size == 3_000_000)
    }

    @Test("One of which less than half is used stays")
    func stays() {
        let trip = TimeDelta.milliseconds(100)
        #expect(window(after: 50, roundTrip: trip, interval: trip, share: 0.45).size == Self.start)
        // A reader that takes a window in four round trips.
        #expect(window(after: 50, roundTrip: trip, interval: .milliseconds(400)).size == Self.start)
    }

    @Test("On a short path it stays, however fast it is, and without a measured round trip")
    func shortPath() {
        // 1 GB/s, in batches of a millisecond.
        #expect(window(after: 500, roundTrip: .microseconds(200), interval: .milliseconds(1)).size == Self.start)
        #expect(window(after: 50, roundTrip: nil, interval: .milliseconds(100)).size == Self.start)
        #expect(window(after: 50, roundTrip: .zero, interval: .milliseconds(100)).size == Self.start)
    }

    @Test("It never shrinks, and what waits narrows it")
    func narrows() {
        var window = window(after: 5, roundTrip: .milliseconds(100), interval: .milliseconds(100))
        let size = window.size
        #expect(size > 8 << 20)
        window.keep(size - 1_000)
        window.adjustOverhead(by: 600)
        #expect(window.available == 400)
        window.keep(2_000)
        #expect(window.available == 0)
        window.take(.max, roundTripTime: .milliseconds(100), at: .zero + .seconds(100))
        #expect(window.buffered == 0 && window.size == size && window.available == size - 600)
        window.adjustOverhead(by: -9_000)
        #expect(window.overhead == 0)
    }

    @Test("Over a long fast path the association's grows, with what its reader takes")
    func association() {
        var link = SCTPLink(
            conditions: LinkConditions(delay: .milliseconds(50), rate: .megabits(400), queueLimit: 4 << 20))
        link.connect()
        let payload = [UInt8](repeating: 1, count: 64 << 10)
        let fill = { (link: inout SCTPLink) in
            while link.a.unsentBytes(of: 0) < 1 << 20,
                (try? link.a.send(SCTPMessage(stream: 0, protocolIdentifier: 1, bytes: payload), at: link.now)) != nil
            {}
        }
        // Nobody reads: the window stays, and so does what waits in it.
        link.run(for: .seconds(3)) { fill(&$0) }
        #expect(link.b.window.size == 1 << 20 && link.b.window.buffered <= 1 << 20)
        var bytes = 0
        let read = { (link: inout SCTPLink) in
            fill(&link)
            for message in link.b.drainMessages(at: link.now) { bytes += message.bytes.count }
        }
        link.run(for: .seconds(3), react: read)
        bytes = 0
        link.run(for: .seconds(2), react: read)
        #expect(Double(bytes) * 8 / 2 > 340e6, "\(bytes)")
        #expect((8 << 20...16 << 20).contains(link.b.window.size), "\(link.b.window.size)")
    }
}
