/// The entry of an app for addresses that the system hands to it, or that a page in one of its web views led to.
///
/// ```swift
/// // UIApplicationDelegate, or SwiftUI's onOpenURL:
/// func open(_ url: URL) -> Bool { appURLs.handle(openURL: url.absoluteString) }
/// ```
@MainActor
public final class AppURLs {
    /// The app's own.
    public let schemes: Set<URLScheme>
    private let receive: (String) -> Void

    /// - Parameters:
    ///   - schemes: Compared without case.
    ///   - receive: Gets each address of one of these schemes, whole.
    public init(schemes: Set<URLScheme>, receive: @escaping (String) -> Void) {
        self.schemes = schemes
        self.receive = receive
    }

    /// - Returns: Whether the address was ours; nothing happens to any other one.
    @discardableResult
    public func handle(openURL url: String) -> Bool {
        guard let scheme = URLScheme(of: url), schemes.contains(scheme) else { return false }
        receive(url)
        return true
    }
}
