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
    func committed(_ url: String) {
        guard let engine else { return }
        self.url = url
        frames.pageChanged()
        dialogs.reset()
        dismissPanels()
        perform(tracker.committed(url, at: engine.now))
    }

    func finished() {
        perform(tracker.finished())
        if let postponed, !tracker.isSubstituting { load(postponed) }
    }

    func failed(_ failure: LoadFailure, url: String) { perform(tracker.failed(failure, url: url)) }

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

    /// The process that shows the page ended by itself.
    func processEnded() {
        guard let engine else { return }
        dismissPanels()
        for kind in captureStates.keys { captured(kind, .none) }
        let last = postponed ?? url ?? ""
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

    private func perform(_ outputs: [LoadTracker.Output]) {
        for output in outputs {
            switch output {
            case .tell(let callback): tell(.load(callback))
            case .stop: engine?.stop()
            case .show(let failure, let url):
                tracker.substituted()
                engine?.show(html: ExplanationPage.failure(failure, url: url), insteadOf: url)
            }
        }
        rearm()
    }
}
