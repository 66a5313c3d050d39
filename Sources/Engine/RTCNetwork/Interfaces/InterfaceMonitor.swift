package import NIOCore
internal import NIOPosix
internal import Synchronization

/// Reports changes of this machine's addresses, such as when a cable is pulled, Wi-Fi roams, or a VPN starts.
///
/// The system reports changes in bursts, so they are gathered briefly, the addresses read again, and observers called
/// only if they differ. One monitor serves the process, and uses the system's reports only while there are observers.
package final class InterfaceMonitor: Sendable {
    package static let shared = InterfaceMonitor()

    /// The time for which a burst of reports is gathered.
    private static let gatheringDelay = TimeAmount.milliseconds(100)

    private struct State {
        var observers: [UInt64: @Sendable ([InterfaceAddress]) -> Void] = [:]
        var nextID: UInt64 = 0
        var source: InterfaceChangeSource?
        var known: Set<InterfaceAddress> = []
        var isGathering = false
    }

    private let state = Mutex(State())
    private let eventLoop: any EventLoop
    private let addresses: @Sendable (_ maximumAge: TimeAmount) -> [InterfaceAddress]

    init(
        eventLoop: any EventLoop = MultiThreadedEventLoopGroup.singleton.any(),
        addresses: @escaping @Sendable (_ maximumAge: TimeAmount) -> [InterfaceAddress] = {
            InterfaceTable.addresses(maximumAge: $0)
        }
    ) {
        self.eventLoop = eventLoop
        self.addresses = addresses
    }

    /// Calls `onChange` on `eventLoop` with all addresses whenever they have changed. Call it on `eventLoop`.
    ///
    /// - Returns: The observation, which ends when it is cancelled or released.
    package func observe(
        on eventLoop: any EventLoop, _ onChange: @escaping ([InterfaceAddress]) -> Void
    ) -> Observation {
        let bound = NIOLoopBound(onChange, eventLoop: eventLoop)
        return add { addresses in eventLoop.execute { bound.value(addresses) } }
    }

    /// The addresses after each change, until the stream is released.
    package func changes() -> AsyncStream<[InterfaceAddress]> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: [InterfaceAddress].self, bufferingPolicy: .bufferingNewest(1))
        let observation = add { continuation.yield($0) }
        continuation.onTermination = { _ in observation.cancel() }
        return stream
    }

    /// Calls `observer` on the monitor's thread with all addresses whenever they have changed.
    package func add(_ observer: @escaping @Sendable ([InterfaceAddress]) -> Void) -> Observation {
        // The same cached result from which a peer has just gathered its candidates.
        let known = Set(addresses(.seconds(1)))
        let id = state.withLock { state in
            let id = state.nextID
            state.nextID += 1
            state.observers[id] = observer
            if state.source == nil {
                state.known = known
                state.source = InterfaceChangeSource(on: eventLoop) { [weak self] in self?.systemReportsChange() }
            }
            return id
        }
        return Observation { [weak self] in self?.remove(id) }
    }

    /// The addresses, at most a second old.
    package var recentAddresses: [InterfaceAddress] { addresses(.seconds(1)) }

    private func remove(_ id: UInt64) {
        let source: InterfaceChangeSource? = state.withLock { state in
            state.observers[id] = nil
            guard state.observers.isEmpty else { return nil }
            defer { state.source = nil }
            return state.source
        }
        source?.stop()
    }

    /// Handles a report from the system. Called from outside by tests only.
    func systemReportsChange() {
        let isFirst = state.withLock { state in
            defer { state.isGathering = true }
            return !state.isGathering
        }
        guard isFirst else { return }
        eventLoop.scheduleTask(in: Self.gatheringDelay) { [weak self] in self?.compare() }
    }

    private func compare() {
        state.withLock { $0.isGathering = false }
        let addresses = addresses(.zero)
        let observers = state.withLock { state -> [@Sendable ([InterfaceAddress]) -> Void] in
            let known = Set(addresses)
            guard known != state.known else { return [] }
            state.known = known
            return Array(state.observers.values)
        }
        for observer in observers { observer(addresses) }
    }

    /// An observation, which ends when it is cancelled or released.
    package final class Observation: Sendable {
        private let end: @Sendable () -> Void

        fileprivate init(_ end: @escaping @Sendable () -> Void) {
            self.end = end
        }

        package func cancel() { end() }

        deinit { end() }
    }
}
