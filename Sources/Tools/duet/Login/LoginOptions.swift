import ArgumentParser
import DuetShell
import Foundation
import OAuth

/// The options that `duet login`, `duet logout` and the users of the login share.
struct LoginOptions: ParsableArguments {
    static let defaultClientID = "duet"
    static let defaultRedirect = "http://127.0.0.1/signed-in"

    @Option(help: ArgumentHelp("How the server knows this program.", valueName: "id"))
    var clientID = Self.defaultClientID

    @Option(
        help: ArgumentHelp(
            "A file with the client's secret, for servers that hand one to programs all the same.", valueName: "file"))
    var clientSecretFile: String?

    @Option(
        help: ArgumentHelp(
            "Authorities to trust for the issuer instead of the system's, in PEM: for a server of one's own.",
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
            "Where the server sends the person back to, as registered there: this machine, on any free port.",
            valueName: "address"))
    var redirect = LoginOptions.defaultRedirect

    @Flag(help: "Print what happens as JSON, one object a line.")
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
