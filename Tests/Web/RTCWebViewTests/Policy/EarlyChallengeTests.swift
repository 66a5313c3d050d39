import Testing

@testable import RTCWebView

@Suite struct EarlyChallengeTests {
    private let url = "https://a.example/private"
    private let cancelled = LoadFailure(.cancelled)

    private func withdrawn(_ method: String = "GET") -> EarlyChallenge {
        var early = EarlyChallenge()
        early.allowed(url, method: method)
        early.asked()
        early.began()
        return early
    }

    @Test("A load whose challenge was withdrawn by its own beginning is made again, three times")
    func again() {
        var early = withdrawn()
        for _ in 0..<EarlyChallenge.mostRepeats {
            let isRepeated = early.failed(cancelled, url: url)
            #expect(isRepeated)
            early.allowed(url, method: "GET")
            early.asked()
            early.began()
        }
        let isRepeated = early.failed(cancelled, url: url)
        #expect(!isRepeated)
    }

    @Test("A test's early challenge counts whether its load has been said to begin or not")
    func orders() {
        var before = EarlyChallenge()
        before.allowed(url, method: "GET")
        before.askedEarly()
        before.began()
        var after = EarlyChallenge()
        after.allowed(url, method: "GET")
        after.began()
        after.askedEarly()
        for var early in [before, after] {
            let isRepeated = early.failed(cancelled, url: url)
            #expect(isRepeated)
        }
    }

    @Test("A load that anything else ended is not made again")
    func others() {
        var cases: [EarlyChallenge] = [EarlyChallenge(), withdrawn("POST")]
        var late = EarlyChallenge()
        late.allowed(url, method: "GET")
        late.began()
        late.asked()
        cases.append(late)
        var answered = EarlyChallenge()
        answered.allowed(url, method: "GET")
        answered.asked()
        answered.answered()
        answered.began()
        cases.append(answered)
        var stopped = withdrawn()
        stopped.stopped()
        cases.append(stopped)
        var replaced = withdrawn()
        replaced.allowed("https://b.example/", method: "GET")
        cases.append(replaced)
        var arrived = withdrawn()
        arrived.committed()
        cases.append(arrived)
        for var early in cases {
            let isRepeated = early.failed(cancelled, url: url)
            #expect(!isRepeated)
        }
        var lost = withdrawn()
        let isRepeated = lost.failed(LoadFailure(.connectionLost), url: url)
        #expect(!isRepeated)
    }
}
