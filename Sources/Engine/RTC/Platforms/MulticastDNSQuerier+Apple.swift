#if canImport(Darwin)
    internal import RTCNetwork

    /// On Apple's systems the system's resolver handles `.local` names: own multicast needs an entitlement.
    enum MulticastDNSQuerier {
        static let ofMachine: (any MulticastNameSource)? = nil
    }
#endif
