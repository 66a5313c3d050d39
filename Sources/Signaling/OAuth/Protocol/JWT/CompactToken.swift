/// A JSON Web Token in its compact form (RFC 7515, section 3.1; RFC 7519): taken apart, and not yet believed.
struct CompactToken: Sendable {
    /// The name of the algorithm: one of those that were allowed.
    let algorithm: String
    let keyIdentifier: String?
    /// In lower case, without "application/" (RFC 7515, section 4.1.9).
    let type: String?
    /// What it says. Nothing of it counts before the signature is verified.
    let unverifiedClaims: JSON
    /// What is signed.
    let message: [UInt8]
    let signature: [UInt8]

    /// A token with all of a person's groups in it stays below this, in bytes.
    static let longest = 131_072

    /// - Parameter allowed: The algorithms that it may be signed by: never what the token itself says alone (RFC 8725,
    ///   section 3.1).
    /// - Throws: ``OAuthError`` `idTokenMalformed`, `idTokenUnsigned`, `algorithmNotAllowed`, `criticalHeader`.
    init(parsing text: Secret, allowed: [String]) throws(OAuthError) {
        func malformed(_ why: String) -> OAuthError { OAuthError(.idTokenMalformed, "the token \(why)") }
        guard text.value.utf8.count <= Self.longest else { throw malformed("is too long") }
        let parts = text.value.split(separator: ".", maxSplits: 8, omittingEmptySubsequences: false)
        guard parts.count != 5 else { throw malformed("is encrypted, which was not asked for") }
        guard parts.count == 3 else { throw malformed("has not three parts") }
        guard let headerBytes = Base64URL.decode(parts[0]), let header = JSON(headerBytes), case .object = header else {
            throw malformed("has a header that cannot be read")
        }
        guard let name = header["alg"]?.string else { throw malformed("does not say how it is signed") }
        guard name.lowercased() != "none" else {
            throw OAuthError(.idTokenUnsigned, "the token is not signed (“none”): anybody can have written it")
        }
        // Extensions that have to be understood: none is.
        guard header["crit"] == nil, header["b64"] == nil else {
            throw OAuthError(.criticalHeader, "the token demands an extension that is not known here")
        }
        guard allowed.contains(name) else {
            throw OAuthError(.algorithmNotAllowed, "the token is signed by an algorithm that is not allowed here")
        }
        guard let payload = Base64URL.decode(parts[1]), let claims = JSON(payload), case .object = claims else {
            throw malformed("has claims that cannot be read")
        }
        guard let signature = Base64URL.decode(parts[2]), !signature.isEmpty else {
            throw malformed("has a signature that cannot be read")
        }
        algorithm = name
        keyIdentifier = header["kid"]?.string
        type = header["typ"]?.string.map(Self.mediaType)
        unverifiedClaims = claims
        message = Array("\(parts[0]).\(parts[1])".utf8)
        self.signature = signature
    }

    private static func mediaType(_ text: String) -> String {
        let text = text.lowercased()
        return text.hasPrefix("application/") ? String(text.dropFirst("application/".count)) : text
    }
}
