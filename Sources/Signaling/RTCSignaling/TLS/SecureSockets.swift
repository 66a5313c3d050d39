internal import NIOSSL

/// TLS contexts for client and server.
enum SecureSockets {
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
        configuration.applicationProtocols = ["http/1.1"]
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

    static func clientContext(_ trust: SignalingClient.Trust) throws(SignalingClientError) -> NIOSSLContext {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.applicationProtocols = ["http/1.1"]
        switch trust {
        case .system: break
        case .file(let path): configuration.trustRoots = .file(path)
        case .anything: configuration.certificateVerification = .none
        }
        do {
            return try NIOSSLContext(configuration: configuration)
        } catch {
            throw SignalingClientError(.untrusted, "the trusted certificates cannot be read")
        }
    }

    static func clientHandler(_ context: NIOSSLContext, host: String) throws -> NIOSSLClientHandler {
        do {
            return try NIOSSLClientHandler(context: context, serverHostname: host)
        } catch let error as NIOSSLExtraError where error == .cannotUseIPAddressInSNI {
            return try NIOSSLClientHandler(context: context, serverHostname: nil)
        }
    }
}
