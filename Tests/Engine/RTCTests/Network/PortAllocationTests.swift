import EventLoopTesting
import NIOCore
import RTCWire
import Testing

@testable import RTC

@Suite("Choosing a port")
struct PortAllocationTests {
    private let loopback = IPAddress(127, 0, 0, 1)

    @Test("A port of the range is taken, and an exhausted range is one clear error")
    func exhaustedRange() async throws {
        try await onEventLoop { _, loop in
            let address = IPAddress(127, 0, 0, 1)
            let random = SeededRandom(seed: 3)
            // Whatever else runs here may hold some of these ports, never all of them.
            let range: ClosedRange<UInt16> = 38_400...38_407
            var sockets: [DatagramSocket] = []
            var failure: SocketError?
            for _ in 0..<9 {
                do {
                    sockets.append(try .bind(to: address, ports: range, on: loop, random: random))
                } catch let error as SocketError {
                    failure = error
                }
            }
            #expect(!sockets.isEmpty)
            #expect(Set(sockets.map(\.localAddress.port)).count == sockets.count)
            #expect(sockets.allSatisfy { range.contains($0.localAddress.port) })
            #expect(failure?.code == .portsExhausted)
            #expect(failure?.message.contains("38400-38407") == true)

            // A port that is given back can be had again.
            let port = sockets[0].localAddress.port
            sockets[0].close()
            let again = try DatagramSocket.bind(to: address, ports: port...port, on: loop, random: random)
            #expect(again.localAddress.port == port)
            again.close()
            for socket in sockets { socket.close() }
        }
    }

    @Test("An address of another machine is refused as such")
    func foreignAddress() throws {
        #expect {
            _ = try DatagramBinding.open(IPAddress(192, 0, 2, 1), ports: nil, random: SeededRandom(seed: 1))
        } throws: {
            ($0 as? SocketError)?.code == .addressNotAvailable
        }
    }

    @Test("Every port of a range is tried once, whatever the seed", arguments: [1, 2, 7, 64, 1000, 65_536])
    func everyPortOnce(count: Int) {
        let first: UInt16 = count == 65_536 ? 0 : 5_000
        let range = first...UInt16(Int(first) + count - 1)
        for seed in 0..<4 {
            var order = PortOrder(range, random: SeededRandom(seed: UInt64(seed)))
            var seen: Set<UInt16> = []
            while let port = order.next() { #expect(seen.insert(port).inserted) }
            #expect(seen == Set(range))
        }
    }

    @Test("Two seeds try ports in different orders")
    func orderDependsOnSeed() {
        func order(_ seed: UInt64) -> [UInt16] {
            var order = PortOrder(1_000...1_999, random: SeededRandom(seed: seed))
            return (0..<8).compactMap { _ in order.next() }
        }
        #expect(order(1) != order(2))
    }
}
