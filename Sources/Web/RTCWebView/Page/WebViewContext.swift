internal import RTCWire

/// The state that an app's web views share: configuration, cookies and website data, processes, and permissions.
@MainActor
public final class WebViewContext {
    /// The context of views that are created without one. It forgets the person's answers to pages with the program: create one with a
    /// store, such as ``CapturePermissionFile/ofProgram``, to keep them.
    public static let shared = WebViewContext()

    /// Whether cookies, caches and permissions are deleted with the last view.
    package let isEphemeral: Bool
    /// The settings, applied to each view when it is created.
    package let settings: WebViewSettings
    /// The permissions of pages to use camera and microphone.
    public private(set) var permissions: CapturePermissions
    /// Reports the app's own permissions; `nil` if the system does not restrict apps. By default ``SystemDevices`` on
    /// Apple's platforms, and `nil` on Linux.
    public var devices: (any DeviceAuthorizing)?

    /// The platform's part, created with the first view.
    var platform: AnyObject?
    private let store: (any CapturePermissionStore)?
    private var waiters: [CapturePermissions.Question.ID: [(Bool) -> Void]] = [:]
    private var requestingPages: [CapturePermissions.Question.ID: WeakPage] = [:]
    private var refusals: [WebOrigin: Instant] = [:]
    private var systemQuestions: [CaptureKind: Task<CaptureAuthorizationStatus, Never>] = [:]

    /// The time after a refusal in which a page cannot ask another question, which would look like the same one again.
    static let pause = TimeDelta.seconds(3)
    /// The most requests that wait for one question. A page can make more while it is open; they are denied.
    static let mostWaiters = 64
    private var pages: [ObjectIdentifier: WeakPage] = [:]

    private struct WeakPage { weak var page: WebViewPage? }

    /// Creates a context.
    ///
    /// - Parameters:
    ///   - rules: The origins that the app trusts.
    ///   - store: The storage for the person's answers between launches; `nil` to forget them.
    public init(
        settings: WebViewSettings = WebViewSettings(), rules: CapturePermissions.Rules = .init(),
        isEphemeral: Bool = false, store: (any CapturePermissionStore)? = nil,
        devices: (any DeviceAuthorizing)? = WebViewContext.ownDevices
    ) {
        self.settings = settings
        self.isEphemeral = isEphemeral
        self.store = isEphemeral ? nil : store
        self.devices = devices
        permissions = CapturePermissions(rules)
        if let store, !isEphemeral { permissions.restore(store.load()) }
    }

    /// Creates a context that leaves no data.
    public static func ephemeral(
        settings: WebViewSettings = WebViewSettings(), rules: CapturePermissions.Rules = .init()
    ) -> WebViewContext {
        WebViewContext(settings: settings, rules: rules, isEphemeral: true)
    }

    /// The origins that the app trusts.
    public var rules: CapturePermissions.Rules {
        get { permissions.rules }
        set { permissions.rules = newValue }
    }

    /// Revokes the permissions of an origin. Pages of it that capture are reloaded, and have to ask again.
    ///
    /// - Returns: Whether there were permissions.
    @discardableResult
    public func revoke(_ origin: WebOrigin) -> Bool {
        guard permissions.revoke(origin) else { return false }
        save()
        for weak in pages.values { weak.page?.permissionRevoked(origin) }
        return true
    }

    func add(_ page: WebViewPage) {
        pages = pages.filter { $0.value.page != nil }
        pages[ObjectIdentifier(page)] = WeakPage(page: page)
    }

    private func status(of kind: CaptureKind) -> CaptureAuthorizationStatus {
        devices?.authorization(for: kind) ?? .authorized
    }

    /// Whether the app has the permission, or may request it.
    private func mayBeAuthorized(_ kind: CaptureKind) -> Bool {
        let status = status(of: kind)
        return status == .authorized || status == .notDetermined
    }

    func state(of kind: CaptureKind, for page: WebOrigin?) -> Bool? {
        let state = permissions.state(of: kind, for: page, isAuthorized: mayBeAuthorized)
        return state == true && status(of: kind) == .notDetermined ? nil : state
    }

    /// - Parameters:
    ///   - page: The page whose panel shows the question.
    ///   - ask: Shows the question.
    ///   - answer: Called once, perhaps synchronously.
    func decide(
        _ request: PageCaptureRequest, of page: WebViewPage, at now: Instant,
        ask: (CapturePermissions.Question) -> Void, answer: @escaping (Bool) -> Void
    ) {
        let answer: (Bool) -> Void = { [self] isGranted in
            if isGranted { authorize(request.kinds, answer) } else { answer(false) }
        }
        switch permissions.decide(request, isAuthorized: mayBeAuthorized) {
        case .grant: answer(true)
        case .deny: answer(false)
        case .join(let id): wait(for: id, answer)
        case .extend(let question):
            wait(for: question.id, answer)
            requestingPages[question.id]?.page?.extend(question)
        case .ask(let question):
            if let last = refusals[question.page], now < last + Self.pause {
                permissions.answer(question.id, .dismiss)
                return answer(false)
            }
            waiters[question.id] = [answer]
            requestingPages[question.id] = WeakPage(page: page)
            ask(question)
        }
    }

    private func wait(for id: CapturePermissions.Question.ID, _ answer: @escaping (Bool) -> Void) {
        guard waiters[id, default: []].count < Self.mostWaiters else { return answer(false) }
        waiters[id, default: []].append(answer)
    }

    /// Ends the pause after a refusal, because the app or the person has requested a page of this origin.
    func wanted(_ origin: WebOrigin) { refusals[origin] = nil }

    /// Requests permissions that are not determined: the microphone, then the camera.
    private func authorize(_ kinds: Set<CaptureKind>, _ answer: @escaping (Bool) -> Void) {
        let open = [CaptureKind.microphone, .camera].filter { kinds.contains($0) && status(of: $0) == .notDetermined }
        guard !open.isEmpty else { return answer(true) }
        Task {
            for kind in open where await systemAnswer(for: kind) != .authorized { return answer(false) }
            answer(true)
        }
    }

    /// Requests a permission, once for all pages that wait for it.
    private func systemAnswer(for kind: CaptureKind) async -> CaptureAuthorizationStatus {
        if let asked = systemQuestions[kind] { return await asked.value }
        guard let devices else { return .authorized }
        let question = Task { await devices.requestAuthorization(for: kind) }
        systemQuestions[kind] = question
        defer { systemQuestions[kind] = nil }
        return await question.value
    }

    func answered(_ id: CapturePermissions.Question.ID, _ answer: CapturePermissions.Answer, at now: Instant) {
        if answer == .refuse, let page = requestingPages[id]?.page?.claimedOrigin {
            refusals = refusals.filter { now < $0.value + Self.pause }
            refusals[page] = now
        }
        requestingPages[id] = nil
        let isGranted = permissions.answer(id, answer)
        if answer != .dismiss { save() }
        for waiter in waiters.removeValue(forKey: id) ?? [] { waiter(isGranted) }
    }

    private func save() { store?.save(permissions.entries) }
}

/// Stores the person's answers between launches.
public protocol CapturePermissionStore: Sendable {
    func load() -> [CapturePermissions.Entry]
    func save(_ entries: [CapturePermissions.Entry])
}
