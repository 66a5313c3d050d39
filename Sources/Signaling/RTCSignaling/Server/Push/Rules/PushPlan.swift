internal import RTCWire

/// Decides what is sent when a user is called who has no connection: without sockets and clock.
///
/// - A device with a token gets a push if it has no connection, or if it has one and does not say in time that it rings.
/// - The app's own server gets a `ringing` event if the callee has no connection, or no device says in time that it rings. If
///   it may have received that, it gets an `ended` event when the call does not ring any more.
/// - Each call causes each of these at most once. Attempts that fail are repeated while the call rings.
/// - When the call does not ring any more, what has not left is dropped. What has left stays: a push cannot be taken back, and
///   a second one would ring again (docs/push.md).
struct PushPlan {
    enum Effect: Hashable {
        case send(PushRequest)
        /// Nothing can wake a device for this call.
        case unreachable(CallID)
    }

    private let limits: PushLimits
    private let hasWebhook: Bool
    private let hasDevicePushes: Bool
    private let random: any RandomSource
    private var registry: PushRegistry
    private var budget: PushBudget
    private var calls: [CallID: WakingCall] = [:]
    private var requests: [UInt64: Request] = [:]
    private var lastID: UInt64 = 0
    /// What waits for the app's own server, and for the service of devices: one that is slow delays nothing of the other's.
    private var lanes = [Lane(), Lane()]
    private var hasSweep = false
    private var deadlines = PriorityQueue<Duration, Deadline>()
    private var effects = RingBuffer<Effect>()
    private var counters = PushStatistics()

    /// A call that rings.
    private struct WakingCall {
        var call: RingingCall
        var end: Duration
        /// The connected devices that have not said yet that they ring.
        var silent: Set<SignalingDeviceID>
        var hasRung = false
        /// Whether the caller's and the callee's budgets have one less for this call; `nil` if nothing was to be sent yet.
        var isAllowed: Bool?
        var devicesWithPush: Set<SignalingDeviceID> = []
        /// A token may move to another device meanwhile.
        var tokensWithPush: Set<PushToken> = []
        var hasWebhook = false
        /// The requests that may still succeed.
        var pending: Set<UInt64> = []
        /// Whether one has succeeded.
        var isWoken = false
        /// Whether the app's own server may know about the call.
        var isReported = false
    }

    private struct Request {
        var content: PushRequest.Content
        /// The call that it wakes a device for; `nil` for an event after its end.
        var call: CallID?
        /// When it is given up.
        var end: Duration
        var attempt = 0
        var isSending = false
        /// What is sent after it, so that both arrive in their order.
        var successor: WebhookEvent?

        var service: Service {
            switch content {
            case .webhook: .webhook
            case .device: .devices
            }
        }
    }

    /// The index of a lane.
    private enum Service: Int {
        case devices, webhook
    }

    /// The requests of one service.
    private struct Lane {
        /// Those to send next, earliest first. Some may be dropped already.
        var ready = RingBuffer<UInt64>()
        var sending = 0
        /// Those that are being sent, or wait.
        var count = 0
    }

    private enum Deadline {
        case retry(UInt64)
        case silence(CallID)
        case sweep
    }

    private static let sweepInterval: Duration = .seconds(3_600)

    /// - Parameter random: Spreads attempts after a failure. It need not be secure.
    init(limits: PushLimits, webhook: Bool, devices: Bool, random: any RandomSource) {
        self.limits = limits
        hasWebhook = webhook
        hasDevicePushes = devices
        self.random = random
        registry = PushRegistry(limits)
        budget = PushBudget(limits)
    }

    var nextDeadline: Duration? { deadlines.next }

    var statistics: PushStatistics {
        var result = counters
        result.tokens = registry.count
        result.waiting = requests.count
        return result
    }

    /// Registers stored tokens.
    ///
    /// - Parameter time: The current time in seconds since 1970.
    mutating func restore(_ tokens: [StoredPushToken], at now: Duration, time: Int64) {
        registry.restore(tokens, at: now, time: time)
        sweepLater(now)
    }

    /// The number of changes of tokens that are worth storing.
    var tokenChanges: UInt64 { registry.changes }

    /// The tokens to store.
    ///
    /// - Parameter time: The current time in seconds since 1970.
    func storedTokens(at now: Duration, time: Int64) -> [StoredPushToken] { registry.stored(at: now, time: time) }

    /// The number of requests that a service is still to have, dropped ones included.
    var remembered: Int { lanes.reduce(0) { $0 + $1.ready.count } }

    mutating func nextEffect() -> Effect? { effects.popFirst() }

    mutating func timeout(at now: Duration) {
        while let deadline = deadlines.popFirst(through: now) {
            switch deadline {
            case .retry(let id):
                guard let request = requests[id], !request.isSending else { continue }
                lanes[request.service.rawValue].ready.append(id)
            case .silence(let id): wakeSilentDevices(id, at: now)
            case .sweep:
                hasSweep = false
                registry.sweep(at: now)
                endLostCalls(at: now)
                sweepLater(now)
            }
        }
        sendReady(at: now)
    }

