internal import RTCWire

/// Where a view is with a page: asked for, under way, there. It knows when to lose patience, and what the app is told.
///
/// ```
/// idle ──requested──▶ requested ──started──▶ provisional ──committed──▶ committed ──finished──▶ idle
///                         │                      │                          │
///                  refused, timed out     failed, timed out           failed, timed out
///                         ▼                      ▼                          ▼
///                    page that says why  page that says why  what is there stays, the app is told
/// ```
struct LoadTracker: Sendable {
    enum Output: Sendable, Hashable {
        case tell(LoadCallback)
        /// Show a page that says why; the address stays that of the page that is not there.
        case show(LoadFailure, url: String)
        /// Stop what is under way.
        case stop
        /// Load it again, if it was asked for by the app or a person, and got lost.
        ///
        /// - Parameter isCertain: Whether something else took its place; otherwise the web view knows whether it is loading.
        case loadAgain(url: String, isCertain: Bool)
        /// The process that shows the page does nothing any more, not even show a page of ours: end it.
        case endProcess
    }

    private enum State {
        case idle
        /// Asked for from outside; the web view has not begun.
        case requested(url: String)
        case provisional(url: String)
        /// Forbidden by the app's own rules. It is told a moment later, when the web view is done with it.
        case refused(url: String)
        case committed(url: String)
        /// Our own page, about a failure or a refusal, is being loaded: what the web view says of it is nobody's business. Before
        /// it is there, the web view still tells of the end of what has failed.
        case substitute(isCommitted: Bool)
    }

    private var state = State.idle
    private var deadline: Instant?
    /// When to see whether the page that is waited for is still on its way: web views lose one at times, without a word, where another
    /// navigation came between, and a page that loads itself anew could keep people by that.
    private var look: Instant?
    private var wasOvertaken = false
    private static let interval = TimeDelta.seconds(1)
    var patience: TimeDelta

    /// - Parameter patience: So long nothing may come from the server.
    init(patience: TimeDelta = .seconds(15)) {
        self.patience = patience
    }

    /// So long a process may take to show a page of ours, which needs no server.
    private var patienceWithProcess: TimeDelta { max(patience, .seconds(10)) }

    /// When ``timeout(at:)`` is to be called, if nothing happens before.
    var nextDeadline: Instant? {
        guard let look, isProvisional else { return deadline }
        return min(look, deadline ?? look)
    }

    var isLoading: Bool {
        switch state {
        case .requested, .provisional, .committed: true
        case .idle, .refused, .substitute: false
        }
    }

    /// Whether a page is on its way, and nothing of it is there.
    var isProvisional: Bool {
        switch state {
        case .requested, .provisional: true
        default: false
        }
    }

    /// The app, or a person, asked for a page.
    mutating func requested(_ url: String, at now: Instant) {
        state = .requested(url: url)
        deadline = now + patience
        (look, wasOvertaken) = (now + Self.interval, false)
    }

    /// A navigation was not allowed. If it is the one that was asked for, it is over.
    ///
    /// - Parameter isElsewhere: The app or another program has it.
    mutating func refused(_ url: String, isElsewhere: Bool, at now: Instant) {
        guard case .requested(let current) = state else { return }
        guard current == url || current + "/" == url else { return wasOvertaken = true }
        state = isElsewhere ? .idle : .refused(url: current)
        deadline = isElsewhere ? nil : now
    }

    /// A page of ours takes the place.
    mutating func substituted(at now: Instant) {
        state = .substitute(isCommitted: false)
        deadline = now + patienceWithProcess
    }

    /// Whether nothing of our own page is there yet.
    var awaitsSubstitute: Bool {
        if case .substitute(isCommitted: false) = state { return true }
        return false
    }

    /// The process that was to show something is gone.
    mutating func processGone() {
        state = .idle
        deadline = nil
    }

    /// Whether our own page is on its way. A load that begins before it is there would be overtaken by it.
    var isSubstituting: Bool {
        if case .substitute = state { return true }
        return false
    }

