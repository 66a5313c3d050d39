/// What the bar above a sign-in says.
struct SignInBar: Sendable, Hashable {
    /// Where the page is from, and whether anybody could have changed it on the way; `nil` before there is one.
    var place: String?
    var isLoading: Bool
}

extension SignInBar {
    @MainActor init(_ page: WebViewPage) {
        self.init(place: page.place, isLoading: page.isLoading)
    }
}

extension WebViewPage {
    /// Where the page is from, for a person to judge by; `nil` while there is none.
    var place: String? {
        guard let url else { return nil }
        guard let origin else { return url }
        return origin.isPotentiallyTrustworthy ? origin.description : "Not safe – \(origin.description)"
    }
}
