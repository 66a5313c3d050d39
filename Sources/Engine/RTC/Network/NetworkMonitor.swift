internal import RTCNetwork
internal import RTCWire
internal import Synchronization

/// Reports changes of this machine's network connection: new addresses, a lost connection, and a restored one.
///
/// A ``PeerConnection`` follows such changes by itself. Use this for other purposes, such as restoring a signalling
/// connection.
public struct NetworkMonitor: Sendable {
    /// A change of the network connection. Cases may be added: give a `switch` a `default`.
    public enum Event: Sendable, Hashable {
        /// The addresses changed; the machine is still connected, or still not connected.
        case changed
        /// The last address with which other machines can be reached is gone.
        case lost
        /// There is such an address again, possibly another one than before.
        case restored
    }

    private let monitor: InterfaceMonitor

    public init() {
        monitor = .shared
    }

    init(_ monitor: InterfaceMonitor) {
        self.monitor = monitor
    }

    /// Whether the machine has an address with which other machines can be reached: neither loopback nor link-local, on
    /// an interface that is up.
    public var isConnected: Bool { NetworkStatus(monitor.recentAddresses).isConnected }

    /// The changes from now on. If the machine is not connected at first, the first event is `restored`. On a machine
    /// that has a loopback interface alone, which connections then use, there are no events.
    ///
    /// The system is observed while there is a reader. Each access creates a new sequence.
    public var events: AsyncStream<Event> {
        // Unbounded, because changes are gathered before they are reported, so there cannot be many.
        let (stream, continuation) = AsyncStream.makeStream(of: Event.self)
        let status = StatusBox(NetworkStatus(monitor.recentAddresses))
        let observation = monitor.add { addresses in
            if let event = status.value.withLock({ $0.update(addresses) }) { continuation.yield(event) }
        }
        continuation.onTermination = { _ in observation.cancel() }
        return stream
    }

    private final class StatusBox: Sendable {
        let value: Mutex<NetworkStatus>
        init(_ value: NetworkStatus) { self.value = Mutex(value) }
    }
}

/// The known state of the machine's addresses.
struct NetworkStatus: Sendable {
    /// The addresses that connections use.
    private var addresses: Set<IPAddress>
    private(set) var isConnected: Bool

    init(_ all: [InterfaceAddress]) {
        addresses = Set(HostAddressRules().select(from: all).map(\.ip))
        isConnected = addresses.contains { !$0.isLoopback && !$0.isLinkLocal }
    }

    mutating func update(_ all: [InterfaceAddress]) -> NetworkMonitor.Event? {
        let old = self
        self = NetworkStatus(all)
        guard isConnected == old.isConnected else { return isConnected ? .restored : .lost }
        return addresses == old.addresses ? nil : .changed
    }
}
