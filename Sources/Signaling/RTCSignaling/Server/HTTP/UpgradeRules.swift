internal import NIOHTTP1

/// Which requests may become WebSockets: of this server's own connections, and of those that another HTTP server hands over.
extension ServerCore {
    /// Returns whether a request may be upgraded, whatever its path is.
    func mayUpgrade(_ head: HTTPRequestHead, _ origin: RequestOrigin, _ socket: ServerSocket) -> Bool {
        head.method == .GET && !head.hasBody && origin.hasRoom && isHostKnown(origin) && isOriginAllowed(head, origin)
            && !phase.isStopping && !phase.refusesWebSockets && socket.state == .http
    }

    /// Accepts an upgrade: from then on, what the client sends are frames.
    ///
    /// - Returns: The fields of the answer, besides those of RFC 6455.
    func beginUpgrade(_ head: HTTPRequestHead, _ socket: ServerSocket) -> HTTPHeaders {
        record(head, status: 101, bytes: 0, on: socket)
        socket.state = .upgrading
        socket.requestBytes = 0
        var headers = HTTPHeaders()
        let offered = head.headers[canonicalForm: "sec-websocket-protocol"]
        if offered.contains(where: { $0 == SignalingProtocol.subprotocol }) {
            headers.add(name: "Sec-WebSocket-Protocol", value: SignalingProtocol.subprotocol)
        }
        return headers
    }

    /// Whether the request is for this server. Browsers always send `Host`.
    func isHostKnown(_ origin: RequestOrigin) -> Bool {
        guard let host = origin.hosts.first else { return true }
        return origin.hosts.count == 1 && hostNames.contains(host)
    }

    /// A page of another origin must not reach this server through its visitor's network.
    func isOriginAllowed(_ head: HTTPRequestHead, _ own: RequestOrigin) -> Bool {
        guard let origin = head.headers.first(name: "origin") else { return true }
        let allowed = configuration.allowedOrigins
        if allowed.contains("*") || allowed.contains(origin) { return true }
        guard let host = own.hosts.first, let scheme = origin.firstRange(of: "://") else {
            return false
        }
        // A page that came without TLS may be anybody's on the way. Behind a proxy that has TLS, this server has none, and
        // knows the scheme only if the proxy reports it.
        let schemes: Set<Substring> =
            if configuration.tls != nil {
                ["https"]
            } else if let reported = own.scheme {
                [Substring(reported)]
            } else {
                ["http", "https"]
            }
        return schemes.contains(origin[..<scheme.lowerBound]) && origin[scheme.upperBound...] == host
    }
}

extension HTTPRequestHead {
    /// Without the query.
    var path: String { String(uri.prefix { $0 != "?" }) }

    fileprivate var hasBody: Bool {
        headers.contains(name: "transfer-encoding") || headers["content-length"].contains { $0 != "0" }
    }
}
