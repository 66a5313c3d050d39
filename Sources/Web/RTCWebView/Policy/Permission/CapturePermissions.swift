/// Who may capture: which origins the app trusts, what the person answered, and which questions are open.
///
/// A value; one of them serves all views of an app, so that a question that two pages of an origin raise at once is asked once.
///
/// 1. What the system refuses to the app, no page gets.
/// 2. An origin of the app's own list is granted, and nobody is asked.
/// 3. A frame of another origin than its page is refused, unless the app allows such frames to ask.
/// 4. What the person answered for an origin holds, until it is revoked.
/// 5. Else the person is asked, once for all that want something of it meanwhile.
///
/// Where a page and its frames cannot be told apart, the page answers for them: it is asked about in its name, and needs its own
/// permission and that of each of them.
public struct CapturePermissions: Sendable {
    /// What the app says of pages; the person is asked about everything else.
    public struct Rules: Sendable, Hashable {
        /// Pages that are never asked about.
        public var trusted: OriginList
        /// Whether frames of another origin than their page may ask. They are refused otherwise.
        public var allowsForeignFrames: Bool

        public init(trusted: OriginList = [], allowsForeignFrames: Bool = false) {
            self.trusted = trusted
            self.allowsForeignFrames = allowsForeignFrames
        }
    }

    /// What becomes of a request.
    public enum Decision: Sendable, Hashable {
        case grant
        case deny
        /// The person is to be asked; the answer goes to ``answer(_:_:)``.
        case ask(Question)
        /// The person is being asked already, by this question.
        case join(Question.ID)
        /// The person is being asked already; the question is now about more, as it stands here.
        case widen(Question)
    }

    /// What the person is asked.
    public struct Question: Sendable, Hashable, Identifiable {
        public struct ID: Sendable, Hashable { let number: Int }
        public let id: ID
        public let origin: WebOrigin
        /// The page that the origin is in as a frame, where it is not the page itself.
        public let page: WebOrigin
        /// Others that may be the ones that want it: frames of this page.
        public let frames: Set<WebOrigin>
        public let kinds: Set<CaptureKind>

        /// Whom the answer is remembered for.
        fileprivate var subjects: Set<Subject> {
            Set(frames.union([origin]).map { Subject(origin: $0, page: page) })
        }
    }

    /// What a person answers.
    public enum Answer: Sendable, Hashable {
        case allow
        case refuse
        /// Neither: the page is refused this time, and may ask again.
        case dismiss
    }

    /// Whose answer is remembered: an origin, and as a frame also the page that it was in.
    fileprivate struct Subject: Hashable {
        let origin: WebOrigin
        let page: WebOrigin
    }

    public var rules: Rules
    private var answers: [Subject: [CaptureKind: Bool]] = [:]
    private var open: [Question.ID: Question] = [:]
    private var nextNumber = 1

    /// More answers than a person gives; the oldest ones are not known, so that any of them goes.
    static let mostAnswers = 4_096

    public init(_ rules: Rules = Rules()) {
        self.rules = rules
    }

