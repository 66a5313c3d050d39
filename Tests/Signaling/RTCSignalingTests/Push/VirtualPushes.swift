import RTCWire

@testable import RTCSignaling

/// A ``PushPlan`` in virtual time, whose requests a test answers.
struct VirtualPushes {
    private(set) var plan: PushPlan
    private(set) var now: Duration = .seconds(1_000)
    /// The requests that are being sent, in their order.
    private(set) var sent: [PushRequest] = []
    /// Every request that was ever sent.
    private(set) var all: [PushRequest] = []
    private(set) var unreachable: [CallID] = []
    /// How often the plan had something to do because of the time.
    private(set) var timeouts = 0
    /// What becomes of a request at once; `nil` if the test says so later.
    var answer: (PushRequest) -> PushOutcome? = { _ in nil }

    init(webhook: Bool = true, devices: Bool = true, _ change: (inout PushLimits) -> Void = { _ in }) {
        var limits = PushLimits()
        change(&limits)
        plan = PushPlan(limits: limits, webhook: webhook, devices: devices, random: SeededRandom(seed: 5))
    }

    mutating func tell(_ event: RingEvent) {
        plan.handle(event, at: now)
        carryOut()
    }

    mutating func register(_ number: UInt8, _ owner: SignalingAddress) {
        tell(.registered(owner, PushToken(number)))
    }

    mutating func ring(
        _ call: CallID, from caller: SignalingAddress = "alice/a", to callee: SignalingAddress = "bob",
        connected: Set<SignalingDeviceID> = [], for time: Duration = .seconds(30)
    ) {
        let peer = SignalingPeer(user: caller.user, device: caller.device ?? "a")
        tell(
            .began(
                RingingCall(id: call, caller: peer, callee: callee, connectedDevices: connected, timeLeft: time)))
    }

    mutating func end(_ call: CallID, _ reason: String = "cancelled") {
        tell(.ended(call, .ended(reason: reason)))
    }

    /// The oldest request that is being sent has this outcome.
    mutating func finish(_ outcome: PushOutcome) {
        guard !sent.isEmpty else { return }
        finish(sent[0], outcome)
    }

    mutating func finish(_ request: PushRequest, _ outcome: PushOutcome) {
        sent.removeAll { $0.id == request.id }
        plan.finished(request.id, outcome, at: now)
        carryOut()
    }

    mutating func advance(_ duration: Duration) {
        let end = now + duration
        while let deadline = plan.nextDeadline, deadline <= end {
            now = max(now, deadline)
            plan.timeout(at: now)
            timeouts += 1
            carryOut()
        }
        now = end
    }

    private mutating func carryOut() {
        while let effect = plan.nextEffect() {
            switch effect {
            case .unreachable(let call): unreachable.append(call)
            case .send(let request):
                all.append(request)
                if let outcome = answer(request) {
                    plan.finished(request.id, outcome, at: now)
                } else {
                    sent.append(request)
                }
            }
        }
    }

    /// What was ever sent, in short: `1` for a push to the token of that number, `ringing` and `ended` for events.
    var history: [String] { all.map(\.content.short) }
}

extension PushRequest.Content {
    /// What there is at most one of.
    var key: String {
        switch self {
        case .device(let push): "\(push.call.id) \(push.token.rawValue)"
        case .webhook(let event): event.id
        }
    }

    fileprivate var short: String {
        switch self {
        case .device(let push): String(UInt8(push.token.rawValue.prefix(2), radix: 16) ?? 0)
        case .webhook(let event): event.kind == .ringing ? "ringing" : "ended"
        }
    }
}
