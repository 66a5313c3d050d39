import ArgumentParser
import DuetShell
import Foundation
import OAuth
import RTCSignaling
import RTCSignalingOAuth

/// `--auth`: who may sign in.
enum AuthenticationOption: Sendable, Equatable {
    case open
    case tokens(file: String)
    case jwt(keyFile: String, audience: String? = nil)
    /// Access tokens of an OpenID or OAuth server.
    case issuer(String, audience: String)

    static func parse(_ text: String) throws -> AuthenticationOption {
        let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
        switch (parts.first, parts.count) {
        case ("open", 1): return .open
        case ("token", 2): return .tokens(file: parts[1])
        case ("jwt", 2):
            guard let comma = parts[1].lastIndex(of: ",") else { return .jwt(keyFile: parts[1]) }
            let audience = String(parts[1][parts[1].index(after: comma)...])
            guard !audience.isEmpty else {
                throw ValidationError("--auth jwt=…: the audience behind the comma is empty")
            }
            return .jwt(keyFile: String(parts[1][..<comma]), audience: audience)
        case ("issuer", 2):
            // An audience contains no comma; an issuer may.
            guard let comma = parts[1].lastIndex(of: ",") else {
                throw ValidationError("--auth issuer=… takes the issuer, a comma, and whom its tokens are for")
            }
            let audience = String(parts[1][parts[1].index(after: comma)...])
            guard !audience.isEmpty else { throw ValidationError("--auth issuer=…: say whom its tokens are for") }
            return .issuer(String(parts[1][..<comma]), audience: audience)
        default:
            throw ValidationError(
                "--auth takes “open”, “token=FILE”, “jwt=KEYFILE[,AUDIENCE]” or “issuer=ISSUER,AUDIENCE”")
        }
    }

    /// The file with tokens or keys.
    var file: String? {
        switch self {
        case .tokens(let file): file
        case .jwt(let file, _): file
        case .open, .issuer: nil
        }
    }

    func makeAuthenticator() throws -> any Authenticator {
        switch self {
        case .open: return OpenAuthenticator()
        case .tokens(let file):
            do {
                return try TokenAuthenticator(parsing: OptionFile.read(file, option: "--auth"))
            } catch let error as SignalingServerError {
                throw Refusal("--auth token=\(file): \(error)")
            }
        case .issuer(let issuer, let audience):
            do {
                return IssuerAuthenticator(
                    AccessTokenVerifier(
                        issuer: try Issuer(issuer), audience: audience, transport: LoginTransport.make(trust: nil)))
            } catch {
                throw Refusal("--auth issuer=\(issuer): \(error)")
            }
        case .jwt(let file, let audience):
            let key = try OptionFile.read(file, option: "--auth")
            do {
                return try JWTAuthenticator(key: key, audience: audience)
            } catch {
                throw Refusal("--auth jwt=\(file): \(error)")
            }
        }
    }
}
