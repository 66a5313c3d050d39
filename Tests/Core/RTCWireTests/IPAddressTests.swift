import RTCWire
import Testing

@Suite("IP addresses")
struct IPAddressTests {
    @Test(
        "write IPv6 in the canonical form (RFC 5952, section 4)",
        arguments: [
            // Leading zeros go (4.1).
            ("2001:0db8:0000:0000:0001:0000:0000:0001", "2001:db8::1:0:0:1"),
            ("2001:db8:aaaa:bbbb:cccc:dddd:eeee:0001", "2001:db8:aaaa:bbbb:cccc:dddd:eeee:1"),
            // "::" takes as much as it can (4.2.1).
            ("2001:db8:0:0:0:0:2:1", "2001:db8::2:1"),
            ("2001:db8::0:1", "2001:db8::1"),
            // A single zero group stays (4.2.2).
            ("2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"),
            ("2001:db8::1:1:1:1:1", "2001:db8:0:1:1:1:1:1"),
            // The longest run, and the first of equals (4.2.3).
            ("2001:0:0:1:0:0:0:1", "2001:0:0:1::1"),
            ("2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"),
            // Lower case (4.3).
            ("2001:DB8::ABCD:EF", "2001:db8::abcd:ef"),
            ("0:0:0:0:0:0:0:0", "::"), ("::", "::"), ("::1", "::1"), ("1::", "1::"),
            ("0:1:2:3:4:5:6:7", "0:1:2:3:4:5:6:7"), ("1:2:3:4:5:6:7:0", "1:2:3:4:5:6:7:0"),
            ("0:0:1:2:3:4:0:0", "::1:2:3:4:0:0"), ("fe80:0:0:0:0:0:0:0", "fe80::"),
        ])
    func canonical(text: String, expected: String) throws {
        let address = try #require(IPAddress(text))
        #expect(address.isIPv6)
        #expect(address.description == expected)
        #expect(IPAddress(expected) == address)
    }

    @Test("read IPv4 at the end of IPv6 (RFC 4291, section 2.2)")
    func embedded() {
        #expect(IPAddress("::ffff:192.0.2.128") == IPAddress(v6High: 0, low: 0xFFFF_C000_0280))
        #expect(IPAddress("64:ff9b::192.0.2.33") == IPAddress(v6High: 0x0064_FF9B_0000_0000, low: 0xC000_0221))
        #expect(
            IPAddress("1:2:3:4:5:6:1.2.3.4") == IPAddress(v6High: 0x0001_0002_0003_0004, low: 0x0005_0006_0102_0304))
        #expect(IPAddress("::ffff:192.0.2.128")?.isIPv4Mapped == true)
    }

    @Test(
        "refuse what is no IPv6 address",
        arguments: [
            "", ":", ":::", "1", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1:2:3:4:5:6:7:8::", "::1:2:3:4:5:6:7:8",
            "1::2::3", "12345::", "g::", "1:", ":1", "1:2:3:4:5:6:7:", "::1%eth0", "::1 ", " ::1", "[::1]", "-0::1",
            "+1::1", "::-0", "1:2:3:4:5:6:7:1.2.3.4", "::1.2.3", "::1.2.3.4.5", "::1.2.3.256", "1.2.3.4::",
            "::ffff:1.2.3.4:1", "::\u{0661}", "::1\u{0301}", "0000:0000:0000:0000:0000:0000:0000:0000:0000:0000",
        ])
    func badIPv6(text: String) {
        #expect(IPAddress(text) == nil)
    }

    @Test("read and write dotted decimal", arguments: ["0.0.0.0", "255.255.255.255", "192.0.2.1", "10.0.0.100"])
    func dotted(text: String) throws {
        let address = try #require(IPAddress(text))
        #expect(address.isIPv4)
        #expect(address.description == text)
    }

    @Test(
        "refuse what is no IPv4 address",
        arguments: [
            "1.2.3", "1.2.3.4.5", "256.1.1.1", "1.2.3.04", "01.2.3.4", "1.2.3.", ".1.2.3", "1..2.3", "1.2.3.-0",
            "1.2.3.+4", "1.2.3.4 ", "0x1.2.3.4", "1.2.3.1000", "a.b.c.d", "1234567890123456", "١.2.3.4", "host.local",
        ])
    func badIPv4(text: String) {
        #expect(IPAddress(text) == nil)
    }

    @Test("come back from their bytes, and from no other number of bytes")
    func bytes() {
        for text in ["192.0.2.1", "2001:db8::1", "::", "ff02::fb"] {
            let address = IPAddress(text)
            #expect(address?.bytes.withUnsafeBytes { IPAddress(bytes: RawSpan(_unsafeBytes: $0)) } == address)
        }
        for count in [0, 1, 3, 5, 15, 17, 32] {
            let bytes = [UInt8](repeating: 1, count: count)
            #expect(bytes.withUnsafeBytes { IPAddress(bytes: RawSpan(_unsafeBytes: $0)) } == nil)
        }
    }

    @Test("come back from their text, whatever they are")
    func random() {
        let random = SeededRandom(seed: 4)
        for round in 0..<2_000 {
            // Masks make runs of zeros likely.
            let mask = { () -> UInt64 in
                (0..<4).reduce(UInt64(0)) { sum, _ in sum << 16 | (random.next() & 1 == 0 ? 0xFFFF : 0) }
            }
            let address =
                round % 4 == 0
                ? IPAddress(v4: UInt32(truncatingIfNeeded: random.next()))
                : IPAddress(v6High: random.next() & mask(), low: random.next() & mask())
            #expect(IPAddress(address.description) == address)
        }
    }

    @Test("know their kinds")
    func kinds() throws {
        func address(_ text: String) throws -> IPAddress { try #require(IPAddress(text)) }
        for text in ["127.0.0.1", "127.255.0.1", "::1"] { #expect(try address(text).isLoopback, "\(text)") }
        for text in ["128.0.0.1", "::2", "1::1"] { #expect(try !address(text).isLoopback, "\(text)") }
        for text in ["169.254.0.1", "fe80::1", "febf::1"] { #expect(try address(text).isLinkLocal, "\(text)") }
        for text in ["169.255.0.1", "fec0::1", "fe7f::1"] { #expect(try !address(text).isLinkLocal, "\(text)") }
        for text in ["224.0.0.251", "239.1.1.1", "ff02::fb"] { #expect(try address(text).isMulticast, "\(text)") }
        for text in [
            "10.1.1.1", "172.16.0.1", "172.31.9.9", "192.168.1.1", "100.64.0.1", "100.127.9.9", "fc00::1", "fd12::1",
        ] {
            #expect(try address(text).isPrivate, "\(text)")
        }
        for text in ["11.1.1.1", "172.32.0.1", "172.15.0.1", "192.169.1.1", "100.128.0.1", "fe00::1", "2001:db8::1"] {
            #expect(try !address(text).isPrivate, "\(text)")
        }
        for text in ["0.0.0.0", "::"] { #expect(try address(text).isUnspecified, "\(text)") }
        #expect(try address("fec0::1").isSiteLocal)
        #expect(IPAddress(192, 0, 2, 1).v4Bits == 0xC000_0201)
        #expect(IPAddress(192, 0, 2, 1).v6Halves == nil)
    }
}
