import Foundation
import OAuth
import Observation
import WebRTCKit

/// The sign-in at an identity provider. (A server that accepts any name needs none.)
@MainActor
@Observable
final class AccountModel {
    private(set) var isSignedIn = false
    private(set) var isBusy = false
    private(set) var problem: String?
    private var client: OAuthClient?

    /// The redirect URI, as registered at the provider; its scheme is in Info.plist under CFBundleURLTypes.
    static let redirect = "com.example.videocalls:/signed-in"

    /// Signs in with the system's browser, in which the person may be signed in already. The tokens are stored in the Keychain.
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

    /// Restores the sign-in of the last launch, without waiting: the system may have started the app for a push. Whether the tokens are
    /// still valid shows when connecting.
    ///
    /// - Returns: Whether a provider is configured.
    func restore(issuer: String, clientID: String) -> Bool {
        isSignedIn = (try? makeClient(issuer: issuer, clientID: clientID)) != nil
        return isSignedIn
    }

    /// - Returns: Whether the URL is the redirect of a sign-in.
    @discardableResult
    func open(_ url: URL) -> Bool { client?.handle(openURL: url.absoluteString) ?? false }

    /// Returns a connection that sends a valid access token each time it signs in.
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
