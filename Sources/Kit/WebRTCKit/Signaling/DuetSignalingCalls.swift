internal import RTCPeer
internal import RTCSignaling

/// Translates between the kit's signals and the messages of a Duet server: see docs/signaling.md and docs/webrtckit.md. A value
/// without sockets and clock.
///
/// ``CallCore`` has the record of the call. This has only what the server's messages do not say, and their translation needs: the ID
/// that the kit uses for the peer, which side called, and whether an error of the server still ends the call. A call has the same
/// identifier in the kit and at the server.
struct DuetSignalingCalls: Sendable {
    /// The time limit for ringing, in seconds.
    let lifetime: Double
    private var calls: [CallID: Entry] = [:]
    private var begun = 0

    struct Entry: Sendable {
        /// The kit's ID of the peer.
        var peer: PeerID
        var isCaller: Bool
        var isAnswered = false
        /// The order of the calls' beginnings.
        var number: Int
    }

    /// The kit's candidate; the server has a type of the same name.
    typealias Candidate = CallCandidate

    /// A message for the server.
    enum Outgoing: Sendable, Hashable {
        case message(ClientMessage)
        /// A candidate, which the client batches with others.
        case candidate(RTCSignaling.CallCandidate, CallID)
    }

    static let mostCalls = 64
    static let verification = "verify"

    init(lifetime: Double) {
        self.lifetime = min(max(lifetime, Invite.lifetimes.lowerBound), Invite.lifetimes.upperBound)
    }

    /// Removes all calls, because the session is over.
    mutating func removeAll() { calls = [:] }

    // MARK: Signals of the kit

    /// - Returns: The messages for the server.
    /// - Throws: ``CallManagerError/signalingFailed(_:)`` if the signal cannot be translated.
    mutating func send(_ signal: CallSignal, to peer: PeerID) throws(CallManagerError) -> [Outgoing] {
        let call = try Self.identifier(signal.call)
        switch signal.content {
        case .invite(let sdp, let media):
            guard let address = SignalingAddress(peer) else {
                throw .signalingFailed("“\(peer.prefix(100))” names nobody: write a user, or a user/device")
            }
            let invite = Invite(
                call: call, to: address, lifetime: lifetime, media: media.compactMap(InvitedMedia.init),
                description: try Self.description(.offer, sdp))
            begin(call, with: peer, isCaller: true)
            return [.message(.invite(invite))]
        case .ringing: return [.message(.ringing(CallReference(call: call)))]
        case .answer(let sdp):
            let answer = Answer(call: call, description: try Self.description(.answer, sdp))
            calls[call]?.isAnswered = true
            return [.message(.answer(answer))]
        case .reject(let reason): return end(call, .reject(Reject(call: call, reason: CallReason(reason))))
        case .busy: return end(call, .busy(CallReference(call: call)))
        case .cancel: return end(call, .cancel(Cancel(call: call)))
        case .hangUp(let reason): return end(call, .hangup(HangUp(call: call, reason: CallReason(reason))))
        case .negotiate(let description):
            guard let type = CallDescription.DescriptionType(rawValue: description.type.rawValue) else { return [] }
            let described = try Self.description(type, description.sdp)
            return [.message(.negotiate(Negotiate(call: call, description: described)))]
        case .verify(let message):
            let kind = CallReason(rawValue: Self.verification)
            let data = VerificationData(message).json()
            return [.message(.signal(OutgoingSignal(target: .call(call), kind: kind, data: data)))]
        // Only a server sends these.
        case .noAnswer, .unavailable: return []
        }
    }

    func send(_ candidate: Candidate) throws(CallManagerError) -> [Outgoing] {
        let call = try Self.identifier(candidate.call)
        let value = RTCSignaling.CallCandidate.ICECandidate(
            candidate: candidate.candidate.candidate, sdpMid: candidate.candidate.sdpMid,
            sdpMLineIndex: candidate.candidate.sdpMLineIndex.flatMap { UInt16(exactly: $0) },
            usernameFragment: candidate.candidate.usernameFragment)
        let longest = max(
            value.candidate.utf8.count, value.sdpMid?.utf8.count ?? 0, value.usernameFragment?.utf8.count ?? 0)
        guard longest <= RTCSignaling.CallCandidate.maximumLength else {
            throw .signalingFailed("a candidate is longer than the server takes")
        }
        return [.candidate(.candidate(value), call)]
    }

    private static func identifier(_ call: CallIdentifier) throws(CallManagerError) -> CallID {
        guard let id = CallID(rawValue: call.rawValue) else {
            throw .signalingFailed("“\(call.rawValue)” is no identifier of a call")
        }
        return id
    }

    private static func description(
        _ type: CallDescription.DescriptionType, _ sdp: String
    ) throws(CallManagerError) -> CallDescription {
        guard sdp.utf8.count <= CallDescription.maximumLength else {
            throw .signalingFailed(
                "a description has \(sdp.utf8.count) bytes; the server takes \(CallDescription.maximumLength)")
        }
        return .sdp(type: type, sdp: sdp)
    }

    // MARK: Calls

    subscript(call: CallID) -> Entry? { calls[call] }
    var count: Int { calls.count }

    mutating func begin(_ call: CallID, with peer: PeerID, isCaller: Bool) {
        if calls.count >= Self.mostCalls, let oldest = calls.min(by: { $0.value.number < $1.value.number }) {
            calls[oldest.key] = nil
        }
        begun += 1
        calls[call] = Entry(peer: peer, isCaller: isCaller, number: begun)
    }

    mutating func answered(_ call: CallID) { calls[call]?.isAnswered = true }
    mutating func ended(_ call: CallID) { calls[call] = nil }

    private mutating func end(_ call: CallID, _ message: ClientMessage) -> [Outgoing] {
        ended(call)
        return [.message(message)]
    }

    /// Returns the kit's ID for the sender of a message of a call.
    func name(of peer: SignalingPeer?, in call: CallID) -> PeerID {
        calls[call]?.peer ?? peer.map(name) ?? ""
    }

    /// Returns the kit's ID for a caller: the address, if a call with this device uses it, so that the kit recognizes a second
    /// call with one peer; otherwise the user.
    func name(of peer: SignalingPeer) -> PeerID {
        let address = peer.address.description
        return calls.values.contains { $0.peer == address } ? address : peer.user.rawValue
    }
}

extension InvitedMedia {
    init?(_ media: CallMedia) { self.init(rawValue: media.rawValue) }
}

extension CallReason {
    init?(_ reason: CallEndReason) { self.init(rawValue: reason.rawValue) }
}
