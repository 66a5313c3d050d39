/// An error of ``SignalingClient/Configuration/token`` that may be final: another try would end the same way.
///
/// The `OAuthError` of OAuth is one.
public protocol CredentialError: Error {
    /// What the client ends with; `nil` if a later try may bring a credential.
    var finalSignalingError: SignalingClientError? { get }
}

extension SignalingClientError: CredentialError {
    public var finalSignalingError: SignalingClientError? {
        code == .subjectChanged || code == .signedOut ? self : nil
    }
}
