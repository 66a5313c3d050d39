internal import RTCWire

/// The page of a web view: its state, its events and its methods. It is the same on every platform; the platform's
/// `WebPageView` shows it.
///
/// ```swift
/// let view = try WebPageView()
/// view.page.open("https://example.com/call")      // microphone, camera, then the page
/// for await event in view.page.events { … }
/// ```
@MainActor
public final class WebViewPage {
    public let context: WebViewContext
    public private(set) var configuration: WebViewConfiguration
    /// The events from the beginning. The sequence ends with the page, and has one reader; if it is slow, the oldest
    /// events are dropped.
    public nonisolated let events: AsyncStream<WebViewEvent>

    /// Called for each event, before ``events`` delivers it.
    public var onEvent: ((WebViewEvent) -> Void)?

    /// Answers authentication challenges of servers and proxies: for a name and password, or a client certificate. By
    /// default the system handles them: with its proposed credential, once; otherwise WebKitGTK asks the person.
    ///
    /// ```swift
    /// view.page.authentication = { challenge in
    ///     guard challenge.host == "intranet.example", challenge.method == .basic, !challenge.isRetry else {
    ///         return .performDefaultHandling
    ///     }
    ///     return .password(user: "alice", password: await passwords.alice)
    /// }
    /// ```
    ///
    /// It is not called to evaluate the trust of a server: see ``WebViewConfiguration/trust``. An answer of the wrong
    /// kind counts as `cancel`.
    public var authentication: (@MainActor (AuthenticationChallenge) async -> AuthenticationAnswer)?

    /// Shows questions to the person, in place of the platform's panel.
    ///
    /// Called with each question when it is to be shown, with a changed question, and with `nil` when none is to be
    /// shown. Pass the person's answer to ``answer(_:_:)``.
    ///
    /// ```swift
    /// view.page.panelPresenter = { [weak self] panel in
    ///     self?.question = panel      // title, message, acceptLabel, cancelLabel
    ///     return true
    /// }
    /// ```
    ///
    /// - Returns: Whether the person can see the question; otherwise it is dismissed.
    public var panelPresenter: (@MainActor (WebPanel?) -> Bool)?

    /// Called with each navigation before the rules; returns whether to cancel it. A sign-in detects its redirect here.
    var onNavigation: ((NavigationRequest) -> Bool)?
    /// Counts the windows that the page opens; `nil` if it may open none.
    var windows: PageWindows?
    /// Called when the page's script closes its window.
    var onClose: (() -> Void)?

    // The state of the view, as the platform reports it.
    /// The URL of the current page; `nil` before the first page, and while a navigation is being committed.
    public internal(set) var url: String?
    public internal(set) var title = ""
    /// The progress of loading, 0 to 1.
    public internal(set) var progress = 0.0
    public internal(set) var canGoBack = false
    public internal(set) var canGoForward = false
    /// The capture state of camera, microphone and screen for the pages of this view.
    public internal(set) var captureStates: [CaptureKind: CaptureState] = [:]

    /// The question that is shown; `nil` if there is none.
    public private(set) var panel: WebPanel?

    weak var engine: (any WebEngine)?
    private let continuation: AsyncStream<WebViewEvent>.Continuation
    var tracker: LoadTracker
    var recovery = ProcessRecovery()
    var frames = FrameRegister()
    var dialogs: DialogFloodLimit
    var authorization: CaptureAuthorization?
    /// The page that waits for the system's permission, or was denied it.
    var awaited: String?
    var isShowingErrorPage = false
    /// The built-in page that is shown or being loaded, and the URL that it replaces.
    var explanation: (html: String, url: String)?
    /// The number of the current page, which is increased with each.
    var pageNumber = 0
    /// The URL of the current page as the web view reports it, until the document confirms it.
    var claimedURL: String?
    /// Whether the app or the person has requested a page that is not loaded yet.
    var isRequested = false
    /// The URL of the requested page, if it is known.
    var requestedURL: String?
    /// The origins that were allowed to capture since the page was loaded.
    var capturers: Set<WebOrigin> = []
    /// How often pages opened another app without a click since the last requested page.
    var appOpeningsWithoutGesture = 0
    /// The paths of running downloads.
    var downloads: [AnyHashable: String] = [:]
    /// Whether the process was terminated on purpose, and whether the built-in page was shown again in a new one for that reason.
    var isEndingProcess = false
    var hasReloadedInNewProcess = false
    /// A page to load once the built-in page is loaded.
    var postponed: String?
    /// The postponed page, while it is being loaded.
    var following: String?
    /// How often the last requested page was loaded again because its load was lost.
    var loadedAgain = 0
    private var queue: [(panel: WebPanel, answer: (WebPanelAnswer) -> Void)] = []
    private var nextPanel = 1
    private var shownAt = Instant.zero
    private var bridge: WebPageBridge?
    private var starting: Task<Void, Never>?

