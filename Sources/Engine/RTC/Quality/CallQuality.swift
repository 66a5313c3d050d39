/// The quality of a call as its two people experience it, and what limits it. Computed by ``CallQualityMeter``.
public struct CallQuality: Sendable, Hashable {
    /// The opinion scale of ITU-T P.800.
    public enum Level: Int, Sendable, Hashable, Comparable, CaseIterable {
        /// Speech cannot be understood, or no media arrive.
        case bad = 1
        /// Speech takes effort to understand, or video freezes repeatedly.
        case poor
        /// Impairments are noticeable; conversation is possible.
        case fair
        /// Impairments are hardly noticeable.
        case good
        /// No impairment.
        case excellent

        public static func < (lhs: Level, rhs: Level) -> Bool { lhs.rawValue < rhs.rawValue }
    }

    /// The most likely cause. One peer cannot measure which end of a path loses packets: loss of sent packets is
    /// attributed to the local network, loss of received packets to the remote network, since most access links are
    /// narrowest in the upload direction.
    public enum Reason: String, Sendable, Hashable, CaseIterable {
        case myNetwork, theirNetwork, myProcessor, theirProcessor
    }

    public var level: Level
    /// The most likely cause; `nil` while ``level`` is excellent.
    public var reason: Reason?

    package init(level: Level, reason: Reason? = nil) {
        self.level = level
        self.reason = reason
    }
}
