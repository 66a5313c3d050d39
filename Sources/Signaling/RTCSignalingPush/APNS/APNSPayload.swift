internal import RTCSignaling

/// The body of a push, which the app reads before it has a connection: docs/push.md specifies it.
struct APNSPayload: Encodable {
    /// Apple's own part, which a VoIP push does not need.
    var aps: [String: String] = [:]
    var call: CallID
    var from: UserID
    var name: DisplayName?
    var nameIsProven: Bool
    var hasVideo: Bool

    init(_ push: DevicePush) {
        call = push.call.id
        from = push.call.caller.user
        name = push.call.caller.name
        nameIsProven = push.call.caller.nameIsProven
        hasVideo = push.call.media?.contains(.video) ?? false
    }

    var json: [UInt8] { JSONText.encode(self) ?? [] }
}

extension APNSAnswer {
    private struct Body: Decodable {
        var reason: String?
        var timestamp: Int64?
    }

    init(status: Int, body: [UInt8]) {
        self.init(status: status)
        guard let read = JSONText.decode(Body.self, from: body) else { return }
        (reason, timestamp) = (read.reason ?? "", read.timestamp)
    }
}
