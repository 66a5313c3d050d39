#if os(Linux) && WebKitGTK
    import CWebKit
    import OAuth

    /// Signals of WebKitGTK, passed on to the page.
    extension WebPageView {
        typealias Data = UnsafeMutableRawPointer?

        func connect() {
            library.connect(view, "load-changed", to: self, Self.loadChanged)
            library.connect(view, "load-failed", to: self, Self.loadFailed)
            library.connect(view, "load-failed-with-tls-errors", to: self, Self.loadFailedWithTLSErrors)
            library.connect(view, "web-process-terminated", to: self, Self.processTerminated)
            library.connect(view, "decide-policy", to: self, Self.decidePolicy)
            connectWindows()
            library.connect(view, "permission-request", to: self, Self.permissionRequest)
            library.connect(view, "query-permission-state", to: self, Self.queryPermissionState)
            library.connect(view, "script-dialog", to: self, Self.scriptDialog)
            library.connect(view, "authenticate", to: self, Self.authenticate)
            for property in ["title", "uri", "estimated-load-progress"] {
                library.connect(view, "notify::\(property)", to: self, Self.propertyChanged)
            }
            for property in ["camera-capture-state", "microphone-capture-state", "display-capture-state"] {
                library.connect(view, "notify::\(property)", to: self, Self.captureChanged)
            }
        }

        private var functions: CWebKitLibrary { library.functions.pointee }

        private var address: String { functions.webkit_web_view_get_uri(view).map { String(cString: $0) } ?? "" }

        // MARK: Loading

        private static let loadChanged: @MainActor @convention(c) (OpaquePointer, UInt32, Data) -> Void = {
            _, event, data in
            guard let view = WebKitLibrary.target(data, WebPageView.self) else { return }
            // WEBKIT_LOAD_STARTED, _REDIRECTED, _COMMITTED, _FINISHED
            switch event {
            case 0:
                view.early.began()
                if view.repeated == view.address { return view.repeated = nil }
                view.repeated = nil
                view.page.started(view.address)
            case 1: view.page.redirected(view.address)
            case 2:
                view.early.committed()
                view.page.committed(view.address)
            default:
                if let url = view.repeated { return view.load(url) }
                view.page.finished()
            }
            view.showProperties()
        }

        private static let loadFailed:
            @MainActor @convention(c) (OpaquePointer, UInt32, UnsafePointer<CChar>, OpaquePointer, Data) -> Int32 = {
                _, _, url, error, data in
                guard let view = WebKitLibrary.target(data, WebPageView.self) else { return 0 }
                let failure = LoadFailure.glib(
                    domain: String(cString: cwebkit_error_domain(error)), code: Int(cwebkit_error_code(error)),
                    detail: String(cString: cwebkit_error_message(error)))
                let url = String(cString: url)
                if view.early.failed(failure, url: url) {
                    view.repeated = url
                } else {
                    view.page.failed(failure, url: url)
                }
                return 1
            }

        private static let loadFailedWithTLSErrors:
            @MainActor @convention(c) (OpaquePointer, UnsafePointer<CChar>, OpaquePointer, UInt32, Data) -> Int32 = {
                _, url, certificate, errors, data in
                guard let view = WebKitLibrary.target(data, WebPageView.self) else { return 0 }
                view.refusedCertificate(certificate, errors, url: String(cString: url))
                return 1
            }

        private func refusedCertificate(_ certificate: OpaquePointer, _ errors: UInt32, url: String) {
            var fingerprint: CertificateFingerprint?
            if let text = cwebkit_certificate_fingerprint(library.functions, certificate) {
                fingerprint = CertificateFingerprint(hexadecimal: String(cString: text))
                functions.g_free(text)
            }
            let host = WebOrigin(url)?.host ?? ""
            let challenge = AuthenticationChallenge(
                host: host, method: .serverTrust(isTrusted: false, certificate: fingerprint))
            guard page.decide(challenge) == .trust else {
                return page.failed(LoadFailure(.insecure, detail: Self.words(errors)), url: url)
            }
            functions.webkit_network_session_allow_tls_certificate_for_host(context.session.pointer, certificate, host)
            // Later, because WebKitGTK would take the current failure for that of the new load.
            Task { [page] in page.load(url) }
        }

        /// The messages of GTlsCertificateFlags.
        private static func words(_ errors: UInt32) -> String {
            let all = [
                "no authority that this system trusts vouches for the certificate",
                "the certificate is for another host", "the certificate is not valid yet",
                "the certificate has expired",
                "the certificate was revoked", "the certificate’s signature is not safe",
                "the certificate is not acceptable",
            ]
            return all.indices.filter { errors & (1 << UInt32($0)) != 0 }.map { all[$0] }.joined(separator: "; ")
        }

        private static let processTerminated: @MainActor @convention(c) (OpaquePointer, UInt32, Data) -> Void = {
            _, _, data in
            WebKitLibrary.target(data, WebPageView.self)?.page.processEnded()
        }

        private static let propertyChanged: @MainActor @convention(c) (OpaquePointer, OpaquePointer?, Data) -> Void = {
            _, _, data in
            WebKitLibrary.target(data, WebPageView.self)?.showProperties()
        }

        /// Passes title, history, URL and progress to the page.
        private func showProperties() {
            let functions = functions
            page.titleChanged(functions.webkit_web_view_get_title(view).map { String(cString: $0) } ?? "")
            page.canGoBack = functions.webkit_web_view_can_go_back(view) != 0
            page.canGoForward = functions.webkit_web_view_can_go_forward(view) != 0
            page.addressChanged(address)
            page.progressed(to: functions.webkit_web_view_get_estimated_load_progress(view))
        }

        // MARK: Policy

        private static let decidePolicy:
            @MainActor @convention(c) (OpaquePointer, OpaquePointer, UInt32, Data) -> Int32 = {
                _, decision, kind, data in
                guard let view = WebKitLibrary.target(data, WebPageView.self) else { return 0 }
                // WEBKIT_POLICY_DECISION_TYPE_NAVIGATION_ACTION, _NEW_WINDOW_ACTION, _RESPONSE
                switch kind {
                case 0: view.decideNavigation(decision)
                case 1: view.decideWindow(decision)
                default: view.decideResponse(decision)
                }
                return 1
            }

        private func decideNavigation(_ decision: OpaquePointer) {
            guard let action = functions.webkit_navigation_policy_decision_get_navigation_action(decision) else {
                return functions.webkit_policy_decision_ignore(decision)
            }
            let request = NavigationRequest(
                url: url(of: action), isMainFrame: nil,
                isRedirect: functions.webkit_navigation_action_is_redirect(action) != 0,
                isUserGesture: functions.webkit_navigation_action_is_user_gesture(action) != 0)
            if page.decide(request) {
                early.allowed(request.url, method: method(of: action))
                functions.webkit_policy_decision_use(decision)
            } else {
                functions.webkit_policy_decision_ignore(decision)
            }
        }

        private func method(of action: OpaquePointer) -> String {
            functions.webkit_navigation_action_get_request(action)
                .flatMap { functions.webkit_uri_request_get_http_method($0) }.map { String(cString: $0) } ?? ""
        }

        func url(of action: OpaquePointer) -> String {
            functions.webkit_navigation_action_get_request(action)
                .flatMap { functions.webkit_uri_request_get_uri($0) }.map { String(cString: $0) } ?? ""
        }

        private func decideResponse(_ decision: OpaquePointer) {
            guard let response = functions.webkit_response_policy_decision_get_response(decision) else {
                return functions.webkit_policy_decision_ignore(decision)
            }
            let disposition =
                functions.webkit_uri_response_get_http_headers(response)
                .flatMap { functions.soup_message_headers_get_one($0, "Content-Disposition") }
                .map { String(cString: $0).lowercased() } ?? ""
            let isFile = disposition.hasPrefix("attachment")
            let canBeShown = functions.webkit_response_policy_decision_is_mime_type_supported(decision) != 0 && !isFile
            let url = functions.webkit_uri_response_get_uri(response).map { String(cString: $0) } ?? ""
            let isMainFrame = functions.webkit_response_policy_decision_is_main_frame_main_resource(decision) != 0
            switch page.decideResponse(url: url, isMainFrame: isMainFrame, canBeShown: canBeShown) {
            case .show: functions.webkit_policy_decision_use(decision)
            case .cancel: functions.webkit_policy_decision_ignore(decision)
            case .download: functions.webkit_policy_decision_download(decision)
            }
        }

        // MARK: Capture

        private static let permissionRequest: @MainActor @convention(c) (OpaquePointer, OpaquePointer, Data) -> Int32 =
            {
                _, request, data in
                guard let view = WebKitLibrary.target(data, WebPageView.self) else { return 0 }
                view.decidePermission(request)
                return 1
            }

        private func decidePermission(_ request: OpaquePointer) {
            let functions = functions
            guard cwebkit_is_user_media(library.functions, request) != 0 else {
                return functions.webkit_permission_request_deny(request)
            }
            var kinds: Set<CaptureKind> = []
            if functions.webkit_user_media_permission_is_for_audio_device(request) != 0 { kinds.insert(.microphone) }
            if functions.webkit_user_media_permission_is_for_video_device(request) != 0 { kinds.insert(.camera) }
            if functions.webkit_user_media_permission_is_for_display_device(request) != 0 { kinds.insert(.display) }
            _ = functions.g_object_ref(UnsafeMutableRawPointer(request))
            let answer: (Bool) -> Void = { isGranted in
                if isGranted {
                    functions.webkit_permission_request_allow(request)
                } else {
                    functions.webkit_permission_request_deny(request)
                }
                functions.g_object_unref(UnsafeMutableRawPointer(request))
            }
            page.decideCapture(kinds, answer: answer)
        }

        private final class Continuation {
            let body: (String?) -> Void
            let library: WebKitLibrary
            init(_ body: @escaping (String?) -> Void, _ library: WebKitLibrary) {
                self.body = body
                self.library = library
            }
        }

        /// Runs a script in the main frame.
        ///
        /// - Parameters:
        ///   - world: An isolated world, which the page's scripts cannot reach; `nil` for the page's own.
        ///   - body: Called with the script's result as text; `nil` if it failed.
        func evaluate(_ script: String, world: String?, _ body: @escaping (String?) -> Void) {
            let finish: @MainActor @convention(c) (OpaquePointer?, OpaquePointer?, Data) -> Void = {
                source, result, data in
                guard let data, let source else { return }
                let continuation = Unmanaged<Continuation>.fromOpaque(data).takeRetainedValue()
                let functions = continuation.library.functions.pointee
                var error: OpaquePointer?
                guard let value = functions.webkit_web_view_evaluate_javascript_finish(source, result, &error) else {
                    if let error { functions.g_error_free(error) }
                    return continuation.body(nil)
                }
                var text: String?
                if functions.jsc_value_is_string(value) != 0, let bytes = functions.jsc_value_to_string(value) {
                    text = String(cString: bytes)
                    functions.g_free(bytes)
                }
                functions.g_object_unref(UnsafeMutableRawPointer(value))
                continuation.body(text)
            }
            functions.webkit_web_view_evaluate_javascript(
                view, script, -1, world, nil, nil, unsafeBitCast(finish, to: GAsyncReadyCallback.self),
                Unmanaged.passRetained(Continuation(body, library)).toOpaque())
        }

        private static let queryPermissionState:
            @MainActor @convention(c) (OpaquePointer, OpaquePointer, Data) -> Int32 = {
                _, query, data in
                guard let view = WebKitLibrary.target(data, WebPageView.self) else { return 0 }
                let functions = view.functions
                let name = functions.webkit_permission_state_query_get_name(query).map { String(cString: $0) }
                guard let kind = name.flatMap(CaptureKind.init(rawValue:)), kind != .display else { return 0 }
                var origin: WebOrigin?
                if let given = functions.webkit_permission_state_query_get_security_origin(query),
                    let text = functions.webkit_security_origin_to_string(given)
                {
                    origin = WebOrigin(String(cString: text))
                    functions.g_free(text)
                }
                // WEBKIT_PERMISSION_STATE_GRANTED, _DENIED, _PROMPT
                let state: UInt32 = view.page.permissionState(of: kind, for: origin).map { $0 ? 0 : 1 } ?? 2
                functions.webkit_permission_state_query_finish(query, state)
                return 1
            }

        private static let captureChanged: @MainActor @convention(c) (OpaquePointer, OpaquePointer?, Data) -> Void = {
            _, _, data in
            guard let view = WebKitLibrary.target(data, WebPageView.self) else { return }
            func state(_ number: UInt32) -> CaptureState { number == 1 ? .active : number == 2 ? .muted : .none }
            view.page.captured(.camera, state(view.functions.webkit_web_view_get_camera_capture_state(view.view)))
            view.page.captured(
                .microphone, state(view.functions.webkit_web_view_get_microphone_capture_state(view.view)))
            view.page.captured(.display, state(view.functions.webkit_web_view_get_display_capture_state(view.view)))
        }

        // MARK: Dialogs and challenges

        private static let scriptDialog: @MainActor @convention(c) (OpaquePointer, OpaquePointer, Data) -> Int32 = {
            _, dialog, data in
            guard let view = WebKitLibrary.target(data, WebPageView.self) else { return 0 }
            view.run(dialog)
            return 1
        }

        private func run(_ dialog: OpaquePointer) {
            let functions = functions
            // WEBKIT_SCRIPT_DIALOG_ALERT, _CONFIRM, _PROMPT, _BEFORE_UNLOAD_CONFIRM
            let number = functions.webkit_script_dialog_get_dialog_type(dialog)
            let kind: ScriptDialog.Kind =
                switch number {
                case 0: .alert
                case 1: .confirm
                case 2:
                    .prompt(
                        defaultText: functions.webkit_script_dialog_prompt_get_default_text(dialog)
                            .map { String(cString: $0) } ?? "")
                default: .beforeUnload
                }
            let message = functions.webkit_script_dialog_get_message(dialog).map { String(cString: $0) } ?? ""
            // The dialog must not be closed during the signal, which closes it itself if it was answered by then.
            var (isUnderWay, isAnswered) = (true, false)
            page.run(ScriptDialog(kind: kind, message: message, origin: page.origin)) { answer in
                isAnswered = true
                if number == 1 || number == 3 {
                    functions.webkit_script_dialog_confirm_set_confirmed(dialog, answer.isConfirmed ? 1 : 0)
                } else if number == 2, let text = answer.text {
                    functions.webkit_script_dialog_prompt_set_text(dialog, text)
                }
                guard !isUnderWay else { return }
                functions.webkit_script_dialog_close(dialog)
                functions.webkit_script_dialog_unref(dialog)
            }
            isUnderWay = false
            if !isAnswered { _ = functions.webkit_script_dialog_ref(dialog) }
        }

        /// Handles a challenge of a server or proxy. By default WebKitGTK's own panel asks the person.
        private static let authenticate: @MainActor @convention(c) (OpaquePointer, OpaquePointer, Data) -> Int32 = {
            _, request, data in
            guard let view = WebKitLibrary.target(data, WebPageView.self) else { return 0 }
            return view.authenticate(request) ? 1 : 0
        }

        private func authenticate(_ request: OpaquePointer) -> Bool {
            let functions = functions
            let proposed = functions.webkit_authentication_request_get_proposed_credential(request)
            if let proposed { functions.webkit_credential_free(proposed) }
            let challenge = challenge(of: request, hasProposedCredential: proposed != nil)
            if isWithdrawingNext { return withdraw(request) }
            _ = functions.g_object_ref(UnsafeMutableRawPointer(request))
            let isAsked = page.authenticate(challenge) { [self] answer in
                early.answered()
                give(answer, to: request, challenge)
                functions.g_object_unref(UnsafeMutableRawPointer(request))
            }
            if isAsked {
                early.asked()
                return true
            }
            functions.g_object_unref(UnsafeMutableRawPointer(request))
            guard challenge.usesProposedCredential else {
                // WebKitGTK's own panel asks; it may be withdrawn as well.
                early.asked()
                return false
            }
            give(.performDefaultHandling, to: request, challenge)
            return true
        }

        private func withdraw(_ request: OpaquePointer) -> Bool {
            isWithdrawingNext = false
            early.askedEarly()
            functions.webkit_authentication_request_cancel(request)
            return true
        }

        private func challenge(of request: OpaquePointer, hasProposedCredential: Bool) -> AuthenticationChallenge {
            func text(_ value: UnsafePointer<CChar>?) -> String { value.map { String(cString: $0) } ?? "" }
            // WEBKIT_AUTHENTICATION_SCHEME_DEFAULT, _HTTP_BASIC, _HTTP_DIGEST, …, _CLIENT_CERTIFICATE_REQUESTED
            let method: AuthenticationChallenge.Method =
                switch functions.webkit_authentication_request_get_scheme(request) {
                case 2: .basic
                case 3: .digest
                case 7: .clientCertificate
                default: .other
                }
            return AuthenticationChallenge(
                host: text(functions.webkit_authentication_request_get_host(request)),
                port: Int(functions.webkit_authentication_request_get_port(request)), method: method,
                realm: text(functions.webkit_authentication_request_get_realm(request)),
                isProxy: functions.webkit_authentication_request_is_for_proxy(request) != 0,
                isRetry: functions.webkit_authentication_request_is_retry(request) != 0,
                hasProposedCredential: hasProposedCredential)
        }

        private func give(
            _ answer: AuthenticationAnswer, to request: OpaquePointer, _ challenge: AuthenticationChallenge
        ) {
            let functions = functions
            var credential: OpaquePointer?
            switch answer {
            case .cancel: return functions.webkit_authentication_request_cancel(request)
            case .performDefaultHandling:
                // Without a credential, the server responds as to an unauthenticated client.
                if challenge.usesProposedCredential {
                    credential = functions.webkit_authentication_request_get_proposed_credential(request)
                }
            case .password(let user, let password, let persistence):
                credential = functions.webkit_credential_new(user, password.value, Self.number(persistence))
            case .certificate(let certificate, let persistence):
                guard let made = self.certificate(certificate) else {
                    return functions.webkit_authentication_request_cancel(request)
                }
                credential = functions.webkit_credential_new_for_certificate(made, Self.number(persistence))
                functions.g_object_unref(UnsafeMutableRawPointer(made))
            }
            functions.webkit_authentication_request_authenticate(request, credential)
            if let credential { functions.webkit_credential_free(credential) }
        }

        /// WEBKIT_CREDENTIAL_PERSISTENCE_NONE, _FOR_SESSION
        private static func number(_ persistence: CredentialPersistence) -> UInt32 { persistence == .none ? 0 : 1 }

        private func certificate(_ certificate: ClientCertificate) -> OpaquePointer? {
            var error: OpaquePointer?
            let made = certificate.pkcs12.withUnsafeBufferPointer {
                functions.g_tls_certificate_new_from_pkcs12(
                    $0.baseAddress, $0.count, certificate.password.value, &error)
            }
            if let error { functions.g_error_free(error) }
            return made
        }
    }
#endif
