import ArgumentParser
import DuetShell
import Foundation
import OAuth

/// The options that `duet login`, `duet logout` and the users of the login share.
struct LoginOptions: ParsableArguments {
    static let defaultClientID = "duet"
    static let defaultRedirect = "http://127.0.0.1/signed-in"

    @Option(help: ArgumentHelp("The client identifier at the server.", valueName: "id"))
    var clientID = Self.defaultClientID

    @Option(
        help: ArgumentHelp(
            "A file with the client secret, for servers that give one to programs.", valueName: "file"))
    var clientSecretFile: String?

    @Option(
        help: ArgumentHelp(
            "A file with the certificate authorities to trust for the server, in PEM, instead of the system's.",
            valueName: "file"))
    var issuerAuthorities: String?

    @OptionGroup var endpoints: EndpointOptions

    /// - Parameter scopes: The default is `openid`, or none for a server with configured endpoints.
    /// - Throws: ``Refusal``
    func configuration(
        issuer: String, redirect: String = Self.defaultRedirect, scopes: [String]? = nil, resources: [String] = []
    ) throws -> ClientConfiguration {
        do {
            let (name, redirect) = (try Issuer(issuer), try RedirectURI(redirect))
            if let endpoints = try endpoints.endpoints() {
                return try ClientConfiguration(
                    endpoints: endpoints, clientID: clientID, redirect: redirect, scopes: scopes ?? [],
                    clientSecret: try secret(), resources: resources, issuer: name)
            }
            return ClientConfiguration(
                issuer: name, clientID: clientID, redirect: redirect, scopes: scopes ?? ["openid"],
                clientSecret: try secret(), resources: resources)
        } catch let error as OAuthError {
            throw Refusal(error.message)
        }
    }

    private func secret() throws(Refusal) -> Secret? {
        guard let clientSecretFile else { return nil }
        let text = try OptionFile.read(clientSecretFile, option: "--client-secret-file")
        return Secret(text.trimmingCharacters(in: .whitespacesAndNewlines))
    }

    /// - Throws: ``OAuthError`` `noTokenStore`
    func client(_ configuration: ClientConfiguration) throws(OAuthError) -> OAuthClient {
        OAuthClient(
            configuration, transport: LoginTransport.make(trust: issuerAuthorities), store: try LoginStore.make())
    }
}

/// The options that `duet login` and `duet logout` alone share.
struct LoginCommandOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The redirect URI, as registered at the server; by default this machine, on any free port.",
            valueName: "address"))
    var redirect = LoginOptions.defaultRedirect

    @Flag(help: "Print events as JSON, one object per line.")
    var json = false

    /// Runs a command, and prints why it failed.
    func report(_ command: (LoginOutput) async throws -> Void) async throws {
        let output = LoginOutput(isJSON: json)
        do {
            try await command(output)
        } catch let refusal as Refusal {
            throw Refusal.exit(refusal.description)
        } catch {
            throw output.failed(error)
        }
    }
}
