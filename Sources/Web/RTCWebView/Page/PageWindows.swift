/// The windows that pages of a sign-in have open beside its own. What opens one shares this with it, so that a window's window counts too.
@MainActor
final class PageWindows {
    /// A provider has one for another provider, and that one perhaps one of its own.
    static let most = 3

    private var open: [(page: WebViewPage, close: () -> Void)] = []
    private let onOpen: (WebViewPage) -> Void

    /// - Parameter onOpen: Gets the page of each, before anything is loaded there.
    init(onOpen: @escaping (WebViewPage) -> Void) {
        self.onOpen = onOpen
    }

    var count: Int { open.count }

    /// A window was made.
    ///
    /// - Parameters:
    ///   - page: What it shows.
    ///   - close: Takes it off the screen. It is kept until then, and called once.
    func opened(_ page: WebViewPage, close: @escaping () -> Void) {
        page.windows = self
        page.onClose = { [weak self, weak page] in if let page { self?.close(page) } }
        open.append((page, close))
        onOpen(page)
    }

    /// The person is done with a window, or its own script is (`window.close`). The page that opened it goes on.
    func close(_ page: WebViewPage) {
        guard let index = open.firstIndex(where: { $0.page === page }) else { return }
        open.remove(at: index).close()
    }

    /// The newest first: it may lie over the others.
    func closeAll() {
        while let last = open.popLast() { last.close() }
    }
}
