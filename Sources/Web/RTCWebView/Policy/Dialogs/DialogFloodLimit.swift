internal import RTCWire

/// Keeps a page from holding a person up with one dialog after the other.
///
/// The second dialog within a short time offers to show no more; so many within that time are not shown at all, and answered
/// as if Cancel had been pressed, until the page is left.
public struct DialogFloodLimit: Sendable {
    public enum Decision: Sendable, Hashable {
        /// Show it, and offer to show no more, or not.
        case show(offersSilence: Bool)
        /// Answer with Cancel, and show nothing.
        case suppress
    }

    /// So many dialogs …
    let most: Int
    /// … within so long are shown.
    let period: TimeDelta

    private var shown: [Instant] = []
    private var isSilent = false

    /// - Parameters:
    ///   - most: 10 at least 1.
    ///   - seconds: The time in which they are counted.
    public init(most: Int = 10, seconds: Int = 10) {
        self.most = max(1, most)
        period = .seconds(Int64(max(1, seconds)))
    }

    mutating func decide(at now: Instant) -> Decision {
        guard !isSilent else { return .suppress }
        shown.removeAll { $0 + period <= now }
        guard shown.count < most else {
            isSilent = true
            return .suppress
        }
        shown.append(now)
        return .show(offersSilence: shown.count > 1)
    }

    /// The person wants no more of this page's dialogs.
    public mutating func silence() { isSilent = true }

    /// Another page is there, which the person or the app wanted.
    public mutating func reset() {
        shown = []
        isSilent = false
    }

    /// A page went elsewhere by itself: what it has used up stays used up. Only another site's page is no longer silenced.
    mutating func moved(toAnotherOrigin: Bool) {
        if toAnotherOrigin { isSilent = false }
    }
}
