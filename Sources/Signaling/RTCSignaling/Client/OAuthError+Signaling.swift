public import OAuth

/// What `DuetSignaling(url:) { try await client.accessToken().value }` throws ends the connection where nobody is signed in any more, or
/// somebody else is; all else is of the moment.
extension OAuthError: CredentialError {
    public var finalSignalingError: SignalingClientError? {
        switch code {
        case .subjectChanged: SignalingClientError(.subjectChanged, message)
        case .notSignedIn, .refreshRefused: SignalingClientError(.signedOut, message)
        default: nil
        }
    }
}
