public import RTCWire

/// How a client proves to a server that it is allowed to connect.
///
/// Keys and JSON Web Tokens of NATS (NKEY, `.creds` files) are left out: they need Ed25519 signatures and another format of keys.
public enum NATSCredentials: Hashable, Sendable, Confidential {
    case none
    case password(user: String, password: String)
    case token(String)

    /// Without secrets.
    public var description: String {
        switch self {
        case .none: "none"
        case .password(let user, _): "the password of \(ReadableText.of(user))"
        case .token: "a token"
        }
    }
}

/// The JSON of a CONNECT line.
struct ConnectMessage: Encodable {
    var verbose = false
    var pedantic = false
    var tls_required: Bool
    var name: String?
    var lang = "swift"
    var version = "0.1.0"
    /// 1: the server may send INFO lines at any time.
    var `protocol` = 1
    /// Whether this client's subscriptions receive what it publishes itself.
    var echo: Bool
    var headers = true
    var no_responders = true
    var user: String?
    var pass: String?
    var auth_token: String?

    init(name: String?, credentials: NATSCredentials, isSecured: Bool, echo: Bool) {
        self.name = name
        self.echo = echo
        tls_required = isSecured
        switch credentials {
        case .none: break
        case .password(let user, let password):
            self.user = user
            pass = password
        case .token(let token): auth_token = token
        }
    }
}
