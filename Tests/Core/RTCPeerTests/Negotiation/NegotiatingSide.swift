import RTCPeer
import RTCTransport
import RTCWire
import Testing

/// One side of an exchange, with the credentials and the certificate that a peer would have.
struct NegotiatingSide {
    var negotiator: Negotiator
    let random: SeededRandom
    let fingerprint: Fingerprint
    /// The credentials in use, and those of the description that was made last.
    var credentials: (fragment: String, password: String)
    var candidates: [String] = []
    var hasAllCandidates = false
    /// All that the negotiator asked for, in order.
    var changes: [NegotiationChange] = []
    /// The same of audio and video.
    var media: [MediaChange] = []

    init(seed: UInt64 = 1, configuration: Negotiator.Configuration = .init()) throws {
        random = SeededRandom(seed: seed)
        negotiator = Negotiator(configuration: configuration, random: random)
        fingerprint = try #require(Fingerprint(algorithm: .sha256, bytes: random.bytes(32)))
        credentials = ("", "")
        refreshCredentials()
    }

    mutating func refreshCredentials() {
        credentials = (Self.text(random, 4), Self.text(random, 24))
    }

    private static func text(_ random: SeededRandom, _ count: Int) -> String {
        let characters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
        return String((0..<count).map { _ in characters[Int(random.next(below: 64))] })
    }

    /// What a peer would hand in.
    mutating func input() -> LocalTransportInput {
        if negotiator.needsFreshICECredentials { refreshCredentials() }
        return LocalTransportInput(
            iceUsernameFragment: credentials.fragment, icePassword: credentials.password, fingerprints: [fingerprint],
            candidates: candidates, endOfCandidates: hasAllCandidates)
    }

    /// Goes back to the credentials that were agreed upon, as a peer does when an offer was withdrawn.
    mutating func useCredentialsInUse() throws {
        guard let text = negotiator.currentLocalDescription?.sdp else { return }
        guard let level = try SDP(parsing: text).media.first(where: { !$0.isRejected })?.level else { return }
        credentials = (try #require(level.iceUsernameFragment), try #require(level.icePassword))
    }

    mutating func offer() throws -> SessionDescription {
        changes += try negotiator.setLocal(input())
        media += negotiator.takeMediaChanges()
        return try #require(negotiator.localDescription)
    }

    mutating func take(_ description: SessionDescription) throws {
        changes += try negotiator.setRemote(description)
        media += negotiator.takeMediaChanges()
    }

    mutating func answer() throws -> SessionDescription {
        changes += try negotiator.setLocal(input())
        media += negotiator.takeMediaChanges()
        return try #require(negotiator.localDescription)
    }

    /// What was asked for since this was called last.
    mutating func takeChanges() -> [NegotiationChange] {
        defer { changes = [] }
        return changes
    }

    /// What was asked for of media since this was called last.
    mutating func takeMedia() -> [MediaChange] {
        defer { media = [] }
        return media + negotiator.takeMediaChanges()
    }

    /// An exchange that this side begins.
    mutating func exchange(with other: inout NegotiatingSide) throws {
        try other.take(offer())
        try take(other.answer())
    }
}

/// Two sides with data channels agreed upon.
func connectedSides() throws -> (NegotiatingSide, NegotiatingSide) {
    var offerer = try NegotiatingSide(seed: 1)
    var answerer = try NegotiatingSide(seed: 2)
    offerer.negotiator.addDataSection()
    try offerer.exchange(with: &answerer)
    return (offerer, answerer)
}

extension [NegotiationChange] {
    var localTransport: NegotiationChange.LocalTransport? {
        lazy.compactMap { if case .localTransport(let transport) = $0 { transport } else { nil } }.first
    }

    var remoteTransport: NegotiationChange.RemoteTransport? {
        lazy.compactMap { if case .remoteTransport(let transport) = $0 { transport } else { nil } }.first
    }

    var data: NegotiationChange.DataSection? {
        lazy.compactMap { if case .data(let section) = $0 { section } else { nil } }.first
    }

    var rollback: NegotiationChange.Rollback? {
        lazy.compactMap { if case .rolledBack(let rollback) = $0 { rollback } else { nil } }.first
    }
}

/// Expects a named error, and that the negotiator is as it was.
func expect(
    _ code: NegotiationError.Code, of side: inout NegotiatingSide, sourceLocation: SourceLocation = #_sourceLocation,
    from call: (inout NegotiatingSide) throws -> Void
) {
    let before = (side.negotiator.signalingState, side.negotiator.localDescription, side.negotiator.remoteDescription)
    let error = #expect(throws: NegotiationError.self, sourceLocation: sourceLocation) { try call(&side) }
    #expect(error?.code == code, sourceLocation: sourceLocation)
    #expect(error?.message.isEmpty == false, sourceLocation: sourceLocation)
    #expect(side.negotiator.signalingState == before.0, sourceLocation: sourceLocation)
    #expect(side.negotiator.localDescription == before.1, sourceLocation: sourceLocation)
    #expect(side.negotiator.remoteDescription == before.2, sourceLocation: sourceLocation)
}

let hostCandidate = "candidate:1 1 udp 2130706431 192.0.2.1 40000 typ host"
let reflexiveCandidate = "candidate:2 1 udp 1694498815 198.51.100.1 40001 typ srflx raddr 192.0.2.1 rport 40000"
