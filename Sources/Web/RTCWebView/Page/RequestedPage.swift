/// The page that an app requests of a web view. Requesting the same URL again has no effect, wherever the person has navigated.
struct RequestedPage: Sendable {
    private var url: String?
    private var hasAppeared = false

    init(_ url: String?) { self.url = url }

    /// Requests a page.
    ///
    /// - Returns: The URL to open now; a view that has not appeared yet opens it when it does.
    mutating func want(_ url: String) -> String? {
        guard url != self.url else { return nil }
        self.url = url
        return hasAppeared ? url : nil
    }

    /// Called when the view has appeared.
    ///
    /// - Parameter isEmpty: Whether it has no page yet.
    /// - Returns: The URL to open now.
    mutating func appeared(isEmpty: Bool) -> String? {
        hasAppeared = true
        return isEmpty ? url : nil
    }
}
