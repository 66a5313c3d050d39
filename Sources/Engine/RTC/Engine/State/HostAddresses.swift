internal import RTCNetwork
internal import RTCWire

/// The local addresses that a connection may use, known from its first gathering on.
struct HostAddresses {
    private(set) var hasGathered = false
    /// The permitted addresses as of the last change.
    private(set) var permitted: [IPAddress] = []
    private var observation: InterfaceMonitor.Observation?

    mutating func beginGathering() {
        hasGathered = true
    }

    /// - Returns: Whether these are others than before.
    @discardableResult
    mutating func update(to addresses: [IPAddress]) -> Bool {
        defer { permitted = addresses }
        return Set(permitted) != Set(addresses)
    }

    mutating func keep(_ observation: InterfaceMonitor.Observation) {
        self.observation = observation
    }

    mutating func stopObserving() {
        observation?.cancel()
        observation = nil
    }
}
