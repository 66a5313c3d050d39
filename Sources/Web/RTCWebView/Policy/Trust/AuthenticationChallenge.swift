public import OAuth

/// An authentication challenge of a server or proxy.
public struct AuthenticationChallenge: Sendable, Hashable {
    /// The method of a challenge. Cases may be added: give a `switch` a `default`.
    public enum Method: Sendable, Hashable {
        /// The server's certificate is to be evaluated: whether the system trusts it, and its fingerprint.
        case serverTrust(isTrusted: Bool, certificate: CertificateFingerprint?)
        /// A name and a password, sent in plain text over the connection: RFC 7617.
        case basic
        /// A name and a password, of which a digest is sent: RFC 7616.
        case digest
        /// A client certificate in TLS.
        case clientCertificate
        /// Another method: Kerberos, NTLM, or a form.
        case other
    }

    public let host: String
    public let port: Int
    public let method: Method
    /// The realm that the name and password are for.
    public let realm: String
    /// Whether the challenge comes from a proxy.
    public let isProxy: Bool
    /// Whether a previous answer was rejected.
    public let isRetry: Bool
    /// Whether the system has a stored credential.
    public let hasProposedCredential: Bool

    package init(
        host: String, port: Int = 0, method: Method, realm: String = "", isProxy: Bool = false, isRetry: Bool = false,
        hasProposedCredential: Bool = false
    ) {
        self.host = host
        self.port = port
        self.method = method
        self.realm = realm
        self.isProxy = isProxy
        self.isRetry = isRetry
        self.hasProposedCredential = hasProposedCredential
    }
}

extension AuthenticationChallenge {
    /// Whether the system's default is to use the proposed credential: only once, since a rejected one is proposed again.
    var usesProposedCredential: Bool { hasProposedCredential && !isRetry }

    /// The app's answer, if it is of the right kind for this challenge; otherwise the default.
    func fitting(_ answer: AuthenticationAnswer) -> AuthenticationAnswer {
        switch (answer, method) {
        case (.password, .clientCertificate), (.password, .serverTrust): .cancel
        case (.certificate, .clientCertificate): answer
        case (.certificate, _): .cancel
        default: answer
        }
    }
}

/// The app's answer to a challenge: see ``WebViewPage/authentication``.
public enum AuthenticationAnswer: Sendable {
    /// Handle the challenge as if the app had not been asked: with the system's credential, once, or with none.
    case performDefaultHandling
    /// Cancel the load, or show the server's page for unauthenticated requests.
    case cancel
    /// Authenticate with a name and a password.
    case password(user: String, password: Secret, CredentialPersistence = .none)
    /// Authenticate with a client certificate, for ``AuthenticationChallenge/Method/clientCertificate``.
    case certificate(ClientCertificate, CredentialPersistence = .none)
}

/// How long a credential is kept.
public enum CredentialPersistence: Sendable, Hashable {
    /// For this connection.
    case none
    /// While the app runs.
    case forSession
}

/// A client certificate with its private key in PKCS #12 (RFC 7292): the content of a `.p12` or `.pfx` file.
public struct ClientCertificate: Sendable {
    let pkcs12: [UInt8]
    let password: Secret

    public init(pkcs12: [UInt8], password: Secret) {
        self.pkcs12 = pkcs12
        self.password = password
    }
}
