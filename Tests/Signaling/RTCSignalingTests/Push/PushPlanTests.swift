import Testing

@testable import RTCSignaling

@Suite("Which pushes are sent")
struct PushPlanTests {
    @Test("Every sleeping device is woken, and the app's server is told")
    func sleeping() {
        var pushes = VirtualPushes()
        pushes.register(1, "bob/phone")
        pushes.register(2, "bob/pad")
        pushes.register(3, "carol/phone")
        pushes.ring("call")
        #expect(pushes.history == ["2", "1", "ringing"] && pushes.unreachable.isEmpty)
        guard case .device(let push) = pushes.sent[0].content else { return }
        #expect(push.timeLeft == .seconds(30) && push.call.id == "call")
    }

    @Test("Only what is configured is sent")
    func configured() {
        var events = VirtualPushes(devices: false)
        events.register(1, "bob/phone")
        events.ring("call")
        #expect(events.history == ["ringing"])
        var pushes = VirtualPushes(webhook: false)
        pushes.ring("call")
        #expect(pushes.history.isEmpty && pushes.unreachable == ["call"])
        pushes.end("call", "unavailable")
        pushes.register(1, "bob/phone")
        pushes.ring("next")
        #expect(pushes.history == ["1"])
    }

    @Test("One device is called: the others sleep on. The caller's own device is not woken")
    func oneDevice() {
        var pushes = VirtualPushes(webhook: false)
        pushes.register(1, "bob/phone")
        pushes.register(2, "bob/pad")
        pushes.ring("one", to: "bob/pad")
        pushes.ring("two", from: "bob/pad", to: "bob")
        #expect(pushes.history == ["2", "1"])
        pushes.ring("three", from: "alice/a", to: "bob/mac")
        #expect(pushes.unreachable == ["three"])
    }

    @Test("Twice the same call is one push; so it is after the token was registered again")
    func deduplication() {
        var pushes = VirtualPushes()
        pushes.register(1, "bob/phone")
        pushes.ring("call")
        pushes.ring("call")
        pushes.register(1, "bob/phone")
        pushes.register(2, "bob/phone")
        pushes.advance(.seconds(20))
        #expect(pushes.history == ["1", "ringing"])
    }

    @Test("A connected device that rings in time is not woken; one that is silent is")
    func connected() {
        var pushes = VirtualPushes()
        pushes.register(1, "bob/phone")
        pushes.register(2, "bob/pad")
        pushes.ring("call", connected: ["phone", "pad", "mac"])
        #expect(pushes.history.isEmpty && pushes.unreachable.isEmpty)
        pushes.advance(.seconds(1))
        pushes.tell(.rings("call", "pad"))
        pushes.advance(.seconds(10))
        #expect(pushes.history == ["1"], "and no event: one of them rings")
        pushes.ring("next", connected: ["phone"])
        pushes.advance(.seconds(5))
        #expect(pushes.history == ["1", "2", "1", "ringing"])
    }

    @Test("An answered call wakes nobody any more, whatever was silent")
    func answered() {
        var pushes = VirtualPushes()
        pushes.register(1, "bob/phone")
        pushes.ring("call", connected: ["mac", "phone"])
        pushes.tell(.ended("call", .answered(by: SignalingPeer(user: "bob", device: "mac"))))
        pushes.advance(.seconds(60))
        #expect(pushes.history.isEmpty && pushes.plan.statistics.waiting == 0)
    }

    @Test("What fails is repeated with growing pauses while the call rings, and then given up")
    func repeated() {
        var pushes = VirtualPushes(webhook: false)
        pushes.register(1, "bob/phone")
        var times: [Duration] = []
        pushes.ring("call")
        for _ in 0..<6 {
            times.append(pushes.now)
            pushes.finish(.failed())
            while pushes.sent.isEmpty, pushes.unreachable.isEmpty { pushes.advance(.milliseconds(10)) }
        }
        #expect(pushes.all.map(\.attempt) == [1, 2, 3, 4, 5, 6] && Set(pushes.all.map(\.id)).count == 1)
        let pauses = zip(times.dropFirst(), times).map { $0 - $1 }
        for (number, pause) in pauses.enumerated() {
            let full = min(Duration.seconds(8), .milliseconds(500) * (1 << number))
            #expect(pause >= full * 0.75 && pause <= full * 1.25 + .milliseconds(10), "\(number): \(pause)")
        }
        #expect(pushes.unreachable == ["call"] && pushes.plan.statistics.failed == 1)
        pushes.end("call", "unavailable")
        pushes.ring("short", for: .seconds(1))
        for _ in 0..<6 {
            pushes.finish(.failed(retryAfter: .seconds(2)))
            pushes.advance(.seconds(3))
        }
        #expect(pushes.history.count == 7 && pushes.unreachable == ["call", "short"])
    }

