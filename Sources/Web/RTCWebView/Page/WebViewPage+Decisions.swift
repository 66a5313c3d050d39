internal import RTCWire

/// Decisions that the platform's view queries and carries out.
extension WebViewPage {
    // MARK: Navigation

    /// Returns whether the view may continue a navigation. Everything else about it is done when this returns.
    func decide(_ request: NavigationRequest) -> Bool {
        if isOwn(request.url, isMainFrame: request.isMainFrame) { return true }
        if onNavigation?(request) == true { return false }
        if supersedesRequestedPage(request) {
            if let engine { tracker.refused(request.url, isElsewhere: false, at: engine.now) }
            tell(.refusedNavigation(request.url))
            return false
        }
        let mayBeFrame = request.isMainFrame == nil && frames.hasFrames && !tracker.isProvisional
        var decision = configuration.navigation.decide(mayBeFrame ? request.ofFrame : request) {
            engine?.canOpen(outside: $0) ?? false
        }
        if decision == .openOutside, !request.isUserGesture {
            // Otherwise a page could open one app after another.
            if isFromOutgoingPage(request) {
                decision = .deny
            } else {
                if appOpeningsWithoutGesture > 0 { decision = .deny }
                appOpeningsWithoutGesture += 1
            }
        }
        if decision != .allow, request.isMainFrame != false, let engine {
            tracker.refused(request.url, isElsewhere: decision != .deny, at: engine.now)
            scheduleDeadline()
        }
        switch decision {
        case .allow:
            // “Try again” on the page that explains a denied permission: the permission is requested again first.
            if isShowingErrorPage, let awaited, request.isMainFrame != false, !tracker.awaitsSubstitute {
                open(awaited)
                return false
            }
            tracker.leaveSubstitute()
            frames.frameLoaded()
            if request.isUserGesture, request.isMainFrame != false { appOpeningsWithoutGesture = 0 }
            return true
        case .deny: tell(.refusedNavigation(request.url))
        case .openOutside:
            engine?.open(outside: request.url)
            tell(.openedOutside(request.url))
        case .handToApp: tell(.appURL(request.url))
        }
        return false
    }

    /// Whether the current page navigates within its own origin while a requested page of another origin is loading. It would
    /// replace that one, so that a page which reloads itself could not be left.
    private func supersedesRequestedPage(_ request: NavigationRequest) -> Bool {
        guard isRequested, tracker.isProvisional, let wanted = requestedURL.flatMap({ WebOrigin($0) }),
            let origin, origin != wanted, request.isRedirect == false, !request.isUserGesture
        else { return false }
        return request.isMainFrame != false && WebOrigin(request.url) == origin
    }

    /// Whether a page that is about to be left navigates by itself: neither to the requested URL nor by a redirect of its server.
    private func isFromOutgoingPage(_ request: NavigationRequest) -> Bool {
        isRequested && tracker.isProvisional && url != nil && request.isRedirect == false && requestedURL != request.url
    }

    /// Whether it is the built-in page that is being loaded, which needs no decision.
    private func isOwn(_ url: String, isMainFrame: Bool?) -> Bool {
        guard isMainFrame != false, tracker.awaitsSubstitute, engine?.asksAboutOwnPages == true, let explanation else {
            return false
        }
        return url == explanation.url || url == explanation.url + "/"
    }

    /// Decides about the response of a server.
    func decideResponse(url: String, isMainFrame: Bool, canBeShown: Bool) -> ResponseDecision {
        if isMainFrame, !isOwn(url, isMainFrame: true) {
            // WebKitGTK reports only now that it is for the main frame.
            let request = NavigationRequest(url: url, isMainFrame: true)
            guard configuration.navigation.decide(request, canOpen: { _ in false }) == .allow else {
                tell(.refusedNavigation(url))
                return .cancel
            }
        }
        return canBeShown ? .show : .download
    }

    enum ResponseDecision: Sendable, Hashable { case show, cancel, download }

