import RTCWire
import Testing

@testable import RTCSignaling

@Suite("The header of the PROXY protocol")
struct ProxyHeaderTests {
    private static let signature: [UInt8] = [13, 10, 13, 10, 0, 13, 10, 81, 85, 73, 84, 10]
    private static let request = Array("GET / HTTP/1.1\r\n\r\n".utf8)

    private func read(_ text: String) -> ProxyHeader.Result { ProxyHeader.read(Array(text.utf8)) }

    private func client(_ text: String, _ port: UInt16, _ length: Int) -> ProxyHeader.Result {
        .header(ProxyHeader(source: IPAddress(text).map { .client($0, port: port) } ?? .unknown, length: length))
    }

    /// A header of version 2.
    private func binary(_ command: UInt8, _ family: UInt8, _ rest: [UInt8], length: Int? = nil) -> [UInt8] {
        let length = length ?? rest.count
        return Self.signature + [command, family, UInt8(length >> 8), UInt8(length & 255)] + rest
    }

    private let ipv4: [UInt8] = [192, 0, 2, 1, 10, 0, 0, 1, 0x9C, 0x40, 0x01, 0xBB]
    private var ipv6: [UInt8] {
        [0x20, 0x01, 0x0D, 0xB8] + [UInt8](repeating: 0, count: 11) + [7] + [UInt8](repeating: 0, count: 15)
            + [1, 0x9C, 0x40, 0x01, 0xBB]
    }

    @Test("Version 1: TCP over IPv4 and IPv6, and UNKNOWN with anything behind it")
    func text() {
        let line = "PROXY TCP4 192.0.2.1 10.0.0.1 40000 443\r\n"
        #expect(read(line) == client("192.0.2.1", 40_000, line.utf8.count))
        #expect(read(line + "GET / HTTP/1.1\r\n") == client("192.0.2.1", 40_000, line.utf8.count))
        let other = "PROXY TCP6 2001:db8::7 ::1 0 65535\r\n"
        #expect(read(other) == client("2001:db8::7", 0, other.utf8.count))
        let mapped = "PROXY TCP6 ::ffff:192.0.2.1 ::ffff:10.0.0.1 1 2\r\n"
        #expect(read(mapped) == client("192.0.2.1", 1, mapped.utf8.count))
        for line in ["PROXY UNKNOWN\r\n", "PROXY UNKNOWN ffff::1 whatever 1\r\n"] {
            #expect(read(line) == .header(ProxyHeader(source: .unknown, length: line.utf8.count)))
        }
        let longest = "PROXY UNKNOWN " + String(repeating: "f", count: 107 - 16) + "\r\n"
        #expect(read(longest) == .header(ProxyHeader(source: .unknown, length: 107)))
    }

    @Test(
        "Version 1: what is malformed",
        arguments: [
            "PROXY \r\n", "PROXY TCP4\r\n", "PROXY TCP4 192.0.2.1 10.0.0.1 40000\r\n",
            "PROXY TCP4 192.0.2.1 10.0.0.1 40000 443 1\r\n", "PROXY TCP4 192.0.2.1  10.0.0.1 40000 443\r\n",
            "PROXY TCP4 ::1 10.0.0.1 40000 443\r\n", "PROXY TCP6 192.0.2.1 10.0.0.1 40000 443\r\n",
            "PROXY TCP4 192.0.2.1 10.0.0.1 65536 443\r\n", "PROXY TCP4 192.0.2.1 10.0.0.1 40000 -1\r\n",
            "PROXY TCP4 192.0.2.1 10.0.0.1 040 443\r\n", "PROXY TCP4 192.0.2.01 10.0.0.1 40 443\r\n",
            "PROXY TCP4 192.0.2.1 10.0.0.1 40000 443\n", "PROXY UDP4 192.0.2.1 10.0.0.1 40000 443\r\n",
            "PROXY unknown\r\n", "PROXY TCP4 192.0.2.1 10.0.0.1 40000 443\r\r\n", "PROXY TCP4 192.0.2.1\u{0}\r\n",
            "PROXY \n",
        ])
    func malformedText(line: String) {
        #expect(read(line) == .malformed)
    }

    @Test("Version 1: a line without an end is awaited up to 107 bytes")
    func endless() {
        let text = "PROXY UNKNOWN " + String(repeating: "f", count: 93)
        #expect(text.utf8.count == 107)
        #expect(read(text) == .malformed)
        #expect(read(String(text.dropLast())) == .incomplete)
        #expect(read(text + "\r\n") == .malformed)
    }

