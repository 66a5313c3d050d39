import Foundation
import NIOCore
import NIOHTTP1
import NIOHTTP2
import NIOPosix
import NIOSSL
import RTCCrypto
import RTCWire
import Synchronization

/// A stand-in for Apple's push service on this machine, which keeps the rules that Apple documents: “Sending notification
/// requests to APNs”, “Establishing a token-based connection to APNs”, “Handling notification responses from APNs”.
///
/// It never met the real one.
final class APNSStandIn: Sendable {
    struct Push: Sendable {
        var device: String
        var headers: [String: String]
        var body: [UInt8]
    }

    struct State: Sendable {
        /// The devices that exist.
        var devices: Set<String> = []
        /// Those that existed, and when they ceased to, in milliseconds since 1970.
        var gone: [String: Int64] = [:]
        var delivered: [Push] = []
        /// What was refused, by its reason.
        var refusals: [String] = []
        /// What is answered in place of the rules, first the first.
        var scripted: [(status: Int, reason: String)] = []
        /// When each token of a provider was first seen, by the time in it.
        var tokens: [String: Int64] = [:]
        /// How much later it is here than it is.
        var clockOffset: Int64 = 0
        var connections = 0
        /// Whether requests are left without an answer.
        var isSilent = false
    }

    let port: Int
    private let listener: any Channel
    private let state: Mutex<State>
    private let channels: Mutex<[any Channel]>
    private let key: SignatureKey

    static let topic = "org.example.Calls.voip"
    static let team = "TEAM123456"
    static let keyID = "ABC123DEFG"

