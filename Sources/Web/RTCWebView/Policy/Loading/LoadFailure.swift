/// The reason why a page could not be loaded, with texts for the person.
public struct LoadFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of a failure. Codes may be added.
    public struct Code: Sendable, Hashable {
        private enum Value {
            case timedOut, offline, hostNotFound, cannotConnect, connectionLost, insecure, cancelled, interrupted
            case unsupportedAddress, notAllowed, processEnded, other
        }
        private let value: Value

        /// The server did not answer in time.
        public static let timedOut = Code(value: .timedOut)
        /// The machine has no network connection.
        public static let offline = Code(value: .offline)
        public static let hostNotFound = Code(value: .hostNotFound)
        public static let cannotConnect = Code(value: .cannotConnect)
        public static let connectionLost = Code(value: .connectionLost)
        /// The server's certificate is not trusted, or its TLS version is insecure.
        public static let insecure = Code(value: .insecure)
        /// Loading was stopped, or another page was opened.
        public static let cancelled = Code(value: .cancelled)
        /// The navigation became a download, or a URL for the app or another program.
        public static let interrupted = Code(value: .interrupted)
        public static let unsupportedAddress = Code(value: .unsupportedAddress)
        /// The app's rules forbid it: ``NavigationPolicy``.
        public static let notAllowed = Code(value: .notAllowed)
        /// The web content process ended repeatedly.
        public static let processEnded = Code(value: .processEnded)
        public static let other = Code(value: .other)
    }

    public let code: Code
    /// The system's message; may be empty.
    public let detail: String

    package init(_ code: Code, detail: String = "") {
        self.code = code
        self.detail = detail
    }

    public var description: String { detail.isEmpty ? title : "\(title): \(detail)" }

    /// A headline for the person.
    public var title: String {
        switch code {
        case .timedOut: "The server takes too long to answer"
        case .offline: "You are not connected to the internet"
        case .hostNotFound: "The server cannot be found"
        case .cannotConnect: "The server cannot be reached"
        case .connectionLost: "The connection was lost"
        case .insecure: "The connection is not safe"
        case .cancelled: "Loading was stopped"
        case .interrupted: "Loading was handed over"
        case .unsupportedAddress: "This address cannot be shown"
        case .notAllowed: "This app does not show that page"
        case .processEnded: "The page stopped working"
        default: "The page cannot be shown"
        }
    }

    /// Advice for the person.
    public var advice: String {
        switch code {
        case .timedOut: "It may be busy, or the connection slow. Try again in a moment."
        case .offline: "Check the cable, the wireless network or the mobile data of this device."
        case .hostNotFound: "Check the address for mistakes, and whether this device is connected to the internet."
        case .cannotConnect: "It may be switched off, or refuse connections. Try again in a moment."
        case .connectionLost: "The server or the network ended it before the page was complete."
        case .insecure:
            "The server could not prove who it is. What you type might be read by somebody else; so nothing was sent."
        case .unsupportedAddress: "Check it for mistakes. Web pages come from none of the ports of other protocols."
        case .notAllowed: "Its address is not among those that the app may show, or it would come unencrypted."
        case .processEnded: "The program that shows it ended unexpectedly, several times in a row."
        default: "Try again in a moment."
        }
    }

    /// Whether a page with the failure is shown: not for cancelled or interrupted loads.
    package var isShown: Bool { code != .cancelled && code != .interrupted }
}

extension LoadFailure {
    /// Creates a failure from a code of Foundation's `URLError`, or of WebKit's own domain.
    package static func urlError(_ code: Int, detail: String = "") -> LoadFailure {
        switch code {
        case -1001: LoadFailure(.timedOut, detail: detail)
        case -1009, -1018, -1020: LoadFailure(.offline, detail: detail)
        case -1003, -1006: LoadFailure(.hostNotFound, detail: detail)
        case -1004: LoadFailure(.cannotConnect, detail: detail)
        case -1005: LoadFailure(.connectionLost, detail: detail)
        case -1206 ... -1200, -1022: LoadFailure(.insecure, detail: detail)
        case -999: LoadFailure(.cancelled, detail: detail)
        // Codes of WebKitErrorDomain, which are positive.
        case 102, 204: LoadFailure(.interrupted, detail: detail)
        case -1002, 101: LoadFailure(.unsupportedAddress, detail: detail)
        default: LoadFailure(.other, detail: detail)
        }
    }

    /// Creates a failure from a domain and code of GLib or WebKitGTK.
    package static func glib(domain: String, code: Int, detail: String = "") -> LoadFailure {
        switch (domain, code) {
        case ("WebKitNetworkError", 302), ("g-io-error-quark", 19): LoadFailure(.cancelled, detail: detail)
        case ("WebKitPolicyError", 102): LoadFailure(.interrupted, detail: detail)
        case ("WebKitPolicyError", 101), ("WebKitNetworkError", 301): LoadFailure(.unsupportedAddress, detail: detail)
        case ("g-resolver-error-quark", _): LoadFailure(.hostNotFound, detail: detail)
        case ("g-tls-error-quark", _): LoadFailure(.insecure, detail: detail)
        case ("g-io-error-quark", 24): LoadFailure(.timedOut, detail: detail)
        case ("g-io-error-quark", 38): LoadFailure(.offline, detail: detail)
        case ("g-io-error-quark", 37), ("g-io-error-quark", 39): LoadFailure(.cannotConnect, detail: detail)
        case ("g-io-error-quark", 34), ("g-io-error-quark", 44), ("g-io-error-quark", 45):
            LoadFailure(.connectionLost, detail: detail)
        default: LoadFailure(.other, detail: detail)
        }
    }
}
