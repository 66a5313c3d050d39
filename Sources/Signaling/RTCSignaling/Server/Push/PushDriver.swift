internal import NIOCore
internal import RTCCrypto
internal import RTCNetwork

/// Carries out the effects of a ``PushPlan``, on the event loop of the server.
final class PushDriver {
    private let service: PushService
    private let loop: any EventLoop
    private let tasks: ServerTasks
    private let traces: ServerTraces
    private var plan: PushPlan
    private let timer: LoopTimer
    private var hasStopped = false
    /// The change of tokens up to which they are stored.
    private var storedChange: UInt64
    private var storing: Scheduled<Void>?

    /// How long changes wait for others: 5 s, and longer with many tokens, so that collecting them takes a thousandth of the time.
    static func storeDelay(tokens: Int) -> TimeAmount { .seconds(5) + .microseconds(500) * tokens }

    /// Called with calls for which nothing can wake a device, outside of ``handle(_:)``.
    var onUnreachable: ([CallID]) -> Void = { _ in }

    init(_ service: PushService, _ traces: ServerTraces, on loop: any EventLoop, _ tasks: ServerTasks) {
        var kept = service
        kept.storedTokens = []
        self.service = kept
        self.loop = loop
        self.tasks = tasks
        self.traces = traces
        timer = LoopTimer(loop)
        plan = PushPlan(
            limits: service.limits, webhook: service.webhook != nil, devices: service.devices != nil,
            random: SystemRandom())
        let now = Duration.nanoseconds(Int64(clamping: loop.now.uptimeNanoseconds))
        plan.restore(service.storedTokens, at: now, time: SystemTime.seconds)
        storedChange = plan.tokenChanges
    }

    var statistics: PushStatistics { plan.statistics }

    private var now: Duration { .nanoseconds(Int64(clamping: loop.now.uptimeNanoseconds)) }

    /// - Returns: Calls for which nothing can wake a device.
    func handle(_ event: RingEvent) -> [CallID] {
        guard !hasStopped else { return [] }
        plan.handle(event, at: now)
        return carryOut()
    }

    /// Sends nothing any more. May be called again.
    func stop() {
        guard !hasStopped else { return }
        hasStopped = true
        timer.cancel()
        storing?.cancel()
        store()
        let senders = [service.webhook, service.devices].compactMap(\.self)
        tasks.run(for: .push) {
            for sender in senders { await sender.close() }
        } then: { _ in
        }
    }

    private func carryOut() -> [CallID] {
        var unreachable: [CallID] = []
        while let effect = plan.nextEffect() {
            switch effect {
            case .send(let request): send(request)
            case .unreachable(let call): unreachable.append(call)
            }
        }
        timer.set(to: plan.nextDeadline.map { NIODeadline.uptimeNanoseconds(0) + TimeAmount($0) }) { [self] in
            plan.timeout(at: now)
            report()
        }
        storeSoon()
        return unreachable
    }

    private func storeSoon() {
        guard plan.tokenChanges != storedChange, storing == nil, service.storeTokens != nil else { return }
        let own = NIOLoopBound(self, eventLoop: loop)
        let delay = Self.storeDelay(tokens: plan.statistics.tokens)
        storing = loop.scheduleTask(in: delay) { own.value.store() }
    }

    private func store() {
        storing = nil
        guard let storeTokens = service.storeTokens, plan.tokenChanges != storedChange else { return }
        storedChange = plan.tokenChanges
        storeTokens(plan.storedTokens(at: now, time: SystemTime.seconds))
    }

    private func send(_ request: PushRequest) {
        let sender =
            switch request.content {
            case .webhook: service.webhook
            case .device: service.devices
            }
        let own = NIOLoopBound(self, eventLoop: loop)
        let span = traces.attemptBegan(request)
        tasks.run(for: .push) {
            await sender?.send(request) ?? .refused
        } then: { outcome in
            own.value.traces.attemptEnded(span, outcome)
            own.value.finished(request.id, outcome)
        }
    }

    private func finished(_ id: UInt64, _ outcome: PushOutcome) {
        guard !hasStopped else { return }
        plan.finished(id, outcome, at: now)
        report()
    }

    private func report() {
        let unreachable = carryOut()
        if !unreachable.isEmpty { onUnreachable(unreachable) }
    }
}