    /// The maximum number of waiting panels.
    private static let mostPanels = 16
    /// The shortest time after which an answer counts: an earlier click was probably the second one of a double click.
    static let leastReadingTime = TimeDelta.milliseconds(500)

    public init(context: WebViewContext = .shared, configuration: WebViewConfiguration = WebViewConfiguration()) {
        self.context = context
        self.configuration = configuration
        tracker = LoadTracker(patience: configuration.patience)
        dialogs = configuration.dialogLimit
        (events, continuation) = AsyncStream.makeStream(
            of: WebViewEvent.self, bufferingPolicy: .bufferingNewest(1_024))
        context.add(self)
    }

    deinit {
        continuation.finish()
    }

    /// Whether a page is being loaded.
    public var isLoading: Bool { tracker.isLoading }

    /// The origin of the current page.
    public var origin: WebOrigin? { url.flatMap { WebOrigin($0) } }

    /// The origin of the page by its URL, which the document has to confirm.
    var claimedOrigin: WebOrigin? { (claimedURL ?? url).flatMap { WebOrigin($0) } }

    /// The rules for navigation.
    public var navigation: NavigationPolicy {
        get { configuration.navigation }
        set { configuration.navigation = newValue }
    }

    /// Loads a page after requesting the app's permissions for the devices that pages need: first microphone, then
    /// camera. (On Linux they are requested only if ``WebViewContext/devices`` is set.) If a permission is denied, the view explains
    /// that, and nothing is loaded.
    ///
    /// A later call of this method, or of ``load(_:)``, takes its place. If the view has no page yet and gets one in another way
    /// meanwhile, that page stays.
    public func open(_ url: String) {
        starting?.cancel()
        awaited = url
        let isFirst = pageNumber == 0
        starting = Task { await authorizeAndLoad(url, isFirst: isFirst) }
    }

    /// Loads a page at once, without requesting permissions.
    public func load(_ url: String) {
        guard let engine else { return }
        starting?.cancel()
        awaited = nil
        isShowingErrorPage = false
        guard !tracker.isSubstituting else { return postponed = url }
        postponed = nil
        loadedAgain = 0
        tracker.requested(url, at: engine.now)
        request(url)
        engine.load(url)
        scheduleDeadline()
    }

    public func reload() {
        request()
        engine?.reload()
    }

    public func stop() {
        starting?.cancel()
        postponed = nil
        following = nil
        engine?.stop()
    }

    public func goBack() {
        guard canGoBack else { return }
        request()
        engine?.goBack()
    }

    public func goForward() {
        guard canGoForward else { return }
        request()
        engine?.goForward()
    }

    /// Mutes or unmutes what a page captures. Does nothing if it captures nothing.
    public func setMuted(_ kind: CaptureKind, _ isMuted: Bool) {
        guard let state = captureStates[kind], state != .none else { return }
        engine?.setCapture(kind, isMuted ? .muted : .active)
    }

    /// Stops capture: the page's tracks end, and it has to ask again.
    public func stopCapture() {
        for (kind, state) in captureStates where state != .none { engine?.setCapture(kind, .none) }
    }

    // MARK: Panels

    /// Answers the question that is shown, for an app with its own panel, or a test.
    ///
    /// - Parameter id: The identifier of the answered question. If another one is shown, nothing happens.
    public func answer(_ id: WebPanel.ID, _ answer: WebPanelAnswer) {
        guard let first = queue.first, first.panel.id == id else { return }
        queue.removeFirst()
        showNext()
        first.answer(answer)
    }

    /// Handles a button of the platform's panel. A click on “Allow” right after the question has appeared is ignored, since it
    /// was probably meant for something else.
    func pressed(_ id: WebPanel.ID, _ given: WebPanelAnswer) {
        if given.choice == .accept, let panel, panel.id == id, case .capture = panel.content, let engine,
            engine.now < shownAt + Self.leastReadingTime
        {
            // Platforms remove a panel when a button is pressed.
            _ = show(panel)
            return
        }
        answer(id, given)
    }

