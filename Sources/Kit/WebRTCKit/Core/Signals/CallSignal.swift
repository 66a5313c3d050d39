internal import RTCPeer

/// What two kits say to each other through `sendSignal`: see docs/webrtckit.md.
///
/// ```swift
/// let signal = try CallSignal(decoding: bytes)
/// if case .invite(let sdp, let media) = signal.content { … }
/// let bytes = CallSignal(call: signal.call, .ringing).encoded()
/// ```
struct CallSignal: Sendable, Hashable {
    /// The most bytes that a signal may have.
    static let maximumSize = 65_536

    /// The call that it belongs to.
    var call: CallIdentifier
    var content: Content

    init(call: CallIdentifier, _ content: Content) {
        self.call = call
        self.content = content
    }

    enum Content: Sendable, Hashable {
        /// From the caller, with its offer. `media` is what it has in mind, to show it; perhaps nothing.
        case invite(sdp: String, media: [CallMedia])
        /// From the callee: its person is being told.
        case ringing
        /// From the callee, with the answer to the invitation's offer.
        case answer(sdp: String)
        /// From the callee: its person does not want the call.
        case reject(CallEndReason)
        /// From the callee: it is in another call.
        case busy
        /// From the caller, before the answer.
        case cancel(CallEndReason)
        /// From either side, after the answer.
        case hangUp(CallEndReason)
        /// A later offer or answer, from either side, after the answer.
        case negotiate(SessionDescription)
        /// A step of the comparison of verification codes, from either side, after the answer.
        case verify(VerificationMessage)
        /// From a signalling connection: its server says that it rang for long enough.
        case noAnswer
        /// From a signalling connection: its server says that nobody of that name is there.
        case unavailable
    }
}

/// Why a call ended, as one kit tells the other. One that is not known is `normal`.
enum CallEndReason: String, Sendable, Hashable, CaseIterable {
    /// A person hung up.
    case normal
    /// A person does not want the call.
    case declined
    /// The caller gave up.
    case cancelled
    /// It rang for as long as it may.
    case noAnswer
    /// Another device of the callee's took the call.
    case answeredElsewhere
    /// Another device of the callee's rejected the call.
    case rejectedElsewhere
    /// Both called each other, and the other call stays.
    case glare
    /// The device took another call instead.
    case replaced
    /// No path was found, or it broke and none was found again.
    case connectionFailed
    /// The caller's connection to the server is gone for good.
    case connectionLost
    /// A camera, a codec or a description could not be used.
    case mediaFailed
    /// The device signed out.
    case left
}

/// Why bytes from the other side are no signal or no candidate. They are dropped and counted.
enum CallSignalError: Error, Sendable, Hashable {
    /// Longer than a signal, or a candidate, may be.
    case tooLarge
    /// No JSON object in UTF-8, or one that nests too deep.
    case notAnObject
    /// The member of this name is not there.
    case missing(String)
    /// The member of this name is of another kind, or out of bounds.
    case invalid(String)
    /// A signal of a kind that a later version may have. It is passed over.
    case unknownKind
    /// A `verify` of this call whose step or value is none. Its verification has failed: see docs/security.md.
    case badVerification(CallIdentifier)
}
