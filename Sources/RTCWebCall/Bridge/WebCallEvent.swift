import Foundation

/// What a page is told of calls. Cases may be added.
public enum WebCallEvent: Sendable, Hashable {
    case incoming(peer: String)
    case ringing
    case started
    case connectionLost
    case connectionRestored
    /// - Parameter reason: Why, if it was no person's wish; in words for a person.
    case ended(reason: String?)
}

/// How a call goes, in the units of webrtc-stats.
public struct WebCallStatistics: Sendable, Hashable, Codable {
    public var packetsSent: UInt64
    public var packetsReceived: UInt64
    /// Bytes.
    public var bytesSent: UInt64
    public var bytesReceived: UInt64

    public init(packetsSent: UInt64 = 0, packetsReceived: UInt64 = 0, bytesSent: UInt64 = 0, bytesReceived: UInt64 = 0)
    {
        self.packetsSent = packetsSent
        self.packetsReceived = packetsReceived
        self.bytesSent = bytesSent
        self.bytesReceived = bytesReceived
    }
}

/// What goes to the page: an event, or the reply to a request.
struct WebCallMessage: Encodable {
    var id: Int?
    var document: Int?
    var event: String?
    var peer: String?
    var reason: String?
    var error: String?
    var statistics: WebCallStatistics?

    init(
        replyTo request: WebCallRequest.Reference, error: String? = nil, statistics: WebCallStatistics? = nil
    ) {
        id = request.id
        document = request.document
        self.error = error
        self.statistics = statistics
    }

    init(_ event: WebCallEvent) {
        switch event {
        case .incoming(let peer): (self.event, self.peer) = ("incoming", peer)
        case .ringing: self.event = "ringing"
        case .started: self.event = "started"
        case .connectionLost: self.event = "connectionLost"
        case .connectionRestored: self.event = "connectionRestored"
        case .ended(let reason): (self.event, self.reason) = ("ended", reason)
        }
    }

    var text: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    }
}
