public import RTCPeer
package import RTCTransport
public import RTCWire

/// The two ends of a ``SimulatedPair``.
public enum SimulatedSide: Int, Sendable, Hashable, CaseIterable, CustomStringConvertible {
    case alice
    case bob

    public var other: SimulatedSide { self == .alice ? .bob : .alice }

    public var description: String { self == .alice ? "alice" : "bob" }
}

/// How to set up a ``SimulatedPair``.
public struct SimulatedPairSettings {
    /// Decides about the network's luck, the peers' random numbers and the stand-in's certificates.
    public var seed: UInt64
    /// How long signals take to the other peer. They are neither lost nor reordered, as on a WebSocket.
    public var signalingDelay: TimeDelta = .zero
    /// How the peers negotiate: by default by themselves, `bob` being the polite one. With ``NegotiationMode/manual``
    /// the pair answers offers and sets answers, and ``SimulatedPair/offer(from:)`` begins.
    public var negotiation: (_ side: SimulatedSide) -> NegotiationMode = { .perfect(isPolite: $0 == .bob) }
    /// Servers that both peers ask for their reflexive addresses; the network has to have them.
    public var stunServers: [TransportAddress] = []
    /// The addresses to which the names of mDNS candidates resolve; other names are unknown.
    public var names: [String: [IPAddress]] = [:]
    /// Whether received messages count as taken by the application at once.
    package var consumesMessages = true
    /// Creates crypto and certificate: by default ``StandInCrypto``.
    package var crypto: (_ side: SimulatedSide, _ seed: UInt64) throws -> (any CryptoProvider, any LocalCertificate) = {
        let crypto = StandInCrypto(seed: $1)
        return (crypto, crypto.makeCertificate())
    }
    /// Last changes to a peer's configuration.
    package var configure: (_ side: SimulatedSide, _ configuration: inout PeerConfiguration) -> Void = { _, _ in }

    public init(seed: UInt64 = 1) {
        self.seed = seed
    }
}

/// A network with a place in it for each of the two peers.
public struct SimulatedTopology: Sendable {
    public var network: SimulatedNetwork
    public var alice: SimulatedNetwork.HostID
    public var bob: SimulatedNetwork.HostID

    public init(network: SimulatedNetwork, alice: SimulatedNetwork.HostID, bob: SimulatedNetwork.HostID) {
        self.network = network
        self.alice = alice
        self.bob = bob
    }

    public func host(of side: SimulatedSide) -> SimulatedNetwork.HostID { side == .alice ? alice : bob }

    /// Both peers on the internet, each with one address and the same conditions on its uplink.
    public static func direct(seed: UInt64, _ conditions: LinkConditions = .perfect) -> SimulatedTopology {
        var network = SimulatedNetwork(seed: seed)
        let (alice, bob) = (network.addHost(), network.addHost())
        for (host, last) in [(alice, UInt8(1)), (bob, 2)] {
            let interface = network.addInterface(to: host, address: IPAddress(192, 0, 2, last))
            network.setConditions(conditions, on: interface.uplink)
        }
        return SimulatedTopology(network: network, alice: alice, bob: bob)
    }
}
