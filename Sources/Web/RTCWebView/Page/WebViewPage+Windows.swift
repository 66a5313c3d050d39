/// Windows that the page opens: shown, passed to the app, or refused with a notice to the person. None is dropped silently.
extension WebViewPage {
    /// Returns whether a page gets a new window. Everything else about it is done when this returns.
    ///
    /// - Parameters:
    ///   - url: Empty for a window that the page's script fills or navigates.
    ///   - isUserGesture: Whether the web view reports a click as the cause.
    func decideWindow(_ url: String, isUserGesture: Bool) -> Bool {
        let request = NavigationRequest(
            url: url.isEmpty ? "about:blank" : url, isMainFrame: nil, isRedirect: false, isUserGesture: isUserGesture)
        // The redirect of a sign-in may be the target of a link with target="_blank".
        if onNavigation?(request) == true { return false }
        let policy = WindowPolicy(most: windows == nil ? nil : PageWindows.most)
        let navigation = configuration.navigation.decide(request) { engine?.canOpen(outside: $0) ?? false }
        switch policy.decide(navigation, isUserGesture: isUserGesture, open: windows?.count ?? 0) {
        case .show: return true
        case .handToApp:
            // The app may want to open it, so the URL is complete or not passed at all.
            tell(url.utf8.count <= NavigationPolicy.longestAddress ? .popup(url) : .refusedNavigation(url))
        case .follow(.openOutside):
            engine?.open(outside: url)
            tell(.openedOutside(url))
        case .follow: tell(.appURL(url))
        case .refuse: refuseWindow(url)
        }
        return false
    }

    /// Refuses a window, and tells the person, unless the page's dialogs are suppressed.
    func refuseWindow(_ url: String) {
        tell(.refusedWindow(url))
        guard let engine, case .show(let canSuppressDialogs) = dialogs.decide(at: engine.now) else { return }
        present(.refusedWindow(origin, canSuppressDialogs: canSuppressDialogs)) { [weak self] given in
            if given.suppressesDialogs { self?.dialogs.silence() }
        }
    }
}
