internal import RTCWire

/// Where a view is with a page: asked for, under way, there. It knows when to lose patience, and what the app is told.
///
/// ```
/// idle ──requested──▶ provisional ──committed──▶ committed ──finished──▶ idle
///                         │                          │
///                  failed, timed out           failed, timed out
///                         ▼                          ▼
///                 page that says why        what is there stays, the app is told
/// ```
struct LoadTracker: Sendable {
    enum Output: Sendable, Hashable {
        case tell(LoadCallback)
        /// Show a page that says why; the address stays that of the page that is not there.
        case show(LoadFailure, url: String)
        /// Stop what is under way.
        case stop
    }

    private enum State {
        case idle
        case provisional(url: String)
        case committed(url: String)
        /// Our own page, about a failure or a refusal, is being loaded: what the web view says of it is nobody's business. Before
        /// it is there, the web view still tells of the end of what has failed.
        case substitute(isCommitted: Bool)
    }

    private var state = State.idle
    private var deadline: Instant?
    private let patience: TimeDelta

    /// - Parameter patience: So long nothing may come from the server.
    init(patience: TimeDelta = .seconds(15)) {
        self.patience = patience
    }

    /// When ``timeout(at:)`` is to be called, if nothing happens before.
    var nextDeadline: Instant? { deadline }

    var isLoading: Bool {
        switch state {
        case .provisional, .committed: true
        case .idle, .substitute: false
        }
    }

    /// Whether a page is on its way, and nothing of it is there.
    var isProvisional: Bool {
        if case .provisional = state { return true }
        return false
    }

    /// The app, or a person, asked for a page.
    mutating func requested(_ url: String, at now: Instant) {
        state = .provisional(url: url)
        deadline = now + patience
    }

    /// A page of ours takes the place.
    mutating func substituted() {
        state = .substitute(isCommitted: false)
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
        if case .substitute = state { return [] }
        state = .provisional(url: url)
        deadline = now + patience
        return [.tell(.started(url: url))]
    }

    mutating func redirected(_ url: String, at now: Instant) {
        guard case .provisional = state else { return }
        state = .provisional(url: url)
        deadline = now + patience
    }

    /// Something came: the patience begins anew.
    mutating func progressed(at now: Instant) {
        if deadline != nil { deadline = now + patience }
    }

    mutating func committed(_ url: String, at now: Instant) -> [Output] {
        if case .substitute = state {
            state = .substitute(isCommitted: true)
            return []
        }
        state = .committed(url: url)
        deadline = now + patience
        return [.tell(.committed(url: url))]
    }

    mutating func finished() -> [Output] {
        if case .substitute(isCommitted: false) = state { return [] }
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
        case .idle, .substitute: return []
        case .provisional(let current):
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
        guard let deadline, deadline <= now else { return [] }
        let failure = LoadFailure(.timedOut)
        switch state {
        case .provisional(let url): return [.stop] + failed(failure, url: url)
        case .committed(let url): return [.stop] + failed(failure, url: url)
        case .idle, .substitute:
            self.deadline = nil
            return []
        }
    }
}

/// What an app is told of a load: the callbacks of WebKit's `WKNavigationDelegate`.
public enum LoadCallback: Sendable, Hashable {
    /// `didStartProvisionalNavigation`
    case started(url: String)
    /// `didCommit`: the first of the new page is there.
    case committed(url: String)
    /// `didFinish`
    case finished(url: String)
    /// `didFailProvisionalNavigation`: nothing of the new page is there.
    case failedProvisionally(url: String, LoadFailure)
    /// `didFail`: the page is there in part.
    case failed(url: String, LoadFailure)
}
