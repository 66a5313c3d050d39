import RTCWire

@testable import RTCSignaling

/// Parses everything that a proxy may send. No input may trap.
enum ProxyParsers {
    /// Reads the PROXY protocol's header of a connection whose bytes arrive in pieces, and checks that the cuts change nothing.
    ///
    /// - Parameters:
    ///   - bytes: All bytes of the connection.
    ///   - step: The size of a piece, in bytes, at least 1.
    static func readHeader(_ bytes: [UInt8], inPiecesOf step: Int) {
        let whole = ProxyHeader.read(bytes)
        if case .header(let header) = whole {
            precondition((1...ProxyHeader.maximumLength).contains(header.length), "a header without bound")
            precondition(header.length <= bytes.count, "a header longer than what was received")
            precondition(ProxyHeader.read(Array(bytes.prefix(header.length))) == whole, "what follows is part of it")
            precondition(
                ProxyHeader.read(Array(bytes.prefix(header.length - 1))) == .incomplete, "it ends before its end")
        }
        if bytes.count >= ProxyHeader.maximumLength { precondition(whole != .incomplete, "waits for ever") }
        for count in stride(from: 0, to: min(bytes.count, ProxyHeader.maximumLength), by: max(step, 1)) {
            let result = ProxyHeader.read(Array(bytes.prefix(count)))
            precondition(result == .incomplete || result == whole, "what is known changes with more bytes")
        }
    }

    /// Reads what trusted proxies report of a request.
    ///
    /// - Parameters:
    ///   - fields: The values of `Forwarded` or `X-Forwarded-For`, whichever `trust` names.
    ///   - host: The value of `X-Forwarded-Host`.
    ///   - scheme: The value of `X-Forwarded-Proto`.
    static func readRequest(_ fields: [String], host: String, scheme: String, from trust: ProxyTrust) {
        let all = ForwardedRequest.Fields(
            forwarded: fields, forwardedFor: fields, forwardedHost: [host], forwardedProto: [scheme])
        let request = ForwardedRequest(all, from: trust)
        precondition(request.scheme.map { ["http", "https"].contains($0) } ?? true, "an unknown scheme")
        precondition((request.host?.utf8.count ?? 1) <= 261, "a host without bound")
        // A host and a scheme of each of 64 elements, and the end of the list.
        precondition((0...129).contains(request.malformedCount), "counts without bound")
        guard trust.header == .xForwardedFor, let client = request.client, !trust.networks.contains(client) else {
            return
        }
        // A client writes to the left of what the proxies write.
        var forged = all
        forged.forwardedFor.insert("198.51.100.9", at: 0)
        precondition(ForwardedRequest(forged, from: trust) == request, "a client chose its address")
    }
}
