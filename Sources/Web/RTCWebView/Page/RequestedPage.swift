/// The page that an app wants a web view to show. What it wants again is no news, wherever the person has gone from there.
struct RequestedPage: Sendable {
    private var url: String?
    private var hasAppeared = false

    init(_ url: String?) { self.url = url }

    /// The app wants this page.
    ///
    /// - Returns: What is to be opened now; a view that has not appeared yet opens it when it does.
    mutating func want(_ url: String) -> String? {
        guard url != self.url else { return nil }
        self.url = url
        return hasAppeared ? url : nil
    }

    /// The view is seen.
    ///
    /// - Parameter isEmpty: Whether it has no page yet.
    /// - Returns: What is to be opened now.
    mutating func appeared(isEmpty: Bool) -> String? {
        hasAppeared = true
        return isEmpty ? url : nil
    }
}
