/// The permissions of pages to capture: the origins that the app trusts, the person's answers, and the pending
/// questions.
///
/// It is a value, shared by all views of an app, so that simultaneous requests of one origin lead to one question.
///
/// 1. A page gets no permission that the app itself does not have.
/// 2. A trusted origin is granted everything, without asking.
/// 3. A frame of another origin than its page is refused, unless the rules allow such frames to ask.
/// 4. The person's answer for an origin applies until it is revoked.
/// 5. Otherwise the person is asked, once for all requests of the origin that arrive meanwhile.
///
/// If the web view does not say whether the page or one of its frames makes a request, the person is asked on behalf of
/// the page, and the request needs the permissions of the page and of each frame.
public struct CapturePermissions: Sendable {
    /// The app's rules. The person is asked about all other pages.
    public struct Rules: Sendable, Hashable {
        /// Origins that are granted everything without asking.
        public var trusted: OriginList
        /// Whether frames of another origin than their page may request capture. Otherwise they are refused.
        public var allowsForeignFrames: Bool

        public init(trusted: OriginList = [], allowsForeignFrames: Bool = false) {
            self.trusted = trusted
            self.allowsForeignFrames = allowsForeignFrames
        }
    }

    /// The decision about a request.
    package enum Decision: Sendable, Hashable {
        case grant
        case deny
        /// Ask the person, and pass the answer to ``answer(_:_:)``.
        case ask(Question)
        /// Wait for the answer to this question, which is being asked already.
        case join(Question.ID)
        /// Wait for the answer to this question, which is being asked already, and now includes more devices.
        case extend(Question)
    }

    /// A question to the person.
    public struct Question: Sendable, Hashable, Identifiable {
        public struct ID: Sendable, Hashable { let number: Int }
        public let id: ID
        public let origin: WebOrigin
        /// The page that contains the frame; the origin itself if it is no frame.
        public let page: WebOrigin
        /// The origins of the page's frames that may be the ones that request capture.
        public let frames: Set<WebOrigin>
        public let kinds: Set<CaptureKind>

        /// The subjects for which the answer is remembered.
        fileprivate var subjects: Set<Subject> {
            Set(frames.union([origin]).map { Subject(origin: $0, page: page) })
        }
    }

    /// The person's answer.
    public enum Answer: Sendable, Hashable {
        case allow
        case refuse
        /// No answer: the request is denied this time, and the page may ask again.
        case dismiss
    }

    /// A subject of a remembered answer: an origin, and for a frame the page that contains it.
    fileprivate struct Subject: Hashable {
        let origin: WebOrigin
        let page: WebOrigin
    }

    public var rules: Rules
    private var answers: [Subject: [CaptureKind: Bool]] = [:]
    private var open: [Question.ID: Question] = [:]
    private var nextNumber = 1

    /// The maximum number of answers. Their age is unknown, so any of them is dropped.
    static let mostAnswers = 4_096

    package init(_ rules: Rules = Rules()) {
        self.rules = rules
    }

    /// Decides about a request.
    ///
    /// - Parameter isAuthorized: Returns whether the app itself has the permission.
    package mutating func decide(_ request: PageCaptureRequest, isAuthorized: (CaptureKind) -> Bool) -> Decision {
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
        // If several questions match, any of them will do.
        for question in open.values where question.origin == origin && question.page == page {
            let isSame = question.frames.isSuperset(of: capturers.subtracting([origin]))
            if isSame, question.kinds.isSuperset(of: request.kinds) { return .join(question.id) }
            // The screen is asked about separately.
            if !isDisplay, !question.kinds.contains(.display) {
                let wider = Question(
                    id: question.id, origin: origin, page: page,
                    frames: question.frames.union(capturers.subtracting([origin])),
                    kinds: question.kinds.union(request.kinds))
                open[question.id] = wider
                return .extend(wider)
            }
        }
        let question = Question(
            id: Question.ID(number: nextNumber), origin: origin, page: page,
            frames: capturers.subtracting([origin]), kinds: request.kinds)
        nextNumber += 1
        open[question.id] = question
        return .ask(question)
    }

    /// Handles the person's answer. An answer to a question that is not pending is ignored.
    ///
    /// - Returns: Whether the requests that wait for it are granted.
    @discardableResult
    package mutating func answer(_ id: Question.ID, _ answer: Answer) -> Bool {
        guard let question = open.removeValue(forKey: id) else { return false }
        if answer != .dismiss {
            for subject in question.subjects { remember(answer == .allow, question.kinds, subject) }
        }
        return answer == .allow
    }

    /// Returns the state for `enumerateDevices` and `permissions.query`, without asking: granted, denied, or prompt.
    package func state(
        of kind: CaptureKind, for page: WebOrigin?, isAuthorized: (CaptureKind) -> Bool
    ) -> Bool? {
        guard let page, page.isPotentiallyTrustworthy else { return false }
        guard isAuthorized(kind) else { return false }
        if rules.trusted.contains(page) { return true }
        return answers[Subject(origin: page, page: page)]?[kind]
    }

    /// The stored answers, by origin.
    public var remembered: [WebOrigin: [CaptureKind: Bool]] {
        var all: [WebOrigin: [CaptureKind: Bool]] = [:]
        for (subject, kinds) in answers { all[subject.origin, default: [:]].merge(kinds) { $0 && $1 } }
        return all
    }

    /// Deletes the answers for an origin, as a page and as a frame.
    ///
    /// - Returns: Whether there were any.
    @discardableResult
    package mutating func revoke(_ origin: WebOrigin) -> Bool {
        let before = answers.count
        answers = answers.filter { $0.key.origin != origin }
        return answers.count != before
    }

    private mutating func remember(_ isGranted: Bool, _ kinds: Set<CaptureKind>, _ subject: Subject) {
        if answers[subject] == nil, answers.count >= Self.mostAnswers, let any = answers.keys.first {
            answers[any] = nil
        }
        for kind in kinds where kind != .display { answers[subject, default: [:]][kind] = isGranted }
    }
}

extension CapturePermissions {
    /// An answer to store between launches.
    public struct Entry: Sendable, Hashable, Codable {
        package let origin: WebOrigin
        package let page: WebOrigin
        package let kind: CaptureKind
        package let isGranted: Bool
    }

    package var entries: [Entry] {
        answers.flatMap { subject, kinds in
            kinds.map { Entry(origin: subject.origin, page: subject.page, kind: $0.key, isGranted: $0.value) }
        }
        .sorted {
            ($0.origin.description, $0.page.description, $0.kind.rawValue) < (
                $1.origin.description, $1.page.description, $1.kind.rawValue
            )
        }
    }

    /// Restores stored answers.
    package mutating func restore(_ entries: [Entry]) {
        for entry in entries.prefix(Self.mostAnswers * CaptureKind.allCases.count) {
            remember(entry.isGranted, [entry.kind], Subject(origin: entry.origin, page: entry.page))
        }
    }
}
