/// What the web views of an app share: one configuration, one store of cookies and other data, one set of processes, and what
/// the person allowed to whom.
@MainActor
public final class WebViewContext {
    /// Of all views of an app that are not given another one.
    public static let shared = WebViewContext()

    /// Whether cookies, caches and answers are gone when the last view is.
    public let isEphemeral: Bool
    /// The settings of each view, applied whenever one is made.
    public let settings: WebViewSettings
    /// Who may use camera and microphone.
    public private(set) var permissions: CapturePermissions
    /// Who says whether the app itself may; nothing means that the system leaves it to the app. By itself it is ``SystemDevices``
    /// on Apple's platforms, and nothing on Linux.
    public var devices: (any DeviceAuthorizing)?

    /// The platform's part: made when the first view is.
    var platform: AnyObject?
    private let store: (any CapturePermissionStore)?
    private var waiters: [CapturePermissions.Question.ID: [(Bool) -> Void]] = [:]
    private var pages: [ObjectIdentifier: WeakPage] = [:]

    private struct WeakPage { weak var page: WebViewPage? }

    /// - Parameters:
    ///   - rules: Whom the app itself trusts.
    ///   - store: Where answers are kept from one run to the next; nothing forgets them at the end.
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

    /// A context of its own, of which nothing remains.
    public static func ephemeral(
        settings: WebViewSettings = WebViewSettings(), rules: CapturePermissions.Rules = .init()
    ) -> WebViewContext {
        WebViewContext(settings: settings, rules: rules, isEphemeral: true)
    }

    /// Whom the app trusts, from now on.
    public var rules: CapturePermissions.Rules {
        get { permissions.rules }
        set { permissions.rules = newValue }
    }

    /// Forgets what the person answered for an origin. Pages of it that capture are loaded anew, and must ask.
    ///
    /// - Returns: Whether anything was remembered.
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

    func isAuthorized(_ kind: CaptureKind) -> Bool {
        devices.map { $0.authorization(for: kind) == .authorized } ?? true
    }

    func state(of kind: CaptureKind, for page: WebOrigin?) -> Bool? {
        permissions.state(of: kind, for: page, isAuthorized: isAuthorized)
    }

    /// - Parameter ask: Shows a question.
    func decide(
        _ request: CaptureRequest, ask: (CapturePermissions.Question) -> Void, answer: @escaping (Bool) -> Void
    ) {
        switch permissions.decide(request, isAuthorized: isAuthorized) {
        case .grant: answer(true)
        case .deny: answer(false)
        case .join(let id): waiters[id, default: []].append(answer)
        case .ask(let question):
            waiters[question.id] = [answer]
            ask(question)
        }
    }

    func answered(_ id: CapturePermissions.Question.ID, _ answer: CapturePermissions.Answer) {
        let isGranted = permissions.answer(id, answer)
        if answer != .dismiss { save() }
        for waiter in waiters.removeValue(forKey: id) ?? [] { waiter(isGranted) }
    }

    private func save() { store?.save(permissions.entries) }
}

/// Where answers are kept from one run of an app to the next.
public protocol CapturePermissionStore: Sendable {
    func load() -> [CapturePermissions.Entry]
    func save(_ entries: [CapturePermissions.Entry])
}
