import Foundation

/// An event of a call that a page receives. Cases may be added.
public enum WebCallEvent: Sendable, Hashable {
    case incoming(peer: String)
    case ringing
    case started
    case connectionLost
    case connectionRestored
    /// The call quality, some seconds after the call started and whenever it changes.
    ///
    /// - Parameter limit: What limits the quality most; `nil` while it is excellent.
    case quality(WebCallQuality, limit: WebCallLimit? = nil)
    /// The call ended.
    ///
    /// - Parameters:
    ///   - reason: The human-readable reason, unless a person ended the call.
    ///   - ending: How the call ended, if that is known.
    case ended(reason: String?, ending: WebCallEnding? = nil)
}

/// The quality of a call, on the five-level scale of ITU-T P.800.
public enum WebCallQuality: String, Sendable, Hashable, CaseIterable {
    case bad, poor, fair, good, excellent
}

/// What limits the quality of a call. Cases may be added.
public enum WebCallLimit: String, Sendable, Hashable, CaseIterable {
    case myNetwork, theirNetwork, myProcessor, theirProcessor
}

/// How a call ended, as a page receives it. Cases may be added.
public enum WebCallEnding: String, Sendable, Hashable, CaseIterable {
    /// This device, or its app, hung up, gave up or declined.
    case endedHere
    /// The other side hung up, gave up, declined, or is in another call.
    case endedByOtherSide
    /// Nobody answered in time.
    case unanswered
    /// Another device of the same user answered the call.
    case answeredElsewhere
    /// Another device of the same user declined the call.
    case declinedElsewhere
    /// The call could not be established, or its connection was lost.
    case failed
}

/// The statistics of a call, in the units of webrtc-stats.
public struct WebCallStatistics: Sendable, Hashable, Codable {
    public var packetsSent: UInt64
    public var packetsReceived: UInt64
    /// The number of bytes sent.
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

/// A message to the page: an event, or the reply to a request.
struct WebCallMessage: Encodable {
    var id: Int?
    var document: Int?
    var event: String?
    var peer: String?
    var reason: String?
    var level: String?
    var ending: String?
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
        case .quality(let level, let limit):
            (self.event, self.level, self.reason) = ("quality", level.rawValue, limit?.rawValue)
        case .ended(let reason, let ending):
            (self.event, self.reason, self.ending) = ("ended", reason, ending?.rawValue)
        }
    }

    var text: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    }
}
