/// Why a source of credentials, such as a sign-in, will have none again.
package enum CredentialEnd: Sendable, Hashable {
    /// Nobody is signed in any more.
    case signedOut
    /// Another person is signed in.
    case subjectChanged
}

/// An error of a source of credentials. Its consumer knows no such source, and asks whether another attempt could succeed.
package protocol CredentialSourceError: Error {
    /// `nil` if a later attempt may succeed.
    var credentialEnd: CredentialEnd? { get }
    var message: String { get }
}
