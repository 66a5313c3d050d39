import NIOCore
import NIOPosix
import RTCWire
import Synchronization
import Testing

@testable import RTC

@Suite("Interface monitor")
struct InterfaceMonitorTests {
    private static func addresses(_ texts: String...) -> [InterfaceAddress] {
        let interface = NetworkInterface(name: "eth0", index: 2, kind: .wired, isUp: true)
        return texts.compactMap { IPAddress($0) }.map { InterfaceAddress(interface: interface, ip: $0) }
    }

    @Test("Observing starts and stops without a word, and repeatedly")
    func startsAndStops() async throws {
        try await onEventLoop { _, loop in
            for _ in 0..<50 {
                let observation = InterfaceMonitor.shared.observe(on: loop) { _ in }
                observation.cancel()
                observation.cancel()
            }
        }
    }

    @Test("A burst of reports is one change, and reports without a difference are none")
    func gathersReports() async throws {
        let table = Table(Self.addresses("192.0.2.1"))
        try await onEventLoop { actor, loop in
            let monitor = InterfaceMonitor(eventLoop: loop) { _ in table.addresses }
            var changes: [[String]] = []
            let observation = monitor.observe(on: loop) { changes.append($0.map(\.ip.description)) }
            for _ in 0..<10 { monitor.systemReportsChange() }
            try await Task.sleep(for: .milliseconds(300))
            #expect(changes.isEmpty)

            table.addresses = Self.addresses("192.0.2.1", "192.0.2.2")
            for _ in 0..<10 { monitor.systemReportsChange() }
            try await wait(isolation: actor) { !changes.isEmpty }
            #expect(changes == [["192.0.2.1", "192.0.2.2"]])

            observation.cancel()
            table.addresses = []
            monitor.systemReportsChange()
            try await Task.sleep(for: .milliseconds(300))
            #expect(changes.count == 1)
        }
    }

    @Test("An asynchronous sequence sees each change, and ends the observation when it is dropped")
    func sequence() async throws {
        let table = Table(Self.addresses("192.0.2.1"))
        let monitor = InterfaceMonitor { _ in table.addresses }
        var changes = monitor.changes().makeAsyncIterator()
        table.addresses = Self.addresses("192.0.2.3")
        monitor.systemReportsChange()
        #expect(await changes.next()?.map(\.ip.description) == ["192.0.2.3"])
    }
}

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
        let table = Table(Self.addresses("127.0.0.1", "192.0.2.1"))
        let interfaces = InterfaceMonitor { _ in table.addresses }
        let monitor = NetworkMonitor(interfaces)
        #expect(monitor.isConnected)
        var events = monitor.events.makeAsyncIterator()
        table.addresses = Self.addresses("127.0.0.1")
        interfaces.systemReportsChange()
        #expect(await events.next() == .lost)
        table.addresses = Self.addresses("127.0.0.1", "192.0.2.1")
        interfaces.systemReportsChange()
        #expect(await events.next() == .restored)
    }
}

/// Addresses that a test changes.
private final class Table: Sendable {
    private let state: Mutex<[InterfaceAddress]>

    init(_ addresses: [InterfaceAddress]) {
        state = Mutex(addresses)
    }

    var addresses: [InterfaceAddress] {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}
