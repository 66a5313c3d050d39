internal import RTCWire

/// A JSON Web Token in its compact form (RFC 7515, section 3.1; RFC 7519): parsed, not verified.
struct CompactToken: Sendable {
    /// The name of the algorithm, which is one of the allowed.
    let algorithm: String
    let keyIdentifier: String?
    /// In lower case, without "application/" (RFC 7515, section 4.1.9).
    let type: String?
    /// The claims, which must not be used before the signature is verified.
    let unverifiedClaims: JSON
    /// The signed bytes.
    let message: [UInt8]
    let signature: [UInt8]

    /// The maximum size in bytes, enough for a token with all groups of a user.
    static let longest = 131_072

    /// - Parameter allowed: The allowed signature algorithms: the token must not determine its algorithm (RFC 8725, section 3.1).
    /// - Throws: ``OAuthError`` `idTokenMalformed`, `idTokenUnsigned`, `algorithmNotAllowed`, `criticalHeader`.
    init(parsing text: Secret, allowed: [String]) throws(OAuthError) {
        func malformed(_ why: String) -> OAuthError { OAuthError(.idTokenMalformed, "the token \(why)") }
        guard text.value.utf8.count <= Self.longest else { throw malformed("is too long") }
        let parts = text.value.split(separator: ".", maxSplits: 8, omittingEmptySubsequences: false)
        guard parts.count != 5 else { throw malformed("is encrypted, which was not asked for") }
        guard parts.count == 3 else { throw malformed("has not three parts") }
        guard let headerBytes = Base64.decode(parts[0], as: .url), let header = JSON(headerBytes),
            case .object = header
        else {
            throw malformed("has a header that cannot be read")
        }
        guard let name = header["alg"]?.string else { throw malformed("does not say how it is signed") }
        guard name.lowercased() != "none" else {
            throw OAuthError(.idTokenUnsigned, "the token is not signed (“none”): anybody can have written it")
        }
        // Critical extensions, of which none is supported.
        guard header["crit"] == nil, header["b64"] == nil else {
            throw OAuthError(.criticalHeader, "the token demands an extension that is not known here")
        }
        guard allowed.contains(name) else {
            throw OAuthError(.algorithmNotAllowed, "the token is signed by an algorithm that is not allowed here")
        }
        guard let payload = Base64.decode(parts[1], as: .url), let claims = JSON(payload), case .object = claims else {
            throw malformed("has claims that cannot be read")
        }
        guard let signature = Base64.decode(parts[2], as: .url), !signature.isEmpty else {
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