    /// Returns the path of a download; `nil` refuses it.
    ///
    /// - Parameter id: Identifies the platform's download for ``downloadEnded(_:failure:)``.
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

    /// Reports that a download is complete or has failed, once: a platform may report more than one end.
    func downloadEnded(_ id: AnyHashable, failure: String? = nil) {
        guard let path = downloads.removeValue(forKey: id) else { return }
        tell(failure.map { .downloadFailed(path: path, reason: $0) } ?? .downloaded(path: path))
    }

    /// Stores the page's title, with characters that can be shown.
    func titleChanged(_ title: String) { self.title = ScriptDialog.shown(title) }

    // MARK: Capture

    /// Handles what the script in frames reports: see ``FrameRegister``.
    func watchFrames(_ message: String) { frames.receiveMessage(message) }

    /// Decides about a request if the web view does not report the requesting document.
    ///
    /// - Parameter answer: Called once, later.
    func decideCapture(_ kinds: Set<CaptureKind>, answer: @escaping (Bool) -> Void) {
        guard let engine else { return answer(false) }
        let asked = pageNumber
        engine.ask(FrameRegister.inspection, world: FrameRegister.world) { [weak self] found in
            // Another page was loaded meanwhile.
            guard let self, pageNumber == asked else { return answer(false) }
            let page = claimedOrigin
            decide(
                PageCaptureRequest(page: page, requester: frames.requester(page: page, found: found), kinds: kinds),
                answer: answer)
        }
    }

    /// - Parameter answer: Called once, perhaps synchronously.
    func decide(_ request: PageCaptureRequest, answer: @escaping (Bool) -> Void) {
        guard let engine else { return answer(false) }
        let asked = pageNumber
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
                guard isGranted, let self, pageNumber == asked else { return answer(false) }
                capturers.formUnion(request.capturers)
                answer(true)
            })
    }

    /// The result of `permissions.query` for a device.
    func permissionState(of kind: CaptureKind, for origin: WebOrigin?) -> Bool? {
        let state = context.state(of: kind, for: origin)
        if state == false { frames.permissionDenied(kind) }
        return state
    }

    /// Handles a new capture state of the view's pages.
    func captured(_ kind: CaptureKind, _ state: CaptureState) {
        guard captureStates[kind] ?? .none != state else { return }
        captureStates[kind] = state
        tell(.capture(kind, state))
    }

    /// Handles a revoked permission. WebKit remembers the permission until the page is reloaded.
    func permissionRevoked(_ revoked: WebOrigin) {
        guard origin == revoked || capturers.contains(revoked) else { return }
        stopCapture()
        reload()
    }

    // MARK: Dialogs and trust

    /// - Parameter answer: Called once, perhaps synchronously.
    func run(_ dialog: ScriptDialog, answer: @escaping (ScriptDialogAnswer) -> Void) {
        // A page whose dialogs are suppressed cannot keep the person from leaving it.
        let silence = dialog.kind == .beforeUnload ? ScriptDialogAnswer.accept : .cancel
        // A page that is about to be left gets no dialog: its script would wait, and with it the next page.
        let isLeaving = isRequested && tracker.isProvisional && dialog.kind != .beforeUnload
        guard let engine, !isLeaving, case .show(let canSuppressDialogs) = dialogs.decide(at: engine.now) else {
            return answer(silence)
        }
        present(.dialog(dialog, canSuppressDialogs: canSuppressDialogs)) { [weak self] given in
            if given.suppressesDialogs { self?.dialogs.silence() }
            switch (given.choice, dialog.kind) {
            case (.accept, .prompt): answer(.text(given.text))
            case (.accept, _): answer(.accept)
            case (.cancel, _): answer(.cancel)
            case (.dismiss, _): answer(silence)
            }
        }
    }

    func decide(_ challenge: AuthenticationChallenge) -> ChallengeDecision { configuration.trust.decide(challenge) }

    /// Passes a challenge to the app.
    ///
    /// - Parameter answer: Called once, later.
    /// - Returns: Whether the app handles challenges. Otherwise the system's default applies.
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
