/// A navigation that a page or the person requests.
package struct NavigationRequest: Sendable, Hashable {
    package let url: String
    /// Whether it is for the main frame; `nil` if unknown: WebKitGTK reports it with the response only, and WebKit not
    /// for new windows.
    package let isMainFrame: Bool?
    /// Whether it is a redirect of a server; `nil` if unknown.
    package let isRedirect: Bool?
    /// Whether the person caused it, with a click or key.
    package let isUserGesture: Bool

    package init(url: String, isMainFrame: Bool? = true, isRedirect: Bool? = false, isUserGesture: Bool = false) {
        self.url = url
        self.isMainFrame = isMainFrame
        self.isRedirect = isRedirect
        self.isUserGesture = isUserGesture
    }
}

extension NavigationRequest {
    /// The same request, as one of a frame.
    var ofFrame: NavigationRequest {
        NavigationRequest(url: url, isMainFrame: false, isRedirect: isRedirect, isUserGesture: isUserGesture)
    }
}

/// The decision about a navigation.
public enum NavigationDecision: Sendable, Hashable {
    case allow
    case deny
    /// Cancel it, and open the URL in another app.
    case openOutside
    /// Cancel it, and pass the URL to the app.
    case handToApp
}

/// The rules for navigation. By default pages may navigate everywhere on the web; a URL with another scheme is passed
/// to the app if the scheme is the app's own, opened by another app if there is one, and refused otherwise.
public struct NavigationPolicy: Sendable {
    /// A rule of the app. The first rule that matches decides.
    public struct Rule: Sendable, Hashable {
        public enum Match: Sendable, Hashable {
            case origins(OriginList)
            case scheme(URLScheme)
            /// The beginning of the URL, with scheme and host in lower case. If it has a host, as
            /// `https://shop.example/pay` has, only URLs of that origin match.
            case prefix(String)
        }

        package let match: Match
        package let decision: NavigationDecision

        public init(_ match: Match, _ decision: NavigationDecision) {
            self.match = match
            self.decision = decision
        }
    }

    public var rules: [Rule]
    /// The URL schemes of the app.
    public var appSchemes: Set<URLScheme>
    /// Whether pages need https. Loopback is exempt (W3C Secure Contexts).
    public var isHTTPSOnly: Bool
    /// The origins that pages may have, as with WebKit's App-Bound Domains; `nil` for any. Frames are not restricted.
    public var appBoundOrigins: OriginList?

    public init(
        rules: [Rule] = [], appSchemes: Set<URLScheme> = [], isHTTPSOnly: Bool = false,
        appBoundOrigins: OriginList? = nil
    ) {
        self.rules = rules
        self.appSchemes = appSchemes
        self.isHTTPSOnly = isHTTPSOnly
        self.appBoundOrigins = appBoundOrigins
    }

    /// Longer URLs are refused, except those that contain a page themselves (`data:`).
    static let longestAddress = 65_536

    /// Decides about a navigation.
    ///
    /// - Parameter canOpen: Returns whether another app can open a URL.
    package func decide(_ request: NavigationRequest, canOpen: (String) -> Bool) -> NavigationDecision {
        guard let scheme = URLScheme(of: request.url),
            scheme == "data" || request.url.utf8.count <= Self.longestAddress,
            !BlockedPorts.forbid(request.url)
        else { return .deny }
        for rule in rules where matches(rule.match, request.url, scheme) { return rule.decision }
        if appSchemes.contains(scheme) { return .handToApp }
        guard URLScheme.webSchemes.contains(scheme) else {
            // `javascript:` runs in its page and does not arrive here; files are not for pages.
            if scheme == "file" || scheme == "javascript" || scheme == "view-source" { return .deny }
            // A frame may not open other apps without a click.
            guard request.isMainFrame != false || request.isUserGesture else { return .deny }
            return canOpen(request.url) ? .openOutside : .deny
        }
        if let origin = WebOrigin(request.url) {
            if isHTTPSOnly, !origin.isPotentiallyTrustworthy { return .deny }
            if request.isMainFrame == true, let appBoundOrigins, !appBoundOrigins.contains(origin) { return .deny }
        } else if scheme == "http" || scheme == "https" {
            return .deny
        }
        return .allow
    }

    private func matches(_ match: Rule.Match, _ url: String, _ scheme: URLScheme) -> Bool {
        switch match {
        case .origins(let list): WebOrigin(url).map(list.contains) ?? false
        case .scheme(let wanted): wanted == scheme
        case .prefix(let beginning):
            // Without the origin, `https://shop.example` would match `https://shop.example.evil.example` and
            // `https://shop.example@evil.example`.
            url.hasPrefix(beginning) && (WebOrigin(beginning).map { $0 == WebOrigin(url) } ?? true)
        }
    }
}