    static func start(at port: Int = 0) async throws -> APNSStandIn {
        let context = try TestKeys.http2Context()
        let box = Box()
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    box.standIn.withLock { $0 }?.connected(channel)
                    try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
                    _ = try channel.pipeline.syncOperations.configureHTTP2Pipeline(
                        mode: .server, connectionConfiguration: .init(), streamConfiguration: .init()
                    ) { stream in
                        stream.eventLoop.makeCompletedFuture {
                            try stream.pipeline.syncOperations.addHandler(HTTP2FramePayloadToHTTP1ServerCodec())
                            try stream.pipeline.syncOperations.addHandler(Handler(box))
                        }
                    }
                }
            }
            .bind(host: "127.0.0.1", port: port).get()
        let standIn = try APNSStandIn(listener)
        box.standIn.withLock { $0 = standIn }
        return standIn
    }

    private init(_ listener: any Channel) throws {
        self.listener = listener
        port = listener.localAddress?.port ?? 0
        state = Mutex(State())
        channels = Mutex([])
        key = try SignatureKey.pem(TestKeys.providerPublic)
    }

    func change(_ body: (inout State) -> Void) {
        state.withLock { body(&$0) }
    }

    var now: State { state.withLock { $0 } }

    /// Ends every connection, without a word.
    func dropConnections() async {
        for channel in channels.withLock({ $0 }) { try? await channel.close() }
    }

    func stop() async {
        try? await listener.close()
        await dropConnections()
    }

    private func connected(_ channel: any Channel) {
        state.withLock { $0.connections += 1 }
        channels.withLock { $0.append(channel) }
    }

    // MARK: The rules

    private struct Refusal: Error {
        var status: Int
        var reason: String
        var timestamp: Int64?

        init(_ status: Int, _ reason: String, _ timestamp: Int64? = nil) {
            (self.status, self.reason, self.timestamp) = (status, reason, timestamp)
        }
    }

    /// - Returns: `nil` for no answer at all.
    private func answer(_ head: HTTPRequestHead, _ body: [UInt8]) -> (status: Int, body: String)? {
        state.withLock { state in
            if state.isSilent { return nil }
            do throws(Refusal) {
                if !state.scripted.isEmpty {
                    let scripted = state.scripted.removeFirst()
                    if scripted.status != 200 { throw Refusal(scripted.status, scripted.reason) }
                }
                let push = try check(head, body, &state)
                state.delivered.append(push)
                return (200, "")
            } catch {
                state.refusals.append(error.reason)
                let timestamp = error.timestamp.map { #","timestamp":\#($0)"# } ?? ""
                return (error.status, #"{"reason":"\#(error.reason)"\#(timestamp)}"#)
            }
        }
    }

    private func check(
        _ head: HTTPRequestHead, _ body: [UInt8], _ state: inout State
    ) throws(Refusal) -> Push {
        guard head.method == .POST else { throw Refusal(405, "MethodNotAllowed") }
        guard head.uri.hasPrefix("/3/device/") else { throw Refusal(404, "BadPath") }
        let device = String(head.uri.dropFirst("/3/device/".count))
        guard !device.isEmpty else { throw Refusal(400, "MissingDeviceToken") }
        var fields: [String: String] = [:]
        for (name, value) in head.headers {
            guard fields.updateValue(value, forKey: name) == nil else { throw Refusal(400, "DuplicateHeaders") }
        }
        try check(providerToken: fields["authorization"], &state)
        guard let topic = fields["apns-topic"] else { throw Refusal(400, "MissingTopic") }
        guard fields["apns-push-type"] == "voip" else { throw Refusal(400, "InvalidPushType") }
        guard topic == Self.topic else { throw Refusal(400, topic.hasSuffix(".voip") ? "TopicDisallowed" : "BadTopic") }
        guard ["1", "5", "10", nil].contains(fields["apns-priority"]) else { throw Refusal(400, "BadPriority") }
        if let expiration = fields["apns-expiration"] {
            guard Int64(expiration) != nil else { throw Refusal(400, "BadExpirationDate") }
        }
        guard fields["apns-collapse-id"]?.utf8.count ?? 0 <= 64 else { throw Refusal(400, "BadCollapseId") }
        guard !body.isEmpty, (try? JSONSerialization.jsonObject(with: Data(body))) is [String: Any] else {
            throw Refusal(400, "PayloadEmpty")
        }
        guard body.count <= 5_120 else { throw Refusal(413, "PayloadTooLarge") }
        if let time = state.gone[device] { throw Refusal(410, "Unregistered", time) }
        guard state.devices.contains(device) else { throw Refusal(400, "BadDeviceToken") }
        return Push(device: device, headers: fields, body: body)
    }

    private func check(providerToken value: String?, _ state: inout State) throws(Refusal) {
        guard let value, value.hasPrefix("bearer ") else { throw Refusal(403, "MissingProviderToken") }
        let token = String(value.dropFirst("bearer ".count))
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let signature = Base64.decode(parts[2], as: .url),
            let header = Self.object(parts[0]), let claims = Self.object(parts[1]),
            let time = (claims["iat"] as? Int).map({ Int64($0) }),
            header["alg"] as? String == "ES256", header["kid"] as? String == Self.keyID,
            claims["iss"] as? String == Self.team,
            key.verifies(signature, of: Array("\(parts[0]).\(parts[1])".utf8), by: .es256)
        else { throw Refusal(403, "InvalidProviderToken") }
        let now = Int64(Date().timeIntervalSince1970) + state.clockOffset
        guard now - time < 3_600, time - now < 300 else { throw Refusal(403, "ExpiredProviderToken") }
        guard state.tokens[token] == nil else { return }
        let isTooSoon = state.tokens.values.contains { abs($0 - time) < 20 * 60 }
        guard !isTooSoon else { throw Refusal(429, "TooManyProviderTokenUpdates") }
        state.tokens[token] = time
    }

    private static func object(_ part: Substring) -> [String: Any]? {
        Base64.decode(part, as: .url).flatMap { try? JSONSerialization.jsonObject(with: Data($0)) as? [String: Any] }
    }

    // MARK: HTTP

    private final class Box: Sendable {
        let standIn = Mutex<APNSStandIn?>(nil)
    }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = HTTPServerRequestPart
        typealias OutboundOut = HTTPServerResponsePart

        private let box: Box
        private var head: HTTPRequestHead?
        private var body: [UInt8] = []

        init(_ box: Box) {
            self.box = box
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            switch unwrapInboundIn(data) {
            case .head(let head): self.head = head
            case .body(let part): body.append(contentsOf: part.readableBytesView)
            case .end:
                guard let head, let answer = box.standIn.withLock({ $0 })?.answer(head, body) else { return }
                let response = HTTPResponseHead(version: .http2, status: .init(statusCode: answer.status))
                context.write(wrapOutboundOut(.head(response)), promise: nil)
                if !answer.body.isEmpty {
                    context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: answer.body)))), promise: nil)
                }
                context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
            }
        }
    }
}
