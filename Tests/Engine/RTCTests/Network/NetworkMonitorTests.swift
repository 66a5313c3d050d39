import RTCWire
import Synchronization
import Testing

@testable import RTC
@testable import RTCNetwork

@Suite("Network monitor")
struct NetworkMonitorTests {
    private static func addresses(isUp: Bool = true, _ texts: String...) -> [InterfaceAddress] {
        let loopback = NetworkInterface(name: "lo", index: 1, kind: .loopback, isUp: true)
        let wired = NetworkInterface(name: "eth0", index: 2, kind: .wired, isUp: isUp)
        return texts.compactMap { IPAddress($0) }.map {
            InterfaceAddress(interface: $0.isLoopback ? loopback : wired, ip: $0)
        }
    }

    @Test("A change, a loss and a return are each told once")
    func events() {
        var status = NetworkStatus(Self.addresses("127.0.0.1", "192.0.2.1"))
        #expect(status.isConnected)
        #expect(status.update(Self.addresses("127.0.0.1", "192.0.2.1")) == nil)
        #expect(status.update(Self.addresses("127.0.0.1", "192.0.2.2")) == .changed)
        #expect(status.update(Self.addresses("127.0.0.1")) == .lost)
        #expect(status.update(Self.addresses("127.0.0.1")) == nil)
        #expect(status.update(Self.addresses("127.0.0.1", "192.0.2.2")) == .restored)
        // Its address stays when a cable is pulled.
        #expect(status.update(Self.addresses(isUp: false, "127.0.0.1", "192.0.2.2")) == .lost)
    }

    @Test("A machine that has a loopback alone is told of nothing until there is more")
    func loopbackAlone() {
        var status = NetworkStatus(Self.addresses("127.0.0.1", "::1"))
        #expect(!status.isConnected)
        #expect(status.update(Self.addresses("127.0.0.1", "::1")) == nil)
        #expect(status.update(Self.addresses("127.0.0.1", "::1", "fe80::1")) == .changed)
        #expect(status.update(Self.addresses("127.0.0.1", "::1", "192.0.2.1")) == .restored)
    }

    @Test("A sequence tells what the monitor sees, and ends the observation when it is dropped")
    func sequence() async throws {
        let table = Mutex(Self.addresses("127.0.0.1", "192.0.2.1"))
        let interfaces = InterfaceMonitor { _ in table.withLock { $0 } }
        let monitor = NetworkMonitor(interfaces)
        #expect(monitor.isConnected)
        var events = monitor.events.makeAsyncIterator()
        table.withLock { $0 = Self.addresses("127.0.0.1") }
        interfaces.systemReportsChange()
        #expect(await events.next() == .lost)
        table.withLock { $0 = Self.addresses("127.0.0.1", "192.0.2.1") }
        interfaces.systemReportsChange()
        #expect(await events.next() == .restored)
    }
}
