/// How good a call is for the two people in it, and what makes it worse: computed by ``CallQualityMeter``.
public struct CallQuality: Sendable, Hashable {
    /// The five opinions of ITU-T P.800.
    public enum Level: Int, Sendable, Hashable, Comparable, CaseIterable {
        /// Nobody can be understood, or nothing arrives.
        case bad = 1
        /// It takes effort: words are missing, or the picture stands still again and again.
        case poor
        /// It can be seen and heard that something is wrong; talking goes on.
        case fair
        /// Somebody who looks for it finds it.
        case good
        /// Nothing is wrong.
        case excellent

        public static func < (lhs: Level, rhs: Level) -> Bool { lhs.rawValue < rhs.rawValue }
    }

    /// What is most likely at fault. Which end of a path loses packets cannot be measured from one end: what happens to
    /// packets on their way to the other side is put down to our network, what happens on their way here to theirs, since
    /// most access links are narrowest in the direction to the network.
    public enum Reason: String, Sendable, Hashable, CaseIterable {
        case myNetwork, theirNetwork, myProcessor, theirProcessor
    }

    public var level: Level
    /// `nil` while ``level`` is excellent.
    public var reason: Reason?

    public init(level: Level, reason: Reason? = nil) {
        self.level = level
        self.reason = reason
    }
}
