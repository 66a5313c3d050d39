import RTCWire
import Testing

@testable import RTCSignaling

@Suite("Trusted networks")
struct TrustedNetworkTests {
    @Test("An address belongs to the networks whose prefix it has")
    func membership() throws {
        let networks = try TrustedNetworks(["10.0.0.0/8", "192.0.2.7", "2001:db8::/33", "::1/128", "172.16.0.0/12"])
        for (text, isInside) in [
            ("10.0.0.0", true), ("10.255.255.255", true), ("11.0.0.0", false), ("9.255.255.255", false),
            ("192.0.2.7", true), ("192.0.2.6", false), ("172.31.255.255", true), ("172.32.0.0", false),
            ("2001:db8::", true), ("2001:db8:7fff:ffff:ffff:ffff:ffff:ffff", true), ("2001:db8:8000::", false),
            ("::1", true), ("::2", false), ("::", false), ("::ffff:10.1.2.3", true), ("::ffff:11.1.2.3", false),
        ] {
            let address = try #require(IPAddress(text))
            #expect(networks.contains(address) == isInside, "\(text)")
        }
    }

    @Test("A prefix of every length from 0 has its own addresses and no other")
    func lengths() throws {
        for length in 0...32 {
            let bits: UInt32 = length == 0 ? 0 : 0xC000_0255 & (UInt32.max << (32 - length))
            let networks = try TrustedNetworks(["\(IPAddress(v4: bits))/\(length)"])
            #expect(networks.contains(IPAddress(v4: 0xC000_0255)), "\(length)")
            if length > 0 {
                #expect(!networks.contains(IPAddress(v4: 0xC000_0255 ^ (1 << (32 - length)))), "\(length)")
            }
            #expect(!networks.contains(IPAddress(v6High: 0, low: 0xC000_0255)), "IPv6, \(length)")
        }
        for length in 0...128 {
            let high: UInt64 = 0x2001_0DB8_DEAD_BEEF & (UInt64.max << max(0, 64 - length))
            let low: UInt64 = 0x0123_4567_89AB_CDEF & (UInt64.max << min(64, 128 - length))
            let networks = try TrustedNetworks(["\(IPAddress(v6High: high, low: low))/\(length)"])
            let address = IPAddress(v6High: 0x2001_0DB8_DEAD_BEEF, low: 0x0123_4567_89AB_CDEF)
            #expect(networks.contains(address), "\(length)")
            guard length > 0 else { continue }
            let other =
                length <= 64
                ? IPAddress(v6High: 0x2001_0DB8_DEAD_BEEF ^ (1 << (64 - length)), low: 0x0123_4567_89AB_CDEF)
                : IPAddress(v6High: 0x2001_0DB8_DEAD_BEEF, low: 0x0123_4567_89AB_CDEF ^ (1 << (128 - length)))
            #expect(!networks.contains(other), "\(length)")
        }
    }

    @Test(
        "What is no network is refused",
        arguments: [
            "", "/", "/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/+8", "10.0.0.0/8/8", "10.0.0.1/8",
            "10/8",
            "10.0.0/8", "010.0.0.0/8", "::/129", "2001:db8::1/64", "::ffff:10.0.0.0/104", "fe80::1%eth0", "localhost",
            "10.0.0.0/8 ", " 10.0.0.0/8", "10.0.0.0/99999999999999999999",
        ])
    func refused(text: String) {
        #expect(throws: SignalingServerError.self) { try TrustedNetworks([text]) }
    }

    @Test("A network with bits behind its prefix is refused with the one that was meant")
    func meant() {
        let error = #expect(throws: SignalingServerError.self) { try TrustedNetworks(["10.1.2.3/8"]) }
        #expect(error?.description.contains("10.0.0.0/8") == true)
    }

    @Test("An empty set trusts nobody")
    func empty() {
        let networks = TrustedNetworks()
        #expect(networks.isEmpty)
        #expect(!networks.contains(IPAddress(127, 0, 0, 1)))
    }
}
