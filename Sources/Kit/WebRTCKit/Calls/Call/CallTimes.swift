public import Foundation

extension Call {
    /// When a call came how far, by this device's clock.
    public struct Times: Sendable, Hashable {
        /// The call began: the button was pressed, or the invitation came.
        public internal(set) var began: Date?
        /// It was answered, here or there.
        public internal(set) var answered: Date?
        /// There was a path for the first time.
        public internal(set) var connected: Date?
        /// It was over.
        public internal(set) var ended: Date?

        init() {}

        /// Takes note of a change that happens at `time`.
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

    /// How long the call has been connected, with interruptions, until `date` or its end; `nil` before there was a path.
    public func duration(at date: Date = .now) -> Duration? {
        times.connected.map { .seconds((times.ended ?? date).timeIntervalSince($0)) }
    }
}
