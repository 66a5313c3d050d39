public import OAuth

/// Errors of `DuetSignaling(url:) { try await client.accessToken().value }` end the connection if nobody is signed in any more,
/// or another user is; others are temporary.
extension OAuthError: CredentialError {
    public var finalSignalingError: SignalingClientError? {
        switch code {
        case .subjectChanged: SignalingClientError(.subjectChanged, message)
        case .notSignedIn, .refreshRefused: SignalingClientError(.signedOut, message)
        default: nil
        }
    }
}
