internal import RTCCredentials

/// An error of ``SignalingClient/Configuration/token`` that may be final, so that another attempt would have the same
/// result.
///
/// `OAuthError` counts as one: it ends the client if nobody is signed in any more, or another person is.
public protocol CredentialError: Error {
    /// The error with which the client ends; `nil` if a later attempt may succeed.
    var finalSignalingError: SignalingClientError? { get }
}

extension SignalingClientError: CredentialError {
    public var finalSignalingError: SignalingClientError? {
        code == .subjectChanged || code == .signedOut ? self : nil
    }
}

extension SignalingClientError {
    /// The error with which the client ends; `nil` if another attempt to get a credential may succeed.
    init?(ending error: any Error) {
        if let error = error as? any CredentialError {
            guard let final = error.finalSignalingError else { return nil }
            self = final
        } else if let error = error as? any CredentialSourceError, let end = error.credentialEnd {
            self.init(end == .signedOut ? .signedOut : .subjectChanged, error.message)
        } else {
            return nil
        }
    }
}
