/// The master keys and salts that a DTLS handshake yields for SRTP (RFC 5764, section 4.2).
///
/// Never printed: its description and its mirror name the profile only.
package struct SRTPKeyingMaterial: Sendable, Equatable, CustomStringConvertible, CustomReflectable {
    package let profile: SRTPProfile
    /// The key that protects this side's packets.
    package let localKey: [UInt8]
    package let localSalt: [UInt8]
    /// The key that protects the other side's packets.
    package let remoteKey: [UInt8]
    package let remoteSalt: [UInt8]

    /// The label under which the material is exported.
    static let label = "EXTRACTOR-dtls_srtp"

    /// Splits exported material: client key, server key, client salt, server salt.
    ///
    /// - Parameter role: This side's role in the handshake.
    /// - Returns: `nil` when `material` has not ``SRTPProfile/keyingMaterialLength`` bytes.
    package init?(profile: SRTPProfile, material: [UInt8], role: DTLSRole) {
        guard material.count == profile.keyingMaterialLength else { return nil }
        let (key, salt) = (profile.keyLength, profile.saltLength)
        let clientKey = Array(material[..<key])
        let serverKey = Array(material[key..<2 * key])
        let clientSalt = Array(material[2 * key..<2 * key + salt])
        let serverSalt = Array(material[(2 * key + salt)...])
        self.profile = profile
        switch role {
        case .client:
            (localKey, localSalt, remoteKey, remoteSalt) = (clientKey, clientSalt, serverKey, serverSalt)
        case .server:
            (localKey, localSalt, remoteKey, remoteSalt) = (serverKey, serverSalt, clientKey, clientSalt)
        }
    }

    package var description: String { "SRTP keying material for \(profile)" }

    /// Without the keys, so that `dump` and a debugger's summary do not show them either.
    package var customMirror: Mirror { Mirror(self, children: ["profile": profile]) }
}

extension SRTPProfile {
    /// The length of a master key in bytes (RFC 5764, section 4.1.2; RFC 7714, section 12).
    @usableFromInline package var keyLength: Int {
        switch self {
        case .aes128CMHMACSHA1_80, .aeadAES128GCM: 16
        case .aeadAES256GCM: 32
        }
    }

    /// The length of a master salt in bytes.
    @usableFromInline package var saltLength: Int {
        switch self {
        case .aes128CMHMACSHA1_80: 14
        case .aeadAES128GCM, .aeadAES256GCM: 12
        }
    }

    /// How many bytes are exported for both sides' keys and salts.
    @usableFromInline package var keyingMaterialLength: Int { 2 * (keyLength + saltLength) }
}
