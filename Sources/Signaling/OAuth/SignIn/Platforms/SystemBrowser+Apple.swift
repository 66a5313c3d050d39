#if canImport(AuthenticationServices)
    public import AuthenticationServices
    internal import Synchronization

    #if os(macOS)
        public import AppKit
    #else
        public import UIKit
    #endif

    /// The system's sign-in sheet, which shares sessions with the person's browser. Use it with a custom scheme or a
    /// claimed link as the redirect URI.
    public struct SystemBrowser: AuthorizationUserAgent {
        private let isEphemeral: Bool
        private let anchor: @MainActor @Sendable () -> ASPresentationAnchor

        /// Creates a browser.
        ///
        /// - Parameters:
        ///   - isEphemeral: Whether the sheet shares no session with the browser.
        ///   - anchor: The window to present the sheet in; by default the front window.
        public init(
            isEphemeral: Bool = false, anchor: (@MainActor @Sendable () -> ASPresentationAnchor)? = nil
        ) {
            self.isEphemeral = isEphemeral
            self.anchor = anchor ?? { Self.frontWindow ?? ASPresentationAnchor() }
        }

        @MainActor private static var frontWindow: ASPresentationAnchor? {
            #if os(macOS)
                let app = NSApplication.shared
                let scenes = [app.keyWindow, app.mainWindow].map { FrontWindow.Scene(isActive: true, keyWindow: $0) }
            #else
                let scenes = UIApplication.shared.connectedScenes.compactMap { $0 as? UIWindowScene }.map {
                    FrontWindow.Scene(isActive: $0.activationState == .foregroundActive, keyWindow: $0.keyWindow)
                }
            #endif
            return FrontWindow.choose(scenes)
        }

        public func present(_ url: String, until redirect: RedirectURI) async throws -> String {
            let callback = try BrowserCallback(redirect)
            return try await SheetPresenter(anchor).present(url, callback, isEphemeral: isEphemeral)
        }
    }

    /// Presents one sheet, on the main actor, which a subclass of `NSObject` has to declare.
    @MainActor
    private final class SheetPresenter: NSObject, ASWebAuthenticationPresentationContextProviding,
        @unchecked Sendable
    {
        private let anchor: @MainActor @Sendable () -> ASPresentationAnchor
        private var session: ASWebAuthenticationSession?

        nonisolated init(_ anchor: @escaping @MainActor @Sendable () -> ASPresentationAnchor) {
            self.anchor = anchor
            super.init()
        }

        func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor { anchor() }

        func present(_ address: String, _ callback: BrowserCallback, isEphemeral: Bool) async throws -> String {
            guard let url = URL(string: address) else {
                throw OAuthError(.userAgentFailed, "the sign-in's address cannot be shown")
            }
            let answer = Answer()
            return try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    guard answer.keep(continuation) else { return }
                    // Called on any thread: a closure isolated to the main actor, as in this function, would end the process.
                    let session = ASWebAuthenticationSession(url: url, callback: callback.native) {
                        @Sendable url, error in
                        answer.give(Self.result(url, error))
                    }
                    session.presentationContextProvider = self
                    session.prefersEphemeralWebBrowserSession = isEphemeral
                    self.session = session
                    if !session.start() {
                        answer.give(.failure(OAuthError(.userAgentFailed, "the system's sign-in cannot be shown")))
                    }
                }
            } onCancel: {
                answer.give(.failure(CancellationError()))
                Task { @MainActor in self.session?.cancel() }
            }
        }

        nonisolated private static func result(_ url: URL?, _ error: (any Error)?) -> Result<String, any Error> {
            if let url { return .success(url.absoluteString) }
            if let error = error as? ASWebAuthenticationSessionError, error.code == .canceledLogin {
                return .failure(OAuthError(.userCancelled, "the sign-in was closed"))
            }
            return .failure(OAuthError(.userAgentFailed, "the system's sign-in failed"))
        }
    }

    /// A result that is set once.
    private final class Answer: Sendable {
        private enum State {
            case none
            case waiting(CheckedContinuation<String, any Error>)
            case given
        }

        private let state = Mutex(State.none)

        /// - Returns: Whether the caller has to wait.
        func keep(_ continuation: CheckedContinuation<String, any Error>) -> Bool {
            let isOpen = state.withLock { state in
                if case .given = state { return false }
                state = .waiting(continuation)
                return true
            }
            if !isOpen { continuation.resume(throwing: CancellationError()) }
            return isOpen
        }

        func give(_ result: Result<String, any Error>) {
            let waiting = state.withLock { state -> CheckedContinuation<String, any Error>? in
                defer { state = .given }
                if case .waiting(let continuation) = state { return continuation }
                return nil
            }
            waiting?.resume(with: result)
        }
    }

    extension BrowserCallback {
        fileprivate var native: ASWebAuthenticationSession.Callback {
            switch self {
            case .customScheme(let scheme): .customScheme(scheme)
            case .https(let host, let path): .https(host: host, path: path)
            }
        }
    }
#endif
