/// The windows that the pages of a sign-in have opened. A window shares this with its opener, so that nested windows count too.
@MainActor
final class PageWindows {
    /// A provider may open a window of another provider, which may open one of its own.
    static let most = 3

    private var open: [(page: WebViewPage, close: () -> Void)] = []
    private let onOpen: (WebViewPage) -> Void

    /// - Parameter onOpen: Receives the page of each window before anything is loaded there.
    init(onOpen: @escaping (WebViewPage) -> Void) {
        self.onOpen = onOpen
    }

    var count: Int { open.count }

    /// Adds a new window.
    ///
    /// - Parameters:
    ///   - page: The page of the window.
    ///   - close: Removes it from the screen. Retained until it is called, once.
    func opened(_ page: WebViewPage, close: @escaping () -> Void) {
        page.windows = self
        page.onClose = { [weak self, weak page] in if let page { self?.close(page) } }
        open.append((page, close))
        onOpen(page)
    }

    /// Closes a window, after the person or its script (`window.close`) has closed it. The opener continues.
    func close(_ page: WebViewPage) {
        guard let index = open.firstIndex(where: { $0.page === page }) else { return }
        open.remove(at: index).close()
    }

    /// Closes the newest window first, since it may lie over the others.
    func closeAll() {
        while let last = open.popLast() { last.close() }
    }
}
