internal import NIOHTTP1
internal import OAuth
internal import RTCSignaling

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The body of a webhook's request: docs/push.md specifies it.
struct WebhookPayload: Encodable {
    var type: String
    /// When it was sent.
    var timestamp: Date
    var data: Call

    struct Call: Encodable {
        var call: CallID
        var from: SignalingPeer
        var to: SignalingAddress
        var media: [InvitedMedia]?
        /// Until when it rings.
        var expires: Date?
        var reason: String?
        /// The device that has answered.
        var device: SignalingDeviceID?
    }

    /// - Parameter time: The current time in seconds since 1970.
    init(_ event: WebhookEvent, at time: Int64) {
        timestamp = Self.date(time)
        data = Call(call: event.call.id, from: event.call.caller, to: event.call.callee)
        switch event.kind {
        case .ringing:
            type = "call.ringing"
            data.media = event.call.media
            data.expires = Self.date(time + event.timeLeft.components.seconds)
        case .ended(.answered(let peer)):
            type = "call.ended"
            (data.reason, data.device) = ("answered", peer.device)
        case .ended(.ended(let reason)):
            type = "call.ended"
            data.reason = reason
        }
    }

    private static func date(_ time: Int64) -> Date { Date(timeIntervalSince1970: Double(time)) }

    var json: [UInt8] { JSONText.encode(self) ?? [] }
}

/// The answer of a webhook's receiver.
struct WebhookAnswer {
    var status: Int
    /// The value of `Retry-After`.
    var retryAfter: String?
    var body: [UInt8]

    init(status: Int, retryAfter: String? = nil, body: [UInt8]) {
        self.status = status
        self.retryAfter = retryAfter
        self.body = body
    }

    init(_ response: HTTPExchange.Response) {
        self.init(
            status: response.status, retryAfter: response.headers.first(name: "retry-after"), body: response.body)
    }

    private struct Body: Decodable {
        var reachable: Bool?
    }

    private static let longestWait: Int64 = 60

    var outcome: PushOutcome {
        switch status {
        case 200..<300: isReachable ? .delivered : .unreachable
        default: .failed(retryAfter: retryDelay)
        }
    }

    /// `false` only if the body says so.
    private var isReachable: Bool { JSONText.decode(Body.self, from: body)?.reachable ?? true }

    private var retryDelay: Duration {
        guard let seconds = retryAfter.flatMap({ Int64($0) }), seconds > 0 else { return .zero }
        return .seconds(min(seconds, Self.longestWait))
    }
}
