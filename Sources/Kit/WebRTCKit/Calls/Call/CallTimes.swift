public import Foundation

extension Call {
    /// The times of a call, by this device's clock. Each is `nil` until it is reached.
    public struct Times: Sendable, Hashable {
        /// When this device called, or received the invitation.
        public internal(set) var began: Date?
        /// When the call was answered, here or by the peer.
        public internal(set) var answered: Date?
        /// When the connection was established for the first time.
        public internal(set) var connected: Date?
        /// When the call ended.
        public internal(set) var ended: Date?

        init() {}

        /// Records a change that happens at `time`.
        mutating func note(_ change: Change, at time: Date) {
            switch change {
            case .began: self = Times(began: time)
            case .answered: answered = answered ?? time
            case .connected: connected = connected ?? time
            case .ended: ended = time
            case .present, .glare, .ringing, .connectionLost, .connectionRestored, .verification, .quality, .presence:
                break
            }
        }

        private init(began: Date) { self.began = began }
    }

    /// Returns how long the call has lasted since it was connected, until `date` or its end, interruptions included; `nil` if it
    /// was never connected.
    public func duration(at date: Date = .now) -> Duration? {
        times.connected.map { .seconds((times.ended ?? date).timeIntervalSince($0)) }
    }
}
