internal import RTCWire

/// One web view, as an app holds it: what it shows, what it does, and what happens in it. It is the same on every platform; the
/// view of the platform (`WebPageView`) shows it.
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
    /// What happens, from the first moment on; it ends with the page. It has one reader; of those that are not read, the oldest are
    /// dropped.
    public nonisolated let events: AsyncStream<WebViewEvent>

    /// Called at each event, before ``events`` gets it.
    public var onEvent: ((WebViewEvent) -> Void)?

    /// Sees each navigation before the rules do; one that it takes is stopped. A sign-in waits here for its redirect.
    var onNavigation: ((NavigationRequest) -> Bool)?

    // What the view shows, as the platform tells it.
    public internal(set) var url: String?
    public internal(set) var title = ""
    /// From 0 to 1.
    public internal(set) var progress = 0.0
    public internal(set) var canGoBack = false
    public internal(set) var canGoForward = false
    /// What camera, microphone and screen do for the pages of this view.
    public internal(set) var captureStates: [CaptureKind: CaptureState] = [:]

    /// The question that stands over the page, if any.
    public private(set) var panel: WebPanel?

    weak var engine: (any WebEngine)?
    private let continuation: AsyncStream<WebViewEvent>.Continuation
    var tracker: LoadTracker
    var recovery = ProcessRecovery()
    var frames = FrameRegister()
    var dialogs: DialogFloodLimit
    var authorization: CaptureAuthorization?
    /// The page that waits for the system's permission, or was refused by it.
    var awaited: String?
    var isExplaining = false
    /// A page that is to be loaded once ours is there.
    var postponed: String?
    private var queue: [(panel: WebPanel, answer: (WebPanelAnswer) -> Void)] = []
    private var nextPanel = 1
    private var bridge: WebPageBridge?
    private var starting: Task<Void, Never>?

    /// Panels that wait behind another one; a page has no right to more.
    private static let mostPanels = 16

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

    /// Whether a page is under way.
    public var isLoading: Bool { tracker.isLoading }

    /// Where the page is from.
    public var origin: WebOrigin? { url.flatMap { WebOrigin($0) } }

    /// The rules for where pages may go, from now on.
    public var navigation: NavigationPolicy {
        get { configuration.navigation }
        set { configuration.navigation = newValue }
    }

    /// Loads a page once the system has granted the app what the page needs: the microphone is asked for, then the camera, then the
    /// page is loaded, unless something is loaded by then. After a refusal a view says why, and nothing is loaded.
    public func open(_ url: String) {
        starting?.cancel()
        awaited = url
        starting = Task { await authorizeAndLoad(url) }
    }

    /// Loads a page at once, whatever the system has granted.
    public func load(_ url: String) {
        guard let engine else { return }
        starting?.cancel()
        awaited = nil
        isExplaining = false
        guard !tracker.isSubstituting else { return postponed = url }
        postponed = nil
        tracker.requested(url, at: engine.now)
        frames.pageChanged()
        engine.load(url)
        rearm()
    }

    public func reload() {
        engine?.reload()
    }

    public func stop() {
        starting?.cancel()
        postponed = nil
        engine?.stop()
    }

    public func goBack() { if canGoBack { engine?.goBack() } }
    public func goForward() { if canGoForward { engine?.goForward() } }

    /// Mutes what a page captures, or lets it be heard and seen again. Nothing happens where it captures nothing.
    public func setMuted(_ kind: CaptureKind, _ isMuted: Bool) {
        guard let state = captureStates[kind], state != .none else { return }
        engine?.setCapture(kind, isMuted ? .muted : .active)
    }

    /// Ends what a page captures: its tracks end, and it must ask again.
    public func stopCapture() {
        for (kind, state) in captureStates where state != .none { engine?.setCapture(kind, .none) }
    }

    // MARK: Panels

    /// Answers the question that stands over the page. The platform's panel does so; an app or a test may.
    ///
    /// - Parameter id: Of the panel that was answered; another one is not.
    public func answer(_ id: WebPanel.ID, _ answer: WebPanelAnswer) {
        guard let first = queue.first, first.panel.id == id else { return }
        queue.removeFirst()
        showNext()
        first.answer(answer)
    }

    /// Puts a question over the page, behind those that stand there already.
    func present(_ content: WebPanel.Content, answer: @escaping (WebPanelAnswer) -> Void) {
        guard queue.count < Self.mostPanels, engine != nil else { return answer(WebPanelAnswer(.dismiss)) }
        queue.append((WebPanel(id: nextPanel, content: content), answer))
        nextPanel += 1
        if queue.count == 1 { showNext() }
    }

    /// Another page comes, or none: what this one wanted to know is answered as if nobody were there.
    func dismissPanels() {
        guard !queue.isEmpty else { return }
        let all = queue
        queue = []
        showNext()
        for entry in all { entry.answer(WebPanelAnswer(.dismiss)) }
    }

    private func showNext() {
        panel = queue.first?.panel
        engine?.show(panel)
        tell(.panel(panel))
    }

    // MARK: Inside

    func attach(_ bridge: WebPageBridge) {
        guard self.bridge == nil, let engine else { return }
        self.bridge = bridge
        engine.listen(to: WebPageBridge.handler, world: WebPageBridge.world)
        engine.addScript(WebPageBridge.contentScript, world: WebPageBridge.world)
        engine.addScript(bridge.pageScript, world: nil)
    }

    /// What a script of ours said.
    func heard(_ message: String) { bridge?.received(message) }

    func tell(_ event: WebViewEvent) {
        onEvent?(event)
        continuation.yield(event)
    }

    /// The view is gone: nothing more will come, and nobody waits for an answer.
    func engineClosed() {
        starting?.cancel()
        dismissPanels()
        engine = nil
        continuation.finish()
    }

    func rearm() { engine?.wake(at: tracker.nextDeadline) }

    private func authorizeAndLoad(_ url: String) async {
        var steps = CaptureAuthorization(for: configuration.neededCapture, loadsAnyway: configuration.loadsAfterRefusal)
        for kind in configuration.neededCapture {
            steps.learned(context.devices?.authorization(for: kind) ?? .authorized, of: kind)
        }
        while !Task.isCancelled, awaited == url {
            switch steps.next {
            case .request(let kind):
                let answer = await context.devices?.requestAuthorization(for: kind) ?? .authorized
                // Nobody decided: that is no permission, and asking again would never end.
                steps.learned(answer == .notDetermined ? .denied : answer, of: kind)
            case .load:
                awaited = nil
                if self.url == nil || isExplaining { load(url) }
                return
            case .explain(let refused):
                explain(refused, url)
                return
            }
        }
    }

    private func explain(_ refused: [CaptureAuthorization.RefusedCapture], _ url: String) {
        guard let engine else { return }
        isExplaining = true
        tracker.substituted()
        rearm()
        tell(.refusedCapture(refused.map(\.kind)))
        engine.show(html: ExplanationPage.refusal(refused, url: url, place: engine.settingsPlace), insteadOf: url)
    }
}
