/// The limits of a ``SignalingServer``: docs/signaling.md, “Limits”.
public struct ServerLimits: Sendable {
    /// The maximum length of a message in bytes.
    package var messageSize = SignalingProtocol.maximumMessageSize
    /// The maximum length of an HTTP request in bytes, with its body.
    package var requestSize = 32 * 1024
    /// The time limit for the `hello` of a connection, and for an HTTP request.
    public var signInTimeout: Duration = .seconds(10)
    /// The time without messages after which the server pings a client; up to a quarter less, so that clients that have come together
    /// are pinged at different times. After twice the time it closes the connection.
    public var pingInterval: Duration = .seconds(25)
    /// The time for which a client may exceed its rate before its connection is closed.
    package var longestExcess: Duration = .seconds(30)
    /// The maximum number of unsent bytes of a connection.
    public var unsentBytes = 1024 * 1024
    /// The maximum number of buffered bytes in total: half of them for connections, half for sessions that have not
    /// acknowledged or answered. Beyond it, the clients with the most buffered bytes are dropped, disconnected sessions
    /// first.
    public var waitingBytes = 128 * 1024 * 1024
    public var sockets = 50_000
    public var socketsPerAddress = 512
    /// Whether loopback is exempt from the limits per address. Never through a trusted proxy.
    package var exemptsLoopback = true
    public var exchange = ExchangeLimits()

    var messagesPerSocket = TokenBucket.Limit(rate: 20, burst: 100)
    var bytesPerSocket = TokenBucket.Limit(rate: 128 * 1024, burst: 512 * 1024)
    var messagesPerAddress = TokenBucket.Limit(rate: 400, burst: 2_000)
    /// For messages and for files of pages.
    var bytesPerAddress = TokenBucket.Limit(rate: 4 * 1024 * 1024, burst: 32 * 1024 * 1024)
    var newSocketsPerAddress = TokenBucket.Limit(rate: 20, burst: 200)

    public init() {}

    /// Sets the rate of messages per connection.
    ///
    /// - Parameters:
    ///   - rate: The sustained rate in messages per second.
    ///   - burst: The maximum burst in messages.
    public mutating func setMessagesPerSocket(rate: Double, burst: Double) {
        messagesPerSocket = TokenBucket.Limit(rate: rate, burst: burst)
    }

    /// Sets the rate of bytes per connection.
    ///
    /// - Parameters:
    ///   - rate: The sustained rate in bytes per second.
    ///   - burst: The maximum burst in bytes.
    public mutating func setBytesPerSocket(rate: Double, burst: Double) {
        bytesPerSocket = TokenBucket.Limit(rate: rate, burst: burst)
    }

    /// Sets the rate of messages per address.
    ///
    /// - Parameters:
    ///   - rate: The sustained rate in messages per second.
    ///   - burst: The maximum burst in messages.
    public mutating func setMessagesPerAddress(rate: Double, burst: Double) {
        messagesPerAddress = TokenBucket.Limit(rate: rate, burst: burst)
    }

    /// Sets the rate of bytes per address: of messages, and of files of pages.
    ///
    /// - Parameters:
    ///   - rate: The sustained rate in bytes per second.
    ///   - burst: The maximum burst in bytes.
    public mutating func setBytesPerAddress(rate: Double, burst: Double) {
        bytesPerAddress = TokenBucket.Limit(rate: rate, burst: burst)
    }

    /// Sets the rate of new connections per address.
    ///
    /// - Parameters:
    ///   - rate: The sustained rate in connections per second.
    ///   - burst: The maximum burst in connections.
    public mutating func setNewSocketsPerAddress(rate: Double, burst: Double) {
        newSocketsPerAddress = TokenBucket.Limit(rate: rate, burst: burst)
    }
}
