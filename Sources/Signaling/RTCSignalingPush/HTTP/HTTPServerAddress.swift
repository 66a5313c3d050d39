internal import NIOCore
internal import NIOPosix
internal import NIOSSL
internal import OAuth
internal import RTCWire

/// Where requests are sent: `https`, or `http` to this machine.
struct HTTPServerAddress: Sendable {
    let host: String
    let port: Int
    /// As in a URL.
    let authority: String
    let path: String
    let isSecure: Bool

    /// - Throws: ``PushError`` if it is no address to which secrets and names can be sent.
    init(_ text: String) throws(PushError) {
        guard let address = WebAddress(text), let host = address.host, let port = address.port,
            let authority = address.authority, address.fragment == nil
        else {
            // What may have a password in it does not belong into a log.
            let shown = text.contains("@") ? "what was given" : "“\(text.prefix(100))”"
            throw PushError("\(shown) is no URL such as https://example.org/calls, without user and password")
        }
        isSecure = address.hasScheme("https")
        guard isSecure || address.hasScheme("http") else { throw PushError("the URL has to begin with https://") }
        guard isSecure || address.isLoopback else {
            throw PushError("the URL has to begin with https://, except for a server on this machine")
        }
        self.host = host
        self.port = port
        self.authority = authority
        path = (address.path.isEmpty ? "/" : address.path) + (address.query.map { "?" + $0 } ?? "")
    }

    /// A connection to it, without handlers.
    ///
    /// - Parameter timeout: The time limit for the connection, in which TLS is not included.
    func bootstrap(on loop: any EventLoop, timeout: TimeAmount) -> ClientBootstrap {
        ClientBootstrap(group: loop).connectTimeout(timeout).channelOption(.tcpOption(.tcp_nodelay), value: 1)
    }

    /// The settings of TLS.
    ///
    /// - Parameters:
    ///   - trustedFile: Authorities in PEM, in place of the system's.
    ///   - protocols: Those that ALPN offers.
    func context(trustedFile: String?, protocols: [String]) throws(PushError) -> NIOSSLContext? {
        guard isSecure else { return nil }
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = protocols
        if let trustedFile { configuration.trustRoots = .file(trustedFile) }
        do {
            return try NIOSSLContext(configuration: configuration)
        } catch {
            throw PushError("the trusted certificates cannot be read")
        }
    }

    func tlsHandler(_ context: NIOSSLContext) throws -> NIOSSLClientHandler {
        // Certificates of addresses are checked by the address of the connection.
        try NIOSSLClientHandler(context: context, serverHostname: IPAddress(host) == nil ? host : nil)
    }
}
