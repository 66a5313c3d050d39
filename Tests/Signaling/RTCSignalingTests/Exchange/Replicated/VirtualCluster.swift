@testable import RTCSignaling

/// Nodes, a log and callers in virtual time, with faults. It counts what must not be.
final class VirtualCluster {
    struct Call {
        var id: CallID
        var caller: Int
        var callee: Int
        var isOver = false
        /// Who has hung up.
        var ender: Int?
    }

    let time: VirtualTime
    let log: VirtualLog?
    private(set) var nodes: [VirtualNode] = []
    private(set) var callers: [VirtualCaller] = []
    /// They have registered a push token, and sleep.
    private(set) var phones: [VirtualCaller] = []
    private(set) var faults: [String] = []
    private var calls: [CallID: Call] = [:]
    private var lastText = 0
    private var isBusy = false

    /// - Parameters:
    ///   - nodes: 0 for one exchange in memory.
    ///   - phones: How many phones sleep.
    init(
        seed: UInt64, nodes count: Int, callers: Int, phones: Int = 0,
        options: ExchangeReplica.Options = ExchangeReplica.Options()
    ) {
        time = VirtualTime(seed: seed)
        log = count > 0 ? VirtualLog(time) : nil
        var limits = ExchangeLimits()
        limits.inviteInterval = .milliseconds(100)
        limits.ringsAbsentUsers = phones > 0
        for _ in 0..<max(1, count) { nodes.append(VirtualNode(time, log, limits, options)) }
        for number in 0..<callers {
            self.callers.append(VirtualCaller(self, SignalingAddress("user\(number)/d") ?? "user/d"))
        }
        time.run(for: .seconds(3))
        for caller in self.callers { caller.connect() }
        time.run(for: .seconds(5))
        if self.callers.contains(where: { !$0.isSignedIn }) { note("somebody could not sign in at first") }
        for number in 0..<phones { addPhone(number) }
    }

    private func addPhone(_ number: Int) {
        let phone = VirtualCaller(self, SignalingAddress("phone\(number)/p") ?? "phone/p")
        phones.append(phone)
        phone.connect()
        time.run(for: .seconds(2))
        phone.say(.pushToken(PushRegistration(token: Self.token(of: number))))
        time.run(for: .seconds(1))
        phone.sleep()
        time.run(for: .seconds(1))
    }

    private static func token(of phone: Int) -> PushToken { PushToken(UInt8(phone + 1)) }

    func note(_ fault: String) {
        if faults.count < 20 { faults.append("\(time.now): \(fault)") }
    }

    func anyNode() -> VirtualNode? {
        let living = nodes.filter(\.isAlive)
        return living.isEmpty ? nil : living[time.below(living.count)]
    }

    // MARK: What callers do

    /// Everybody signals and calls at random for a while.
    func beBusy(for duration: Duration) {
        isBusy = true
        for index in callers.indices { act(index) }
        time.run(for: duration)
        isBusy = false
    }

    private func act(_ index: Int) {
        guard isBusy else { return }
        let other = (index + 1 + time.below(callers.count - 1)) % callers.count
        switch time.below(4) {
        case 0: call(index, other)
        default:
            lastText += 1
            callers[index].signal(to: callers[other], "\(index) \(lastText)")
        }
        time.after(time.between(200, 4_000)) { self.act(index) }
    }

    private func call(_ caller: Int, _ callee: Int) {
        let pair = Set([caller, callee])
        let running = calls.values.filter { !$0.isOver }
        let own = running.count { $0.caller == caller || $0.callee == caller }
        let others = running.count { $0.caller == callee || $0.callee == callee }
        guard !running.contains(where: { Set([$0.caller, $0.callee]) == pair }), own < 5, others < 5 else { return }
        lastText += 1
        let call = Call(id: CallID(stringLiteral: "call\(lastText)"), caller: caller, callee: callee)
        calls[call.id] = call
        callers[caller].say(.invite(call.id, to: callers[callee].address, lifetime: 120))
        callers[caller].say(.candidates(call.id, ["candidate:1"]))
    }

    func rings(_ id: CallID, at callee: VirtualCaller) {
        time.after(time.between(1, 4_000)) { callee.say(.answer(id)) }
    }

    func answered(_ id: CallID) {
        guard let call = calls[id] else { return note("an answer of no call") }
        callers[call.caller].say(.negotiate(id))
    }

