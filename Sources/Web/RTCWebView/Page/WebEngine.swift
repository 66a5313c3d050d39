internal import RTCWire

/// What a ``WebViewPage`` wants of the platform's web view. It decides nothing; it does as it is told, and tells what happens.
@MainActor
protocol WebEngine: AnyObject {
    /// Loads a page, with the cache asked whether it is still good.
    func load(_ url: String)
    /// Shows a page of ours in the place of one that is not there.
    func show(html: String, insteadOf url: String)
    func reload()
    func stop()
    /// Whether something is on its way, or not all of it there.
    var isLoading: Bool { get }
    func goBack()
    func goForward()
    /// - Parameter state: `muted` or `active`; `none` ends it for good.
    func setCapture(_ kind: CaptureKind, _ state: CaptureState)
    /// Whether the system has something to open an address of this scheme.
    func canOpen(outside url: String) -> Bool
    func open(outside url: String)
    /// Shows a panel, or takes it away.
    ///
    /// - Returns: Whether there is a window for it.
    func show(_ panel: WebPanel?) -> Bool
    /// Ends the process that shows the page; ``WebViewPage/processEnded()`` follows.
    ///
    /// - Returns: Whether that is possible.
    func endProcess() -> Bool
    /// Whether it asks about pages of ours as about any other navigation.
    var asksAboutOwnPages: Bool { get }
    /// Runs a script in the main frame of each page from now on, before any of its own.
    ///
    /// - Parameter world: Nothing for the page's own.
    func addScript(_ source: String, world: String?)
    /// Hands what scripts of a world say to a handler to ``WebViewPage/heard(_:)``.
    func listen(to handler: String, world: String)
    /// Runs a script in the main frame of the page that is there.
    func evaluate(_ script: String, world: String)
    /// Asks the main frame of the page that is there something.
    ///
    /// - Parameter answer: Called once, later: with the text that came of the script, or nothing where it failed.
    func ask(_ script: String, world: String, _ answer: @escaping (String?) -> Void)
    /// Calls ``WebViewPage/woke()`` then, unless it is told something else before.
    func wake(at deadline: Instant?)
    var now: Instant { get }
    var settingsPlace: SettingsPlace { get }
}
