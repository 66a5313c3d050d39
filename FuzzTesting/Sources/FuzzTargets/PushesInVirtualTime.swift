import RTCWire

@testable import RTCSignaling

/// The rules of pushes without sockets and clock: no sequence of events and outcomes may trap, or break a limit.
struct PushesInVirtualTime {
    private let limits: PushLimits
    private var plan: PushPlan
    private var now: Duration = .zero
    /// The requests that are being sent.
    private var sent: [PushRequest] = []
    private var calls: Set<CallID> = []

    init(_ limits: PushLimits) {
        self.limits = limits
        plan = PushPlan(limits: limits, webhook: true, devices: true, random: SeededRandom(seed: 1))
    }

    mutating func handle(_ event: RingEvent) {
        switch event {
        case .began(let call): calls.insert(call.id)
        case .ended(let call, _): calls.remove(call)
        case .registered, .known, .rings: break
        }
        plan.handle(event, at: now)
        carryOut()
    }

    /// A request has this outcome, if there is one.
    mutating func finish(_ index: Int, _ outcome: PushOutcome) {
        guard !sent.isEmpty else { return }
        plan.finished(sent.remove(at: index % sent.count).id, outcome, at: now)
        carryOut()
    }

    mutating func advance(_ duration: Duration) {
        let end = now + duration
        while let deadline = plan.nextDeadline, deadline <= end {
            now = max(now, deadline)
            plan.timeout(at: now)
            carryOut()
        }
        now = end
    }

    /// Ends every call, answers every request, and checks that nothing is left.
    mutating func end() {
        for call in calls.sorted() { handle(.ended(call, .ended(reason: "cancelled"))) }
        for _ in 0..<(4 * limits.waiting) where plan.statistics.waiting > 0 {
            finish(0, .refused)
            advance(.seconds(61))
        }
        precondition(plan.statistics.waiting == 0 && plan.remembered == 0, "requests are left")
    }

    private mutating func carryOut() {
        while let effect = plan.nextEffect() {
            if case .send(let request) = effect { sent.append(request) }
        }
        let events = sent.count { if case .webhook = $0.content { true } else { false } }
        precondition(max(events, sent.count - events) <= limits.concurrent, "too many at a time")
        precondition(plan.statistics.waiting <= 2 * limits.waiting, "too many wait")
        precondition(plan.remembered <= 2 * (2 * limits.waiting + 64) + 2, "dropped ones are kept")
        precondition(plan.statistics.tokens <= limits.tokens, "too many tokens")
    }
}
