/// What a ``SignalingServer`` allows; docs/signaling.md, “Limits”.
public struct ServerLimits: Sendable {
    /// In bytes.
    public var messageSize = SignalingProtocol.maximumMessageSize
    /// How long a socket has for its `hello`, and an HTTP request to be complete.
    public var signInTimeout: Duration = .seconds(10)
    /// After so long a silence a socket is asked whether it lives, and after as long again closed.
    public var pingInterval: Duration = .seconds(25)
    /// After so long beyond its own rate a socket is closed.
    public var longestExcess: Duration = .seconds(30)
    /// In bytes: what may wait to be taken by a socket.
    public var unsentBytes = 1024 * 1024
    /// In bytes: what may wait in all, half of it to be taken by sockets or complete on them, half of it to be acknowledged by
    /// sessions or answered. When there is more, those go for whom most is waiting: sessions that are away first.
    public var waitingBytes = 128 * 1024 * 1024
    public var sockets = 50_000
    public var socketsPerAddress = 512
    /// Whether the limits per address leave loopback alone.
    public var exemptsLoopback = true
    public var exchange = ExchangeLimits()

    var messagesPerSocket = TokenBucket.Limit(rate: 20, burst: 100)
    var bytesPerSocket = TokenBucket.Limit(rate: 128 * 1024, burst: 512 * 1024)
    var messagesPerAddress = TokenBucket.Limit(rate: 400, burst: 2_000)
    /// Of messages, and of the files of pages.
    var bytesPerAddress = TokenBucket.Limit(rate: 4 * 1024 * 1024, burst: 32 * 1024 * 1024)
    var newSocketsPerAddress = TokenBucket.Limit(rate: 20, burst: 200)

    public init() {}

    /// - Parameters:
    ///   - rate: Messages a second in the long run.
    ///   - burst: Messages at once.
    public mutating func setMessagesPerSocket(rate: Double, burst: Double) {
        messagesPerSocket = TokenBucket.Limit(rate: rate, burst: burst)
    }

    /// - Parameters:
    ///   - rate: Bytes a second in the long run.
    ///   - burst: Bytes at once.
    public mutating func setBytesPerSocket(rate: Double, burst: Double) {
        bytesPerSocket = TokenBucket.Limit(rate: rate, burst: burst)
    }

    /// - Parameters:
    ///   - rate: Messages a second in the long run.
    ///   - burst: Messages at once.
    public mutating func setMessagesPerAddress(rate: Double, burst: Double) {
        messagesPerAddress = TokenBucket.Limit(rate: rate, burst: burst)
    }

    /// - Parameters:
    ///   - rate: New sockets a second in the long run.
    ///   - burst: New sockets at once.
    public mutating func setNewSocketsPerAddress(rate: Double, burst: Double) {
        newSocketsPerAddress = TokenBucket.Limit(rate: rate, burst: burst)
    }
}
