internal import RTCWire

/// What the platform's view tells of loading.
extension WebViewPage {
    func started(_ url: String) {
        guard let engine else { return }
        perform(tracker.started(url, at: engine.now))
    }

    func redirected(_ url: String) {
        guard let engine else { return }
        tracker.redirected(url, at: engine.now)
        rearm()
    }

    /// The address that the view shows has changed. Of a page that is on its way it says nothing: whoever waits for a slow server
    /// must not speak in its name. A page that is there can change its own within its origin alone.
    func addressChanged(_ address: String) {
        guard let url, !tracker.isProvisional, let origin = WebOrigin(url), WebOrigin(address) == origin else { return }
        self.url = address
    }

    /// The first of a new page is there: what the old one wanted is over.
    ///
    /// While the app or the person waits for a page, web views give its address for that of any page, also of one that the page before
    /// went to by itself in that moment. So the document is asked whose it is, and until it has said so the page has no address.
    func committed(_ url: String) {
        guard let engine else { return }
        let before = claimedOrigin
        visit += 1
        following = nil
        frames.pageChanged()
        capturers = []
        dismissPanels()
        if isRequested, before != nil, WebOrigin(url) != before {
            self.url = nil
            claimedURL = url
            confirm(visit, before: before)
        } else {
            arrived(at: url, from: before)
        }
        perform(tracker.committed(url, at: engine.now))
    }

    private func confirm(_ asked: Int, before: WebOrigin?) {
        engine?.ask(Self.identity, world: FrameRegister.world) { [weak self] answer in
            guard let self, visit == asked, let claimed = claimedURL else { return }
            let lines = answer?.split(separator: "\n").map(String.init) ?? []
            // An opaque document has no other name than its address.
            let origin = lines.first.flatMap { WebOrigin($0) }
            if lines.count == 2, origin != nil, origin != WebOrigin(claimed) {
                // Another page than the one that is still waited for.
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

    /// It is certain which page is there.
    private func arrived(at url: String, from before: WebOrigin?) {
        self.url = url
        claimedURL = nil
        if isRequested {
            dialogs.reset()
            if let origin { context.wanted(origin) }
        } else {
            dialogs.moved(toAnotherOrigin: origin != before)
        }
        isRequested = false
    }

    func finished() {
        // The document did not say yet whose it is.
        if claimedURL != nil { confirm(visit, before: nil) }
        perform(tracker.finished())
        if let postponed, !tracker.isSubstituting {
            load(postponed)
            following = postponed
        }
    }

    func failed(_ failure: LoadFailure, url: String) {
        // Now and then WebKitGTK cancels what follows so closely upon a page of ours, which nobody wanted.
        if failure.code == .cancelled, let following, tracker.isProvisional { return load(following) }
        perform(tracker.failed(failure, url: url))
        // It may have become a download, and the page that is there goes on.
        if !tracker.isProvisional { requestedURL = nil }
    }

    func progressed(to fraction: Double) {
        guard let engine else { return }
        progress = fraction
        tracker.progressed(at: engine.now)
        rearm()
        tell(.changed)
    }

    /// The time has come that ``WebEngine/wake(at:)`` was told.
    func woke() {
        guard let engine else { return }
        perform(tracker.timeout(at: engine.now))
    }

    /// The process that shows the page ended.
    func processEnded() {
        guard let engine else { return }
        dismissPanels()
        for kind in captureStates.keys { captured(kind, .none) }
        if isEndingProcess { return beginAnew() }
        let last = postponed ?? url ?? claimedURL ?? ""
        switch recovery.processEnded(at: engine.now) {
        case .reload:
            tell(.processEnded(isReloading: true))
            tracker.requested(last, at: engine.now)
            rearm()
            if postponed == nil { engine.reload() } else { load(last) }
        case .giveUp:
            tell(.processEnded(isReloading: false))
            perform([.show(LoadFailure(.processEnded), url: last)])
        }
    }

    /// So often a page that gets lost on its way is loaded again.
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
            case .show(let failure, let url): show(ExplanationPage.failure(failure, url: url), insteadOf: url)
            case .endProcess:
                let isSecond = isEndingProcess
                isEndingProcess = true
                if isSecond || engine?.endProcess() != true { beginAnew() }
            }
        }
        rearm()
    }

    /// The process that hung is gone: another one shows what it was to show.
    private func beginAnew() {
        isEndingProcess = false
        tracker.processGone()
        if let postponed {
            load(postponed)
        } else if let (html, url) = explanation, !hasBegunAnew {
            // Once: whatever is wrong then, it is not the page that hung.
            show(html, insteadOf: url)
            hasBegunAnew = true
        }
        rearm()
    }
}
