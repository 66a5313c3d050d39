import RTCWire
import Testing

@Suite("Transport addresses")
struct TransportAddressTests {
    @Test("come back from their text", arguments: ["192.0.2.1:3478", "[2001:db8::1]:443", "0.0.0.0:0", "[::]:65535"])
    func roundTrip(text: String) throws {
        #expect(try #require(TransportAddress(text)).description == text)
    }

    @Test(
        "refuse what is not an address with a port",
        arguments: [
            "", ":", "192.0.2.1", "192.0.2.1:", "192.0.2.1:65536", "192.0.2.1:-1", "192.0.2.1:-0", "192.0.2.1:+80",
            "2001:db8::1:443", "[2001:db8::1]", "[2001:db8::1:443", "2001:db8::1]:443", "[192.0.2.1]:80", "[]:1", "[:1",
            "example.org:80", "192.0.2.1:80 ", "192.0.2.1:٣",
        ])
    func refused(text: String) {
        #expect(TransportAddress(text) == nil)
    }
}
