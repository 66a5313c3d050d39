internal import Dispatch
internal import NIOCore
internal import NIOSSL
internal import Synchronization

extension ServerTrust {
    /// Makes a TLS client context with this trust: version 1.2 or 1.3, with verification of the server's certificate.
    ///
    /// Loading the system's authorities takes milliseconds and files, so it runs off the loop, and once per process.
    ///
    /// - Parameter completion: Called on `eventLoop`; at once if the context exists.
    func makeContext(
        on eventLoop: any EventLoop, _ completion: @escaping (Result<NIOSSLContext, StreamFailure>) -> Void
    ) {
        if let known = Self.contexts.withLock({ $0[self] }) { return completion(.success(known)) }
        let bound = NIOLoopBound(completion, eventLoop: eventLoop)
        DispatchQueue.global().async {
            let result = Result { () throws(StreamFailure) in try makeContext() }
            eventLoop.execute { bound.value(result) }
        }
    }

    /// - Throws: ``StreamFailure`` `noAuthorities`.
    func makeContext() throws(StreamFailure) -> NIOSSLContext {
        if let known = Self.contexts.withLock({ $0[self] }) { return known }
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        // Verifies the chain only: the library would accept a certificate for the address instead of the name, which
        // someone who forges the name's address may have. ``CertificateName`` checks the name.
        configuration.certificateVerification = .noHostnameVerification
        // Limits the wait for a server's close_notify.
        configuration.shutdownTimeout = .seconds(1)
        let context: NIOSSLContext
        do {
            if case .authorities(let pem) = value {
                configuration.trustRoots = .certificates(try NIOSSLCertificate.fromPEMBytes(Array(pem.utf8)))
            }
            context = try NIOSSLContext(configuration: configuration)
        } catch {
            throw .noAuthorities
        }
        Self.contexts.withLock { contexts in
            // An app has one or two contexts. A program with ever new ones gets no cache.
            if contexts.count < 8 { contexts[self] = context }
        }
        return context
    }

    private static let contexts = Mutex<[ServerTrust: NIOSSLContext]>([:])
}
