#if canImport(WebKit)
    import CryptoKit
    import OAuth
    import Security
    import WebKit

    // Conversions of WebKit's objects to values.

    extension WebOrigin {
        @MainActor init?(_ origin: WKSecurityOrigin) {
            // WebKit reports the default port as 0.
            self.init(
                scheme: origin.protocol, host: origin.host, port: origin.port == 0 ? nil : UInt16(exactly: origin.port))
        }
    }

    extension NavigationRequest {
        @MainActor init(_ action: WKNavigationAction) {
            // A new window has no target frame yet, and a frame of the page may be its opener.
            self.init(
                url: action.request.url?.absoluteString ?? "", isMainFrame: action.targetFrame?.isMainFrame,
                isRedirect: nil,
                isUserGesture: action.navigationType == .linkActivated || action.navigationType == .formSubmitted)
        }
    }

    extension WKNavigationAction {
        /// WebKit's policy for an allowed navigation.
        var policy: WKNavigationActionPolicy { shouldPerformDownload ? .download : .allow }
    }

    extension WKNavigationResponse {
        func decided(by page: WebViewPage) -> WebViewPage.ResponseDecision {
            let disposition = (response as? HTTPURLResponse)?.value(forHTTPHeaderField: "Content-Disposition") ?? ""
            return page.decideResponse(
                url: response.url?.absoluteString ?? "", isMainFrame: isForMainFrame,
                canBeShown: canShowMIMEType && !disposition.lowercased().hasPrefix("attachment"))
        }
    }

    extension WKNavigationResponsePolicy {
        init(_ decision: WebViewPage.ResponseDecision) {
            self =
                switch decision {
                case .show: .allow
                case .cancel: .cancel
                case .download: .download
                }
        }
    }

    extension WKMediaCaptureType {
        var kinds: Set<CaptureKind> {
            switch self {
            case .camera: [.camera]
            case .microphone: [.microphone]
            case .cameraAndMicrophone: [.camera, .microphone]
            @unknown default: []
            }
        }
    }

    extension LoadFailure {
        init(_ error: any Error) {
            // The code of NSError, in the domain of URLError or WebKit.
            self = .urlError(error._code, detail: error.localizedDescription)
        }

        /// The URL of a failed load. When it fails, the view has the URL of the page before again.
        static func address(of error: any Error) -> String? {
            // Errors of WebKit's own domain have it too, as that of a load that became a download.
            (error as NSError).userInfo["NSErrorFailingURLStringKey"] as? String
                ?? (error as? URLError)?.failingURL?.absoluteString
        }
    }

    extension WKWebView {
        var address: String { url?.absoluteString ?? "" }
    }

    /// A challenge with the system's evaluation of it.
    struct JudgedChallenge: @unchecked Sendable {
        let challenge: AuthenticationChallenge
        private let trust: SecTrust?
        private let proposed: URLCredential?

        /// Evaluates a server's certificate as the system does. It may take time and use the network, so never on the main
        /// thread.
        @concurrent
        static func judge(_ challenge: URLAuthenticationChallenge) async -> JudgedChallenge {
            let space = challenge.protectionSpace
            guard space.authenticationMethod == NSURLAuthenticationMethodServerTrust, let trust = space.serverTrust
            else {
                let value = AuthenticationChallenge(
                    host: space.host, port: space.port, method: .init(space.authenticationMethod),
                    realm: space.realm ?? "", isProxy: space.isProxy(), isRetry: challenge.previousFailureCount > 0,
                    hasProposedCredential: challenge.proposedCredential != nil)
                return JudgedChallenge(challenge: value, trust: nil, proposed: challenge.proposedCredential)
            }
            let isTrusted = SecTrustEvaluateWithError(trust, nil)
            var fingerprint: CertificateFingerprint?
            if let chain = SecTrustCopyCertificateChain(trust) as? [SecCertificate], let first = chain.first {
                fingerprint = CertificateFingerprint(Array(SHA256.hash(data: SecCertificateCopyData(first) as Data)))
            }
            let value = AuthenticationChallenge(
                host: space.host, port: space.port, method: .serverTrust(isTrusted: isTrusted, certificate: fingerprint)
            )
            return JudgedChallenge(challenge: value, trust: trust, proposed: challenge.proposedCredential)
        }

        func answer(
            _ decision: ChallengeDecision
        ) -> (disposition: URLSession.AuthChallengeDisposition, credential: URLCredential?) {
            switch decision {
            case .trust: (.useCredential, trust.map { URLCredential(trust: $0) } ?? proposed)
            case .refuse: (.cancelAuthenticationChallenge, proposed)
            case .performDefaultHandling: (.performDefaultHandling, proposed)
            }
        }

        func answer(
            _ answer: AuthenticationAnswer
        ) -> (disposition: URLSession.AuthChallengeDisposition, credential: URLCredential?) {
            switch answer {
            case .performDefaultHandling: (.performDefaultHandling, proposed)
            case .cancel: (.cancelAuthenticationChallenge, nil)
            case .password(let user, let password, let persistence):
                (.useCredential, URLCredential(user: user, password: password.value, persistence: .init(persistence)))
            case .certificate(let certificate, let persistence):
                certificate.identity.map {
                    (
                        .useCredential,
                        URLCredential(identity: $0, certificates: nil, persistence: .init(persistence))
                    )
                } ?? (.cancelAuthenticationChallenge, nil)
            }
        }
    }

    extension WebViewPage {
        /// Answers a challenge: a server's certificate by the policy, others by the app, if it handles them.
        func answer(
            _ judged: JudgedChallenge
        ) async -> (disposition: URLSession.AuthChallengeDisposition, credential: URLCredential?) {
            if case .serverTrust = judged.challenge.method { return judged.answer(decide(judged.challenge)) }
            return await withCheckedContinuation { continuation in
                let isAsked = authenticate(judged.challenge) { continuation.resume(returning: judged.answer($0)) }
                if !isAsked { continuation.resume(returning: judged.answer(decide(judged.challenge))) }
            }
        }
    }

    extension AuthenticationChallenge.Method {
        init(_ name: String) {
            self =
                switch name {
                case NSURLAuthenticationMethodHTTPBasic: .basic
                case NSURLAuthenticationMethodHTTPDigest: .digest
                case NSURLAuthenticationMethodClientCertificate: .clientCertificate
                default: .other
                }
        }
    }

    extension URLCredential.Persistence {
        init(_ persistence: CredentialPersistence) { self = persistence == .none ? .none : .forSession }
    }
#endif
