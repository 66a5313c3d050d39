#if canImport(WebKit)
    import CryptoKit
    import Security
    import WebKit

    // WebKit's objects as the values that are decided about.

    extension WebOrigin {
        @MainActor init?(_ origin: WKSecurityOrigin) {
            // WebKit's 0 is the scheme's own port.
            self.init(
                scheme: origin.protocol, host: origin.host, port: origin.port == 0 ? nil : UInt16(exactly: origin.port))
        }
    }

    extension NavigationRequest {
        @MainActor init(_ action: WKNavigationAction) {
            self.init(
                url: action.request.url?.absoluteString ?? "", isMainFrame: action.targetFrame?.isMainFrame ?? true,
                isUserGesture: action.navigationType == .linkActivated || action.navigationType == .formSubmitted)
        }
    }

    extension WKNavigationAction {
        /// What an allowed navigation becomes.
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

    extension CaptureRequest {
        init(_ type: WKMediaCaptureType, origin: WebOrigin?, page: WebOrigin?) {
            let kinds: Set<CaptureKind> =
                switch type {
                case .camera: [.camera]
                case .microphone: [.microphone]
                case .cameraAndMicrophone: [.camera, .microphone]
                @unknown default: []
                }
            self.init(page: page, requester: origin == page ? .page : .frame(origin), kinds: kinds)
        }
    }

    extension LoadFailure {
        init(_ error: any Error) {
            // The number that NSError has, of URLError's domain or of WebKit's own.
            self = .urlError(error._code, detail: error.localizedDescription)
        }

        /// Whose failure it is.
        static func address(of error: any Error) -> String? {
            (error as? URLError)?.failingURL?.absoluteString
        }
    }

    extension WKWebView {
        var address: String { url?.absoluteString ?? "" }
    }

    /// A challenge with the system's own judgement of it.
    struct JudgedChallenge: @unchecked Sendable {
        let challenge: AuthenticationChallenge
        private let trust: SecTrust?
        private let proposed: URLCredential?

        /// Evaluates a server's certificate as the system does. It may take a while.
        static func judge(_ challenge: URLAuthenticationChallenge) async -> JudgedChallenge {
            let space = challenge.protectionSpace
            guard space.authenticationMethod == NSURLAuthenticationMethodServerTrust, let trust = space.serverTrust
            else {
                let value = AuthenticationChallenge(
                    host: space.host, method: .other, hasProposedCredential: challenge.proposedCredential != nil)
                return JudgedChallenge(challenge: value, trust: nil, proposed: challenge.proposedCredential)
            }
            let isTrusted = SecTrustEvaluateWithError(trust, nil)
            var fingerprint: CertificateFingerprint?
            if let chain = SecTrustCopyCertificateChain(trust) as? [SecCertificate], let first = chain.first {
                fingerprint = CertificateFingerprint(Array(SHA256.hash(data: SecCertificateCopyData(first) as Data)))
            }
            let value = AuthenticationChallenge(
                host: space.host, method: .serverTrust(isTrusted: isTrusted, certificate: fingerprint))
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
    }
#endif
