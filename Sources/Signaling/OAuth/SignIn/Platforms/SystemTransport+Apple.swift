#if !os(Linux)
    internal import Foundation

    /// HTTPS with the system's URL loading: its trust and its proxies, without cookies and without a cache.
    public struct SystemTransport: OAuthTransport {
        private let session: URLSession

        /// Creates a transport.
        ///
        /// - Parameter timeout: The time limit of a whole request.
        public init(timeout: Duration = .seconds(15)) {
            let configuration = URLSessionConfiguration.ephemeral
            configuration.timeoutIntervalForResource = Double(timeout.components.seconds)
            configuration.httpShouldSetCookies = false
            configuration.urlCache = nil
            session = URLSession(configuration: configuration)
        }

        package func send(_ request: OAuthRequest) async throws -> OAuthResponse {
            guard let url = URL(string: request.address.description) else {
                throw OAuthError(.badConfiguration, "a server's address cannot be used")
            }
            var asked = URLRequest(url: url)
            asked.httpMethod = request.method.rawValue
            for header in request.headers { asked.setValue(header.value, forHTTPHeaderField: header.name) }
            if request.method == .post { asked.httpBody = Data(request.body) }
            let server = request.address.authority ?? "the server"
            do {
                let (bytes, response) = try await session.bytes(for: asked, delegate: NoRedirects())
                guard let response = response as? HTTPURLResponse else {
                    throw OAuthError(.badResponse, "\(server) does not speak HTTP")
                }
                var body: [UInt8] = []
                for try await byte in bytes {
                    guard body.count < OAuthRequest.longestResponse else {
                        throw OAuthError(.badResponse, "\(server) answers with more than is read")
                    }
                    body.append(byte)
                }
                return OAuthResponse(
                    status: response.statusCode, body: body,
                    lifetime: OAuthResponse.lifetime(response.value(forHTTPHeaderField: "Cache-Control") ?? ""))
            } catch let error as URLError {
                try Task.checkCancellation()
                throw Self.error(error.code, server)
            }
        }

        private static func error(_ code: URLError.Code, _ server: String) -> OAuthError {
            switch code {
            case .timedOut: OAuthError(.timedOut, "\(server) does not answer in time")
            case .secureConnectionFailed, .serverCertificateHasBadDate, .serverCertificateUntrusted,
                .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid,
                .appTransportSecurityRequiresSecureConnection:
                OAuthError(.untrusted, "the certificate of \(server) is not trusted, or it does not speak TLS")
            default: OAuthError(.unreachable, "\(server) cannot be reached")
            }
        }
    }

    private final class NoRedirects: NSObject, URLSessionTaskDelegate, @unchecked Sendable {
        func urlSession(
            _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
            newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
        ) {
            completionHandler(nil)
        }
    }
#endif
