import RTCSimulation
import RTCWire
import Testing

@Suite("STUN servers in a simulation")
struct STUNServerTests {
    private static let transaction: [UInt8] = Array(1...12)
    private static let request: [UInt8] = [0, 1, 0, 0, 0x21, 0x12, 0xA4, 0x42] + transaction

    private func ask(from source: String, server: String) throws -> [UInt8]? {
        var network = SimulatedNetwork(seed: 1)
        let source = try #require(TransportAddress(source))
        let server = try #require(TransportAddress(server))
        network.addSTUNServer(at: server)
        let host = network.addHost()
        network.addInterface(to: host, address: source.ip)
        network.send(Self.request, from: host, source: source, to: server, at: .zero)
        let delivery = network.drain().first
        #expect(delivery == nil || (delivery?.source == server && delivery?.destination == source))
        return delivery?.payload
    }

    @Test("answer with the address that they see, masked (RFC 8489, section 14.2)")
    func ipv4() throws {
        let answer = try ask(from: "192.0.2.1:32853", server: "198.51.100.1:3478")
        // The masked address is that of RFC 5769, section 2.2.
        #expect(
            answer == [0x01, 0x01, 0x00, 0x0C, 0x21, 0x12, 0xA4, 0x42] + Self.transaction + [
                0x00, 0x20, 0x00, 0x08, 0x00, 0x01, 0xA1, 0x47, 0xE1, 0x12, 0xA6, 0x43,
            ])
    }

    @Test("mask IPv6 with the transaction too")
    func ipv6() throws {
        let answer = try #require(try ask(from: "[2001:db8::1]:32853", server: "[2001:db8::2]:3478"))
        #expect(answer.count == 44 && answer[2...3] == [0, 24] && answer[25] == 2)
        let mask = [0x21, 0x12, 0xA4, 0x42] + Self.transaction
        let address = zip(answer[28...], mask).map { $0 ^ $1 }
        #expect(address == IPAddress("2001:db8::1")?.bytes)
    }

    @Test("see through a NAT")
    func behindNAT() throws {
        var network = SimulatedNetwork(seed: 1)
        let server = TransportAddress(ip: IPAddress(198, 51, 100, 1), port: 3_478)
        network.addSTUNServer(at: server)
        let gateway = network.addGateway(address: IPAddress(192, 0, 2, 1), nat: .portRestrictedCone)
        let host = network.addHost()
        let source = TransportAddress(ip: IPAddress(192, 168, 1, 2), port: 32_853)
        network.addInterface(to: host, address: source.ip, behind: gateway)
        network.send(Self.request, from: host, source: source, to: server, at: .zero)
        let deliveries = network.drain()
        let delivery = try #require(deliveries.first)
        #expect(delivery.destination == source)
        #expect(delivery.payload.suffix(8) == [0x00, 0x01, 0xA1, 0x47, 0xE1, 0x12, 0xA6, 0x43])
        #expect(network.statistics.stunAnswers == 1)
    }

    @Test("are silent about everything else")
    func garbage() throws {
        var network = SimulatedNetwork(seed: 1)
        let server = TransportAddress(ip: IPAddress(198, 51, 100, 1), port: 3_478)
        network.addSTUNServer(at: server)
        let host = network.addHost()
        let source = TransportAddress(ip: IPAddress(192, 0, 2, 1), port: 1)
        network.addInterface(to: host, address: source.ip)
        var indication = Self.request
        indication[1] = 0x11
        var badCookie = Self.request
        badCookie[4] = 0
        for bytes in [[], [0], indication, badCookie, Self.request + [1], Array(Self.request.dropLast())] {
            network.send(bytes, from: host, source: source, to: server, at: .zero)
        }
        let wrongPort = TransportAddress(ip: server.ip, port: 3_479)
        network.send(Self.request, from: host, source: source, to: wrongPort, at: .zero)
        #expect(network.drain().isEmpty)
        #expect(network.datagramsUnderWay == 0)
    }
}
