import EventLoopTesting
import NIOCore
import NIOPosix
import RTCWire
import Synchronization
import Testing

@testable import RTCNetwork

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
