import ArgumentParser
import DuetShell
import Foundation
import OAuth

/// `duet login`
struct LoginCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "login",
        abstract: "Sign in at an OpenID or OAuth server.",
        discussion: """
            The server's page is opened in your browser. The tokens are kept by the system (the Keychain, or the Secret Service \
            on Linux), and renewed when they are needed: “duet call --login ISSUER” signs in to a signalling server with them.

            Examples:
              duet login https://id.example.org
              duet login https://id.example.org --client-id calls --resource https://calls.example.org
              duet login https://id.example.org --device      for a machine without a browser
              duet login https://api.example.org --authorization-endpoint https://api.example.org/oauth/authorize \
                --token-endpoint https://api.example.org/oauth/token      for a server without metadata

            The exit status is 0 if you are signed in, 1 if the login failed, 2 if an option cannot be satisfied, 3 if the \
            server cannot be reached, 130 if it was cancelled by a signal.
            """)

    @Argument(
        help: ArgumentHelp("The issuer identifier of the server, exactly as in its metadata.", valueName: "issuer"))
    var issuer: String

    @Flag(help: "Show the page in a window of this program.")
    var webView = false

    @Flag(help: "Print an address and a code to enter on another device.")
    var device = false

    @Option(
        name: .customLong("scope"),
        help: ArgumentHelp(
            "A scope to request; by default openid, profile and offline_access. May be repeated.", valueName: "name"))
    var scopes: [String] = []

    @Option(
        name: .customLong("resource"),
        help: ArgumentHelp("The resource that the access token is for. May be repeated.", valueName: "address"))
    var resources: [String] = []

    @OptionGroup var common: LoginCommandOptions

    @OptionGroup var options: LoginOptions

    func validate() throws {
        guard !webView || !device else { throw ValidationError("give --web-view or --device, not both") }
    }

    func run() async throws {
        try await common.report { output in
            let usual = options.endpoints.isEmpty ? ["openid", "profile", "offline_access"] : nil
            let wanted = scopes.isEmpty ? usual : scopes
            let configuration = try options.configuration(
                issuer: issuer, redirect: common.redirect, scopes: wanted, resources: resources)
            let client = try options.client(configuration)
            let identity = try await LoginRun.untilInterrupted { try await signIn(client, output) }
            output.signedIn(issuer, identity)
            if let file = client.tokenFile { output.kept(in: file) }
        }
    }

    private func signIn(_ client: OAuthClient, _ output: LoginOutput) async throws -> Identity? {
        if device {
            let code = try await client.requestDeviceCode()
            output.device(code)
            return try await client.signIn(with: code)
        }
        let redirect = client.configuration.redirect
        return try await client.signIn(
            using: webView ? try await LoginView.make() : try LoginBrowser.make(redirect) { output.opening($0) })
    }
}

/// `duet logout`
struct LogoutCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "logout",
        abstract: "Sign out, and revoke the tokens.",
        discussion: """
            Without an issuer it signs out where you are signed in. Nothing is left on this machine, even if the server cannot \
            be reached.

            The exit status is that of “duet login”.
            """)

    @Argument(help: ArgumentHelp("The issuer, as given to “duet login”.", valueName: "issuer"))
    var issuer: String?

    @Flag(help: "Sign out at the server too, in the browser.")
    var everywhere = false

    @OptionGroup var common: LoginCommandOptions

    @OptionGroup var options: LoginOptions

    func run() async throws {
        try await common.report { output in
            let issuer = if let issuer { issuer } else { try await onlyIssuer() }
            let client = try options.client(options.configuration(issuer: issuer, redirect: common.redirect))
            let agent =
                everywhere ? try LoginBrowser.make(client.configuration.redirect) { output.opening($0) } : nil
            let outcome = try await LoginRun.untilInterrupted { try await client.signOut(using: agent) }
            output.signedOut(issuer, outcome)
        }
    }

    private func onlyIssuer() async throws -> String {
        let issuers = Set(try await LoginStore.make().keys().filter { $0.clientID == options.clientID }.map(\.issuer))
        guard let issuer = issuers.first else { throw OAuthError(.notSignedIn, "nobody is signed in") }
        guard issuers.count == 1 else {
            throw Refusal("say where to sign out: \(issuers.sorted().joined(separator: ", "))")
        }
        return issuer
    }
}
