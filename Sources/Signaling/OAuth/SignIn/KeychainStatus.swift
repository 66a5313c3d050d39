/// What the Keychain answers, as far as it decides what to do: values of `OSStatus`.
enum KeychainStatus: Sendable, Hashable {
    case done
    case absent
    /// There is such an item already: it is changed instead.
    case duplicate
    case failed(OAuthError)

    /// Of a program that nobody has signed for a team: it has no groups of items, and so no Keychain at all.
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

/// Where a program of the command line keeps its tokens.
package enum TokenPlace: Sendable, Hashable {
    /// The Keychain, or the Secret Service.
    case system
    /// A file that its owner alone may read (``FileTokenStore``).
    case file

    /// - Parameter status: What the Keychain says when it is asked for something that nobody has. One that is locked, or declined by
    ///   the person, is no reason to write tokens elsewhere.
    init(whenKeychainSays status: Int32) {
        self = status == KeychainStatus.missingEntitlement ? .file : .system
    }
}
