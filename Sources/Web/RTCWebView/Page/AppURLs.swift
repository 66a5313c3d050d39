/// Receives the URLs with which the system opens the app, and those of the app's schemes that a page navigates to.
///
/// ```swift
/// // UIApplicationDelegate, or SwiftUI's onOpenURL:
/// func open(_ url: URL) -> Bool { appURLs.handle(openURL: url.absoluteString) }
/// ```
@MainActor
public final class AppURLs {
    /// The URL schemes of the app.
    public let schemes: Set<URLScheme>
    private let receive: (String) -> Void

    /// Creates a receiver.
    ///
    /// - Parameters:
    ///   - schemes: The URL schemes of the app, compared ignoring case.
    ///   - receive: Called with each URL of these schemes.
    public init(schemes: Set<URLScheme>, receive: @escaping (String) -> Void) {
        self.schemes = schemes
        self.receive = receive
    }

    /// Handles a URL.
    ///
    /// - Returns: Whether the URL has one of the schemes. Otherwise nothing happens.
    @discardableResult
    public func handle(openURL url: String) -> Bool {
        guard let scheme = URLScheme(of: url), schemes.contains(scheme) else { return false }
        receive(url)
        return true
    }
}
