#if os(Linux)
    internal import Glibc
    internal import NIOCore
    internal import NIOHTTP1
    internal import NIOPosix
    internal import RTCCrypto
    internal import RTCWire
    internal import Synchronization

    /// Listens on a port of this machine for the redirect: RFC 8252, sections 7.3 and 8.3.
    final class LoopbackReceiver: Sendable {
        private let arrived: AsyncStream<String>
        private let expected: Expected
        private let origin: String

        private init(_ arrived: AsyncStream<String>, _ expected: Expected, origin: String) {
            self.arrived = arrived
            self.expected = expected
            self.origin = origin
        }

        /// Sets the `state` of the expected redirect. Other requests change nothing; before this call, no request does.
        func expect(_ state: Secret) { expected.state.withLock { $0 = state } }

        /// Returns a loopback URL that redirects to another one, for programs of this user only. The arguments of the program
        /// that opens a browser are visible to all users of the machine: with `state`, `nonce` and challenge they could sign the
        /// person in as somebody else, and a sign-out URL contains a token.
        func loopbackRedirect(to address: String) -> String {
            let path = "/" + Base64.encode(SystemRandom().bytes(16), as: .url)
            expected.loopbackRedirects.withLock { $0[path] = address }
            return origin + path
        }

        /// The expected values of requests.
        fileprivate final class Expected: Sendable {
            /// The targets of detours, by path.
            let loopbackRedirects = Mutex<[String: String]>([:])
            let state = Mutex<Secret?>(nil)
        }

        /// Listens while `body` runs, if it is a loopback redirect.
        ///
        /// - Parameter body: Receives the redirect with the port of the listener.
        /// - Throws: ``OAuthError`` `badConfiguration` if the port is taken, and what `body` throws.
        static func whileListening<R>(
            for redirect: RedirectURI, _ body: (RedirectURI, LoopbackReceiver?) async throws -> R
        ) async throws -> R {
            guard redirect.kind == .loopback, let host = redirect.address.host else {
                return try await body(redirect, nil)
            }
            let (stream, continuation) = AsyncStream.makeStream(of: String.self, bufferingPolicy: .bufferingOldest(1))
            let expected = Expected()
            // “localhost” may resolve to either address, and browsers try both.
            let address = host == "localhost" ? "127.0.0.1" : host
            let server: any Channel
            do {
                server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                    .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                    .childChannelInitializer { channel in
                        channel.eventLoop.makeCompletedFuture {
                            try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                            try channel.pipeline.syncOperations.addHandler(
                                RedirectHandler(redirect, expected, onRedirect: { continuation.yield($0) }))
                        }
                    }
                    .bind(host: address, port: redirect.loopbackPort ?? 0).get()
            } catch {
                throw OAuthError(.badConfiguration, "the port of the redirect \(redirect) cannot be listened on")
            }
            do {
                let listening = try redirect.listening(on: server.localAddress?.port ?? 0)
                let origin = "http://" + (listening.address.authority ?? host)
                let result = try await body(listening, LoopbackReceiver(stream, expected, origin: origin))
                try? await server.close()
                return result
            } catch {
                try? await server.close()
                throw error
            }
        }

        /// Waits for the redirect: the first request for its path with the expected `state`.
        func redirect() async throws -> String {
            for await url in arrived { return url }
            throw CancellationError()
        }
    }

    /// Accepts one redirect, and answers other requests with an error. Any page and any program of this machine can send
    /// requests; programs of other users get no response.
    private final class RedirectHandler: ChannelInboundHandler {
        typealias InboundIn = HTTPServerRequestPart
        typealias OutboundOut = HTTPServerResponsePart

        private let redirect: RedirectURI
        private let expected: LoopbackReceiver.Expected
        private let onRedirect: @Sendable (String) -> Void
        private var head: HTTPRequestHead?
        private var patience: Scheduled<Void>?

        init(
            _ redirect: RedirectURI, _ expected: LoopbackReceiver.Expected,
            onRedirect: @escaping @Sendable (String) -> Void
        ) {
            self.redirect = redirect
            self.expected = expected
            self.onRedirect = onRedirect
        }

        func channelActive(context: ChannelHandlerContext) {
            let channel = context.channel
            patience = context.eventLoop.scheduleTask(in: .seconds(10)) { channel.close(promise: nil) }
            context.fireChannelActive()
        }

        func channelInactive(context: ChannelHandlerContext) {
            patience?.cancel()
            context.fireChannelInactive()
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            switch unwrapInboundIn(data) {
            case .head(let head): self.head = head
            case .body: return
            case .end: if let head { answer(head, context) }
            }
        }

        private func answer(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
            guard SocketTable.mayAnswer(context) else { return respond(.notFound, .refused, context) }
            guard head.method == .GET else { return respond(.methodNotAllowed, .refused, context) }
            // A page that uses DNS rebinding sends its own name.
            guard let host = head.headers.first(name: "host"),
                let address = WebAddress("http://\(host)\(head.uri)"), address.isLoopback,
                address.port == context.localAddress?.port
            else { return respond(.notFound, .refused, context) }
            if let target = expected.loopbackRedirects.withLock({ $0[address.path] }) {
                return respond(.seeOther, .looking, context, location: target)
            }
            guard redirect.matches(address) else { return respond(.notFound, .refused, context) }
            // Requests do not contain the fragment. The response's script reads it, and sends the names of its parameters.
            guard address.query != nil else { return respond(.ok, .looking, context) }
            // A program of another user may get this far if it closes its socket at once, which then has no owner. The sign-in
            // continues to wait.
            guard let state = expected.state.withLock({ $0 }), AuthorizationResponse.names(state, in: address) else {
                return respond(.notFound, .another, context)
            }
            let hasError = FormEncoding.decode(address.query ?? "")?["error"] != nil
            respond(.ok, hasError ? .declined : .arrived, context)
            onRedirect(address.description)
        }

        private func respond(
            _ status: HTTPResponseStatus, _ page: RedirectPage, _ context: ChannelHandlerContext,
            location: String? = nil
        ) {
            let body = ByteBuffer(string: page.html)
            var headers = HTTPHeaders([
                ("Content-Type", "text/html; charset=utf-8"), ("Content-Length", "\(body.readableBytes)"),
                ("Content-Security-Policy", RedirectPage.policy),
                ("Referrer-Policy", "no-referrer"), ("Cache-Control", "no-store"), ("Connection", "close"),
                ("X-Content-Type-Options", "nosniff"),
            ])
            if let location { headers.add(name: "Location", value: location) }
            let channel = context.channel
            context.write(
                wrapOutboundOut(.head(.init(version: .http1_1, status: status, headers: headers))), promise: nil)
            context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
            context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in channel.close(promise: nil) }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            context.close(promise: nil)
        }
    }

    extension SocketTable {
        /// Returns whether the request comes from a program of this user.
        fileprivate static func mayAnswer(_ context: ChannelHandlerContext) -> Bool {
            guard let other = context.remoteAddress.flatMap(End.init), let own = context.localAddress.flatMap(End.init)
            else { return false }
            let text = ["/proc/net/tcp", "/proc/net/tcp6"].map(read).joined(separator: "\n")
            return SocketTable(text, port: own.port).mayAnswer(other, at: own, user: geteuid())
        }

        private static func read(_ path: String) -> String {
            let file = open(path, O_RDONLY | O_CLOEXEC)
            guard file >= 0 else { return "" }
            defer { close(file) }
            var (text, part) = ([UInt8](), [UInt8](repeating: 0, count: 1 << 16))
            while text.count < longest {
                let count = Glibc.read(file, &part, part.count)
                guard count > 0 else { break }
                text += part[..<count]
            }
            return String(decoding: text, as: UTF8.self)
        }

        /// Enough for some 200,000 sockets.
        private static let longest = 32 << 20
    }

    extension SocketTable.End {
        fileprivate init?(_ address: SocketAddress) {
            guard let port = address.port, let text = address.ipAddress else { return nil }
            let family = text.contains(":") ? AF_INET6 : AF_INET
            var bytes = [UInt8](repeating: 0, count: family == AF_INET6 ? 16 : 4)
            guard inet_pton(family, text, &bytes) == 1 else { return nil }
            self.init(address: bytes, port: port)
        }
    }

    /// The pages that the browser shows at the end. They contain nothing of the request.
    enum RedirectPage {
        case arrived
        case declined
        case refused
        /// The request has no expected `state`.
        case another
        /// The request has no query.
        case looking

        var html: String {
            let text =
                switch self {
                case .arrived: "You can close this window now, and go back to the app."
                case .declined: "The sign-in was declined. You can close this window, and go back to the app."
                case .refused: "There is nothing here."
                case .another:
                    "This is not the sign-in that the app waits for. Go back to the app, and begin again there."
                case .looking: "One moment …"
                }
            return """
                <!doctype html><html lang="en"><meta charset="utf-8"><title>Sign-in</title>\
                <meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">\
                <body style="font:1.2em system-ui,sans-serif;margin:20vh auto;max-width:30em;text-align:center">\
                <p>\(text)</p>\(self == .looking ? "<script>\(Self.script)</script>" : "")</body></html>
                """
        }

        /// Reports the names of the fragment's parameters without their values, except for `state`, which identifies the sign-in:
        /// a token there is rejected.
        private static let script = """
            const found = [...new URLSearchParams(location.hash.slice(1))];
            location.replace("?" + new URLSearchParams(found.map(([name, value]) => [name, name === "state" ? value : ""])) + "&");
            """

        /// Allows this script only.
        static let policy =
            "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; script-src 'sha256-"
            + Base64.encode(SHA2.sha256(Array(script.utf8))) + "'"
    }
#endif
