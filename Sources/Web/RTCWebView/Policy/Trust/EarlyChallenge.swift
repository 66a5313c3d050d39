/// An authentication challenge that arrives before its load has begun.
///
/// The challenge comes from WebKitGTK's network process, the beginning from the web content process, in any order. When a load
/// begins, WebKitGTK withdraws pending challenges. A challenge that came before is withdrawn too, and its load ends as if it had
/// been stopped. Such a load is repeated.
struct EarlyChallenge {
    /// The maximum number of repetitions before the failure is reported.
    static let mostRepeats = 3

    /// The URL of the allowed navigation that is not committed yet.
    private var url: String?
    private var hasBegun = false
    private var isAsked = false
    private var isWithdrawn = false
    private var repeats = 0

    /// A navigation was allowed. One with a body is never repeated.
    mutating func allowed(_ url: String, method: String) {
        let isSame = url == self.url
        (self.url, hasBegun, isAsked, isWithdrawn) = (method == "GET" ? url : nil, false, false, false)
        if !isSame { repeats = 0 }
    }

    mutating func asked() { isAsked = !hasBegun }
    mutating func answered() { isAsked = false }

    /// For tests: counts a challenge as one that came before its load began.
    mutating func askedEarly() {
        isAsked = true
        if hasBegun { began() }
    }

    mutating func stopped() { isWithdrawn = false }

    mutating func began() {
        (hasBegun, isWithdrawn, isAsked) = (true, isAsked, false)
    }

    mutating func committed() { self = EarlyChallenge() }

    /// - Returns: Whether the load has to be repeated without a report to the page.
    mutating func failed(_ failure: LoadFailure, url: String) -> Bool {
        guard isWithdrawn, failure.code == .cancelled, url == self.url, repeats < Self.mostRepeats else { return false }
        repeats += 1
        isWithdrawn = false
        return true
    }
}
