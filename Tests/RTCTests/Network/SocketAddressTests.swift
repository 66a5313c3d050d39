import NIOCore
import RTCWire
import Testing

@testable import RTC

@Suite("Addresses of ours and the system's")
struct SocketAddressTests {
    @Test(
        "An address survives the system's form and NIO's",
        arguments: ["192.0.2.7:3478", "0.0.0.0:0", "[2001:db8::17]:65535", "[::1]:1", "[::]:0"])
    func roundTrip(text: String) throws {
        let address = try #require(TransportAddress(text))
        let back = address.withSocketAddress { TransportAddress($0, length: Int($1)) }
        #expect(back == address)
        #expect(TransportAddress(SocketAddress(address)) == address)
        #expect(SocketAddress(address).port == Int(address.port))
    }

    @Test("The zone stays with a link-local address and is dropped elsewhere")
    func zones() throws {
        var linkLocal = try #require(TransportAddress("[fe80::1]:9"))
        linkLocal.ip.zone = 3
        #expect(linkLocal.withSocketAddress { TransportAddress($0, length: Int($1)) } == linkLocal)

        let global = try #require(TransportAddress("[2001:db8::1]:9"))
        var zoned = global
        zoned.ip.zone = 3
        #expect(zoned.withSocketAddress { TransportAddress($0, length: Int($1)) } == global)
    }

    @Test("A form that is cut short, or of another family, is no address")
    func unusableForms() throws {
        let address = try #require(TransportAddress("192.0.2.7:3478"))
        #expect(address.withSocketAddress { pointer, _ in TransportAddress(pointer, length: 4) } == nil)
        #expect(TransportAddress(try SocketAddress(unixDomainSocketPath: "/a")) == nil)
    }
}
