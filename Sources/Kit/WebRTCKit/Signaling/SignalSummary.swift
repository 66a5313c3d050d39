public import Foundation

/// The parts of a signal that a signalling server may need: its kind, its call, and the announced media.
///
/// A server that delivers signals unread can do without it. It is for the app's connection or server that sends pushes, or
/// tells the other devices of a person that one of them has answered:
///
/// ```swift
/// if let summary = SignalSummary(signal), summary.kind == .invite { … }
/// ```
///
/// A server in another language reads the same members of the JSON: see the article “Your own signalling server”.
public struct SignalSummary: Sendable, Hashable {
    /// The kind of the signal.
    public let kind: Kind
    /// The identifier of the call, the same for all signals of the call.
    public let call: CallIdentifier
    /// The media that an invitation announces; empty for other kinds.
    public let media: [CallMedia]

    /// Reads a signal.
    ///
    /// - Parameter data: A signal as it is passed to ``SignalingServerConnection/sendSignal(_:to:)``.
    /// - Returns: `nil` if the data is no signal, or of a kind of a later version. Deliver it all the same.
    public init?(_ data: Data) {
        guard let signal = try? CallSignal(decoding: Array(data)), let kind = Kind(rawValue: signal.content.kind) else {
            return nil
        }
        call = signal.call
        self.kind = kind
        if case .invite(_, let media) = signal.content { self.media = media } else { media = [] }
    }

    /// The kind of a signal: the member `kind` of its JSON.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// From the caller: the invitation. A device that is not connected needs a push.
        case invite
        /// From the callee: this device rings.
        case ringing
        /// From the callee: the call is accepted on this device. The callee's other devices stop to ring.
        case answer
        /// From the callee: the call is declined on this device. The callee's other devices stop to ring.
        case reject
        /// From the callee: this device is in another call.
        case busy
        /// From the caller: the call is over before it was answered.
        case cancel
        /// From either peer: the answered call is over.
        case hangUp
        /// From either peer: a later session description.
        case negotiate
        /// From either peer: a step of the verification.
        case verify
        /// From the server: nobody has answered in time.
        case noAnswer
        /// From the server: the called peer cannot be reached, or the server refuses the call.
        case unavailable
    }
}