    /// - Parameter isAuthorized: What the system says of the app's own permission.
    public mutating func decide(_ request: PageCaptureRequest, isAuthorized: (CaptureKind) -> Bool) -> Decision {
        let capturers = request.capturers
        guard let page = request.page, let origin = request.origin, capturers.allSatisfy(\.isPotentiallyTrustworthy)
        else { return .deny }
        guard !request.kinds.isEmpty, request.kinds.allSatisfy({ $0 == .display || isAuthorized($0) }) else {
            return .deny
        }
        if request.isForeign, !rules.allowsForeignFrames { return .deny }
        let isDisplay = request.kinds.contains(.display)
        if !isDisplay {
            if capturers.union([page]).allSatisfy(rules.trusted.contains) { return .grant }
            let known = capturers.map { answers[Subject(origin: $0, page: page)] ?? [:] }
            if known.contains(where: { known in request.kinds.contains { known[$0] == false } }) { return .deny }
            if known.allSatisfy({ known in request.kinds.allSatisfy { known[$0] == true } }) { return .grant }
        }
        // The order of a dictionary means nothing: of several that would do, any is right.
        for question in open.values where question.origin == origin && question.page == page {
            let isSame = question.frames.isSuperset(of: capturers.subtracting([origin]))
            if isSame, question.kinds.isSuperset(of: request.kinds) { return .join(question.id) }
            // The screen is asked about by itself.
            if !isDisplay, !question.kinds.contains(.display) {
                let wider = Question(
                    id: question.id, origin: origin, page: page,
                    frames: question.frames.union(capturers.subtracting([origin])),
                    kinds: question.kinds.union(request.kinds))
                open[question.id] = wider
                return .widen(wider)
            }
        }
        let question = Question(
            id: Question.ID(number: nextNumber), origin: origin, page: page,
            frames: capturers.subtracting([origin]), kinds: request.kinds)
        nextNumber += 1
        open[question.id] = question
        return .ask(question)
    }

    /// Takes what the person answered. A question that is no longer open is passed over.
    ///
    /// - Returns: Whether those who wait for it are granted.
    @discardableResult
    public mutating func answer(_ id: Question.ID, _ answer: Answer) -> Bool {
        guard let question = open.removeValue(forKey: id) else { return false }
        if answer != .dismiss {
            for subject in question.subjects { remember(answer == .allow, question.kinds, subject) }
        }
        return answer == .allow
    }

    /// What `enumerateDevices` and `permissions.query` are told: granted, refused, or neither. Nobody is ever asked by them.
    public func state(
        of kind: CaptureKind, for page: WebOrigin?, isAuthorized: (CaptureKind) -> Bool
    ) -> Bool? {
        guard let page, page.isPotentiallyTrustworthy else { return false }
        guard isAuthorized(kind) else { return false }
        if rules.trusted.contains(page) { return true }
        return answers[Subject(origin: page, page: page)]?[kind]
    }

    /// Origins that the person has answered for, and what.
    public var remembered: [WebOrigin: [CaptureKind: Bool]] {
        var all: [WebOrigin: [CaptureKind: Bool]] = [:]
        for (subject, kinds) in answers { all[subject.origin, default: [:]].merge(kinds) { $0 && $1 } }
        return all
    }

    /// Forgets what was answered for an origin, as a page and as a frame: it is asked about again.
    ///
    /// - Returns: Whether there was something to forget.
    @discardableResult
    public mutating func revoke(_ origin: WebOrigin) -> Bool {
        let before = answers.count
        answers = answers.filter { $0.key.origin != origin }
        return answers.count != before
    }

    public mutating func revokeAll() { answers = [:] }

    private mutating func remember(_ isGranted: Bool, _ kinds: Set<CaptureKind>, _ subject: Subject) {
        if answers[subject] == nil, answers.count >= Self.mostAnswers, let any = answers.keys.first {
            answers[any] = nil
        }
        for kind in kinds where kind != .display { answers[subject, default: [:]][kind] = isGranted }
    }
}

extension CapturePermissions {
    /// What is kept from one run of the app to the next.
    public struct Entry: Sendable, Hashable, Codable {
        public let origin: WebOrigin
        public let page: WebOrigin
        public let kind: CaptureKind
        public let isGranted: Bool
    }

    public var entries: [Entry] {
        answers.flatMap { subject, kinds in
            kinds.map { Entry(origin: subject.origin, page: subject.page, kind: $0.key, isGranted: $0.value) }
        }
        .sorted {
            ($0.origin.description, $0.page.description, $0.kind.rawValue) < (
                $1.origin.description, $1.page.description, $1.kind.rawValue
            )
        }
    }

    /// Takes what an earlier run kept.
    public mutating func restore(_ entries: [Entry]) {
        for entry in entries.prefix(Self.mostAnswers * CaptureKind.allCases.count) {
            remember(entry.isGranted, [entry.kind], Subject(origin: entry.origin, page: entry.page))
        }
    }
}
