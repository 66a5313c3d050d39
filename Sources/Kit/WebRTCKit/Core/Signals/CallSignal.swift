internal import RTCPeer

/// A message between two kits that is sent with `sendSignal`: see docs/webrtckit.md.
///
/// ```swift
/// let signal = try CallSignal(decoding: bytes)
/// if case .invite(let sdp, let media) = signal.content { … }
/// let bytes = CallSignal(call: signal.call, .ringing).encoded()
/// ```
struct CallSignal: Sendable, Hashable {
    /// The maximum number of bytes.
    static let maximumSize = 65_536

    /// The call that it belongs to.
    var call: CallIdentifier
    var content: Content

    init(call: CallIdentifier, _ content: Content) {
        self.call = call
        self.content = content
    }

    enum Content: Sendable, Hashable {
        /// From the caller, with its offer. `media` is what it announces; may be empty.
        case invite(sdp: String, media: [CallMedia])
        /// From the callee: it rings.
        case ringing
        /// From the callee, with the answer to the invitation's offer.
        case answer(sdp: String)
        /// From the callee: the call is declined.
        case reject(CallEndReason)
        /// From the callee: it is in another call.
        case busy
        /// From the caller: the call is cancelled before the answer.
        case cancel(CallEndReason)
        /// From either peer: the call ends after the answer.
        case hangUp(CallEndReason)
        /// From either peer: an offer or answer after the first ones.
        case negotiate(SessionDescription)
        /// From either peer: a step of the verification.
        case verify(VerificationMessage)
        /// From the signalling connection: the server's time limit for ringing is over.
        case noAnswer
        /// From the signalling connection: the server does not know the peer.
        case unavailable
    }
}

/// The reason why a call ended, for the peer. An unknown one counts as `normal`.
enum CallEndReason: String, Sendable, Hashable, CaseIterable {
    /// A person hung up.
    case normal
    /// A person declined the call.
    case declined
    /// The caller gave up.
    case cancelled
    /// Nobody answered in time.
    case noAnswer
    /// Another device of the callee answered.
    case answeredElsewhere
    /// Another device of the callee declined the call.
    case rejectedElsewhere
    /// Both peers called each other, and the other call continues.
    case glare
    /// Another call took the place of this one.
    case replaced
    /// No path was found, or it was lost.
    case connectionFailed
    /// The caller's connection to the server is lost for good.
    case connectionLost
    /// A camera, a codec or a session description could not be used.
    case mediaFailed
    /// The device signed out.
    case left
}

/// The reason why bytes of a peer are not a valid signal or candidate. They are dropped and counted.
enum CallSignalError: Error, Sendable, Hashable {
    /// The message is too large.
    case tooLarge
    /// The message is not a JSON object in UTF-8, or is nested too deeply.
    case notAnObject
    /// The member with this name is missing.
    case missing(String)
    /// The member with this name has the wrong type, or is out of range.
    case invalid(String)
    /// A signal of an unknown kind, from a later version, which is ignored.
    case unknownKind
    /// A `verify` signal of this call with an invalid step or value. The verification fails: see docs/security.md.
    case badVerification(CallIdentifier)
}
