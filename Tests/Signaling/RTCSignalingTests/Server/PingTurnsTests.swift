import Testing

@testable import RTCSignaling

@Suite("When idle sockets are pinged")
struct PingTurnsTests {
    @Test("Sockets that were opened together are pinged at different times, evenly spread")
    func spread() {
        var counts = [Int](repeating: 0, count: 10)
        for number: UInt64 in 1...1_000 {
            let delay = PingTurns.delay(of: ConnectionID(rawValue: 7_000 + number), .seconds(20))
            #expect(delay > .seconds(15) && delay <= .seconds(20))
            counts[min(9, Int((delay - .seconds(15)) / .milliseconds(500)))] += 1
        }
        #expect(counts.allSatisfy { (80...120).contains($0) }, "\(counts)")
    }

    @Test("Pings are sent in the order in which they fell due")
    func order() {
        var pings = PingTurns()
        for number: UInt64 in 1...3 { pings.append(ConnectionID(rawValue: number)) }
        var order: [UInt64] = []
        while let id = pings.popFirst() { order.append(id.rawValue) }
        #expect(order == [1, 2, 3] && pings.isEmpty)
    }
}
