internal import RTCCrypto

/// A token that is signed with a public key algorithm.
struct SignedToken: Sendable {
    let algorithm: SignatureAlgorithm
    private let token: CompactToken

    /// - Throws: As ``CompactToken`` does.
    init(parsing text: Secret, allowed: [SignatureAlgorithm]) throws(OAuthError) {
        token = try CompactToken(parsing: text, allowed: allowed.map(\.rawValue))
        guard let algorithm = SignatureAlgorithm(rawValue: token.algorithm) else {
            throw OAuthError(.algorithmNotAllowed, "the token is signed by an algorithm that is not allowed here")
        }
        self.algorithm = algorithm
    }

    var type: String? { token.type }
    /// The claims, which must not be used before ``verify(with:)``.
    var unverifiedClaims: JSON { token.unverifiedClaims }

    /// - Returns: The verified claims.
    /// - Throws: ``OAuthError`` `keyUnknown`, `keyMismatch`, `badSignature`.
    func verify(with keys: KeySet) throws(OAuthError) -> JSON {
        try verify(with: keys.candidates(token.keyIdentifier, algorithm))
    }

    /// Verifies with keys that may lack identifiers: one without is tried for every token.
    ///
    /// - Throws: As ``verify(with:)`` does.
    func verify(withOwn keys: KeySet) throws(OAuthError) -> JSON {
        let identifier = token.keyIdentifier
        return try verify(
            with: keys.keys.filter { $0.identifier == nil || identifier == nil || $0.identifier == identifier })
    }

    private func verify(with candidates: [KeySet.Key]) throws(OAuthError) -> JSON {
        guard !candidates.isEmpty else {
            throw OAuthError(.keyUnknown, "the token is signed by a key that the server does not have")
        }
        let fitting = candidates.filter { $0.fits(algorithm) }
        guard !fitting.isEmpty else {
            throw OAuthError(.keyMismatch, "the token's key is not made for the algorithm that it names")
        }
        // Only a few: a set without identifiers must not cost 64 verifications per token.
        let (message, signature) = (token.message, token.signature)
        guard fitting.prefix(8).contains(where: { $0.key.verifies(signature, of: message, by: algorithm) }) else {
            throw OAuthError(.badSignature, "the token's signature is wrong: somebody else wrote or changed it")
        }
        return unverifiedClaims
    }
}
