/// The results of Keychain calls that lead to different actions: values of `OSStatus`.
enum KeychainStatus: Sendable, Hashable {
    case done
    case absent
    /// The item exists already, and is updated instead.
    case duplicate
    case failed(OAuthError)

    /// For a program that is not signed by a team: it has no access groups, and so no access to the Keychain.
    static let missingEntitlement: Int32 = -34_018

    init(_ status: Int32) {
        switch status {
        case 0: self = .done
        case -25_300: self = .absent
        case -25_299: self = .duplicate
        case -25_308:
            self = .failed(
                OAuthError(.noTokenStore, "the Keychain is locked: unlock this device once after it started"))
        case Self.missingEntitlement:
            self = .failed(OAuthError(.noTokenStore, "this app may not use the Keychain: give it the entitlement"))
        case -128: self = .failed(OAuthError(.noTokenStore, "access to the Keychain was declined"))
        default: self = .failed(OAuthError(.tokenStoreFailed, "the Keychain failed with status \(status)"))
        }
    }
}

/// Where a command-line program stores its tokens.
package enum TokenStorageLocation: Sendable, Hashable {
    /// The Keychain, or the Secret Service.
    case system
    /// A file that only its owner may read (``FileTokenStore``).
    case file

    /// - Parameter status: The Keychain's result for an item that does not exist. If the Keychain is locked, or the person denies
    ///   access, tokens are not stored elsewhere.
    init(whenKeychainSays status: Int32) {
        self = status == KeychainStatus.missingEntitlement ? .file : .system
    }
}
