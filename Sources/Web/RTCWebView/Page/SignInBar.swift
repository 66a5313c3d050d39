/// The content of the bar above a sign-in.
struct SignInBar: Sendable, Hashable {
    /// The origin of the page, with a warning if its connection is not secure; `nil` before there is a page.
    var place: String?
    var isLoading: Bool
}

extension SignInBar {
    @MainActor init(_ page: WebViewPage) {
        self.init(place: page.place, isLoading: page.isLoading)
    }
}

extension WebViewPage {
    /// The origin of the page, with a warning if its connection is not secure; `nil` while there is none.
    var place: String? {
        guard let url else { return nil }
        guard let origin else { return url }
        return origin.isPotentiallyTrustworthy ? origin.description : "Not safe – \(origin.description)"
    }
}
