internal import RTCSignaling

extension Call {
    /// The remote peer of a call.
    public struct Peer: Sendable, Hashable {
        /// The ID with which ``WebRTCController/sendCallRequest(to:)`` calls the peer. With a Duet server, a user (`bob`) or a
        /// user's device (`bob/k3v9`).
        public internal(set) var id: PeerID
        /// The ID of the device that calls or has answered; `nil` if the signalling server does not say.
        public internal(set) var device: PeerID?
        /// The name that the signalling server forwards; `nil` if there is none. Show ``displayName`` instead: a client may
        /// choose any name that the server does not verify.
        public internal(set) var name: String?
        /// Whether ``name`` comes from a credential that the signalling server verified.
        public internal(set) var nameIsProven = false
        /// The state of the peer's connection to the signalling server, as far as the server reports it.
        public internal(set) var presence = Presence.present

        /// The name to show. A name that is not proven is shortened and followed by the user, `Bob (mallory)`, so that it
        /// cannot imitate another user.
        public var displayName: String {
            if nameIsProven, let name { return name }
            return UnprovenName.label(name, of: user)
        }

        /// The ID without the device, if the server says which part is the device.
        public var user: PeerID {
            guard let device, let slash = device.firstIndex(of: "/") else { return id }
            return String(device[..<slash])
        }

        init(id: PeerID) { self.id = id }
    }

    /// The state of a peer's connection to the signalling server. A connected call does not need that connection.
    public enum Presence: String, Sendable, Hashable, CaseIterable {
        /// The peer is connected to the server.
        case present
        /// The connection is interrupted. The server keeps what is sent to the peer.
        case away
        /// The peer has left the server.
        case gone
    }
}
