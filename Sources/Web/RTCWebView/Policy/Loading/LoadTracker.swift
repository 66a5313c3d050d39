internal import RTCWire

/// The state of a load: requested, in progress, committed. It has the timeouts, and determines what the app is told.
///
/// ```
/// idle ──requested──▶ requested ──started──▶ provisional ──committed──▶ committed ──finished──▶ idle
///                         │                      │                          │
///                  refused, timed out     failed, timed out           failed, timed out
///                         ▼                      ▼                          ▼
///                    error page             error page             page stays, app is told
/// ```
struct LoadTracker: Sendable {
    enum Output: Sendable, Hashable {
        case tell(LoadCallback)
        /// Show an error page; the URL stays that of the failed page.
        case show(LoadFailure, url: String)
        /// Stop the current load.
        case stop
        /// Load the page again if it was requested by the app or a person, and its load was lost.
        ///
        /// - Parameter isCertain: Whether another navigation replaced it; otherwise ask the web view whether it is loading.
        case loadAgain(url: String, isCertain: Bool)
        /// Terminate the web content process, which does not even show an error page.
        case endProcess
    }

    private enum State {
        case idle
        /// Requested by the app or a person; the web view has not started.
        case requested(url: String)
        case provisional(url: String)
        /// Forbidden by the app's rules. Reported a moment later, after the web view's own callbacks.
        case refused(url: String)
        case committed(url: String)
        /// A built-in page is being loaded, whose callbacks are not reported. Before it is committed, callbacks of the failed
        /// load may still arrive.
        case substitute(isCommitted: Bool)
    }

    private var state = State.idle
    private var deadline: Instant?
    /// The time to check whether the requested page is still being loaded. Web views occasionally lose a load without a callback
    /// if another navigation comes between, and a page that reloads itself could prevent leaving it that way.
    private var reloadDeadline: Instant?
    private var wasSuperseded = false
    private static let interval = TimeDelta.seconds(1)
    var patience: TimeDelta

    /// - Parameter patience: The time without data from the server after which a load fails.
    init(patience: TimeDelta = .seconds(15)) {
        self.patience = patience
    }

    /// The time in which a process has to show a built-in page, which needs no server.
    private var processTimeout: TimeDelta { max(patience, .seconds(10)) }

    /// The time at which ``timeout(at:)`` has to be called.
    var nextDeadline: Instant? {
        guard let reloadDeadline, isProvisional else { return deadline }
        return min(reloadDeadline, deadline ?? reloadDeadline)
    }

    var isLoading: Bool {
        switch state {
        case .requested, .provisional, .committed: true
        case .idle, .refused, .substitute: false
        }
    }

    /// Whether a page is being loaded of which no data has arrived.
    var isProvisional: Bool {
        switch state {
        case .requested, .provisional: true
        default: false
        }
    }

    /// The app or a person requested a page.
    mutating func requested(_ url: String, at now: Instant) {
        state = .requested(url: url)
        deadline = now + patience
        (reloadDeadline, wasSuperseded) = (now + Self.interval, false)
    }

    /// A navigation was not allowed. The requested one ends with it.
    ///
    /// - Parameter isElsewhere: Whether the app or another program opens the URL.
    mutating func refused(_ url: String, isElsewhere: Bool, at now: Instant) {
        guard case .requested(let current) = state else { return }
        guard current == url || current + "/" == url else { return wasSuperseded = true }
        state = isElsewhere ? .idle : .refused(url: current)
        deadline = isElsewhere ? nil : now
    }

    /// A built-in page is shown instead.
    mutating func substituted(at now: Instant) {
        state = .substitute(isCommitted: false)
        deadline = now + processTimeout
    }

    /// Whether no data of the built-in page has arrived.
    var awaitsSubstitute: Bool {
        if case .substitute(isCommitted: false) = state { return true }
        return false
    }

    /// The web content process has ended.
    mutating func processTerminated() {
        state = .idle
        deadline = nil
    }

    /// Whether the built-in page is shown or being loaded. A load that starts before it is committed would be replaced by it.
    var isSubstituting: Bool {
        if case .substitute = state { return true }
        return false
    }

    /// A navigation is allowed, which leaves a built-in page.
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
        if reloadDeadline != nil { (reloadDeadline, wasSuperseded) = (now + Self.interval, false) }
        return [.tell(.started(url: url))]
    }

    mutating func redirected(_ url: String, at now: Instant) {
        guard isProvisional else { return }
        state = .provisional(url: url)
        deadline = now + patience
    }

    /// Data arrived: the timeout restarts.
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
        reloadDeadline = nil
        return [.tell(.committed(url: url))]
    }

    mutating func finished() -> [Output] {
        switch state {
        // A callback for the previous page.
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

    /// - Parameter url: The URL of the failed load; failures of a replaced page are ignored.
    mutating func failed(_ failure: LoadFailure, url: String) -> [Output] {
        switch state {
        case .idle, .refused, .substitute: return []
        case .requested(let current), .provisional(let current):
            // A new request cancels the previous load, which the web view reports after the new one has begun.
            if !failure.isShown, current != url, !isHandedOver(failure) { return [] }
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

    /// Whether the load that has begun ends because something else has its URL, or that of a redirect, which is reported then.
    private func isHandedOver(_ failure: LoadFailure) -> Bool {
        if case .provisional = state { failure.code == .interrupted } else { false }
    }

    mutating func timeout(at now: Instant) -> [Output] {
        guard let deadline, deadline <= now else { return checkReload(at: now) }
        let failure = LoadFailure(.timedOut)
        switch state {
        case .requested(let url), .provisional(let url), .committed(let url):
            return [.stop] + failed(failure, url: url)
        case .refused(let url):
            state = .requested(url: url)
            return failed(LoadFailure(BlockedPorts.forbid(url) ? .unsupportedAddress : .notAllowed), url: url)
        case .substitute(isCommitted: false):
            self.deadline = now + processTimeout
            return [.endProcess]
        case .idle, .substitute:
            self.deadline = nil
            return []
        }
    }

    private mutating func checkReload(at now: Instant) -> [Output] {
        guard let reloadDeadline, reloadDeadline <= now else { return [] }
        switch state {
        case .requested(let url), .provisional(let url):
            defer { (self.reloadDeadline, wasSuperseded) = (now + Self.interval, false) }
            return [.loadAgain(url: url, isCertain: wasSuperseded)]
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
