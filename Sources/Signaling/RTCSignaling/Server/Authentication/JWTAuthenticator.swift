#if JWT
    #if canImport(FoundationEssentials)
        internal import FoundationEssentials
    #else
        internal import Foundation
    #endif
    internal import JWTKit

    /// JSON Web Tokens (RFC 7519), verified with a key of the owner: `sub` is the user, `exp` has to be there.
    public struct JWTAuthenticator: Authenticator {
        private let keys: JWTKeyCollection
        private let audience: String?

        /// - Parameters:
        ///   - key: A public key in PEM (P-256, P-384, P-521, Ed25519 or RSA), a set of keys in JSON (JWKS), or a
        ///     secret of at least 32 bytes for HMAC with SHA-256.
        ///   - audience: What `aud` has to name; `nil` if it does not matter.
        /// - Throws: ``JWTKeyError``
        public init(key: String, audience: String? = nil) async throws(JWTKeyError) {
            keys = JWTKeyCollection()
            self.audience = audience
            let text = key.drop(while: \.isWhitespace)
            do {
                if text.hasPrefix("{") {
                    try await keys.add(jwksJSON: String(text))
                } else if text.hasPrefix("-----BEGIN") {
                    try await Self.add(pem: String(text), to: keys)
                } else {
                    var secret = Array(key.utf8)
                    while let last = secret.last, last == 10 || last == 13 { secret.removeLast() }
                    guard secret.count >= 32 else {
                        throw JWTKeyError("the secret is shorter than 32 bytes")
                    }
                    await keys.add(hmac: HMACKey(from: Data(secret)), digestAlgorithm: .sha256)
                }
            } catch let error as JWTKeyError {
                throw error
            } catch {
                throw JWTKeyError("this is neither a public key in PEM nor a set of keys in JSON")
            }
        }

        private static func add(pem: String, to keys: JWTKeyCollection) async throws {
            guard !pem.contains("PRIVATE KEY") else {
                throw JWTKeyError("this is a private key; the server needs the public one only")
            }
            if let key = try? ES256PublicKey(pem: pem) {
                await keys.add(ecdsa: key)
            } else if let key = try? ES384PublicKey(pem: pem) {
                await keys.add(ecdsa: key)
            } else if let key = try? ES512PublicKey(pem: pem) {
                await keys.add(ecdsa: key)
            } else if let key = try? EdDSA.PublicKey(pem: pem) {
                await keys.add(eddsa: key)
            } else {
                await keys.add(rsa: try Insecure.RSA.PublicKey(pem: pem), digestAlgorithm: .sha256)
            }
        }

        public func authenticate(_ hello: Hello) async throws -> AuthenticatedUser {
            guard let token = hello.token else { throw AuthenticationFailure(.unauthorized, "The token is missing.") }
            let claims: Claims
            do {
                claims = try await keys.verify(token, as: Claims.self)
                if let audience {
                    guard let named = claims.aud else { throw AuthenticationFailure(.unauthorized, "") }
                    try named.verifyIntendedAudience(includes: audience)
                }
            } catch {
                throw AuthenticationFailure(.unauthorized, "The token is wrong or not valid at this time.")
            }
            guard let user = UserID(rawValue: claims.sub.value) else {
                throw AuthenticationFailure(.unauthorized, "“sub” of the token cannot be a user of this server.")
            }
            guard hello.user == nil || hello.user == user else {
                throw AuthenticationFailure(.forbidden, "The token belongs to another user.")
            }
            return AuthenticatedUser(
                user: user, name: claims.name.flatMap(DisplayName.init(shortening:)), isProven: true,
                expiry: Int64(exactly: claims.exp.value.timeIntervalSince1970.rounded(.down)))
        }

        private struct Claims: JWTPayload {
            var sub: SubjectClaim
            var exp: ExpirationClaim
            var nbf: NotBeforeClaim?
            var aud: AudienceClaim?
            var name: String?

            func verify(using _: some JWTAlgorithm) async throws {
                try exp.verifyNotExpired()
                try nbf?.verifyNotBefore()
            }
        }
    }

    public struct JWTKeyError: Error, Hashable, Sendable, CustomStringConvertible {
        public var description: String

        init(_ description: String) {
            self.description = description
        }
    }
#endif