    /// One of them hangs up some time after the callee has heard everything.
    func negotiated(_ id: CallID) {
        guard let call = calls[id] else { return note("a description of no call") }
        let ender = time.chance(50) ? call.caller : call.callee
        calls[id]?.ender = ender
        time.after(time.between(100, 9_000)) {
            self.callers[ender].say(.hangup(id))
            self.calls[id]?.isOver = true
        }
    }

    /// Whether a phone that sleeps gets a push from this node, the only one that lives, when somebody calls it.
    func wakes(_ phone: Int, from node: VirtualNode) -> Bool {
        lastText += 1
        let call = CallID(stringLiteral: "wake\(lastText)")
        callers[0].say(.invite(call, to: phones[phone].address))
        time.run(for: .seconds(1))
        callers[0].say(.cancel(call))
        time.run(for: .seconds(1))
        return node.pushes.count { $0.call.id == call && $0.token == Self.token(of: phone) } == 1
    }

    // MARK: Faults

    func cutSockets(times: Int, within duration: Duration) {
        for _ in 0..<times {
            let caller = callers[time.below(callers.count)]
            time.after(.milliseconds(time.below(Int(duration.components.seconds) * 1_000))) { caller.cut() }
        }
    }

    /// Kills a node, or cuts it off from the log, again and again; the log is slow or loses something at times.
    func troubleNodes(within duration: Duration) {
        guard log != nil else { return }
        var start = Duration.seconds(1)
        while start < duration {
            time.after(start) { self.trouble() }
            start += time.between(1_500, 9_000)
        }
    }

    private func trouble() {
        let node = nodes[time.below(nodes.count)]
        switch time.below(6) {
        case 0...1:
            node.kill()
            time.after(time.between(300, 12_000)) { node.start() }
        case 2...3: if node.isReachable { node.cutOff(for: time.between(100, 14_000)) }
        case 4:
            log?.slowness = 900
            time.after(time.between(500, 5_000)) { self.log?.slowness = 10 }
        default:
            log?.losses = 30
            time.after(time.between(500, 6_000)) { self.log?.losses = 0 }
        }
    }

    // MARK: The end

    /// Everything is repaired, and there is time for what is still on its way.
    func settle() {
        log?.losses = 0
        log?.slowness = 10
        time.run(for: .seconds(15))
        for node in nodes { node.start() }
        time.run(for: .seconds(45))
    }

    /// What is wrong at the end.
    func check() -> [String] {
        for (index, caller) in callers.enumerated() {
            if !caller.isSignedIn { note("\(caller.address) is not signed in") }
            for (other, texts) in caller.sentSignals {
                let receiver = callers.first { $0.address.user == other }
                let arrived = receiver?.signals[caller.address.user] ?? []
                if arrived != texts { note("of \(texts) of \(index) to \(other) came \(arrived)") }
            }
        }
        for call in calls.values { check(call) }
        let replicas = nodes.compactMap(\.replica)
        // An entry may be on its way at any moment.
        for _ in 0..<2_000 where replicas.contains(where: { $0.state.position != log?.end }) {
            time.run(for: .milliseconds(1))
        }
        let states = Set(replicas.map { $0.state.snapshot() })
        if replicas.contains(where: { $0.state.position != log?.end }) { note("a node is behind") }
        if states.count > 1 { note("the nodes have \(states.count) different states") }
        for replica in replicas where replica.statistics.sessions != callers.count {
            note("\(replica.statistics.sessions) sessions of \(callers.count)")
        }
        return faults
    }

    private func check(_ call: Call) {
        let (caller, callee) = (callers[call.caller], callers[call.callee])
        func expect(_ who: VirtualCaller, _ what: String) {
            let count = who.heard["\(what) \(call.id)"] ?? 0
            if count != 1 { note("\(who.address) heard \(what) of \(call.id) \(count) times") }
        }
        expect(callee, "invite")
        expect(callee, "candidates")
        expect(caller, "answer")
        expect(callee, "negotiate")
        if let ender = call.ender { expect(ender == call.caller ? callee : caller, "hangup") }
    }

    var callCount: Int { calls.count }
    var signalCount: Int { callers.reduce(0) { $0 + $1.sentSignals.values.reduce(0) { $0 + $1.count } } }
}
