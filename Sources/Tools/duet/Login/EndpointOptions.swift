import ArgumentParser
import DuetShell
import OAuth

/// The endpoints of a server without metadata, for `duet login` and all commands that use the login.
struct EndpointOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The authorization endpoint of a server without metadata.", valueName: "address"))
    var authorizationEndpoint: String?

    @Option(help: ArgumentHelp("The token endpoint of such a server.", valueName: "address"))
    var tokenEndpoint: String?

    @Option(help: ArgumentHelp("Where such a server describes the user.", valueName: "address"))
    var userinfoEndpoint: String?

    @Option(
        help: ArgumentHelp(
            "The member of that which identifies the user permanently, such as “id”.", valueName: "member"))
    var subjectMember = "sub"

    @Option(help: ArgumentHelp("Where such a server revokes tokens.", valueName: "address"))
    var revocationEndpoint: String?

    @Option(help: ArgumentHelp("Where such a server signs users out.", valueName: "address"))
    var endSessionEndpoint: String?

    /// Whether the server's metadata are used.
    var isEmpty: Bool { authorizationEndpoint == nil }

    /// - Returns: `nil` if the server's metadata are used.
    /// - Throws: ``Refusal``, ``OAuthError``.
    func endpoints() throws -> ServerEndpoints? {
        guard let authorizationEndpoint, let tokenEndpoint else {
            let given = [
                authorizationEndpoint, tokenEndpoint, userinfoEndpoint, revocationEndpoint, endSessionEndpoint,
            ]
            guard given.allSatisfy({ $0 == nil }) else {
                throw Refusal("give --authorization-endpoint and --token-endpoint, both, or no endpoint at all")
            }
            return nil
        }
        var endpoints = try ServerEndpoints(
            authorization: authorizationEndpoint, token: tokenEndpoint, userInfo: userinfoEndpoint,
            revocation: revocationEndpoint, endSession: endSessionEndpoint)
        endpoints.subjectMember = subjectMember
        return endpoints
    }
}