    @Test("The rest of the ringing is counted anew for each attempt")
    func timeLeft() {
        var pushes = VirtualPushes(webhook: false)
        pushes.register(1, "bob/phone")
        pushes.ring("call")
        pushes.finish(.failed(retryAfter: .seconds(10)))
        pushes.advance(.seconds(12))
        guard case .device(let push)? = pushes.sent.first?.content else {
            Issue.record("nothing was sent")
            return
        }
        #expect(push.timeLeft <= .seconds(20) && push.timeLeft > .seconds(17))
    }

    @Test("A cancelled call: retries stop, no push follows, and the app's server is told if it may know of the call")
    func cancelled() {
        var pushes = VirtualPushes()
        pushes.register(1, "bob/phone")
        pushes.ring("call")
        pushes.finish(pushes.sent[0], .failed())
        pushes.finish(pushes.sent[0], .delivered)
        pushes.end("call")
        pushes.advance(.seconds(60))
        #expect(pushes.history == ["1", "ringing", "ended"])
        #expect(pushes.plan.statistics.cancelled == 1)
        pushes.finish(.delivered)
        #expect(pushes.plan.statistics.waiting == 0)
    }

    @Test("An end waits for the beginning that is on its way, so that they arrive in their order")
    func order() {
        var pushes = VirtualPushes(devices: false)
        pushes.ring("call")
        pushes.end("call")
        #expect(pushes.history == ["ringing"])
        pushes.finish(.failed())
        #expect(pushes.history == ["ringing", "ended"], "it may have arrived all the same")
        // The end is repeated for a minute.
        for _ in 0..<10 {
            pushes.finish(.failed())
            pushes.advance(.seconds(10))
        }
        #expect(pushes.history.count == 7 && pushes.plan.statistics.waiting == 0 && pushes.unreachable.isEmpty)
    }

    @Test("An event that never left is not followed by an end")
    func neverLeft() {
        var pushes = VirtualPushes(devices: false) { $0.concurrent = 1 }
        pushes.ring("one")
        pushes.ring("two", from: "carol/c", to: "dave")
        pushes.end("two")
        pushes.finish(.delivered)
        #expect(pushes.history == ["ringing"])
    }

    @Test("A dead token is dropped; if nothing else can wake a device, the call is unreachable")
    func deadToken() {
        var pushes = VirtualPushes(webhook: false)
        pushes.register(1, "bob/phone")
        pushes.register(2, "bob/pad")
        pushes.ring("call")
        pushes.finish(.deadToken(since: .zero))
        #expect(pushes.unreachable.isEmpty)
        pushes.finish(.refused)
        #expect(pushes.unreachable == ["call"])
        #expect(pushes.plan.statistics.deadTokens == 1 && pushes.plan.statistics.tokens == 1)
        pushes.end("call", "unavailable")
        pushes.ring("next")
        #expect(pushes.history == ["2", "1", "1"])
    }

    @Test("An answer of the app's server that nobody is there makes a call unreachable, unless a device was woken")
    func saysUnreachable() {
        var pushes = VirtualPushes()
        pushes.ring("call")
        pushes.finish(.unreachable)
        #expect(pushes.unreachable == ["call"])
        pushes.end("call", "unavailable")
        pushes.finish(.delivered)
        pushes.register(1, "bob/phone")
        pushes.ring("next")
        pushes.finish(.delivered)
        pushes.finish(.unreachable)
        #expect(pushes.unreachable == ["call"])
    }

    @Test("Nobody floods a phone: what is beyond a limit is unreachable, and costs nothing further")
    func limited() {
        var pushes = VirtualPushes()
        pushes.register(1, "bob/phone")
        for number in 0..<100 {
            let call = CallID(stringLiteral: "call\(number)")
            pushes.ring(call)
            pushes.end(call)
        }
        #expect(pushes.history.count { $0 == "1" } == 3)
        #expect(pushes.unreachable.count == 97 && pushes.plan.statistics.limited == 97)
        // A call at which nothing is to be sent is not charged.
        pushes.ring("online", to: "dave", connected: ["mac"])
        pushes.tell(.rings("online", "mac"))
        #expect(pushes.plan.statistics.limited == 97)
    }

