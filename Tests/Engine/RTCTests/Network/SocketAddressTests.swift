import NIOCore
import RTCNetwork
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

    @Test("A server is asked from an address that a connection uses, and over UDP never from the link's own")
    func sources() throws {
        let hosts = try ["192.0.2.5", "fe80::5"].map { try #require(IPAddress($0)) }
        let onMachine = try #require(TransportAddress("127.0.0.1:3478"))
        // The system's choice is loopback, which no connection uses beside other addresses.
        #expect(TransportAddress.source(toward: onMachine)?.ip.isLoopback == true)
        #expect(IPAddress.source(toward: onMachine, among: hosts) == hosts[0])
        #expect(IPAddress.datagramSource(toward: onMachine, among: hosts) == hosts[0])
        #expect(IPAddress.source(toward: onMachine, among: [onMachine.ip] + hosts) == onMachine.ip)
        let outside = try #require(TransportAddress("198.51.100.1:3478"))
        #expect(IPAddress.datagramSource(toward: outside, among: [onMachine.ip]) == nil)
        let onLink = try #require(TransportAddress("[fe80::1]:3478"))
        #expect(IPAddress.source(toward: onLink, among: hosts) == hosts[1])
        #expect(IPAddress.datagramSource(toward: onLink, among: hosts) == nil)
    }

    @Test("A form that is cut short, or of another family, is no address")
    func unusableForms() throws {
        let address = try #require(TransportAddress("192.0.2.7:3478"))
        #expect(address.withSocketAddress { pointer, _ in TransportAddress(pointer, length: 4) } == nil)
        #expect(TransportAddress(try SocketAddress(unixDomainSocketPath: "/a")) == nil)
    }
}
