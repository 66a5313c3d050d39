/// The decision about a window that a page opens, with `window.open` or a link with `target="_blank"`.
enum WindowDecision: Sendable, Hashable {
    /// Show the window, with the rules of its opener.
    case show
    /// Show no window, and tell the app, which may open one of its own.
    case handToApp
    /// The URL is no page: handle it as if a link had opened it.
    case follow(NavigationDecision)
    /// Show no window, and tell both the person and the app.
    case refuse
}

/// The rules for windows: none in a view that leaves them to the app, and a few in a sign-in, where “Sign in with …” opens one
/// and waits for its message.
struct WindowPolicy: Sendable, Hashable {
    /// The maximum number of open windows; `nil` leaves all of them to the app.
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
