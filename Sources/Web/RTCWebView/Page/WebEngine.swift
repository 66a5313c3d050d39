internal import RTCWire

/// The platform's web view, as ``WebViewPage`` uses it. It makes no decisions: it carries out requests and reports events.
@MainActor
protocol WebEngine: AnyObject {
    /// Loads a page, and revalidates the cache.
    func load(_ url: String)
    /// Shows a built-in page in place of one that could not be loaded.
    func show(html: String, insteadOf url: String)
    func reload()
    func stop()
    /// Whether a page is being loaded.
    var isLoading: Bool { get }
    func goBack()
    func goForward()
    /// - Parameter state: `muted` or `active`; `none` ends capture permanently.
    func setCapture(_ kind: CaptureKind, _ state: CaptureState)
    /// Returns whether an app of the system opens URLs of this scheme.
    func canOpen(outside url: String) -> Bool
    func open(outside url: String)
    /// Shows a panel, or removes it.
    ///
    /// - Returns: Whether there is a window for it.
    func show(_ panel: WebPanel?) -> Bool
    /// Terminates the web content process; ``WebViewPage/processEnded()`` follows.
    ///
    /// - Returns: Whether that is possible.
    func endProcess() -> Bool
    /// Whether the navigation policy is queried for built-in pages too.
    var asksAboutOwnPages: Bool { get }
    /// Adds a script that runs in the main frame of each new page, before the page's scripts.
    ///
    /// - Parameter world: The isolated world; `nil` for the page's own.
    func addScript(_ source: String, world: String?)
    /// Passes messages of scripts in a world to a handler on to ``WebViewPage/receiveMessage(_:)``.
    func listen(to handler: String, world: String)
    /// Runs a script in the main frame of the current page.
    func evaluate(_ script: String, world: String)
    /// Runs a script in the main frame of the current page, and returns its result.
    ///
    /// - Parameter answer: Called once, later, with the script's result as text; `nil` if it failed.
    func ask(_ script: String, world: String, _ answer: @escaping (String?) -> Void)
    /// Calls ``WebViewPage/deadlineReached()`` at the deadline, unless it is replaced before.
    func wake(at deadline: Instant?)
    var now: Instant { get }
    var settingsPlace: SettingsPlace { get }
}
