import RTCWire
import Testing

@testable import RTCMedia

@Suite("The delay of a path")
struct PathDelayTests {
    /// Packets each 10 ms that take `delay` milliseconds.
    private func send(_ delay: Int64, from start: Int64, count: Int64, _ path: inout PathDelay) {
        for index in 0..<count {
            let sent = start + index * 10
            path.add(sent: .milliseconds(sent), arrival: .milliseconds(sent + delay))
        }
    }

    @Test("Copies that come on a shorter path make no queue of the delay of this one")
    func copies() {
        var path = PathDelay()
        send(80, from: 0, count: 100, &path)
        path.mixesPaths = true
        send(20, from: 1_000, count: 30, &path)
        path.mixesPaths = false
        send(80, from: 1_300, count: 100, &path)
        #expect(path.standingQueue(packetTime: 0) == 0)
        send(110, from: 2_300, count: 100, &path)
        #expect(path.standingQueue(packetTime: 0) == 0.03)
    }

    @Test("A path that becomes shorter has a queue when it is longer again")
    func shorter() {
        var path = PathDelay()
        send(80, from: 0, count: 100, &path)
        send(20, from: 1_000, count: 30, &path)
        send(80, from: 1_300, count: 100, &path)
        #expect(path.standingQueue(packetTime: 0) == 0.06)
    }
}
