/// The statistics of a ``SignalingServer``: counters since its start, unless stated otherwise.
package struct ServerStatistics: Sendable {
    /// The current number of connections.
    package var sockets = 0
    package var socketsAccepted: UInt64 = 0
    /// The number of connections that were refused because of a limit, in total or of their network.
    package var socketsRefused: UInt64 = 0
    /// The number of refused connections and requests by reason: `full`, `network` and `stopping` for connections, `host`,
    /// `origin` and `draining` for requests.
    package var refusals: [String: UInt64] = [:]
    /// How often the server began to send its clients away.
    package var drains: UInt64 = 0
    package var webSockets: UInt64 = 0
    /// The number of malformed values of trusted proxies, which were ignored.
    package var malformedForwarding: UInt64 = 0
    /// The number of requests and connections of trusted proxies without the address of the client.
    package var unknownClients: UInt64 = 0
    package var requests: UInt64 = 0
    package var messagesReceived: UInt64 = 0
    package var messagesSent: UInt64 = 0
    /// How often reading from a connection was paused because it exceeded its rate.
    package var pauses: UInt64 = 0
    /// The number of connections that were closed because of an error, by its code.
    package var failures: [String: UInt64] = [:]
    package var exchange = ExchangeStatistics()
    /// `nil` without pushes.
    package var pushes: PushStatistics?

    package init() {}
}
