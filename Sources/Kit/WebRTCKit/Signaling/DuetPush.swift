public import Foundation
internal import RTCSignaling

/// The payload of a VoIP push that a Duet server sends when somebody calls: docs/push.md specifies it.
///
/// It was sent by whoever has the app's key at Apple, so by the server. It is checked all the same: what it names is shown
/// on a locked phone.
public struct DuetPush: Hashable, Sendable {
    /// The identifier of the call, by which its invitation is recognised.
    public let call: CallIdentifier
    /// The user name of the caller.
    public let from: PeerID
    public let name: String?
    /// Whether the server has verified the name.
    public let nameIsProven: Bool
    public let hasVideo: Bool

    private struct Payload: Decodable {
        let call: CallID
        let from: UserID
        let name: String?
        let nameIsProven: Bool?
        let hasVideo: Bool?
    }

    /// The maximum length of a payload in bytes, which Apple's push service enforces.
    static let longestPayload = 5_120

    /// Reads a payload.
    ///
    /// - Throws: ``CallManagerError/invalidArgument(_:)`` if it names no call or no caller.
    public init(payload: Data) throws(CallManagerError) {
        guard payload.count <= Self.longestPayload,
            let read = try? JSONDecoder().decode(Payload.self, from: payload),
            let call = CallIdentifier(rawValue: read.call.rawValue)
        else { throw .invalidArgument("this is no push of a Duet server") }
        self.call = call
        from = read.from.rawValue
        name = read.name.flatMap { DisplayName(shortening: $0)?.rawValue }
        // A name that was cut is not the one that was verified.
        nameIsProven = read.nameIsProven ?? false && name != nil && name == read.name
        hasVideo = read.hasVideo ?? false
    }

    /// The caller, as the system shows it.
    public var caller: SystemCalls.Caller {
        SystemCalls.Caller(
            peer: from, displayName: name, nameIsProven: nameIsProven, hasVideo: hasVideo, call: call)
    }
}

extension PushHandler {
    /// Reads the pushes of a Duet server, and tells the server the device's token.
    package convenience init(registry: any PushRegistry, calls: SystemCalls, server: DuetSignaling) {
        self.init(registry: registry, calls: calls) { try DuetPush(payload: $0).caller }
        // The token may have arrived already: it is told then.
        onServerToken = { [weak server] token in try? server?.setPushToken(token) }
        onPush = { [weak server] in server?.checkConnection() }
    }
}
