import RTCWire
import Testing

@testable import RTCNetwork

@Suite("NAT64 (RFC 6052, RFC 7050)")
struct NAT64Tests {
    /// RFC 6052, section 2.4, tables 1 and 2.
    static let vectors = [
        ("2001:db8::", 32, "2001:db8:c000:221::"),
        ("2001:db8:100::", 40, "2001:db8:1c0:2:21::"),
        ("2001:db8:122::", 48, "2001:db8:122:c000:2:2100::"),
        ("2001:db8:122:300::", 56, "2001:db8:122:3c0:0:221::"),
        ("2001:db8:122:344::", 64, "2001:db8:122:344:c0:2:2100::"),
        ("2001:db8:122:344::", 96, "2001:db8:122:344::192.0.2.33"),
        ("64:ff9b::", 96, "64:ff9b::192.0.2.33"),
    ]

    @Test("192.0.2.33 is put behind each prefix of the RFC's table, and found there", arguments: vectors)
    func table(prefix: String, length: Int, embedded: String) throws {
        let prefix = try #require(IPAddress(prefix).flatMap { NAT64Prefix($0, length: length) })
        let address = IPAddress(192, 0, 2, 33)
        let expected = try #require(IPAddress(embedded))
        #expect(prefix.embedding(address) == expected)
        #expect(prefix.extracting(from: expected) == address)
        #expect(prefix.embedding(expected) == expected)
    }

    @Test("Any address comes back from behind any prefix", arguments: NAT64Prefix.lengths)
    func roundTrip(length: Int) throws {
        let prefix = try #require(NAT64Prefix(IPAddress(v6High: .max, low: 0x00FF_FFFF_FFFF_FFFF), length: length))
        for bits in [0, 1, 0xFFFF_FFFF, 0x8000_0001, 0x1234_5678] as [UInt32] {
            let embedded = prefix.embedding(IPAddress(v4: bits))
            #expect(prefix.extracting(from: embedded) == IPAddress(v4: bits))
            // The octet u is zero (section 2.2); /96 has it inside the prefix.
            if length != 96 { #expect(embedded.bytes[8] == 0) }
        }
    }

    @Test("An address of another prefix, or with an octet u, holds no IPv4 address")
    func foreign() throws {
        #expect(NAT64Prefix.wellKnown.extracting(from: try #require(IPAddress("64:ff9c::1.2.3.4"))) == nil)
        #expect(NAT64Prefix.wellKnown.extracting(from: IPAddress(1, 2, 3, 4)) == nil)
        let prefix = try #require(IPAddress("2001:db8::").flatMap { NAT64Prefix($0, length: 32) })
        #expect(prefix.extracting(from: try #require(IPAddress("2001:db8:c000:221:100::"))) == nil)
    }

    @Test("There are six lengths", arguments: [-1, 0, 31, 33, 65, 80, 95, 97, 128])
    func lengths(length: Int) {
        #expect(NAT64Prefix(IPAddress(v6High: 1, low: 0), length: length) == nil)
        #expect(NAT64Prefix(IPAddress(1, 2, 3, 4), length: 96) == nil)
    }

    @Test("The prefix is found around the well-known addresses, whatever its length", arguments: vectors)
    func discovery(prefix: String, length: Int, embedded: String) throws {
        let prefix = try #require(IPAddress(prefix).flatMap { NAT64Prefix($0, length: length) })
        let answers = [IPAddress(192, 0, 0, 170), IPAddress(192, 0, 0, 171)].map(prefix.embedding)
        #expect(NAT64Prefix.discovered(in: answers) == [prefix])
        #expect(NAT64Prefix.discovered(in: Array(answers.prefix(1))).contains(prefix))
    }

    @Test("Two prefixes of one network are both found")
    func several() throws {
        let other = try #require(IPAddress("2001:db8:64::").flatMap { NAT64Prefix($0, length: 96) })
        let answers = [NAT64Prefix.wellKnown, other].map { $0.embedding(IPAddress(192, 0, 0, 171)) }
        #expect(NAT64Prefix.discovered(in: answers) == [.wellKnown, other])
    }

    @Test("A name server that lies gives no prefix")
    func lies() throws {
        let answers = ["::1", "::", "2001:db8::1", "::ffff:192.0.0.170", "::192.0.0.170", "192.0.0.170"]
        #expect(NAT64Prefix.discovered(in: answers.compactMap { IPAddress($0) }).isEmpty)
        #expect(NAT64Prefix.discovered(in: []).isEmpty)
    }
}
