public import OAuth

/// A server's or a proxy's wish to know, or to show, who somebody is.
public struct AuthenticationChallenge: Sendable, Hashable {
    /// Cases may be added: give a `switch` a `default`.
    public enum Method: Sendable, Hashable {
        /// The server shows its certificate. Whether the system's own evaluation of it passed, and which certificate it was.
        case serverTrust(isTrusted: Bool, certificate: CertificateFingerprint?)
        /// A name and a password, which go over the connection as they are: RFC 7617.
        case basic
        /// A name and a password, of which a digest goes over the connection: RFC 7616.
        case digest
        /// A certificate of this side's, within TLS.
        case clientCertificate
        /// Anything else: Kerberos, NTLM, a form.
        case other
    }

    public let host: String
    public let port: Int
    public let method: Method
    /// What the server calls the part of it that the name and password are for.
    public let realm: String
    /// Whether a proxy asks, and not the server.
    public let isProxy: Bool
    /// Whether an answer was given before, and refused.
    public let isRetry: Bool
    /// Whether the system remembers one that might do.
    public let hasProposedCredential: Bool

    public init(
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
    /// Whether the system's default is to use what it proposes: once, since what was refused is proposed again.
    var usesProposedCredential: Bool { hasProposedCredential && !isRetry }

    /// An app's answer, if it is one to this.
    func fitting(_ answer: AuthenticationAnswer) -> AuthenticationAnswer {
        switch (answer, method) {
        case (.password, .clientCertificate), (.password, .serverTrust): .cancel
        case (.certificate, .clientCertificate): answer
        case (.certificate, _): .cancel
        default: answer
        }
    }
}

/// What an app answers to a challenge: see ``WebViewPage/authentication``.
public enum AuthenticationAnswer: Sendable {
    /// As if the app had not been asked: the credential that the system proposes, once; else none.
    case performDefaultHandling
    /// The load fails, or shows what the server says to somebody whom it does not know.
    case cancel
    /// A name and a password.
    case password(user: String, password: Secret, CredentialPersistence = .none)
    /// A certificate with its key, for ``AuthenticationChallenge/Method/clientCertificate``.
    case certificate(ClientCertificate, CredentialPersistence = .none)
}

/// How long a credential is remembered.
public enum CredentialPersistence: Sendable, Hashable {
    /// For this connection.
    case none
    /// As long as the app runs.
    case forSession
}

/// A certificate and its private key, as PKCS #12 has them (RFC 7292): what a file `.p12` or `.pfx` contains.
public struct ClientCertificate: Sendable {
    let pkcs12: [UInt8]
    let password: Secret

    public init(pkcs12: [UInt8], password: Secret) {
        self.pkcs12 = pkcs12
        self.password = password
    }
}
