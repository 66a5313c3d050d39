internal import RTCWire

/// Limits the script dialogs of a page.
///
/// From the second dialog within the time limit on, the person can suppress further ones; after too many, dialogs are
/// not shown and answered as with Cancel, until the page is left.
public struct DialogFloodLimit: Sendable {
    package enum Decision: Sendable, Hashable {
        /// Show the dialog, with or without an option to suppress further ones.
        case show(canSuppressDialogs: Bool)
        /// Answer with Cancel, without showing the dialog.
        case suppress
    }

    /// The number of dialogs that are shown …
    let most: Int
    /// … within this time.
    let period: TimeDelta

    private var shown: [Instant] = []
    private var isSilent = false

    /// Creates a limit.
    ///
    /// - Parameters:
    ///   - most: The maximum number of dialogs, at least 1.
    ///   - seconds: The time within which they are counted.
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
        return .show(canSuppressDialogs: shown.count > 1)
    }

    /// Suppresses further dialogs of this page.
    package mutating func silence() { isSilent = true }

    /// Resets the limit for another page, which the person or the app has opened.
    package mutating func reset() {
        shown = []
        isSilent = false
    }

    /// Called when the page has navigated by itself: its dialogs still count. Only a page of another origin is no longer
    /// suppressed.
    mutating func pageNavigated(toAnotherOrigin: Bool) {
        if toAnotherOrigin { isSilent = false }
    }
}