    /// A navigation is allowed: from a page of ours, it leads away.
    mutating func leaveSubstitute() {
        if case .substitute(isCommitted: true) = state { state = .idle }
    }

    mutating func started(_ url: String, at now: Instant) -> [Output] {
        switch state {
        case .substitute, .refused: return []
        default: break
        }
        state = .provisional(url: url)
        deadline = now + patience
        if look != nil { (look, wasOvertaken) = (now + Self.interval, false) }
        return [.tell(.started(url: url))]
    }

    mutating func redirected(_ url: String, at now: Instant) {
        guard isProvisional else { return }
        state = .provisional(url: url)
        deadline = now + patience
    }

    /// Something came: the patience begins anew.
    mutating func progressed(at now: Instant) {
        if isLoading, deadline != nil { deadline = now + patience }
    }

    mutating func committed(_ url: String, at now: Instant) -> [Output] {
        if case .substitute = state {
            state = .substitute(isCommitted: true)
            deadline = nil
            return []
        }
        state = .committed(url: url)
        deadline = now + patience
        look = nil
        return [.tell(.committed(url: url))]
    }

    mutating func finished() -> [Output] {
        switch state {
        // Of the page that was there before.
        case .requested, .refused, .substitute(isCommitted: false): return []
        default: break
        }
        defer {
            state = .idle
            deadline = nil
        }
        guard case .committed(let url) = state else { return [] }
        return [.tell(.finished(url: url))]
    }

    /// - Parameter url: Whose failure it is; that of a page which another one has replaced is no news.
    mutating func failed(_ failure: LoadFailure, url: String) -> [Output] {
        switch state {
        case .idle, .refused, .substitute: return []
        case .requested(let current), .provisional(let current):
            // A new wish cancels the old one, and the web view tells so after the new one has begun.
            if !failure.isShown, current != url { return [] }
            state = .idle
            deadline = nil
            if failure.code == .interrupted { return [] }
            let told = Output.tell(.failedProvisionally(url: url, failure))
            return failure.isShown ? [told, .show(failure, url: url)] : [told]
        case .committed(let current):
            if !failure.isShown, current != url { return [] }
            state = .idle
            deadline = nil
            return failure.code == .interrupted ? [] : [.tell(.failed(url: url, failure))]
        }
    }

    mutating func timeout(at now: Instant) -> [Output] {
        guard let deadline, deadline <= now else { return lookAfter(at: now) }
        let failure = LoadFailure(.timedOut)
        switch state {
        case .requested(let url), .provisional(let url), .committed(let url):
            return [.stop] + failed(failure, url: url)
        case .refused(let url):
            state = .requested(url: url)
            return failed(LoadFailure(BlockedPorts.forbid(url) ? .unsupportedAddress : .notAllowed), url: url)
        case .substitute(isCommitted: false):
            self.deadline = now + patienceWithProcess
            return [.endProcess]
        case .idle, .substitute:
            self.deadline = nil
            return []
        }
    }

    private mutating func lookAfter(at now: Instant) -> [Output] {
        guard let look, look <= now else { return [] }
        switch state {
        case .requested(let url), .provisional(let url):
            defer { (self.look, wasOvertaken) = (now + Self.interval, false) }
            return [.loadAgain(url: url, isCertain: wasOvertaken)]
        case .idle, .refused, .committed, .substitute:
            return []
        }
    }
}

/// A callback of WebKit's `WKNavigationDelegate` about a load.
public enum LoadCallback: Sendable, Hashable {
    /// `didStartProvisionalNavigation`
    case started(url: String)
    /// `didCommit`: the page begins to be shown.
    case committed(url: String)
    /// `didFinish`
    case finished(url: String)
    /// `didFailProvisionalNavigation`: the page was not shown.
    case failedProvisionally(url: String, LoadFailure)
    /// `didFail`: the page was shown in part.
    case failed(url: String, LoadFailure)
}
