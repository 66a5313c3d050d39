import RTCPeer
import RTCSimulation
import RTCTransport
import RTCWire

@testable import WebRTCKit

/// Two kits, a signalling server and a network in virtual time. The same seed gives the same run.
final class CallModel {
    let random: SeededRandom
    let settings: CallCore.Settings
    let kits: [ModelKit]
    var network: SimulatedNetwork
    var server: ModelServer
    private(set) var now = Instant.zero
    /// What went wrong, in words.
    var faults: [String] = []
    /// What happened, for who looks into a fault.
    private(set) var journal: [String] = []
    let keepsJournal: Bool
    /// How often the kits did what, without names.
    private(set) var tally: [String: Int] = [:]
    /// Whether anything was done to the server in this episode.
    var isServerFaulted = false

    private var events: [(time: Instant, order: Int, action: (CallModel) -> Void)] = []
    private var eventCount = 0
    private let seed: UInt64
    private var connectionCount: UInt64 = 0
    private let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)

    init(seed: UInt64, keepsJournal: Bool = false) {
        self.seed = seed
        self.keepsJournal = keepsJournal
        random = SeededRandom(seed: seed)
        settings = CallCore.Settings(
            connectionTimeout: .seconds(Int64(10 + random.next(below: 25))),
            ringTimeout: .seconds(Int64(10 + random.next(below: 50))))
        var network = SimulatedNetwork(seed: seed)
        kits = [0, 1].map { [settings] in
            ModelKit($0, in: &network, settings: settings, seed: seed &* 1_000 &+ UInt64($0))
        }
        self.network = network
        let manners = ModelServer.Manners(
            keepsForAbsent: random.next(below: 2) == 0, refusesForAbsent: random.next(below: 2) == 0)
        server = ModelServer(manners, random: SeededRandom(seed: seed ^ 0xFACE))
        heal()
    }

    deinit { memory.deallocate() }

    // MARK: Time

    /// Whether something is still to happen that was planned.
    var hasPlans: Bool { !events.isEmpty }

    /// Does `action` when so much time has passed.
    func schedule(in time: TimeDelta, _ action: @escaping (CallModel) -> Void) {
        eventCount += 1
        events.append((now + time, eventCount, action))
    }

    func run(for time: TimeDelta) { _ = run(for: time) { false } }

    /// Lets time pass until `isDone`.
    ///
    /// - Returns: Whether it is done.
    func run(for time: TimeDelta, until isDone: () -> Bool) -> Bool {
        let end = now + time
        var stepsWithoutTime = 0
        if isDone() { return true }
        while let deadline = nextDeadline, deadline <= end {
            stepsWithoutTime = deadline > now ? 0 : stepsWithoutTime + 1
            guard stepsWithoutTime < 2_000 else {
                faults.append("time stands still")
                return false
            }
            now = max(now, deadline)
            step()
            if isDone() { return true }
        }
        now = end
        return false
    }

    private var nextDeadline: Instant? {
        var earliest = Instant.distantFuture
        for deadline in [network.nextDeadline, server.nextDeadline, events.map(\.time).min()] {
            if let deadline { earliest = min(earliest, deadline) }
        }
        for kit in kits {
            if let deadline = kit.core.nextDeadline { earliest = min(earliest, deadline) }
            if let deadline = kit.connection?.peer.nextDeadline { earliest = min(earliest, deadline) }
            if kit.busyUntil > now { earliest = min(earliest, kit.busyUntil) }
        }
        return earliest == .distantFuture ? nil : earliest
    }

    /// Does everything that is due now.
    private func step() {
        while let index = events.indices.filter({ events[$0].time <= now })
            .min(by: { (events[$0].time, events[$0].order) < (events[$1].time, events[$1].order) })
        {
            events.remove(at: index).action(self)
            settle()
        }
        while let delivery = network.pollDelivery(at: now) {
            if let kit = kits.first(where: { $0.host == delivery.host }) {
                kit.connection?.receive(delivery, at: now)
                drain(kit)
            }
            network.recycle(delivery)
        }
        while let message = server.pollDelivery(at: now) {
            let kit = kits[message.to]
            let sender = kits[message.from].name
            note("\(kit.name) hears \(Line.of(message.outgoing)) [\(kit.core.state)]")
            switch message.outgoing {
            case .signal(let signal):
                // The server says that the second in the order of names is the polite one.
                kit.core.receive(.signal(signal.encoded(), from: sender, isPolite: kit.index == 1), at: now)
            case .candidate(let candidate):
                kit.core.receive(.candidate(candidate.encoded(), from: sender), at: now)
            case .endCall: kit.core.receive(.endCall(from: sender), at: now)
            }
            drain(kit)
        }
        for kit in kits {
            kit.connection?.handleTimeout(at: now)
            kit.core.advance(to: now)
            drain(kit)
        }
    }

    /// Lets both kits do what they have to now.
    func settle() { for kit in kits { drain(kit) } }

    // MARK: A kit's actor

    private func drain(_ kit: ModelKit) {
        var hasMore = true
        while hasMore {
            hasMore = false
            for connection in kit.leaving {
                _ = connection.transmit(from: kit.host, into: &network, using: memory, at: now)
            }
            kit.leaving = []
            if let connection = kit.connection {
                hasMore = connection.transmit(from: kit.host, into: &network, using: memory, at: now)
                let addresses = network.addresses(of: kit.host)
                while let events = connection.pollEvent(addresses: addresses, nextPort: &kit.nextPort, at: now) {
                    hasMore = true
                    for event in events { take(event, of: connection, kit) }
                }
            }
            while kit.busyUntil <= now, let effect = kit.core.nextEffect() {
                hasMore = true
                carryOut(effect, of: kit)
            }
        }
    }

    private func take(_ event: ModelConnection.Event, of connection: ModelConnection, _ kit: ModelKit) {
        switch event {
        case .message: kit.app.messages += 1
        case .core(let event):
            if case .state(let state) = event { note("\(kit.name) connection \(connection.number) is \(state)") }
            kit.core.receive(event, of: connection.number, at: now)
        }
    }

    private func carryOut(_ effect: CallCore.Effect, of kit: ModelKit) {
        note("\(kit.name) \(Line.of(effect)) [\(kit.core.state)]")
        count(effect)
        switch effect {
        case .open(let number, let isPolite, let waitsForOffer):
            if kit.connection != nil { faults.append("\(kit.name) opens a second connection") }
            connectionCount += 1
            let connection = ModelConnection(
                number, isPolite: isPolite, waitsForOffer: waitsForOffer, seed: seed &* 7_919 &+ connectionCount)
            kit.connection = connection
            kit.opened += 1
            connection.begin(at: now)
            stall(kit, 30)
        case .setPolite(let number, let isPolite):
            connection(number, of: kit, "setPolite")?.setPolite(isPolite)
        case .receive(let number, let signal):
            guard let connection = connection(number, of: kit, "receive") else { return }
            if !connection.receive(signal, at: now) { refuse(signal, connection, kit) }
        case .restartICE(let number): connection(number, of: kit, "restartICE")?.restartICE(at: now)
        case .close(let number):
            guard let connection = connection(number, of: kit, "close") else { return }
            connection.close(at: now)
            kit.leaving.append(connection)
            kit.connection = nil
            kit.closed += 1
            stall(kit, 10)
        case .send(let outgoing, _): send(outgoing, of: kit)
        case .report(let change, let call):
            if let fault = kit.app.take(change, call) { faults.append("\(kit.name): \(fault)") }
        case .reportBusy: break
        }
    }

    private func stall(_ kit: ModelKit, _ milliseconds: UInt64) {
        kit.busyUntil = now + .milliseconds(Int64(random.next(below: milliseconds)))
    }

    private func connection(_ number: Int, of kit: ModelKit, _ effect: String) -> ModelConnection? {
        guard let connection = kit.connection, connection.number == number else {
            faults.append("\(kit.name): \(effect) of a connection that is not open")
            return nil
        }
        return connection
    }

    private func refuse(_ signal: Signal, _ connection: ModelConnection, _ kit: ModelKit) {
        let reason = connection.refused.last.map { "\($0)" } ?? ""
        faults.append("\(kit.name): its connection refused \(signal): \(reason)")
    }

    private func send(_ outgoing: CallCore.Outgoing, of kit: ModelKit) {
        let other = kits[1 - kit.index]
        guard kit.isSignalingOpen, server.send(outgoing, from: kit.index, to: other.index, at: now) else {
            kit.core.receive(.sendingFailed(outgoing, to: other.name, message: "not sent"), at: now)
            return
        }
        if random.next(below: 4) == 0 { stall(kit, 3) }
    }

    private func count(_ effect: CallCore.Effect) {
        switch effect {
        case .report(.began, let call): if call.direction == .incoming { tally["incomingCall", default: 0] += 1 }
        case .send(.candidate, _): tally["candidate", default: 0] += 1
        case .send(let outgoing, _):
            let words = Line.of(outgoing).split(separator: " ").prefix(2)
            let isDescription = words.first == "invite" || words.first == "answer"
            tally[words.prefix(isDescription ? 1 : 2).joined(separator: " "), default: 0] += 1
        case .report:
            let line = Line.of(effect)
            if !line.isEmpty { tally[line, default: 0] += 1 }
        case .restartICE: tally["restart", default: 0] += 1
        case .setPolite: tally["polite", default: 0] += 1
        case .open, .receive, .close, .reportBusy: break
        }
    }

    func note(_ text: @autoclosure () -> String) {
        guard keepsJournal else { return }
        journal.append("\(Double(now.nanoseconds / 1_000_000) / 1_000) \(text())")
    }
}
