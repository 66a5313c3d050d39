internal import RTCWire

/// What the platform's view asks, and does as it is answered.
extension WebViewPage {
    // MARK: Navigation

    /// Whether a navigation may go on in the view. What else is to be done about it has been done when this returns.
    func decide(_ request: NavigationRequest) -> Bool {
        if isOwn(request.url, isMainFrame: request.isMainFrame) { return true }
        if onNavigation?(request) == true { return false }
        if overtakes(request) {
            if let engine { tracker.refused(request.url, isElsewhere: false, at: engine.now) }
            tell(.refusedNavigation(request.url))
            return false
        }
        let mayBeFrame = request.isMainFrame == nil && frames.hasFrames && !tracker.isProvisional
        var decision = configuration.navigation.decide(mayBeFrame ? request.ofFrame : request) {
            engine?.canOpen(outside: $0) ?? false
        }
        if decision == .openOutside, !request.isUserGesture {
            // One after the other would be opened otherwise, without end.
            if isOfPageThatIsLeft(request) {
                decision = .deny
            } else {
                if unaskedOpenings > 0 { decision = .deny }
                unaskedOpenings += 1
            }
        }
        if decision != .allow, request.isMainFrame != false, let engine {
            tracker.refused(request.url, isElsewhere: decision != .deny, at: engine.now)
            rearm()
        }
        switch decision {
        case .allow:
            // "Try again" on the page that explains a refusal: the system is asked again first.
            if isExplaining, let awaited, request.isMainFrame != false, !tracker.awaitsSubstitute {
                open(awaited)
                return false
            }
            tracker.leaveSubstitute()
            frames.frameLoaded()
            if request.isUserGesture, request.isMainFrame != false { unaskedOpenings = 0 }
            return true
        case .deny: tell(.refusedNavigation(request.url))
        case .openOutside:
            engine?.open(outside: request.url)
            tell(.openedOutside(request.url))
        case .handToApp: tell(.appURL(request.url))
        }
        return false
    }

    /// Whether the page that is there moves within its own site although another site's is on its way, which the app or the person
    /// wants: it would take that page's place, and nobody could leave a page that loads itself anew all the time.
    private func overtakes(_ request: NavigationRequest) -> Bool {
        guard isRequested, tracker.isProvisional, let wanted = requestedURL.flatMap({ WebOrigin($0) }),
            let origin, origin != wanted, request.isRedirect == false, !request.isUserGesture
        else { return false }
        return request.isMainFrame != false && WebOrigin(request.url) == origin
    }

    /// Whether a page that the app or the person is about to leave asks for it by itself: not what was asked for, nor what the server
    /// that was asked sends the person on to.
    private func isOfPageThatIsLeft(_ request: NavigationRequest) -> Bool {
        isRequested && tracker.isProvisional && url != nil && request.isRedirect == false && requestedURL != request.url
    }

    /// Whether it is the page of ours that is on its way, which is nobody else's to decide about.
    private func isOwn(_ url: String, isMainFrame: Bool?) -> Bool {
        guard isMainFrame != false, tracker.awaitsSubstitute, engine?.asksAboutOwnPages == true, let explanation else {
            return false
        }
        return url == explanation.url || url == explanation.url + "/"
    }

    /// What becomes of an answer that a server gives.
    func decideResponse(url: String, isMainFrame: Bool, canBeShown: Bool) -> ResponseDecision {
        if isMainFrame, !isOwn(url, isMainFrame: true) {
            // Only now WebKitGTK says what it is for.
            let request = NavigationRequest(url: url, isMainFrame: true)
            guard configuration.navigation.decide(request, canOpen: { _ in false }) == .allow else {
                tell(.refusedNavigation(url))
                return .cancel
            }
        }
        return canBeShown ? .show : .download
    }

    enum ResponseDecision: Sendable, Hashable { case show, cancel, download }

    /// Where a download goes; nothing refuses it.
    ///
    /// - Parameter id: Of the platform's download, for ``downloadEnded(_:failure:)``.
    func decideDownload(_ id: AnyHashable, url: String, suggestedName: String) -> String? {
        let download = WebDownload(url: url, suggestedName: suggestedName)
        guard let path = configuration.downloadDestination?(download) else {
            tell(.refusedDownload(download))
            return nil
        }
        downloads[id] = path
        tell(.downloading(download, path: path))
        return path
    }

