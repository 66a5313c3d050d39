internal import RTCWire

/// The configuration of one web view. ``WebViewContext`` has what all views share.
public struct WebViewConfiguration: Sendable {
    /// The permissions that the app requests before the first page is loaded; empty if pages need no device.
    public var neededCapture: Set<CaptureKind> = [.microphone, .camera]
    /// Whether the page is loaded although a permission is denied. By default the view explains why it is not.
    public var loadsAfterRefusal = false
    public var navigation = NavigationPolicy()
    public var trust = TrustPolicy()
    public var dialogLimit = DialogFloodLimit()
    /// The time in seconds after which a load fails if the server sends nothing.
    public var timeout: Double = 15
    /// Returns the path for a download, at which no file may exist; `nil` refuses it. By default downloads are refused.
    public var downloadDestination: (@MainActor @Sendable (WebDownload) -> String?)?

    public init() {}

    var patience: TimeDelta { .milliseconds(Int64((min(max(timeout, 0.05), 3_600) * 1_000).rounded())) }
}

/// A file that a page offers for download.
public struct WebDownload: Sendable, Hashable {
    public let url: String
    /// The suggested file name, without folders.
    public let suggestedName: String

    /// - Parameter suggestedName: The server's suggestion, which is not trusted.
    init(url: String, suggestedName: String) {
        self.url = url
        let last = suggestedName.split(whereSeparator: { $0 == "/" || $0 == "\\" }).last.map(String.init) ?? ""
        // What is invisible could make a name seem to have another extension.
        let name = PrintableText.removing(last, limit: 200)
        self.suggestedName = name.isEmpty || name.hasPrefix(".") ? "download" + name : name
    }
}
