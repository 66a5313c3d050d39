/// A page's or a person's wish to go somewhere.
public struct NavigationRequest: Sendable, Hashable {
    public let url: String
    /// Nothing where the web view does not say: WebKitGTK tells it only once the response is there, and WebKit says nothing of a
    /// window that a page wants to open.
    public let isMainFrame: Bool?
    /// Whether a server sent the person here. Nothing where the web view does not say.
    public let isRedirect: Bool?
    /// Whether a person's click or key was behind it.
    public let isUserGesture: Bool

    public init(url: String, isMainFrame: Bool? = true, isRedirect: Bool? = false, isUserGesture: Bool = false) {
        self.url = url
        self.isMainFrame = isMainFrame
        self.isRedirect = isRedirect
        self.isUserGesture = isUserGesture
    }
}

extension NavigationRequest {
    /// The same, as that of a frame.
    var ofFrame: NavigationRequest {
        NavigationRequest(url: url, isMainFrame: false, isRedirect: isRedirect, isUserGesture: isUserGesture)
    }
}

/// What becomes of a navigation.
public enum NavigationDecision: Sendable, Hashable {
    case allow
    case deny
    /// It is cancelled here, and opened by whatever the system has for it.
    case openOutside
    /// It is cancelled here, and the app gets the address.
    case handToApp
}

/// Where pages may go. By default everywhere on the web; an address of another scheme is handed to the app if it is the app's
/// own, opened by the system if it can, and refused otherwise.
public struct NavigationPolicy: Sendable {
    /// A rule of the app's: the first that fits decides.
    public struct Rule: Sendable, Hashable {
        public enum Match: Sendable, Hashable {
            case origins(OriginList)
            case scheme(URLScheme)
            /// The beginning of the address, scheme and host compared as they stand in it: in lower case.
            case prefix(String)
        }

        public let match: Match
        public let decision: NavigationDecision

        public init(_ match: Match, _ decision: NavigationDecision) {
            self.match = match
            self.decision = decision
        }
    }

    public var rules: [Rule]
    /// The app's own schemes: an address of one of them is the app's.
    public var appSchemes: Set<URLScheme>
    /// Whether pages come by https alone. This machine itself is excepted (W3C Secure Contexts).
    public var isHTTPSOnly: Bool
    /// Where pages may be from, if anything is said: App-Bound Domains, as WebKit calls it. Frames are free.
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

    /// Longer addresses lead nowhere, but for those that are a page themselves (`data:`).
    static let longestAddress = 65_536

    /// - Parameter canOpen: Whether the system has something to open this address.
    public func decide(_ request: NavigationRequest, canOpen: (String) -> Bool) -> NavigationDecision {
        guard let scheme = URLScheme(of: request.url),
            scheme == "data" || request.url.utf8.count <= Self.longestAddress,
            !BlockedPorts.forbid(request.url)
        else { return .deny }
        for rule in rules where matches(rule.match, request.url, scheme) { return rule.decision }
        if appSchemes.contains(scheme) { return .handToApp }
        guard URLScheme.ofTheWeb.contains(scheme) else {
            // `javascript:` is run by the page it is in, and never comes here; files are the program's business, no page's.
            if scheme == "file" || scheme == "javascript" || scheme == "view-source" { return .deny }
            // A frame may not open other programs on its own.
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
        case .prefix(let beginning): url.hasPrefix(beginning)
        }
    }
}