    /// That the whole file is there, or why not. Said of the first end alone: a platform may tell more than one.
    func downloadEnded(_ id: AnyHashable, failure: String? = nil) {
        guard let path = downloads.removeValue(forKey: id) else { return }
        tell(failure.map { .downloadFailed(path: path, reason: $0) } ?? .downloaded(path: path))
    }

    /// The page's title, in words that can be shown.
    func titleChanged(_ title: String) { self.title = ScriptDialog.shown(title) }

    // MARK: Capture

    /// What frames say of themselves where the web view does not: see ``FrameRegister``.
    func watchFrames(_ message: String) { frames.heard(message) }

    /// Decides where the web view does not say which document asks.
    ///
    /// - Parameter answer: Called once, later.
    func decideCapture(_ kinds: Set<CaptureKind>, answer: @escaping (Bool) -> Void) {
        guard let engine else { return answer(false) }
        let asked = visit
        engine.ask(FrameRegister.inspection, world: FrameRegister.world) { [weak self] found in
            // A page that came in between has nothing to do with it.
            guard let self, visit == asked else { return answer(false) }
            let page = claimedOrigin
            decide(
                PageCaptureRequest(page: page, requester: frames.requester(page: page, found: found), kinds: kinds),
                answer: answer)
        }
    }

    /// - Parameter answer: Called once, perhaps at once.
    func decide(_ request: PageCaptureRequest, answer: @escaping (Bool) -> Void) {
        guard let engine else { return answer(false) }
        let asked = visit
        context.decide(
            request, of: self, at: engine.now,
            ask: { question in
                present(.capture(question)) { [weak self, context] given in
                    let answer: CapturePermissions.Answer =
                        switch given.choice {
                        case .accept: .allow
                        case .cancel: .refuse
                        case .dismiss: .dismiss
                        }
                    context.answered(question.id, answer, at: self?.engine?.now ?? .zero)
                }
            },
            answer: { [weak self] isGranted in
                guard isGranted, let self, visit == asked else { return answer(false) }
                capturers.formUnion(request.capturers)
                answer(true)
            })
    }

    /// What `permissions.query` is told of a device.
    func permissionState(of kind: CaptureKind, for origin: WebOrigin?) -> Bool? {
        let state = context.state(of: kind, for: origin)
        if state == false { frames.permissionDenied(kind) }
        return state
    }

    /// What a device does for pages of this view, from now on.
    func captured(_ kind: CaptureKind, _ state: CaptureState) {
        guard captureStates[kind] ?? .none != state else { return }
        captureStates[kind] = state
        tell(.capture(kind, state))
    }

    /// An origin may no longer capture. WebKit remembers that it might, until the page is loaded anew.
    func permissionRevoked(_ revoked: WebOrigin) {
        guard origin == revoked || capturers.contains(revoked) else { return }
        stopCapture()
        reload()
    }

    // MARK: Dialogs and trust

    /// - Parameter answer: Called once, perhaps at once.
    func run(_ dialog: ScriptDialog, answer: @escaping (ScriptDialogAnswer) -> Void) {
        // A page that may not speak any more cannot keep anybody from leaving it.
        let silence = dialog.kind == .beforeUnload ? ScriptDialogAnswer.accept : .cancel
        // Nor one that is about to be left: its script would wait, and the next page with it.
        let isLeaving = isRequested && tracker.isProvisional && dialog.kind != .beforeUnload
        guard let engine, !isLeaving, case .show(let offersSilence) = dialogs.decide(at: engine.now) else {
            return answer(silence)
        }
        present(.dialog(dialog, offersSilence: offersSilence)) { [weak self] given in
            if given.silencesPage { self?.dialogs.silence() }
            switch (given.choice, dialog.kind) {
            case (.accept, .prompt): answer(.text(given.text))
            case (.accept, _): answer(.accept)
            case (.cancel, _): answer(.cancel)
            case (.dismiss, _): answer(silence)
            }
        }
    }

    func decide(_ challenge: AuthenticationChallenge) -> ChallengeDecision { configuration.trust.decide(challenge) }

    /// Lets the app answer a challenge.
    ///
    /// - Parameter answer: Called once, later.
    /// - Returns: Whether the app answers any. The system's default holds otherwise.
    func authenticate(
        _ challenge: AuthenticationChallenge, answer: @escaping @MainActor (AuthenticationAnswer) -> Void
    ) -> Bool {
        guard engine != nil, let hook = authentication else { return false }
        Task {
            let given = challenge.fitting(await hook(challenge))
            answer(engine == nil ? .cancel : given)
        }
        return true
    }
}
