internal import RTCWire

/// Loading events of the platform's view.
extension WebViewPage {
    func started(_ url: String) {
        guard let engine else { return }
        perform(tracker.started(url, at: engine.now))
    }

    func redirected(_ url: String) {
        guard let engine else { return }
        tracker.redirected(url, at: engine.now)
        scheduleDeadline()
    }

    /// Handles a changed URL of the view. It is ignored while a page is being loaded, so that the old page cannot show the URL of
    /// a slow server. A loaded page can change its own URL within its origin only.
    func addressChanged(_ address: String) {
        guard let url, !tracker.isProvisional, let origin = WebOrigin(url), WebOrigin(address) == origin else { return }
        self.url = address
    }

    /// The first data of a new page arrived: questions of the old one are dismissed.
    ///
    /// While the app or the person waits for a page, web views report its URL for any page, also for one to which the old page
    /// navigated at that moment. So the document is asked for its origin, and the page has no URL until it has answered.
    func committed(_ url: String) {
        guard let engine else { return }
        let before = claimedOrigin
        pageNumber += 1
        following = nil
        frames.pageChanged()
        capturers = []
        dismissPanels()
        if isRequested, before != nil, WebOrigin(url) != before {
            self.url = nil
            claimedURL = url
            confirm(pageNumber, before: before)
        } else {
            arrived(at: url, from: before)
        }
        perform(tracker.committed(url, at: engine.now))
    }

    private func confirm(_ asked: Int, before: WebOrigin?) {
        engine?.ask(Self.identity, world: FrameRegister.world) { [weak self] answer in
            guard let self, pageNumber == asked, let claimed = claimedURL else { return }
            let lines = answer?.split(separator: "\n").map(String.init) ?? []
            // An opaque document is known only by its URL.
            let origin = lines.first.flatMap { WebOrigin($0) }
            if lines.count == 2, origin != nil, origin != WebOrigin(claimed) {
                // Another page than the requested one, which is still waited for.
                let wasRequested = isRequested
                isRequested = false
                arrived(at: lines[1], from: before)
                isRequested = wasRequested
            } else if lines.count == 2 {
                arrived(at: claimed, from: before)
            }
            tell(.changed)
        }
    }

    private static let identity = "self.origin + '\\n' + location.href"

    /// Called when the identity of the page is certain.
    private func arrived(at url: String, from before: WebOrigin?) {
        self.url = url
        claimedURL = nil
        if isRequested {
            dialogs.reset()
            if let origin { context.wanted(origin) }
        } else {
            dialogs.pageNavigated(toAnotherOrigin: origin != before)
        }
        isRequested = false
    }

    func finished() {
        // The document has not confirmed its origin yet.
        if claimedURL != nil { confirm(pageNumber, before: nil) }
        perform(tracker.finished())
        if let postponed, !tracker.isSubstituting {
            load(postponed)
            following = postponed
        }
    }

    func failed(_ failure: LoadFailure, url: String) {
        // WebKitGTK occasionally cancels a load that follows a built-in page immediately.
        if failure.code == .cancelled, let following, tracker.isProvisional { return load(following) }
        perform(tracker.failed(failure, url: url))
        // The load may have become a download; the current page stays.
        if !tracker.isProvisional { requestedURL = nil }
    }

    func progressed(to fraction: Double) {
        guard let engine else { return }
        progress = fraction
        tracker.progressed(at: engine.now)
        scheduleDeadline()
        tell(.changed)
    }

    /// Called at the deadline that was passed to ``WebEngine/wake(at:)``.
    func deadlineReached() {
        guard let engine else { return }
        perform(tracker.timeout(at: engine.now))
    }

    /// Called when the web content process has ended.
    func processEnded() {
        guard let engine else { return }
        dismissPanels()
        for kind in captureStates.keys { captured(kind, .none) }
        if isEndingProcess { return reloadInNewProcess() }
        let last = postponed ?? url ?? claimedURL ?? ""
        switch recovery.processEnded(at: engine.now) {
        case .reload:
            tell(.processEnded(isReloading: true))
            tracker.requested(last, at: engine.now)
            scheduleDeadline()
            if postponed == nil { engine.reload() } else { load(last) }
        case .giveUp:
            tell(.processEnded(isReloading: false))
            perform([.show(LoadFailure(.processEnded), url: last)])
        }
    }

    /// The maximum number of attempts to load a page whose load was lost.
    private static let mostLoads = 5

    private func perform(_ outputs: [LoadTracker.Output]) {
        for output in outputs {
            switch output {
            case .tell(let callback): tell(.load(callback))
            case .stop: engine?.stop()
            case .loadAgain(let url, let isCertain):
                guard let engine, isRequested, isCertain || !engine.isLoading, loadedAgain < Self.mostLoads else {
                    break
                }
                loadedAgain += 1
                engine.load(url)
            case .show(let failure, let url): show(ErrorPage.failure(failure, url: url), insteadOf: url)
            case .endProcess:
                let isSecond = isEndingProcess
                isEndingProcess = true
                if isSecond || engine?.endProcess() != true { reloadInNewProcess() }
            }
        }
        scheduleDeadline()
    }

    /// Shows in a new process what the hung process was to show.
    private func reloadInNewProcess() {
        isEndingProcess = false
        tracker.processTerminated()
        if let postponed {
            load(postponed)
        } else if let (html, url) = explanation, !hasReloadedInNewProcess {
            // Only once: if it fails again, the page was not the cause.
            show(html, insteadOf: url)
            hasReloadedInNewProcess = true
        }
        scheduleDeadline()
    }
}
