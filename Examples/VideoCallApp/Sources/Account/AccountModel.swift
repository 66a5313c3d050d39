import Foundation
import OAuth
import Observation
import WebRTCKit

/// Who the person is: a name of their own for a server that asks nobody, or whom an identity provider says they are.
@MainActor
@Observable
final class AccountModel {
    private(set) var isSignedIn = false
    private(set) var isBusy = false
    private(set) var problem: String?
    private var client: OAuthClient?

    /// What the provider's console has for the app, and Info.plist under CFBundleURLTypes.
    static let redirect = "com.example.videocalls:/signed-in"

    /// By the system's browser, in which the person may be signed in already. The tokens are kept in the keychain.
    func signIn(issuer: String, clientID: String, then done: @escaping @MainActor () -> Void) {
        work { [self] in
            let client = try makeClient(issuer: issuer, clientID: clientID)
            _ = try await client.signIn(using: SystemBrowser())
            isSignedIn = true
            done()
        }
    }

    func signOut() {
        work { [self] in
            isSignedIn = false
            _ = try await client?.signOut()
        }
    }

    /// Whoever was signed in when the app was closed still is, unless the keychain has nothing any more: connecting tells.
    ///
    /// - Returns: Whether there is a provider to ask. Nothing here waits, since the system may have started the app for a push.
    func restore(issuer: String, clientID: String) -> Bool {
        isSignedIn = (try? makeClient(issuer: issuer, clientID: clientID)) != nil
        return isSignedIn
    }

    /// - Returns: Whether the address ended a sign-in of ours.
    @discardableResult
    func open(_ url: URL) -> Bool { client?.handle(openURL: url.absoluteString) ?? false }

    /// A connection that shows the server a fresh token each time.
    func connection(to server: String) throws -> DuetSignaling {
        let client = client
        return try DuetSignaling(url: server) {
            guard let client else { throw OAuthError(.notSignedIn, "sign in first") }
            return try await client.accessToken().value
        }
    }

    private func makeClient(issuer: String, clientID: String) throws -> OAuthClient {
        let client = OAuthClient(
            ClientConfiguration(
                issuer: try Issuer(issuer), clientID: clientID, redirect: try RedirectURI(Self.redirect),
                scopes: ["openid", "profile", "offline_access"]))
        self.client = client
        return client
    }

    private func work(_ body: @escaping @MainActor () async throws -> Void) {
        (isBusy, problem) = (true, nil)
        Task {
            do {
                try await body()
            } catch {
                problem = "\(error)"
            }
            isBusy = false
        }
    }
}
