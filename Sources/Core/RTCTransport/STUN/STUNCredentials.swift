/// The keys of STUN's two credential mechanisms (RFC 8489, section 9).
///
/// Names and passwords are taken as they are: ICE generates them from characters that OpaqueString (RFC 8265) does not
/// change, and those of TURN servers are ASCII in practice.
package enum STUNCredentials {
    /// The key of the short-term mechanism, which ICE uses: the password (section 9.1.1).
    package static func shortTermKey(password: String) -> [UInt8] {
        Array(password.utf8)
    }

    /// The key of the long-term mechanism with the default password algorithm: MD5 of `username:realm:password`
    /// (section 9.2.2). `nil` where the provider has no MD5.
    package static func longTermKey(
        username: String, realm: String, password: String, crypto: any CryptoProvider
    ) -> [UInt8]? {
        let text = Array("\(username):\(realm):\(password)".utf8)
        return text.withUnsafeBytes { crypto.digest(.md5, of: $0.bytes) }
    }

    /// The key of the long-term mechanism with SHA-256 in place of MD5 (section 9.2.2).
    package static func longTermKeySHA256(
        username: String, realm: String, password: String, crypto: any CryptoProvider
    ) -> [UInt8]? {
        let text = Array("\(username):\(realm):\(password)".utf8)
        return text.withUnsafeBytes { crypto.digest(.sha256, of: $0.bytes) }
    }

    /// The value of USERHASH: SHA-256 of `username:realm` (section 14.4).
    package static func userhash(username: String, realm: String, crypto: any CryptoProvider) -> [UInt8]? {
        let text = Array("\(username):\(realm)".utf8)
        return text.withUnsafeBytes { crypto.digest(.sha256, of: $0.bytes) }
    }
}
