internal import RTCWire
internal import Synchronization

/// Tells how this machine is connected: that its addresses are others now, that it has none any more, that it has some
/// again.
///
/// A ``PeerConnection`` follows changes by itself. This is for what else has to know: a signalling connection that is to be
/// made anew, a person who is to be told.
public struct NetworkMonitor: Sendable {
    /// What happens to the network. Cases may be added: give a `switch` a `default`.
    public enum Event: Sendable, Hashable {
        /// The machine has other addresses than before, and is connected, or not, as before.
        case changed
        /// No address is left by which other machines could be reached. Comes once for each loss.
        case lost
        /// There is such an address again, which may be another one than before. Comes once for each return.
        case restored
    }

    private let monitor: InterfaceMonitor

    public init() {
        monitor = .shared
    }

    init(_ monitor: InterfaceMonitor) {
        self.monitor = monitor
    }

    /// Whether the machine has an address by which other machines could be reached: on an interface that is up, and neither
    /// loopback nor link-local.
    public var isConnected: Bool { NetworkStatus(monitor.recentAddresses).isConnected }

    /// What happens from now on. It begins silently: on a machine that is not connected at first `restored` comes first, and
    /// on one with a loopback alone, where connections use that, nothing at all.
    ///
    /// The system is asked while somebody reads; each use is a sequence of its own.
    public var events: AsyncStream<Event> {
        // Changes are gathered before they are told: there cannot be many.
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

/// What is known of the machine's addresses.
struct NetworkStatus: Sendable {
    /// Those that connections use.
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
