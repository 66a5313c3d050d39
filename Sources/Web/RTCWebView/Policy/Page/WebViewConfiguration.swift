internal import RTCWire

/// What one view may do, and how it behaves. What all views share is in their ``WebViewContext``.
public struct WebViewConfiguration: Sendable {
    /// What the app asks the system for before the first page is loaded; nothing where pages need no device.
    public var neededCapture: Set<CaptureKind> = [.microphone, .camera]
    /// Whether the page is loaded after a refusal, too. By default a view says why there is none.
    public var loadsAfterRefusal = false
    public var navigation = NavigationPolicy()
    public var trust = TrustPolicy()
    public var dialogLimit = DialogFloodLimit()
    /// So long a server may be silent, in seconds.
    public var timeout: Double = 15
    /// Takes a download: returns the path of the file to write, which must not exist. Nothing refuses it, which is the default.
    public var downloadDestination: (@MainActor @Sendable (WebDownload) -> String?)?

    public init() {}

    var patience: TimeDelta { .milliseconds(Int64((min(max(timeout, 0.05), 3_600) * 1_000).rounded())) }
}

/// A file that a page offers instead of showing it.
public struct WebDownload: Sendable, Hashable {
    public let url: String
    /// A name for it, without folders.
    public let suggestedName: String

    /// - Parameter suggestedName: Of any kind: it comes from the server.
    init(url: String, suggestedName: String) {
        self.url = url
        let last = suggestedName.split(whereSeparator: { $0 == "/" || $0 == "\\" }).last.map(String.init) ?? ""
        let name = String(
            last.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F }.prefix(200).map(Character.init))
        self.suggestedName = name.isEmpty || name.hasPrefix(".") ? "download" + name : name
    }
}
