import ArgumentParser
import Foundation
import RTCSignaling

/// `--auth`: who may sign in.
enum AuthenticationOption: Sendable, Equatable {
    case open
    case tokens(file: String)
    case jwt(keyFile: String)

    static func parse(_ text: String) throws -> AuthenticationOption {
        let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
        switch (parts.first, parts.count) {
        case ("open", 1): return .open
        case ("token", 2): return .tokens(file: parts[1])
        case ("jwt", 2): return .jwt(keyFile: parts[1])
        default: throw ValidationError("--auth takes “open”, “token=FILE” or “jwt=KEYFILE”")
        }
    }

    func makeAuthenticator() async throws -> any Authenticator {
        switch self {
        case .open: return OpenAuthenticator()
        case .tokens(let file):
            do {
                return try TokenAuthenticator(parsing: ServeFile.read(file, option: "--auth"))
            } catch let error as TokenFileError {
                throw ServeRefusal("--auth token=\(file): \(error)")
            }
        case .jwt(let file):
            let key = try ServeFile.read(file, option: "--auth")
            #if JWT
                do {
                    return try await JWTAuthenticator(key: key)
                } catch {
                    throw ServeRefusal("--auth jwt=\(file): \(error)")
                }
            #else
                _ = key
                throw ServeRefusal("--auth jwt=…: this duet was built without JSON Web Tokens (--traits JWT)")
            #endif
        }
    }
}

/// A wish of `duet serve` that cannot be satisfied.
struct ServeRefusal: Error {
    var message: String

    init(_ message: String) {
        self.message = message
    }
}

enum ServeFile {
    static func read(_ path: String, option: String) throws(ServeRefusal) -> String {
        do {
            return try String(contentsOfFile: path, encoding: .utf8)
        } catch {
            throw ServeRefusal("\(option): the file \(path) cannot be read")
        }
    }
}
