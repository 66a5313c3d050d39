internal import NIOCore
internal import RTCCrypto

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// Carries out the effects of a ``PushPlan``, on the event loop of the server.
final class PushDriver {
    private let service: PushService
    private let loop: any EventLoop
    private let traces: ServerTraces
    private var plan: PushPlan
    private var timer: Scheduled<Void>?
    private var timerDeadline: Duration?
    private var hasStopped = false
    /// The change of tokens up to which they are stored.
    private var storedChange: UInt64
    private var storing: Scheduled<Void>?

    /// How long changes wait for others: 5 s, and longer with many tokens, so that collecting them takes a thousandth of the time.
    static func storeDelay(tokens: Int) -> TimeAmount { .seconds(5) + .microseconds(500) * tokens }

    /// Called with calls for which nothing can wake a device, outside of ``handle(_:)``.
    var onUnreachable: ([CallID]) -> Void = { _ in }

    init(_ service: PushService, _ traces: ServerTraces, on loop: any EventLoop) {
        self.service = service
        self.loop = loop
        self.traces = traces
        plan = PushPlan(
            limits: service.limits, webhook: service.webhook != nil, devices: service.devices != nil,
            random: SystemRandom())
        let now = Duration.nanoseconds(Int64(clamping: loop.now.uptimeNanoseconds))
        plan.restore(service.storedTokens, at: now, time: Self.time)
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
        timer?.cancel()
        storing?.cancel()
        store()
        let senders = [service.webhook, service.devices].compactMap(\.self)
        Task { for sender in senders { await sender.close() } }
    }

    private func carryOut() -> [CallID] {
        var unreachable: [CallID] = []
        while let effect = plan.nextEffect() {
            switch effect {
            case .send(let request): send(request)
            case .unreachable(let call): unreachable.append(call)
            }
        }
        setTimer()
        storeSoon()
        return unreachable
    }

    /// In seconds since 1970.
    private static var time: Int64 { Int64(Date().timeIntervalSince1970) }

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
        storeTokens(plan.storedTokens(at: now, time: Self.time))
    }

    private func send(_ request: PushRequest) {
        let sender =
            switch request.content {
            case .webhook: service.webhook
            case .device: service.devices
            }
        let own = NIOLoopBound(self, eventLoop: loop)
        let loop = loop
        let span = traces.attemptBegan(request)
        Task {
            let outcome = await sender?.send(request) ?? .refused
            loop.execute {
                own.value.traces.attemptEnded(span, outcome)
                own.value.finished(request.id, outcome)
            }
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

    private func setTimer() {
        let deadline = plan.nextDeadline
        guard deadline != timerDeadline else { return }
        timer?.cancel()
        timerDeadline = deadline
        guard let deadline else { return }
        let own = NIOLoopBound(self, eventLoop: loop)
        timer = loop.scheduleTask(in: TimeAmount(max(.zero, deadline - now))) {
            own.value.timerDeadline = nil
            own.value.plan.timeout(at: own.value.now)
            own.value.report()
        }
    }
}
