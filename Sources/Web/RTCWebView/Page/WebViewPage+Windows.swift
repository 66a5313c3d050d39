/// Windows that the page wants: shown, left to the app, or refused so that the person sees it. None is lost without a word.
extension WebViewPage {
    /// Whether a page that wants a window gets one. What else is to be done about it has been done when this returns.
    ///
    /// - Parameters:
    ///   - url: Empty for a window that the page's script fills or sends somewhere.
    ///   - isUserGesture: Whether a person's click was behind it, as far as the web view says.
    func decideWindow(_ url: String, isUserGesture: Bool) -> Bool {
        let request = NavigationRequest(
            url: url.isEmpty ? "about:blank" : url, isMainFrame: nil, isRedirect: false, isUserGesture: isUserGesture)
        // The redirect of a sign-in may be where a link with target="_blank" leads.
        if onNavigation?(request) == true { return false }
        let policy = WindowPolicy(most: windows == nil ? nil : PageWindows.most)
        let navigation = configuration.navigation.decide(request) { engine?.canOpen(outside: $0) ?? false }
        switch policy.decide(navigation, isUserGesture: isUserGesture, open: windows?.count ?? 0) {
        case .show: return true
        case .handToApp:
            // An app may want to open it: the address is whole, or it is none.
            tell(url.utf8.count <= NavigationPolicy.longestAddress ? .popup(url) : .refusedNavigation(url))
        case .follow(.openOutside):
            engine?.open(outside: url)
            tell(.openedOutside(url))
        case .follow: tell(.appURL(url))
        case .refuse: refuseWindow(url)
        }
        return false
    }

    /// The page gets no window, and the person is told so, as far as a page may tell people anything.
    func refuseWindow(_ url: String) {
        tell(.refusedWindow(url))
        guard let engine, case .show(let offersSilence) = dialogs.decide(at: engine.now) else { return }
        present(.refusedWindow(origin, offersSilence: offersSilence)) { [weak self] given in
            if given.silencesPage { self?.dialogs.silence() }
        }
    }
}
