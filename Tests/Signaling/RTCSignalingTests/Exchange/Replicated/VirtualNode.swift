import RTCWire

@testable import RTCSignaling

/// A server: an exchange in memory, or a replica at a log. It can be killed, and cut off from the log.
final class VirtualNode {
    enum Engine {
        case memory(MemoryExchange)
        case replica(ExchangeReplica)
    }

    private let time: VirtualTime
    private let log: VirtualLog?
    private let limits: ExchangeLimits
    private let options: ExchangeReplica.Options
    /// `nil` while it is dead.
    private(set) var engine: Engine?
    private(set) var isReachable = true
    private(set) var reports: [ExchangeReplica.Report] = []
    var sockets: [ConnectionID: CallerSocket] = [:]
    /// The rules of its pushes, if phones may sleep.
    private var plan: PushPlan?
    /// The pushes that it has sent.
    private(set) var pushes: [DevicePush] = []
    private var lastConnection: UInt64 = 0
    private var wakeUp: Duration?

    /// Reading of the log: grows whenever that begins anew.
    private var reading: UInt64 = 0
    private var next: UInt64?
    private var goal: UInt64?
    private var isDelivering = false

    init(_ time: VirtualTime, _ log: VirtualLog?, _ limits: ExchangeLimits, _ options: ExchangeReplica.Options) {
        self.time = time
        self.log = log
        self.limits = limits
        self.options = options
        log?.onAppend { [unowned self] in deliver() }
        start()
    }

    var isAlive: Bool { engine != nil }

    var replica: ExchangeReplica? { if case .replica(let replica) = engine { replica } else { nil } }

    func start() {
        guard engine == nil else { return }
        let random = SeededGenerator(seed: time.next())
        if limits.ringsAbsentUsers {
            plan = PushPlan(limits: PushLimits(), webhook: false, devices: true, random: SeededRandom(seed: 1))
        }
        if log == nil {
            engine = .memory(MemoryExchange(limits: limits, random: random))
        } else {
            engine = .replica(ExchangeReplica(limits: limits, options: options, random: random, at: time.now))
        }
        proceed()
    }

    func kill() {
        guard engine != nil else { return }
        engine = nil
        plan = nil
        reading += 1
        next = nil
        (isDelivering, wakeUp) = (false, nil)
        for socket in sockets.values.sorted(by: { $0.id.rawValue < $1.id.rawValue }) { socket.breakOff() }
        sockets = [:]
    }

    func cutOff(for duration: Duration) {
        isReachable = false
        time.after(duration) {
            self.isReachable = true
            self.deliver()
        }
    }

    // MARK: Sockets

    func open(_ socket: CallerSocket) -> ConnectionID {
        lastConnection += 1
        let id = ConnectionID(rawValue: lastConnection)
        sockets[id] = socket
        return id
    }

    func handle(_ input: ExchangeInput) {
        switch engine {
        case .memory(let exchange): exchange.handle(input, at: time.now)
        case .replica(let replica): replica.handle(.client(input), at: time.now)
        case nil: return
        }
        proceed()
    }

    private func output(_ output: ExchangeOutput) {
        switch output {
        case .send(let id, let json): sockets[id]?.send(toClient: json)
        case .close(let id, let code): sockets.removeValue(forKey: id)?.close(code)
        case .ring(let event): ring(event)
        case .charge: break
        }
    }

    private func ring(_ event: RingEvent) {
        plan?.handle(event, at: time.now)
        while let effect = plan?.nextEffect() {
            switch effect {
            case .send(let request):
                if case .device(let push) = request.content { pushes.append(push) }
                plan?.finished(request.id, .delivered, at: time.now)
            case .unreachable(let call): handle(.unreachable(call))
            }
        }
    }

    // MARK: The engine

    private func proceed() {
        switch engine {
        case .memory(let exchange):
            while let output = exchange.nextOutput() { self.output(output) }
            wake(at: exchange.nextDeadline)
        case .replica(let replica):
            while let effect = replica.nextEffect() { carryOut(effect) }
            wake(at: replica.nextDeadline)
        case nil: return
        }
    }

    private func wake(at deadline: Duration?) {
        guard let deadline, wakeUp.map({ deadline < $0 }) ?? true else { return }
        wakeUp = deadline
        time.at(deadline) {
            guard self.wakeUp == deadline else { return }
            self.wakeUp = nil
            self.handle(.timeout)
        }
    }

    private func feed(_ input: ExchangeReplica.Input, to replica: ExchangeReplica) {
        guard self.replica === replica else { return }
        replica.handle(input, at: time.now)
        proceed()
    }

    private func carryOut(_ effect: ExchangeReplica.Effect) {
        guard let replica, let log else { return }
        switch effect {
        case .output(let output): self.output(output)
        case .load: load(replica)
        case .append(let bytes, _):
            log.append(bytes, isReachable: isReachable) { self.feed(.appendFailed, to: replica) }
        case .save(let bytes, let position):
            time.after(log.delay() * 10) {
                guard self.isReachable, self.replica === replica else { return self.feed(.saveFailed, to: replica) }
                log.save(bytes, position: position)
                self.feed(.saved, to: replica)
            }
        case .trim(let position): log.trim(through: position)
        case .report(let report): reports.append(report)
        }
    }

    private func load(_ replica: ExchangeReplica) {
        guard let log else { return }
        reading += 1
        next = nil
        isDelivering = false
        let reading = reading
        time.after(log.delay() + .milliseconds(200)) {
            guard self.reading == reading, self.replica === replica else { return }
            guard self.isReachable else { return self.load(replica) }
            self.next = (log.snapshot?.position ?? 0) + 1
            self.goal = log.end
            self.feed(.loaded(log.snapshot?.bytes), to: replica)
            self.deliver()
        }
    }

    /// Delivers what the log has, in order.
    private func deliver() {
        guard let log, let replica, isReachable, !isDelivering, let next else { return }
        if let goal, next > goal {
            self.goal = nil
            feed(.caughtUp, to: replica)
        }
        guard next <= log.end else { return }
        isDelivering = true
        let reading = reading
        time.after(log.delay()) {
            guard self.reading == reading else { return }
            self.isDelivering = false
            guard self.isReachable else { return }
            while self.reading == reading, let next = self.next, let entry = log.entry(from: next) {
                self.next = entry.position + 1
                self.feed(.entry(entry.bytes, position: entry.position), to: replica)
                if self.reading == reading, let goal = self.goal, entry.position >= goal {
                    self.goal = nil
                    self.feed(.caughtUp, to: replica)
                }
            }
            self.deliver()
        }
    }
}
