internal import RTCWire

/// What a connection's rules are given.
struct ConnectionOptions: Sendable {
    enum TLSUse: Sendable {
        case none
        /// After the server's INFO, which is not secured.
        case afterInfo
        /// Before anything is said.
        case first
    }

    var servers: [NATSServer]
    /// Whether servers that a server names are connected to as well.
    var acceptsAdvertisedServers = false
    var tls = TLSUse.none
    var credentials = NATSCredentials.none
    var name: String?
    /// Whether subscriptions receive what this client publishes.
    var echo = true
    var limits = ProtocolLimits()
    /// For TCP, TLS and the first PONG together.
    var connectTimeout = TimeDelta.seconds(5)
    var pingInterval = TimeDelta.seconds(20)
    /// So many pings without an answer end a connection.
    var missedPongs = 2
    /// The delay before an attempt, doubled with each round through all servers.
    var firstDelay = TimeDelta.milliseconds(100)
    var longestDelay = TimeDelta.seconds(5)
    /// The maximum that is published while there is no connection, in bytes.
    var maximumBuffered = 1_048_576
    var maximumSubscriptions = 10_000
    var maximumRequests = 10_000
    var inboxPrefix = NATSSubject(unchecked: "_INBOX")
}

/// What a connection's owner does for its rules.
enum ConnectionEffect: Hashable, Sendable {
    /// Opens a channel; with TLS at once if `tlsFirst`.
    case open(NATSServer, tlsFirst: Bool)
    /// Secures the channel.
    case secure(NATSServer)
    /// Closes the channel, which needs not be reported.
    case close
    /// The first attempt has succeeded, or each server has failed once.
    case started(NATSError?)
    case deliver(UInt64, NATSMessage)
    case lost(UInt64, NATSLoss)
    case end(UInt64, NATSError?)
    case answer(UInt64, Result<NATSMessage, NATSError>)
    case event(NATSEvent)
    /// The connection is over for good.
    case finished(NATSError?)
}

/// What happens to a connection.
package enum NATSEvent: Hashable, Sendable {
    case connected(to: NATSServer, NATSServerInfo)
    /// The client connects again, until it is closed.
    case disconnected(NATSError)
    /// The server will close its connections soon. The client connects to another one when it does.
    case lameDuck(NATSServer)
    /// The server refused something: a subscription, a message. Its text is for people.
    case serverError(String)
    /// `nil` if the client itself was closed or drained.
    case closed(NATSError?)
}

/// Why a subscription may have missed messages.
package enum NATSLoss: Hashable, Sendable {
    /// The subscription was not read fast enough, so that this many messages were dropped.
    case overflow(messages: Int)
    /// The connection was lost; what was published until it was there again did not arrive.
    case reconnection
    /// A message was larger than the limit of the configuration: its size in bytes.
    case tooLarge(size: Int)
    /// A message had no valid subject or headers.
    case invalid
}
