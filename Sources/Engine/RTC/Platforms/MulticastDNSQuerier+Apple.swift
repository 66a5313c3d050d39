#if canImport(Darwin)
    internal import NIOCore
    internal import RTCWire

    /// On Apple's systems the system's resolver handles `.local` names: own multicast needs an entitlement.
    final class MulticastDNSQuerier: Sendable {
        static let shared = MulticastDNSQuerier()
        static let isAvailable = false

        func resolve(_ host: String, _ completion: @escaping @Sendable (Result<[IPAddress], ResolutionError>) -> Void) {
            completion(.failure(.notFound(host)))
        }
    }
#endif
