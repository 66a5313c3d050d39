/// How often users may wake each other.
///
/// Apple delays or drops the pushes of a device that gets many, and a person switches them off. So one caller gets a few,
/// and a callee a limited number of all callers together. Of these, a third is for acquaintances: many accounts of one
/// attacker cannot keep those from ringing.
struct PushBudget {
    private struct Pair: Hashable {
        var caller: UserID
        var callee: UserID
    }

    private let limits: PushLimits
    private var pairs = RateTable<Pair>()
    private var callers = RateTable<UserID>()
    private var callees = RateTable<UserID>()
    private var acquaintances: [UserID: [UserID]] = [:]

    static let acquaintancesPerUser = 32
    static let mostUsers = 100_000

    init(_ limits: PushLimits) {
        self.limits = limits
    }

    /// Notes that two users have spoken.
    mutating func met(_ one: UserID, _ other: UserID) {
        guard one != other else { return }
        note(other, of: one)
        note(one, of: other)
    }

    private mutating func note(_ other: UserID, of user: UserID) {
        if acquaintances[user] == nil, acquaintances.count >= Self.mostUsers, let any = acquaintances.keys.first {
            acquaintances[any] = nil
        }
        var list = acquaintances[user] ?? []
        list.removeAll { $0 == other }
        if list.count >= Self.acquaintancesPerUser { list.removeFirst() }
        list.append(other)
        acquaintances[user] = list
    }

    /// Takes one call of the budget.
    ///
    /// - Returns: `false` if there is none left; nothing is taken then.
    mutating func take(from caller: UserID, to callee: UserID, at now: Duration) -> Bool {
        let pair = Pair(caller: caller, callee: callee)
        let (forPair, forCaller, forCallee) = (
            limits.perPair.limit, limits.perCaller.limit, limits.perCallee.limit
        )
        let isKnown = acquaintances[callee]?.contains(caller) ?? false
        let reserve = isKnown ? 0 : (forCallee.burst / 3).rounded(.down)
        guard pairs.available(to: pair, forPair, at: now) >= 1, callers.available(to: caller, forCaller, at: now) >= 1,
            callees.available(to: callee, forCallee, at: now) >= 1 + reserve
        else { return false }
        pairs.take(of: pair, forPair, at: now)
        callers.take(of: caller, forCaller, at: now)
        callees.take(of: callee, forCallee, at: now)
        return true
    }
}

/// Token buckets by key, of which full ones are forgotten.
struct RateTable<Key: Hashable & Sendable> {
    private var buckets: [Key: TokenBucket] = [:]
    /// The number of buckets at which full ones are looked for next.
    private var nextSweep = 1_024
    private static var most: Int { 100_000 }

    /// The number of keys that are remembered.
    var count: Int { buckets.count }

    /// How many there are to take.
    func available(to key: Key, _ limit: TokenBucket.Limit, at now: Duration) -> Double {
        guard var bucket = buckets[key] else { return limit.burst }
        bucket.take(0, limit, at: now)
        return bucket.tokens
    }

    mutating func take(of key: Key, _ limit: TokenBucket.Limit, at now: Duration) {
        if buckets[key] == nil, buckets.count >= nextSweep { sweep(limit, at: now) }
        buckets[key, default: TokenBucket(limit, at: now)].take(1, limit, at: now)
    }

    private mutating func sweep(_ limit: TokenBucket.Limit, at now: Duration) {
        for key in Array(buckets.keys) where buckets[key]?.isFull(limit, at: now) == true { buckets[key] = nil }
        // If most remain, some are forgotten, which get their burst again: so many that the next new keys cost no search.
        let excess = buckets.count - Self.most / 8 * 7
        if excess > 0 {
            for key in Array(buckets.keys.prefix(excess)) { buckets[key] = nil }
        }
        nextSweep = max(1_024, min(Self.most, buckets.count * 2))
    }
}
