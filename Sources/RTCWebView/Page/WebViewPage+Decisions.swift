/// What the platform's view asks, and does as it is answered.
extension WebViewPage {
    // MARK: Navigation

    /// Whether a navigation may go on in the view. What else is to be done about it has been done when this returns.
    func decide(_ request: NavigationRequest) -> Bool {
        if onNavigation?(request) == true { return false }
        let decision = configuration.navigation.decide(request) { engine?.canOpen(outside: $0) ?? false }
        switch decision {
        case .allow:
            // "Try again" on the page that explains a refusal: the system is asked again first.
            if isExplaining, let awaited, request.isMainFrame != false {
                open(awaited)
                return false
            }
            tracker.leaveSubstitute()
            frames.frameLoaded()
            return true
        case .deny: tell(.refusedNavigation(request.url))
        case .openOutside:
            engine?.open(outside: request.url)
            tell(.openedOutside(request.url))
        case .handToApp: tell(.appURL(request.url))
        }
        return false
    }

    /// What becomes of an answer that a server gives.
    func decideResponse(url: String, isMainFrame: Bool, canBeShown: Bool) -> ResponseDecision {
        if isMainFrame {
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
    func decideDownload(url: String, suggestedName: String) -> String? {
        let download = WebDownload(url: url, suggestedName: suggestedName)
        guard let path = configuration.downloadDestination?(download) else {
            tell(.refusedDownload(download))
            return nil
        }
        tell(.downloading(download, path: path))
        return path
    }

    /// A page wants a window of its own, and gets none from here.
    func popup(_ url: String) {
        tell(.popup(url))
    }

    // MARK: Capture

    /// - Parameter answer: Called once, perhaps at once.
    func decide(_ request: CaptureRequest, answer: @escaping (Bool) -> Void) {
        context.decide(
            request,
            ask: { question in
                present(.capture(question)) { [context] answer in
                    switch answer.choice {
                    case .accept: context.answered(question.id, .allow)
                    case .cancel: context.answered(question.id, .refuse)
                    case .dismiss: context.answered(question.id, .dismiss)
                    }
                }
            }, answer: answer)
    }

    /// What a device does for pages of this view, from now on.
    func captured(_ kind: CaptureKind, _ state: CaptureState) {
        guard captureStates[kind] ?? .none != state else { return }
        captureStates[kind] = state
        tell(.capture(kind, state))
    }

    /// An origin may no longer capture. WebKit remembers that it might, until the page is loaded anew.
    func permissionRevoked(_ revoked: WebOrigin) {
        guard origin == revoked else { return }
        stopCapture()
        reload()
    }

    // MARK: Dialogs and trust

    /// - Parameter answer: Called once, perhaps at once.
    func run(_ dialog: ScriptDialog, answer: @escaping (ScriptDialogAnswer) -> Void) {
        guard let engine, case .show(let offersSilence) = dialogs.decide(at: engine.now) else { return answer(.cancel) }
        present(.dialog(dialog, offersSilence: offersSilence)) { [weak self] given in
            if given.silencesPage { self?.dialogs.silence() }
            switch (given.choice, dialog.kind) {
            case (.accept, .prompt): answer(.text(given.text))
            case (.accept, _): answer(.accept)
            case (.cancel, _), (.dismiss, _): answer(.cancel)
            }
        }
    }

    func decide(_ challenge: AuthenticationChallenge) -> ChallengeDecision { configuration.trust.decide(challenge) }
}
