/// The limits of pushes.
public struct PushLimits: Hashable, Sendable {
    /// So many in the long run, and so many at once.
    public struct Rate: Hashable, Sendable {
        public var interval: Duration
        public var burst: Int

        public init(every interval: Duration, burst: Int) {
            self.interval = interval
            self.burst = burst
        }

        var limit: TokenBucket.Limit {
            TokenBucket.Limit(rate: 1 / max(interval.inSeconds, 0.001), burst: Double(max(burst, 1)))
        }
    }

    /// The calls with which one user may wake another.
    public var perPair = Rate(every: .seconds(30), burst: 3)
    /// The calls with which one user may wake anybody.
    public var perCaller = Rate(every: .seconds(5), burst: 20)
    /// The calls that may wake one user. A third of the burst is kept for callers with whom the user has spoken before.
    public var perCallee = Rate(every: .seconds(10), burst: 30)

    public var tokensPerUser = 8
    public var tokens = 200_000
    /// How long a token is kept if its device does not sign in.
    public var tokenLifetime: Duration = .seconds(90 * 86_400)
    /// How long a connected device has for saying that it rings, before it is woken as well: its connection may be dead.
    public var silence: Duration = .seconds(4)

    /// The maximum number of requests of each service at the same time.
    public var concurrent = 32
    /// The maximum number of requests of each service that wait or are being sent.
    public var waiting = 2_000
    public var attempts = 6
    public var firstDelay: Duration = .milliseconds(500)
    public var longestDelay: Duration = .seconds(8)
    /// How long the end of a call is reported.
    public var endPatience: Duration = .seconds(60)
    /// The maximum number of calls that ring at the same time.
    public var calls = 50_000

    public init() {}
}
