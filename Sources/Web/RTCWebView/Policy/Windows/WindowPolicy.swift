/// What becomes of a window that a page wants to open, by `window.open` or a link with `target="_blank"`.
enum WindowDecision: Sendable, Hashable {
    /// It gets one, in which the rules of its opener hold.
    case show
    /// It gets none, and the app is told: it may open one of its own.
    case handToApp
    /// It is no page: it goes where such an address goes from a link.
    case follow(NavigationDecision)
    /// It gets none, and the person is told as well as the app.
    case refuse
}

/// Which windows pages get: none in a view that leaves them to the app, and a few in a sign-in, whose "Sign in with …" opens one
/// and waits for what it says.
struct WindowPolicy: Sendable, Hashable {
    /// So many may be open at once; nothing leaves them all to the app.
    var most: Int?

    /// - Parameters:
    ///   - navigation: What the rules say of its address.
    ///   - isUserGesture: Whether a person's click was behind it.
    ///   - open: How many there are.
    func decide(_ navigation: NavigationDecision, isUserGesture: Bool, open: Int) -> WindowDecision {
        guard let most else { return .handToApp }
        switch navigation {
        case .allow: return open < most ? .show : .refuse
        case .handToApp: return .follow(.handToApp)
        case .openOutside: return isUserGesture ? .follow(.openOutside) : .refuse
        case .deny: return .refuse
        }
    }
}
