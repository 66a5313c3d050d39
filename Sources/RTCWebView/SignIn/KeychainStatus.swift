/// What the Keychain answers, as far as it decides what to do: values of `OSStatus`.
enum KeychainStatus: Sendable, Hashable {
    case done
    case absent
    /// There is such an item already: it is changed instead.
    case duplicate
    case failed(OAuthError)

    init(_ status: Int32) {
        switch status {
        case 0: self = .done
        case -25_300: self = .absent
        case -25_299: self = .duplicate
        case -25_308:
            self = .failed(
                OAuthError(.noTokenStore, "the Keychain is locked: unlock this device once after it started"))
        case -34_018:
            self = .failed(OAuthError(.noTokenStore, "this app may not use the Keychain: give it the entitlement"))
        case -128: self = .failed(OAuthError(.noTokenStore, "access to the Keychain was declined"))
        default: self = .failed(OAuthError(.tokenStoreFailed, "the Keychain failed with status \(status)"))
        }
    }
}
