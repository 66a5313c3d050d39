package import RTCCredentials

/// Errors of `DuetSignaling(url:) { try await client.accessToken().value }` end the connection if nobody is signed in any more,
/// or another user is; others are temporary.
extension OAuthError: CredentialSourceError {
    package var credentialEnd: CredentialEnd? {
        switch code {
        case .subjectChanged: .subjectChanged
        case .notSignedIn, .refreshRefused: .signedOut
        default: nil
        }
    }
}