    /// One sweep at a time: a client that registers its token and takes it back makes no further one.
    private mutating func sweepLater(_ now: Duration) {
        guard !hasSweep, registry.count > 0 || !calls.isEmpty else { return }
        hasSweep = true
        deadlines.insert(.sweep, at: now + Self.sweepInterval)
    }

    /// Ends the calls whose end was never told: a server that shares its state, and has missed a part of it, does not know of all.
    private mutating func endLostCalls(at now: Duration) {
        let lost = calls.filter { $0.value.end + limits.endPatience <= now }
        for id in lost.keys.sorted() { ended(id, .ended(reason: "noAnswer"), at: now) }
    }
}

// MARK: - Events of the exchange

extension PushPlan {
    mutating func handle(_ event: RingEvent, at now: Duration) {
        switch event {
        case .registered(let owner, let token): register(token, for: owner, at: now)
        case .known(let tokens): learn(tokens, at: now)
        case .began(let call): began(call, at: now)
        case .rings(let id, let device):
            calls[id]?.silent.remove(device)
            calls[id]?.hasRung = true
        case .ended(let id, let end): ended(id, end, at: now)
        }
        sendReady(at: now)
    }

    private mutating func register(_ token: PushToken?, for owner: SignalingAddress, at now: Duration) {
        guard let token else { return registry.remove(owner) }
        guard hasDevicePushes else { return }
        if registry.register(token, for: owner, at: now) { sweepLater(now) }
    }

    private mutating func learn(_ tokens: [KnownPushToken], at now: Duration) {
        guard hasDevicePushes else { return }
        registry.learn(tokens, at: now)
        sweepLater(now)
    }

    private mutating func began(_ call: RingingCall, at now: Duration) {
        guard calls[call.id] == nil else { return }
        guard calls.count < limits.calls else {
            counters.limited += 1
            return effects.append(.unreachable(call.id))
        }
        calls[call.id] = WakingCall(call: call, end: now + call.timeLeft, silent: call.connectedDevices)
        sweepLater(now)
        wakeSleepingDevices(call.id, at: now)
        if call.connectedDevices.isEmpty {
            if hasWebhook { report(call.id, at: now) }
            giveUpIfHopeless(call.id)
        } else if hasWebhook || !targets(of: call, at: now).isEmpty {
            deadlines.insert(.silence(call.id), at: now + limits.silence)
        }
    }

    /// The called devices that have a token, without the one that calls.
    private func targets(
        of call: RingingCall, at now: Duration
    ) -> [(device: SignalingDeviceID, token: PushToken)] {
        registry.tokens(of: call.callee, at: now).filter {
            call.caller.address != SignalingAddress(user: call.callee.user, device: $0.device)
        }
    }

    private mutating func wakeSleepingDevices(_ id: CallID, at now: Duration) {
        guard let waking = calls[id] else { return }
        for (device, token) in targets(of: waking.call, at: now) where !waking.call.connectedDevices.contains(device) {
            push(to: device, token, for: id, at: now)
        }
    }

    /// Wakes the devices whose connection may be dead.
    private mutating func wakeSilentDevices(_ id: CallID, at now: Duration) {
        guard let waking = calls[id] else { return }
        for (device, token) in targets(of: waking.call, at: now) where waking.silent.contains(device) {
            push(to: device, token, for: id, at: now)
        }
        if hasWebhook, !waking.hasRung { report(id, at: now) }
    }

    private mutating func push(to device: SignalingDeviceID, _ token: PushToken, for id: CallID, at now: Duration) {
        guard let waking = calls[id], !waking.devicesWithPush.contains(device),
            !waking.tokensWithPush.contains(token), isAllowed(id, at: now)
        else { return }
        calls[id]?.devicesWithPush.insert(device)
        calls[id]?.tokensWithPush.insert(token)
        let push = DevicePush(token: token, call: waking.call, timeLeft: waking.end - now)
        enqueue(Request(content: .device(push), call: id, end: waking.end))
    }

    private mutating func report(_ id: CallID, at now: Duration) {
        guard let waking = calls[id], !waking.hasWebhook, isAllowed(id, at: now) else { return }
        calls[id]?.hasWebhook = true
        let event = WebhookEvent(kind: .ringing, call: waking.call, timeLeft: waking.end - now)
        enqueue(Request(content: .webhook(event), call: id, end: waking.end))
    }

    /// Whether the budgets allow to wake anybody for this call. They are charged once for a call.
    private mutating func isAllowed(_ id: CallID, at now: Duration) -> Bool {
        guard let waking = calls[id] else { return false }
        if let isAllowed = waking.isAllowed { return isAllowed }
        let isAllowed = budget.take(from: waking.call.caller.user, to: waking.call.callee.user, at: now)
        if !isAllowed { counters.limited += 1 }
        calls[id]?.isAllowed = isAllowed
        return isAllowed
    }

