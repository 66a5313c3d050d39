internal import OAuth
internal import RTCSignaling

/// Where requests are sent: `https`, or `http` to this machine.
struct HTTPServerAddress: Sendable {
    let host: String
    let port: Int
    /// As in a URL.
    let authority: String
    let path: String
    let isSecure: Bool

    /// The maximum length of an answer's body in bytes.
    static let longestAnswer = 16 * 1024

    /// - Throws: ``SignalingServerError`` if it is no address to which secrets and names can be sent.
    init(_ text: String) throws(SignalingServerError) {
        guard let address = WebAddress(text), let host = address.host, let port = address.port,
            let authority = address.authority, address.fragment == nil
        else {
            // What may have a password in it does not belong into a log.
            let shown = text.contains("@") ? "what was given" : "“\(text.prefix(100))”"
            throw .setting("\(shown) is no URL such as https://example.org/calls, without user and password")
        }
        isSecure = address.hasScheme("https")
        guard isSecure || address.hasScheme("http") else { throw .setting("the URL has to begin with https://") }
        guard isSecure || address.isLoopback else {
            throw .setting("the URL has to begin with https://, except for a server on this machine")
        }
        self.host = host
        self.port = port
        self.authority = authority
        path = address.target
    }

    /// The server there.
    ///
    /// - Parameters:
    ///   - trustedFile: Authorities in PEM, in place of the system's.
    ///   - protocols: Those that ALPN offers.
    func server(trustedFile: String?, protocols: [String]) throws(SignalingServerError) -> HTTPServer {
        do {
            return try HTTPServer(
                host, port: port, isSecure: isSecure, trustedFile: trustedFile, protocols: protocols)
        } catch {
            throw .setting("the trusted certificates cannot be read")
        }
    }
}