    /// Shows a question again, at the same place, after it was extended.
    func extend(_ question: CapturePermissions.Question) {
        let place = queue.firstIndex {
            if case .capture(let shown) = $0.panel.content { shown.id == question.id } else { false }
        }
        guard let place else { return }
        queue[place].panel = WebPanel(id: nextPanel, content: .capture(question))
        nextPanel += 1
        if place == 0 { showNext() }
    }

    /// Shows a question over the page, after those that wait already.
    func present(_ content: WebPanel.Content, answer: @escaping (WebPanelAnswer) -> Void) {
        guard queue.count < Self.mostPanels, engine != nil else { return answer(WebPanelAnswer(.dismiss)) }
        queue.append((WebPanel(id: nextPanel, content: content), answer))
        nextPanel += 1
        if queue.count == 1 { showNext() }
    }

    /// Dismisses the questions of a page that is left.
    func dismissPanels(where isOver: (WebPanel) -> Bool = { _ in true }) {
        let over = queue.filter { isOver($0.panel) }
        guard let first = queue.first, !over.isEmpty else { return }
        queue.removeAll { isOver($0.panel) }
        if isOver(first.panel) { showNext() }
        for entry in over { entry.answer(WebPanelAnswer(.dismiss)) }
    }

    private func showNext() {
        panel = queue.first?.panel
        shownAt = engine?.now ?? .zero
        let isShown = show(panel)
        tell(.panel(panel))
        // If the panel cannot be shown, nobody can answer, and the page's script would wait forever.
        if let panel, !isShown { answer(panel.id, WebPanelAnswer(.dismiss)) }
    }

    private func show(_ panel: WebPanel?) -> Bool { panelPresenter?(panel) ?? engine?.show(panel) ?? false }

    // MARK: Inside

    /// Marks the next page as requested by the app or the person, and not by the current page. Closes its dialogs, whose waiting
    /// scripts would delay the next page.
    private func request(_ url: String? = nil) {
        isRequested = true
        requestedURL = url
        following = nil
        appOpeningsWithoutGesture = 0
        dismissPanels { if case .dialog(let dialog, _) = $0.content { dialog.kind != .beforeUnload } else { false } }
    }

    func attach(_ bridge: WebPageBridge) {
        guard self.bridge == nil, let engine else { return }
        self.bridge = bridge
        engine.listen(to: WebPageBridge.handler, world: WebPageBridge.world)
        engine.addScript(WebPageBridge.contentScript, world: WebPageBridge.world)
        engine.addScript(bridge.pageScript, world: nil)
    }

    /// Handles a message of the content script.
    func receiveMessage(_ message: String) { bridge?.received(message) }

    func tell(_ event: WebViewEvent) {
        let event = event.bounded
        onEvent?(event)
        continuation.yield(event)
    }

    /// Called when the view is gone: there will be no more events.
    func engineClosed() {
        starting?.cancel()
        dismissPanels()
        engine = nil
        continuation.finish()
    }

    func scheduleDeadline() { engine?.wake(at: tracker.nextDeadline) }

    /// - Parameter isFirst: Whether the view had no page when this one was requested.
    private func authorizeAndLoad(_ url: String, isFirst: Bool) async {
        var steps = CaptureAuthorization(for: configuration.neededCapture, loadsAnyway: configuration.loadsAfterRefusal)
        for kind in configuration.neededCapture {
            steps.noteAuthorization(context.devices?.authorization(for: kind) ?? .authorized, of: kind)
        }
        while !Task.isCancelled, awaited == url {
            switch steps.next {
            case .request(let kind):
                let answer = await context.devices?.requestAuthorization(for: kind) ?? .authorized
                // If nobody decided, it counts as denied, since asking again would never end.
                steps.noteAuthorization(answer == .notDetermined ? .denied : answer, of: kind)
            case .load:
                awaited = nil
                if !isFirst || self.url == nil || isShowingErrorPage { load(url) }
                return
            case .explain(let refused):
                explain(refused, url)
                return
            }
        }
    }

    private func explain(_ refused: [CaptureAuthorization.RefusedCapture], _ url: String) {
        guard let engine else { return }
        isShowingErrorPage = true
        tell(.refusedCapture(refused.map(\.kind)))
        show(ErrorPage.refusal(refused, url: url, place: engine.settingsPlace), insteadOf: url)
    }

    /// Shows a built-in page.
    func show(_ html: String, insteadOf url: String) {
        guard let engine else { return }
        explanation = (html, url)
        hasReloadedInNewProcess = false
        tracker.substituted(at: engine.now)
        scheduleDeadline()
        engine.show(html: html, insteadOf: url)
    }
}