    private mutating func ended(_ id: CallID, _ end: RingEnd, at now: Duration) {
        guard let waking = calls.removeValue(forKey: id) else { return }
        if case .answered(let peer) = end { budget.met(waking.call.caller.user, peer.user) }
        let event = WebhookEvent(kind: .ended(end), call: waking.call, timeLeft: .zero)
        var isFollowing = false
        for id in waking.pending {
            guard let request = requests[id], request.isSending else {
                remove(id)
                counters.cancelled += 1
                continue
            }
            guard case .webhook = request.content else { continue }
            requests[id]?.successor = event
            isFollowing = true
        }
        if waking.isReported, !isFollowing { enqueueEnd(event, at: now) }
    }

    private mutating func enqueueEnd(_ event: WebhookEvent, at now: Duration) {
        enqueue(Request(content: .webhook(event), call: nil, end: now + limits.endPatience))
    }
}

// MARK: - Requests

extension PushPlan {
    private mutating func enqueue(_ request: Request) {
        let lane = request.service.rawValue
        guard lanes[lane].count < limits.waiting else {
            counters.failed += 1
            return
        }
        lastID += 1
        requests[lastID] = request
        if let call = request.call { calls[call]?.pending.insert(lastID) }
        lanes[lane].count += 1
        lanes[lane].ready.append(lastID)
        // Calls that begin and end while everything is slow leave their numbers behind.
        if lanes[lane].ready.count > 2 * lanes[lane].count + 64 {
            lanes[lane].ready = RingBuffer(lanes[lane].ready.elements.filter { requests[$0] != nil })
        }
    }

    private mutating func remove(_ id: UInt64) {
        guard let request = requests.removeValue(forKey: id) else { return }
        lanes[request.service.rawValue].count -= 1
    }

    private mutating func sendReady(at now: Duration) {
        for lane in lanes.indices { sendReady(in: lane, at: now) }
    }

    private mutating func sendReady(in lane: Int, at now: Duration) {
        while lanes[lane].sending < limits.concurrent, let id = lanes[lane].ready.popFirst() {
            guard var request = requests[id], !request.isSending else { continue }
            guard request.end > now else {
                giveUp(id, request)
                continue
            }
            request.attempt += 1
            request.isSending = true
            requests[id] = request
            lanes[lane].sending += 1
            counters.attempts += 1
            if let call = request.call, case .webhook = request.content { calls[call]?.isReported = true }
            let content = request.content.with(timeLeft: request.call == nil ? .zero : request.end - now)
            effects.append(.send(PushRequest(id: id, attempt: request.attempt, content: content)))
        }
    }

    /// Handles the outcome of an attempt.
    mutating func finished(_ id: UInt64, _ outcome: PushOutcome, at now: Duration) {
        guard let request = requests[id], request.isSending else { return }
        lanes[request.service.rawValue].sending -= 1
        requests[id]?.isSending = false
        switch outcome {
        case .delivered:
            counters.delivered += 1
            remove(id)
            if let call = request.call {
                calls[call]?.pending.remove(id)
                calls[call]?.isWoken = true
            }
        case .failed(let floor): retry(id, request, notBefore: floor, at: now)
        case .unreachable, .refused: giveUp(id, request)
        case .deadToken(let age):
            if case .device(let push) = request.content, registry.drop(push.token, deadSince: age, at: now) {
                counters.deadTokens += 1
            }
            giveUp(id, request)
        }
        if let successor = request.successor { enqueueEnd(successor, at: now) }
        sendReady(at: now)
    }

    private mutating func retry(_ id: UInt64, _ request: Request, notBefore floor: Duration, at now: Duration) {
        // The call has ended meanwhile.
        if let call = request.call, calls[call] == nil {
            remove(id)
            counters.cancelled += 1
            return
        }
        // An exponent is bounded by the number of attempts.
        let doubled = limits.firstDelay * (1 << min(request.attempt - 1, 10))
        let delay = min(doubled, limits.longestDelay) * (0.75 + random.nextUnit() / 2)
        let next = now + max(delay, floor)
        guard request.attempt < limits.attempts, next < request.end else { return giveUp(id, request) }
        deadlines.insert(.retry(id), at: next)
    }

    private mutating func giveUp(_ id: UInt64, _ request: Request) {
        remove(id)
        counters.failed += 1
        guard let call = request.call else { return }
        calls[call]?.pending.remove(id)
        giveUpIfHopeless(call)
    }

    private mutating func giveUpIfHopeless(_ id: CallID) {
        guard let waking = calls[id], waking.pending.isEmpty, !waking.isWoken else { return }
        effects.append(.unreachable(id))
    }
}

extension PushRequest.Content {
    fileprivate func with(timeLeft: Duration) -> PushRequest.Content {
        switch self {
        case .webhook(var event):
            event.timeLeft = timeLeft
            return .webhook(event)
        case .device(var push):
            push.timeLeft = timeLeft
            return .device(push)
        }
    }
}
