/// The statistics of a ``SignalingServer``: counters since its start, unless stated otherwise.
public struct ServerStatistics: Sendable {
    /// The current number of connections.
    public var sockets = 0
    public var socketsAccepted: UInt64 = 0
    /// The number of connections that were refused because of a limit, in total or of their network.
    public var socketsRefused: UInt64 = 0
    /// The number of refused connections and requests by reason: `full`, `network` and `stopping` for connections, `host`,
    /// `origin` and `draining` for requests.
    public var refusals: [String: UInt64] = [:]
    /// How often the server began to send its clients away.
    public var drains: UInt64 = 0
    public var webSockets: UInt64 = 0
    /// The number of malformed values of trusted proxies, which were ignored.
    public var malformedForwarding: UInt64 = 0
    /// The number of requests and connections of trusted proxies without the address of the client.
    public var unknownClients: UInt64 = 0
    public var requests: UInt64 = 0
    public var messagesReceived: UInt64 = 0
    public var messagesSent: UInt64 = 0
    /// How often reading from a connection was paused because it exceeded its rate.
    public var pauses: UInt64 = 0
    /// The number of connections that were closed because of an error, by its code.
    public var failures: [String: UInt64] = [:]
    public var exchange = ExchangeStatistics()
    /// `nil` without pushes.
    public var pushes: PushStatistics?

    public init() {}
}
