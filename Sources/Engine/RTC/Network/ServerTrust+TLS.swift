internal import Dispatch
internal import NIOCore
internal import NIOSSL
internal import Synchronization

extension ServerTrust {
    /// TLS as a client with this trust: version 1.2 or 1.3, and the server's certificate has to stand up.
    ///
    /// Reading the system's authorities takes milliseconds and files, so it is done off the loop, and once in a process.
    ///
    /// - Parameter completion: Called on `eventLoop`; at once if the context is there already.
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
        // The chain alone: the library would take a certificate for the address in place of one for the name, and whoever
        // lies about the name's address may well have that. The name is checked by ``CertificateName``.
        configuration.certificateVerification = .noHostnameVerification
        // A server that does not say good-bye is not waited for.
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
            // An app has one or two of them. A program that makes up ever new ones gets no cache.
            if contexts.count < 8 { contexts[self] = context }
        }
        return context
    }

    private static let contexts = Mutex<[ServerTrust: NIOSSLContext]>([:])
}
