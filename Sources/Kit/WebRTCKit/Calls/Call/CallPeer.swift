internal import RTCSignaling

extension Call {
    /// The other side of a call.
    public struct Peer: Sendable, Hashable {
        /// The ID by which ``WebRTCController/sendCallRequest(to:)`` calls it. With a Duet server it is the user, or the user and
        /// one device (`bob/k3v9`).
        public internal(set) var id: PeerID
        /// The ID of the very device that calls or has answered; `nil` where the signalling server does not say.
        public internal(set) var device: PeerID?
        /// The name that the signalling server hands on; `nil` where it has none. Show ``label`` rather than this: whoever signs
        /// in can choose a name that is not proven.
        public internal(set) var name: String?
        /// Whether ``name`` was in a credential that the signalling server has verified.
        public internal(set) var nameIsProven = false
        /// How the peer's connection to the signalling server is, as far as the server says.
        public internal(set) var presence = Presence.present

        /// The name to show. A name that is not proven is shortened and has the user beside it, `Bob (mallory)`, so that it
        /// cannot pass for somebody else's.
        public var label: String {
            if nameIsProven, let name { return name }
            return UnprovenName.label(name, of: user)
        }

        /// The ID without the device, where the server says which part of it that is.
        public var user: PeerID {
            guard let device, let slash = device.firstIndex(of: "/") else { return id }
            return String(device[..<slash])
        }

        init(id: PeerID) { self.id = id }
    }

    /// How a peer's connection to the signalling server is. A call that is connected does not need it.
    public enum Presence: String, Sendable, Hashable, CaseIterable {
        /// It is there.
        case present
        /// It is interrupted. What is sent to the peer waits at the server.
        case away
        /// It is gone.
        case gone
    }
}
