package import NIOSSL

/// TLS of a client over TCP: version 1.2 or newer, with the name in the certificate verified.
package struct ClientTLS: Sendable {
    /// The trusted certificates cannot be read.
    package struct UnreadableTrust: Error {}

    private let context: NIOSSLContext

    /// - Parameters:
    ///   - trustedFile: Certificate authorities in PEM, in place of the system's.
    ///   - verifiesServer: Whether certificates are verified; `false` is for tests.
    ///   - protocols: Those that ALPN offers.
    package init(
        trustedFile: String? = nil, verifiesServer: Bool = true, protocols: [String] = []
    ) throws(UnreadableTrust) {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = protocols
        if let trustedFile { configuration.trustRoots = .file(trustedFile) }
        if !verifiesServer { configuration.certificateVerification = .none }
        do { context = try NIOSSLContext(configuration: configuration) } catch { throw UnreadableTrust() }
    }

    /// The handler of a connection.
    ///
    /// - Parameter host: A name, or an address, which the certificate must name then.
    package func handler(for host: String) throws -> NIOSSLClientHandler {
        do {
            return try NIOSSLClientHandler(context: context, serverHostname: host)
        } catch let error as NIOSSLExtraError where error == .cannotUseIPAddressInSNI {
            return try NIOSSLClientHandler(context: context, serverHostname: nil)
        }
    }
}
