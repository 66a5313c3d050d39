#if WebKitGTK
    import Foundation
    import OAuth
    import RTCViews
    import RTCWebCall
    import RTCWire
    @testable import RTCWebView

    /// A window, what happens in it as lines, and what the tests want of it.
    @MainActor
    final class ProbeWindow {
        private let context: WebViewContext
        private let configuration: WebViewConfiguration
        private var windows: [WebWindow] = []
        private var urls: AppURLs?
        private let bridge: WebCallBridge?
        private let person, proof: [String]
        /// Those of a sign-in's pages, where the probe shows one.
        private let signIn: PageWindows?

        private var page: WebViewPage { windows[windows.count - 1].view.page }

        init(_ context: WebViewContext, _ options: ProbeOptions) throws {
            self.context = context
            var configuration = WebViewConfiguration()
            configuration.loadsAfterRefusal = options.has("--anyway")
            configuration.timeout = options.first("--timeout").flatMap(Double.init) ?? 15
            configuration.navigation.isHTTPSOnly = options.has("--https-only")
            configuration.navigation.appSchemes = Set(options.all("--app").compactMap { URLScheme($0) })
            configuration.navigation.rules = options.all("--outside").map { .init(.prefix($0), .openOutside) }
            let bound = options.all("--bound")
            if !bound.isEmpty { configuration.navigation.appBoundOrigins = OriginList(bound) }
            let certificate = options.all("--certificate", count: 2)
            if certificate.count == 2, let fingerprint = CertificateFingerprint(hexadecimal: certificate[1]) {
                configuration.trust.allow(fingerprint, for: certificate[0])
            }
            signIn = options.has("--sign-in") ? PageWindows { _ in } : nil
            person = options.all("--person", count: 2)
            proof = options.all("--proof", count: 2)
            if let folder = options.first("--downloads") {
                configuration.downloadDestination = { folder + "/" + $0.suggestedName }
            }
            self.configuration = configuration
            let callers = options.all("--calls")
            bridge = callers.isEmpty ? nil : WebCallBridge(allowed: OriginList(callers), driver: ProbeCalls())
            urls = AppURLs(schemes: configuration.navigation.appSchemes) { url in
                WebViewProbe.say(["event": "app-url", "url": url])
            }
            try openWindow(options.has("--task") ? .task : .navigation)
        }

        func openWindow(_ bar: WebWindow.Bar = .navigation) throws {
            let view = try WebPageView(context, configuration, opensWindows: signIn != nil)
            view.page.windows = signIn
            view.page.onEvent = { [weak self] in self?.tell($0) }
            if person.count == 2 || proof.count == 2 {
                view.page.authentication = { [person, proof] in Self.answer($0, person: person, proof: proof) }
            }
            // However slow the machine: that many processes may end in a test.
            view.page.recovery = ProcessRecovery(period: .seconds(3_600))
            bridge?.attach(to: view.page)
            let name = "Probe \(ProcessInfo.processInfo.processIdentifier)-\(windows.count + 1)"
            let window = try WebWindow(view, title: name, bar: bar)
            window.onClose = { WebViewProbe.say(["event": "closed"]) }
            windows.append(window)
        }

        func close() {
            for window in windows { window.close() }
            windows = []
        }

        /// What the tests' person answers to a server: a name and a password, or the certificate of a file, once each.
        private static func answer(
            _ challenge: AuthenticationChallenge, person: [String], proof: [String]
        ) -> AuthenticationAnswer {
            WebViewProbe.say([
                "event": "challenge", "host": challenge.host, "port": challenge.port, "realm": challenge.realm,
                "method": "\(challenge.method)", "retry": challenge.isRetry, "proxy": challenge.isProxy,
            ])
            guard !challenge.isRetry else { return .performDefaultHandling }
            if challenge.method == .clientCertificate, proof.count == 2,
                let data = try? Data(contentsOf: URL(fileURLWithPath: proof[0]))
            {
                return .certificate(ClientCertificate(pkcs12: Array(data), password: Secret(proof[1])))
            }
            guard challenge.method == .basic, person.count == 2 else { return .performDefaultHandling }
            return .password(user: person[0], password: Secret(person[1]))
        }

        /// - Parameter line: Perhaps with a number in front, which is said first: what is said after it came after it.
        /// - Returns: Whether there is to be another command.
        func perform(_ line: String) async throws -> Bool {
            var line = line
            let digits = line.prefix { $0.isNumber }
            if !digits.isEmpty, let number = Int(digits) {
                line = String(line.dropFirst(digits.count + 1))
                WebViewProbe.say(["event": "did", "number": number])
            }
            let words = line.split(separator: " ", maxSplits: 1).map(String.init)
            let rest = words.count > 1 ? words[1] : ""
            switch words.first ?? "" {
            case "open": page.open(rest)
            case "load": page.load(rest)
            case "reload": page.reload()
            case "stop": page.stop()
            case "back": page.goBack()
            case "forward": page.goForward()
            case "accept": answer(.accept, rest)
            case "cancel": answer(.cancel, rest)
            case "dismiss": answer(.dismiss, rest)
            case "accept-all":
                for page in windows.map(\.view.page) {
                    if let panel = page.panel { page.answer(panel.id, WebPanelAnswer(.accept)) }
                }
            case "silence":
                if let panel = page.panel { page.answer(panel.id, WebPanelAnswer(.accept, suppressesDialogs: true)) }
            case "mute": CaptureKind(rawValue: rest).map { page.setMuted($0, true) }
            case "unmute": CaptureKind(rawValue: rest).map { page.setMuted($0, false) }
            case "revoke": WebOrigin(rest).map { _ = context.revoke($0) }
            case "withdraw": windows[windows.count - 1].view.isWithdrawingNext = true
            case "crash": windows[windows.count - 1].view.endProcess()
            case "window": try openWindow()
            case "close-window": windows.removeLast().close()
            case "handle": WebViewProbe.say(["event": "handled", "ours": urls?.handle(openURL: rest) ?? false])
            case "script": evaluate(rest)
            case "run": windows[windows.count - 1].view.evaluate(rest, world: nil) { _ in }
            case "incoming": if let origin = page.origin { bridge?.tell(.incoming(peer: rest), at: origin) }
            case "decide": measureDecision(rest)
            case "timeout": setPatience(rest)
            case "quit": return false
            default: WebViewProbe.say(["event": "error", "message": "no command \(line)"])
            }
            return true
        }

        /// How long servers may be silent from now on, also one that is waited for.
        private func setPatience(_ seconds: String) {
            guard let seconds = Double(seconds), let now = page.engine?.now else { return }
            page.tracker.patience = .milliseconds(Int64(seconds * 1_000))
            page.tracker.progressed(at: now)
            page.scheduleDeadline()
        }

        private func answer(_ choice: WebPanelAnswer.Choice, _ text: String) {
            guard let panel = page.panel else { return WebViewProbe.say(["event": "error", "message": "no panel"]) }
            page.answer(panel.id, WebPanelAnswer(choice, text: text.isEmpty ? panel.defaultText ?? "" : text))
        }

        private func evaluate(_ script: String) {
            windows[windows.count - 1].view.evaluate(script, world: nil) { result in
                WebViewProbe.say(["event": "result", "value": result.map { $0 as Any } ?? NSNull()])
            }
        }

        /// How long a decision about a known origin takes, in microseconds: the median of a thousand.
        private func measureDecision(_ text: String) {
            guard let origin = WebOrigin(text) else { return }
            let times = (0..<1_000).map { _ -> Double in
                let start = DispatchTime.now().uptimeNanoseconds
                page.decide(PageCaptureRequest(page: origin, kinds: [.camera, .microphone])) { _ in }
                return Double(DispatchTime.now().uptimeNanoseconds - start) / 1_000
            }.sorted()
            WebViewProbe.say(["event": "decision", "median": times[500], "worst": times[999]])
        }

        private func tell(_ event: WebViewEvent) {
            switch event {
            case .load(.started(let url)): say("started", ["url": url])
            case .load(.committed(let url)): say("committed", ["url": url])
            case .load(.finished(let url)): say("finished", ["url": url, "title": page.title])
            case .load(.failedProvisionally(let url, let failure)):
                say("failed-provisionally", ["url": url, "title": failure.title, "detail": failure.detail])
            case .load(.failed(let url, let failure)):
                say("failed", ["url": url, "title": failure.title, "detail": failure.detail])
            case .changed: say("title", ["title": page.title, "url": page.url ?? ""])
            case .appURL(let url): urls?.handle(openURL: url)
            case .openedOutside(let url): say("outside", ["url": url])
            case .refusedNavigation(let url): say("refused", ["url": url])
            case .popup(let url): say("popup", ["url": url])
            case .refusedWindow(let url): say("refused-window", ["url": url])
            case .refusedDownload(let download):
                say("refused-download", ["url": download.url, "name": download.suggestedName])
            case .downloading(_, let path): say("downloading", ["path": path])
            case .downloaded(let path): say("downloaded", ["path": path])
            case .downloadFailed(let path, let reason): say("download-failed", ["path": path, "reason": reason])
            case .capture(let kind, let state): say("capture", ["kind": kind.rawValue, "state": "\(state)"])
            case .panel(let panel?):
                say(
                    "panel",
                    [
                        "origin": panel.origin, "title": panel.title, "message": panel.message,
                        "text": panel.defaultText.map { $0 as Any } ?? NSNull(), "silence": panel.canSuppressDialogs,
                        "cancel": panel.cancelLabel.map { $0 as Any } ?? NSNull(),
                    ])
            case .panel(nil): say("no-panel", [:])
            case .processEnded(let isReloading): say("process-ended", ["reloading": isReloading])
            case .refusedCapture(let kinds): say("refused-capture", ["kinds": kinds.map(\.rawValue)])
            }
        }

        private var lastTitle = ""

        private func say(_ name: String, _ fields: [String: Any]) {
            if name == "title" {
                // Of each change there are many; titles are how pages of the tests say what came of something.
                let title = fields["title"] as? String ?? ""
                guard title != lastTitle else { return }
                lastTitle = title
            }
            WebViewProbe.say(fields.merging(["event": name]) { _, new in new })
        }
    }
#endif
