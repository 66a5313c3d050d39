/// The limits of pushes.
package struct PushLimits: Hashable, Sendable {
    /// So many in the long run, and so many at once.
    package struct Rate: Hashable, Sendable {
        package var interval: Duration
        package var burst: Int

        package init(every interval: Duration, burst: Int) {
            self.interval = interval
            self.burst = burst
        }

        var limit: TokenBucket.Limit {
            TokenBucket.Limit(rate: 1 / max(interval.inSeconds, 0.001), burst: Double(max(burst, 1)))
        }
    }

    /// The calls with which one user may wake another.
    package var perPair = Rate(every: .seconds(30), burst: 3)
    /// The calls with which one user may wake anybody.
    package var perCaller = Rate(every: .seconds(5), burst: 20)
    /// The calls that may wake one user. A third of the burst is kept for callers with whom the user has spoken before.
    package var perCallee = Rate(every: .seconds(10), burst: 30)

    package var tokensPerUser = 8
    package var tokens = 200_000
    /// How long a token is kept if its device does not sign in.
    package var tokenLifetime: Duration = .seconds(90 * 86_400)
    /// How long a connected device has for saying that it rings, before it is woken as well: its connection may be dead.
    package var silence: Duration = .seconds(4)

    /// The maximum number of requests of each service at the same time.
    package var concurrent = 32
    /// The maximum number of requests of each service that wait or are being sent.
    package var waiting = 2_000
    package var attempts = 6
    package var firstDelay: Duration = .milliseconds(500)
    package var longestDelay: Duration = .seconds(8)
    /// How long the end of a call is reported.
    package var endPatience: Duration = .seconds(60)
    /// The maximum number of calls that ring at the same time.
    package var calls = 50_000

    package init() {}
}