    @Test("So many requests at a time, so many in all, and so many calls")
    func bounds() {
        var pushes = VirtualPushes(devices: false) { ($0.concurrent, $0.waiting, $0.calls) = (2, 5, 8) }
        for number in 0..<10 {
            let caller = SignalingAddress(stringLiteral: "caller\(number)/a")
            let callee = SignalingAddress(stringLiteral: "callee\(number)")
            pushes.ring(CallID(stringLiteral: "call\(number)"), from: caller, to: callee)
        }
        #expect(pushes.sent.count == 2 && pushes.plan.statistics.waiting == 5)
        #expect(pushes.unreachable.count == 5)
        for _ in 0..<5 { pushes.finish(.delivered) }
        #expect(pushes.history.count == 5 && pushes.plan.statistics.waiting == 0)
    }

    @Test("Outcomes of requests that are not being sent are ignored")
    func unknownOutcome() {
        var pushes = VirtualPushes(devices: false)
        pushes.ring("call")
        let request = pushes.sent[0]
        pushes.finish(request, .failed())
        pushes.finish(request, .delivered)
        pushes.finish(PushRequest(id: 99, content: request.content), .delivered)
        pushes.advance(.seconds(2))
        #expect(pushes.sent.map(\.attempt) == [2] && pushes.plan.statistics.delivered == 0)
    }

    @Test("Thousands of registrations, calls and outcomes in any order leave nothing behind")
    func anyOrder() {
        for seed in 0..<50 as Range<UInt64> {
            var random = SeededGenerator(seed: seed)
            var pushes = VirtualPushes { ($0.concurrent, $0.waiting) = (3, 20) }
            let users: [UserID] = ["alice", "bob", "carol"]
            var calls: Set<CallID> = []
            for step in 0..<400 {
                let (one, other) = (users.randomElement(using: &random)!, users.randomElement(using: &random)!)
                let device = SignalingDeviceID(rawValue: "d\(random.next() % 3)")
                let caller = SignalingAddress(user: one, device: device)
                switch random.next() % 6 {
                case 0: pushes.register(UInt8(random.next() % 9), caller)
                case 1: pushes.tell(.registered(caller, nil))
                case 2:
                    let call = CallID(stringLiteral: "call\(step)")
                    calls.insert(call)
                    pushes.ring(
                        call, from: caller, to: SignalingAddress(user: other),
                        connected: random.next() % 2 == 0 ? ["d1"] : [])
                case 3:
                    if let call = calls.sorted().randomElement(using: &random) {
                        calls.remove(call)
                        pushes.end(call)
                    }
                case 4:
                    let outcomes: [PushOutcome] = [
                        .delivered, .failed(), .refused, .deadToken(since: nil), .unreachable,
                    ]
                    pushes.finish(outcomes.randomElement(using: &random)!)
                default: pushes.advance(.milliseconds(random.next() % 3_000))
                }
                let events = pushes.sent.count { if case .webhook = $0.content { true } else { false } }
                #expect(events <= 3 && pushes.sent.count - events <= 3 && pushes.plan.statistics.waiting <= 40)
            }
            for call in calls.sorted() { pushes.end(call) }
            for _ in 0..<1_000 where pushes.plan.statistics.waiting > 0 {
                pushes.finish(.failed())
                pushes.advance(.seconds(10))
            }
            #expect(pushes.plan.statistics.waiting == 0, "seed \(seed)")
            // One request for each token and event of a call.
            var requests: [String: Set<UInt64>] = [:]
            for request in pushes.all { requests[request.content.key, default: []].insert(request.id) }
            #expect(requests.values.allSatisfy { $0.count == 1 }, "seed \(seed)")
        }
    }

    @Test("A call whose end nobody tells is over some time after it has rung out, and the app's server hears so")
    func lostEnd() {
        var pushes = VirtualPushes { $0.calls = 2 }
        pushes.register(1, "bob/phone")
        pushes.ring("one", connected: ["phone"])
        pushes.ring("two")
        while !pushes.sent.isEmpty { pushes.finish(.delivered) }
        #expect(pushes.history == ["1", "ringing"])
        pushes.advance(.seconds(3_700))
        while !pushes.sent.isEmpty { pushes.finish(.delivered) }
        #expect(pushes.history.suffix(1) == ["ended"])
        let before = pushes.unreachable
        pushes.ring("three")
        #expect(pushes.unreachable == before && pushes.history.last == "ringing")
    }
}
