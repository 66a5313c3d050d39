#if os(Linux)
    internal import NIOCore
    internal import NIOHTTP1
    internal import NIOPosix
    internal import NIOSSL

    /// HTTPS with SwiftNIO: one connection per request, TLS 1.2 or newer, with the system's certificate authorities.
    ///
    /// It supports no proxies, and follows no redirects.
    public struct SystemTransport: OAuthTransport {
        /// A PEM file with authorities to trust instead of the system's.
        private let trustedFile: String?
        private let timeout: Duration

        /// Creates a transport.
        ///
        /// - Parameters:
        ///   - trustedFile: A file with certificate authorities in PEM, in place of the system's, for a server with a
        ///     private authority.
        ///   - timeout: The time limit of a whole request.
        public init(trustedFile: String? = nil, timeout: Duration = .seconds(15)) {
            self.trustedFile = trustedFile
            self.timeout = timeout
        }

        public func send(_ request: OAuthRequest) async throws -> OAuthResponse {
            guard let host = request.address.host, let port = request.address.port else {
                throw OAuthError(.badConfiguration, "a server's address has no host")
            }
            let context = request.address.hasScheme("https") ? try makeContext() : nil
            let opened = OpenChannel()
            do {
                return try await withTaskCancellationHandler {
                    let loop = MultiThreadedEventLoopGroup.singleton.next()
                    let answer = loop.makePromise(of: OAuthResponse.self)
                    let exchange = HTTPExchange(request, host: host, port: port, answer)
                    let patience = TimeAmount(timeout)
                    let expiry = loop.scheduleTask(in: patience) {
                        answer.fail(HTTPExchange.TimedOut())
                        opened.close()
                    }
                    ClientBootstrap(group: loop)
                        .connectTimeout(patience)
                        .channelOption(.tcpOption(.tcp_nodelay), value: 1)
                        .channelInitializer { channel in
                            channel.eventLoop.makeCompletedFuture {
                                opened.keep(channel)
                                if let context {
                                    try channel.pipeline.syncOperations.addHandler(Self.tls(context, host))
                                }
                                try channel.pipeline.syncOperations.addHTTPClientHandlers()
                                try channel.pipeline.syncOperations.addHandler(HTTPExchangeHandler(exchange))
                            }
                        }
                        .connect(host: host, port: port)
                        .whenFailure { answer.fail($0) }
                    defer {
                        expiry.cancel()
                        opened.close()
                    }
                    return try await answer.futureResult.get()
                } onCancel: {
                    opened.close()
                }
            } catch {
                try Task.checkCancellation()
                throw OAuthError(sending: request, error)
            }
        }

        private func makeContext() throws(OAuthError) -> NIOSSLContext {
            var configuration = TLSConfiguration.makeClientConfiguration()
            configuration.minimumTLSVersion = .tlsv12
            configuration.applicationProtocols = ["http/1.1"]
            if let trustedFile { configuration.trustRoots = .file(trustedFile) }
            do {
                return try NIOSSLContext(configuration: configuration)
            } catch {
                throw OAuthError(.badConfiguration, "the trusted certificates cannot be read")
            }
        }

        private static func tls(_ context: NIOSSLContext, _ host: String) throws -> NIOSSLClientHandler {
            do {
                return try NIOSSLClientHandler(context: context, serverHostname: host)
            } catch let error as NIOSSLExtraError where error == .cannotUseIPAddressInSNI {
                return try NIOSSLClientHandler(context: context, serverHostname: nil)
            }
        }
    }

    extension OAuthError {
        /// The message names the server, but nothing of the request, which contains secrets.
        fileprivate init(sending request: OAuthRequest, _ error: any Error) {
            let server = request.address.authority ?? "the server"
            switch error {
            case let error as OAuthError: self = error
            case is HTTPExchange.TimedOut: self.init(.timedOut, "\(server) does not answer in time")
            case is HTTPExchange.TooLong: self.init(.badResponse, "\(server) answers with more than is read")
            case NIOSSLError.handshakeFailed, is NIOSSLExtraError:
                self.init(.untrusted, "the certificate of \(server) is not trusted, or it does not speak TLS")
            case is HTTPParserError: self.init(.badResponse, "\(server) does not speak HTTP")
            default: self.init(.unreachable, "\(server) cannot be reached")
            }
        }
    }
#endif
