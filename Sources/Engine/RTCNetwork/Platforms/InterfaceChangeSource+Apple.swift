#if canImport(Network)
    internal import Dispatch
    internal import NIOCore
    internal import Network

    /// Reports that interfaces or addresses may have changed, from the system's path monitor.
    final class InterfaceChangeSource: Sendable {
        private let monitor = NWPathMonitor()

        init(on eventLoop: any EventLoop, _ onChange: @escaping @Sendable () -> Void) {
            monitor.pathUpdateHandler = { @Sendable path in
                InterfaceTraits.learn(path.availableInterfaces.map { ($0.name, Self.kind($0.type)) })
                onChange()
            }
            monitor.start(queue: DispatchQueue(label: "duet.interfaces"))
        }

        func stop() { monitor.cancel() }

        private static func kind(_ type: NWInterface.InterfaceType) -> NetworkInterface.Kind? {
            switch type {
            case .wifi: .wifi
            case .cellular: .cellular
            case .wiredEthernet: .wired
            case .loopback: .loopback
            default: nil
            }
        }
    }
#endif