    @Test("Version 2: IPv4, IPv6, the proxy itself, and addresses that are none of TCP")
    func binary() {
        #expect(ProxyHeader.read(binary(0x21, 0x11, ipv4) + Self.request) == client("192.0.2.1", 40_000, 28))
        #expect(ProxyHeader.read(binary(0x21, 0x21, ipv6)) == client("2001:db8::7", 40_000, 52))
        for (command, family, rest, source) in [
            (0x20, 0x00, [], .proxy), (0x20, 0x11, [1, 2, 3], .proxy), (0x20, 0xFF, [], .proxy),
            (0x21, 0x00, [1, 2, 3], .unknown), (0x21, 0x12, ipv4, .unknown),
            (0x21, 0x31, [UInt8](repeating: 0, count: 216), .unknown),
        ] as [(UInt8, UInt8, [UInt8], ProxyHeader.Source)] {
            let bytes = binary(command, family, rest)
            #expect(ProxyHeader.read(bytes) == .header(ProxyHeader(source: source, length: bytes.count)), "\(bytes)")
        }
    }

    @Test("Version 2: extensions are skipped, and their sizes are checked")
    func extensions() {
        let valid: [UInt8] = [0x01, 0, 8] + Array("http/1.1".utf8) + [0xEA, 0, 0, 0x04, 0, 2, 0, 0]
        #expect(
            ProxyHeader.read(binary(0x21, 0x11, ipv4 + valid))
                == client("192.0.2.1", 40_000, 28 + valid.count))
        for rest: [UInt8] in [
            [1], [1, 0], [1, 0, 1], [1, 0, 2, 0], [1, 0xFF, 0xFF], [3, 0, 3, 0, 0, 0], [3, 0, 0],
        ] {
            #expect(ProxyHeader.read(binary(0x21, 0x11, ipv4 + rest)) == .malformed, "\(rest)")
        }
    }

    @Test("Version 2: a checksum has to be right")
    func checksum() {
        var bytes = binary(0x21, 0x11, ipv4 + [0x03, 0, 4, 0, 0, 0, 0])
        let sum = bytes.withUnsafeBytes { CRC32C.checksum($0) }
        for index in 0..<4 { bytes[31 + index] = UInt8(truncatingIfNeeded: sum >> UInt32(24 - 8 * index)) }
        #expect(ProxyHeader.read(bytes) == client("192.0.2.1", 40_000, bytes.count))
        for index in 16..<bytes.count where index != 28 && index != 29 && index != 30 {
            var changed = bytes
            changed[index] ^= 1
            #expect(ProxyHeader.read(changed) == .malformed, "byte \(index)")
        }
    }

    @Test("Version 2: what is malformed")
    func malformedBinary() {
        for (command, family, rest) in [
            (0x11, 0x11, ipv4), (0x22, 0x11, ipv4), (0x31, 0x11, ipv4), (0x21, 0x41, ipv4), (0x21, 0x13, ipv4),
            (0x21, 0x11, Array(ipv4.dropLast())), (0x21, 0x21, ipv4), (0x21, 0x31, ipv4),
        ] as [(UInt8, UInt8, [UInt8])] {
            #expect(ProxyHeader.read(binary(command, family, rest)) == .malformed, "\(command) \(family)")
        }
        #expect(ProxyHeader.read(binary(0x21, 0x11, ipv4, length: 4_081)) == .malformed, "longer than ever read")
        #expect(ProxyHeader.read(binary(0x21, 0x11, ipv4, length: 4_080)) == .incomplete)
        #expect(ProxyHeader.read(Self.signature + [0x99]) == .malformed, "known before the rest")
    }

    @Test("Every beginning of a header is incomplete, and other bytes are none")
    func beginnings() {
        let line = Array("PROXY TCP4 192.0.2.1 10.0.0.1 40000 443\r\n".utf8)
        for header in [line, binary(0x21, 0x11, ipv4), binary(0x21, 0x21, ipv6)] {
            for count in 0..<header.count {
                #expect(ProxyHeader.read(Array(header[..<count])) == .incomplete, "\(count) of \(header.count)")
            }
        }
        for text in [
            "GET / HTTP/1.1\r\n", "P ", "PROPFIND / HTTP/1.1\r\n", "proxy TCP4", "\r\n\r\nGET", "\u{16}\u{3}\u{1}",
        ] {
            #expect(read(text) == .absent, "\(text)")
        }
    }

    @Test("Any bytes have a result, and no header is longer than its bytes")
    func anything() {
        var random = SplitMix(state: 23)
        let headers = [binary(0x21, 0x11, ipv4 + [1, 0, 1, 0]), Array("PROXY TCP4 192.0.2.1 10.0.0.1 1 2\r\n".utf8)]
        for _ in 0..<20_000 {
            var bytes = headers[Int(random.next() % 2)]
            for _ in 0..<(random.next() % 4) {
                bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: random.next())
            }
            bytes.removeLast(Int(random.next() % 8))
            guard case .header(let header) = ProxyHeader.read(bytes) else { continue }
            #expect(header.length <= bytes.count)
        }
    }

    private struct SplitMix {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var z = state
            z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
            z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
            return z ^ (z >> 31)
        }
    }
}
