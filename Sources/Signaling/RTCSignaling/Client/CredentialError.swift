/// An error of ``SignalingClient/Configuration/token`` that may be final, so that another attempt would have the same
/// result.
///
/// `OAuthError` conforms to it.
public protocol CredentialError: Error {
    /// The error with which the client ends; `nil` if a later attempt may succeed.
    var finalSignalingError: SignalingClientError? { get }
}

extension SignalingClientError: CredentialError {
    public var finalSignalingError: SignalingClientError? {
        code == .subjectChanged || code == .signedOut ? self : nil
    }
}
