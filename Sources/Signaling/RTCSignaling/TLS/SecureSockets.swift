internal import NIOSSL
internal import RTCCrypto

/// TLS for client and server.
enum SecureSockets {
    private static let protocols = ["http/1.1"]

    static func serverContext(_ tls: SignalingServer.TLS) throws(SignalingServerError) -> NIOSSLContext {
        let chain: [NIOSSLCertificate]
        do {
            chain = try NIOSSLCertificate.fromPEMFile(tls.certificateFile)
        } catch {
            throw SignalingServerError(.certificate, "\(tls.certificateFile) is not a certificate in PEM")
        }
        let key: NIOSSLPrivateKey
        do {
            key = try NIOSSLPrivateKey(file: tls.privateKeyFile, format: .pem)
        } catch {
            throw SignalingServerError(
                .certificate, "\(tls.privateKeyFile) is not a private key in PEM without a passphrase")
        }
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = protocols
        do {
            return try NIOSSLContext(configuration: configuration)
        } catch {
            throw SignalingServerError(
                .certificate, "\(tls.privateKeyFile) is not the key of the certificate in \(tls.certificateFile)")
        }
    }

    /// The names in a server's certificate.
    static func names(in tls: SignalingServer.TLS) -> [String] {
        let certificate = try? NIOSSLCertificate.fromPEMFile(tls.certificateFile).first
        return (certificate?._subjectAlternativeNames()).map { names in
            names.filter { $0.nameType == .dnsName }
                .map { $0.contents.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) } }
        } ?? []
    }

    static func client(_ trust: SignalingClient.Trust) throws(SignalingClientError) -> ClientTLS {
        do {
            switch trust {
            case .system: return try ClientTLS(protocols: protocols)
            case .file(let path): return try ClientTLS(trustedFile: path, protocols: protocols)
            case .anything: return try ClientTLS(verifiesServer: false, protocols: protocols)
            }
        } catch {
            throw SignalingClientError(.untrusted, "the trusted certificates cannot be read")
        }
    }
}
