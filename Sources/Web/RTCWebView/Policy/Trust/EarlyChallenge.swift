/// What a server asks before the view has told that the load began.
///
/// The question comes from WebKitGTK's network process, the beginning from the page's, and either may be first. When a load begins,
/// WebKitGTK withdraws what is still asked. A question that came before the beginning is withdrawn with it, and its load ends as if
/// somebody had stopped it. Such a load is made again.
struct EarlyChallenge {
    /// How often a load is made again before its end is told.
    static let mostRepeats = 3

    /// What a navigation may load that has not arrived yet.
    private var url: String?
    private var hasBegun = false
    private var isAsked = false
    private var isWithdrawn = false
    private var repeats = 0

    /// A navigation was allowed. One that carries a body is never made again.
    mutating func allowed(_ url: String, method: String) {
        let isSame = url == self.url
        (self.url, hasBegun, isAsked, isWithdrawn) = (method == "GET" ? url : nil, false, false, false)
        if !isSame { repeats = 0 }
    }

    mutating func asked() { isAsked = !hasBegun }
    mutating func answered() { isAsked = false }
    mutating func stopped() { isWithdrawn = false }

    mutating func began() {
        (hasBegun, isWithdrawn, isAsked) = (true, isAsked, false)
    }

    mutating func committed() { self = EarlyChallenge() }

    /// - Returns: Whether the load is to be made again, and its end kept from the page.
    mutating func failed(_ failure: LoadFailure, url: String) -> Bool {
        guard isWithdrawn, failure.code == .cancelled, url == self.url, repeats < Self.mostRepeats else { return false }
        repeats += 1
        isWithdrawn = false
        return true
    }
}
