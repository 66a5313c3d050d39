import RTCWire
import Testing

@testable import RTCNetwork

@Suite("Host addresses")
struct HostAddressTests {
    private func interface(_ name: String, _ index: UInt32, isUp: Bool = true, isLoopback: Bool = false)
        -> NetworkInterface
    {
        NetworkInterface(
            name: name, index: index,
            kind: NetworkInterface.Kind(name: name, isLoopback: isLoopback, isPointToPoint: false), isUp: isUp)
    }

    private func address(
        _ text: String, on interface: NetworkInterface, isTemporary: Bool = false, isDeprecated: Bool = false
    ) throws -> InterfaceAddress {
        InterfaceAddress(
            interface: interface, ip: try #require(IPAddress(text)), isTemporary: isTemporary,
            isDeprecated: isDeprecated)
    }

    private func texts(_ addresses: [InterfaceAddress]) -> [String] { addresses.map(\.ip.description) }

    @Test("Others nearby reach a machine by its addresses of cable and radio, and not by those of a VPN or its own")
    func nearby() throws {
        let all = [
            try address("127.0.0.1", on: interface("lo0", 1, isLoopback: true)),
            try address("100.64.1.2", on: interface("utun3", 2)), try address("169.254.3.4", on: interface("en5", 3)),
            try address("2001:db8::1", on: interface("en0", 4)), try address("192.168.1.2", on: interface("en0", 4)),
            try address("10.0.0.7", on: interface("wlan0", 5)),
            try address("192.0.2.9", on: interface("en9", 6, isUp: false)),
        ]
        #expect(NearbyAddresses.addresses(of: all) == ["192.168.1.2", "10.0.0.7"])
        #expect(NearbyAddresses.addresses(of: Array(all.prefix(1))).isEmpty)
    }

    @Test("Loopback, link-local, site-local, mapped, deprecated addresses and interfaces that are down are left out")
    func unusableAddresses() throws {
        let loopback = interface("lo", 1, isLoopback: true)
        let wired = interface("eth0", 2)
        let down = interface("eth1", 3, isUp: false)
        let all = [
            try address("127.0.0.1", on: loopback), try address("::1", on: loopback),
            try address("192.0.2.1", on: wired), try address("169.254.3.4", on: wired),
            try address("fe80::1", on: wired), try address("fec0::1", on: wired),
            try address("::ffff:192.0.2.1", on: wired), try address("2001:db8::1", on: wired),
            try address("2001:db8::2", on: wired, isDeprecated: true), try address("192.0.2.9", on: down),
        ]
        #expect(texts(HostAddressRules().select(from: all)) == ["2001:db8::1", "192.0.2.1"])
        #expect(texts(HostAddressRules(includesLoopback: true).select(from: all)).contains("127.0.0.1"))
        #expect(texts(HostAddressRules(includesLinkLocal: true).select(from: all)).contains("169.254.3.4"))
    }

    @Test("Temporary IPv6 addresses take the place of the stable ones of their kind")
    func temporaryAddresses() throws {
        let wired = interface("eth0", 2)
        let other = interface("eth1", 3)
        let all = [
            try address("2001:db8::1", on: wired), try address("2001:db8::aaaa", on: wired, isTemporary: true),
            try address("fd00::1", on: wired), try address("2001:db8:1::1", on: other),
        ]
        #expect(Set(texts(HostAddressRules().select(from: all))) == ["2001:db8::aaaa", "fd00::1", "2001:db8:1::1"])
    }

    @Test("A machine with nothing else uses loopback")
    func loopbackAsLastResort() throws {
        let loopback = interface("lo", 1, isLoopback: true)
        let all = [try address("127.0.0.1", on: loopback), try address("::1", on: loopback)]
        #expect(texts(HostAddressRules().select(from: all)) == ["::1", "127.0.0.1"])
    }

    @Test("Better kinds of interface come first, and the families take turns")
    func order() throws {
        let tunnel = interface("wg0", 5)
        let wireless = interface("wlan0", 4)
        let wired = interface("eth0", 3)
        let all = [
            try address("10.8.0.2", on: tunnel), try address("10.0.0.1", on: wireless),
            try address("192.0.2.1", on: wired), try address("192.0.2.2", on: wired),
            try address("2001:db8::1", on: wired), try address("2001:db8::2", on: wired),
        ]
        #expect(
            texts(HostAddressRules().select(from: all)) == [
                "2001:db8::1", "192.0.2.1", "2001:db8::2", "192.0.2.2", "10.0.0.1", "10.8.0.2",
            ])
        #expect(HostAddressRules(maximumCount: 3).select(from: all).count == 3)
    }

    @Test("Filters leave out interfaces and addresses, and a bound address stands alone")
    func filters() throws {
        let wired = interface("eth0", 3)
        let container = interface("docker0", 6)
        let all = [try address("192.0.2.1", on: wired), try address("172.17.0.1", on: container)]
        #expect(texts(HostAddressRules(allowsInterface: { $0.name != "docker0" }).select(from: all)) == ["192.0.2.1"])
        #expect(texts(HostAddressRules(allowsAddress: \.isPrivate).select(from: all)) == ["172.17.0.1"])
        let bound = HostAddressRules(boundAddress: IPAddress(127, 0, 0, 1)).select(from: all)
        #expect(texts(bound) == ["127.0.0.1"])
        #expect(HostAddressRules(allowsInterface: { _ in false }).select(from: all).isEmpty)
    }

    @Test(
        "Names tell kinds",
        arguments: [
            ("eth0", NetworkInterface.Kind.wired), ("enp3s0", .wired), ("wlp2s0", .wifi), ("wwan0", .cellular),
            ("pdp_ip0", .cellular), ("utun3", .vpn), ("wg0", .vpn), ("foo", .unknown),
        ])
    func kinds(name: String, kind: NetworkInterface.Kind) {
        #expect(NetworkInterface.Kind(name: name, isLoopback: false, isPointToPoint: false) == kind)
    }

    @Test("This machine's list has its loopback interface")
    func thisMachine() throws {
        let all = InterfaceTable.readAddresses()
        let loopback = try #require(all.first { $0.ip == IPAddress(127, 0, 0, 1) })
        #expect(loopback.interface.kind == .loopback)
        #expect(loopback.interface.index > 0)
        #expect(Set(InterfaceTable.addresses()) == Set(all))
    }
}
