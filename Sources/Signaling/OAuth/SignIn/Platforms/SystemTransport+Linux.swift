#if os(Linux)
    internal import NIOHTTP1
    internal import NIOSSL
    internal import RTCCrypto

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

        package func send(_ request: OAuthRequest) async throws -> OAuthResponse {
            let address = request.address
            guard let host = address.host, let port = address.port else {
                throw OAuthError(.badConfiguration, "a server's address has no host")
            }
            do {
                let server = try HTTPServer(
                    host, port: port, isSecure: address.hasScheme("https"), trustedFile: trustedFile)
                let response = try await server.response(to: Self.exchanged(request, host), within: timeout)
                return OAuthResponse(
                    status: response.status, body: response.body,
                    lifetime: OAuthResponse.lifetime(response.headers["cache-control"].joined(separator: ",")))
            } catch {
                try Task.checkCancellation()
                throw OAuthError(sending: request, error)
            }
        }

        private static func exchanged(_ request: OAuthRequest, _ host: String) -> HTTPExchange.Request {
            let address = request.address
            var headers: HTTPHeaders = [
                "Host": address.authority ?? host, "User-Agent": "duet", "Connection": "close",
            ]
            for header in request.headers { headers.add(name: header.name, value: header.value) }
            if request.method == .post { headers.add(name: "Content-Length", value: "\(request.body.count)") }
            return HTTPExchange.Request(
                request.method == .post ? .POST : .GET, path: address.target, headers: headers, body: request.body,
                longestResponse: OAuthRequest.longestResponse)
        }
    }

    extension OAuthError {
        /// The message names the server, but nothing of the request, which contains secrets.
        fileprivate init(sending request: OAuthRequest, _ error: any Error) {
            let server = request.address.authority ?? "the server"
            switch error {
            case is ClientTLS.UnreadableTrust:
                self.init(.badConfiguration, "the trusted certificates cannot be read")
            case HTTPExchange.Failure.timedOut: self.init(.timedOut, "\(server) does not answer in time")
            case HTTPExchange.Failure.responseTooLong:
                self.init(.badResponse, "\(server) answers with more than is read")
            case NIOSSLError.handshakeFailed, is NIOSSLExtraError:
                self.init(.untrusted, "the certificate of \(server) is not trusted, or it does not speak TLS")
            case is HTTPParserError: self.init(.badResponse, "\(server) does not speak HTTP")
            default: self.init(.unreachable, "\(server) cannot be reached")
            }
        }
    }
#endif
