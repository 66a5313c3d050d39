import Foundation
import RTCWire
import Testing

@testable import WebRTCKit

/// A person, a system and a kit who do anything at any time, and are slow.
@Suite("The system's list of calls, whatever happens")
struct SystemCallModelTests {
    /// 300, where `make test` has 50.
    private static let seedCount =
        6 * UInt64(ProcessInfo.processInfo.environment["DUET_SEEDS"].flatMap { UInt64($0) } ?? 50)

    @Test(
        "After any sequence both sides agree, every action was settled once, and the next call works",
        arguments: 0..<seedCount)
    func anything(seed: UInt64) {
        var world = World(seed: seed)
        for _ in 0..<120 { world.step() }
        world.quieten()
        #expect(world.violations.isEmpty, "\(world.violations) \(world.trace)")
        #expect(world.listed.isEmpty && world.actions.isEmpty && world.kit == .idle, "\(world.trace)")
        #expect(world.rules.shown == nil && world.rules.closing.isEmpty, "\(world.trace)")
        #expect(world.rules.nextDeadline == nil, "\(world.trace)")
        world.callAndRun()
        #expect(world.kit == .running && world.listed.values.first == true, "\(world.trace)")
        #expect(world.violations.isEmpty, "\(world.violations)")
    }
}

private struct World {
    enum Kit: Equatable {
        case idle
        case calling
        case ringing
        case answered
        case running
    }

    var rules = SystemCallRules()
    private var random: Random
    private var now = Duration.zero
    /// The identifiers that the system lists, and whether the call is connected.
    private(set) var listed: [UUID: Bool] = [:]
    private(set) var actions: [UUID: SystemCalls.Action] = [:]
    private(set) var kit = Kit.idle
    /// The kit's current call, or the last one.
    private var kitCall: Call?
    private(set) var violations: [String] = []
    private(set) var trace: [String] = []
    private var fromKit: [SystemCallRules.Input] = []
    private var fromSystem: [SystemCallRules.Input] = []
    /// Commands that the kit has not begun: it may begin them in any order.
    private var commands: [SystemCallRules.Command] = []
    /// Begun, with their outcome, which is told later.
    private var outcomes: [SystemCallRules.Input] = []
    private var requests: [SystemCalls.Request] = []
    private var isQuiet = false
    private var count = 0
    private let peers = ["bob", "carol"]
    /// The call that a push has named, and that has not begun.
    private var pushedCall: CallIdentifier?

    init(seed: UInt64) {
        random = Random(state: seed)
    }

    // MARK: Anything

    mutating func step() {
        // A message or two may cross, and no more: whoever acts here is slower than threads.
        while fromKit.count > 1 { take(fromKit.removeFirst()) }
        while commands.count > 2 { begin(commands.removeFirst()) }
        switch random.below(30) {
        case 0: start()
        case 1: if kit == .idle { invite() }
        case 2: if kit == .calling || kit == .answered { run() }
        case 3: if kit != .idle { finish(random.below(2) == 0 ? .hungUp(by: .remote) : .connectionLost) }
        case 4: push()
        case 5: if let call = listed.keys.first { ask(call, .answer) }
        case 6: if let call = listed.keys.first { ask(call, .end) }
        case 7: if let call = listed.keys.first { ask(call, .hold(random.below(2) == 0)) }
        case 8: take(.hangUp)
        case 9: take(.mute(random.below(2) == 0))
        case 10:
            if random.below(8) == 0 {
                listed = [:]
                actions = [:]
                take(.reset)
            }
        case 11:
            if random.below(4) == 0, let action = actions.keys.first {
                actions[action] = nil
                take(.actionTimedOut(action))
            }
        case 12: ask(name(), .end)
        case 13: take(.answer)
        case 14: pass(.milliseconds(random.below(20_000)))
        case 15: if kit == .calling, random.below(4) == 0 { meet() }
        case 16: if kit == .ringing, random.below(4) == 0 { answerItself() }
        case 17: take(.withdraw(peers[random.below(2)], random.below(2) == 0 ? pushedCall : nil, .answeredElsewhere))
        case 18: if random.below(2) == 0 { take(.caughtUp) }
        default: move()
        }
    }

    /// Nobody does anything new, and everything that is under way comes to its end.
    mutating func quieten() {
        isQuiet = true
        for _ in 0..<400 {
            move()
            if random.below(10) == 0 { pass(.seconds(3)) }
            if let call = listed.keys.first, actions.isEmpty, requests.isEmpty, random.below(4) == 0 { ask(call, .end) }
            // Of a call that the system does not list, the other side hangs up some time.
            if listed.isEmpty, rules.shown == nil, kit != .idle, isStill {
                violations.append("a call is left in the kit")
                finish(.hungUp(by: .remote))
            }
        }
        pass(.seconds(60))
    }

    mutating func callAndRun() {
        trace.append("— the next call")
        start()
        for _ in 0..<60 { move() }
        if kit == .calling { run() }
        for _ in 0..<60 { move() }
    }

    /// One of the things that are under way goes on.
    private mutating func move() {
        switch random.below(5) {
        case 0: if !fromKit.isEmpty { take(fromKit.removeFirst()) }
        case 1: if !fromSystem.isEmpty { take(fromSystem.removeFirst()) }
        case 2: if !commands.isEmpty { begin(commands.remove(at: random.below(commands.count))) }
        case 3: if !outcomes.isEmpty { take(outcomes.remove(at: random.below(outcomes.count))) }
        default: if !requests.isEmpty { decide(requests.removeFirst()) }
        }
    }

    /// Seconds. What takes no more than threads and no network is done by then.
    private mutating func pass(_ time: Duration) {
        while true {
            if !commands.isEmpty {
                begin(commands.remove(at: random.below(commands.count)))
            } else if !fromKit.isEmpty {
                take(fromKit.removeFirst())
            } else if let index = outcomes.firstIndex(where: Self.isPrompt) {
                take(outcomes.remove(at: index))
            } else {
                break
            }
        }
        let end = now + time
        while let deadline = rules.nextDeadline, deadline <= end {
            now = max(now, deadline)
            take(.time)
            if rules.nextDeadline == deadline {
                violations.append("a deadline stands still")
                return
            }
        }
        now = end
    }

    private var isStill: Bool {
        fromKit.isEmpty && fromSystem.isEmpty && commands.isEmpty && outcomes.isEmpty && requests.isEmpty
            && rules.nextDeadline == nil
    }

    /// Whether it waits for no network.
    private static func isPrompt(_ outcome: SystemCallRules.Input) -> Bool {
        switch outcome {
        case .done(.end, _), .done(.reject, _): true
        default: false
        }
    }

    // MARK: The system

    private mutating func start() {
        guard listed.isEmpty else { return }
        let call = name()
        listed[call] = false
        ask(call, .start(.init(peer: peers[random.below(2)])))
    }

    private mutating func ask(_ call: UUID, _ kind: SystemCalls.Action.Kind) {
        let action = SystemCalls.Action(id: name(), call: call, kind: kind)
        actions[action.id] = action
        take(.action(action))
    }

    private mutating func decide(_ request: SystemCalls.Request) {
        if listed[request.call] == nil || (!isQuiet && random.below(8) == 0) {
            take(.requestFailed(request))
        } else {
            ask(request.call, request.kind)
        }
    }

    private mutating func push() {
        let reports = reportCount
        pushedCall = random.below(3) == 0 ? identifier() : nil
        let caller = SystemCalls.Caller(peer: peers[random.below(2)], call: pushedCall)
        take(.push(random.below(4) == 0 ? nil : caller, newCall: name()))
        if reportCount == reports { violations.append("a push without a report") }
    }

    private var reportCount = 0

    // MARK: The kit

    private mutating func invite() {
        let id = random.below(2) == 0 ? pushedCall.take() : nil
        begin(id ?? identifier(), with: peers[random.below(2)], .incoming, .ringing, .ringing)
    }

    private mutating func begin(
        _ id: CallIdentifier, with peer: PeerID, _ direction: Call.Direction, _ state: Call.State, _ kit: Kit
    ) {
        if self.kit != .idle { violations.append("two calls in the kit") }
        self.kit = kit
        kitCall = Call(id: id, peer: Call.Peer(id: peer), direction: direction, state: state, media: [])
        report(state)
    }

    private mutating func report(_ state: Call.State) {
        kitCall?.state = state
        guard let call = kitCall else { return }
        fromKit.append(.call(call, from: .init(peer: call.peer.id), newCall: name()))
    }

    private mutating func run() {
        kit = .running
        report(.connected)
    }

    /// Both peers have called each other, and the other one's call goes on.
    private mutating func meet() {
        let (id, former) = (identifier(), kitCall?.id)
        kitCall?.formerID = former
        kitCall?.id = id
        kitCall?.direction = .incoming
        kit = .answered
        report(.ringing)
        report(.connecting)
    }

    private mutating func answerItself() {
        kit = .answered
        report(.connecting)
    }

    private mutating func finish(_ outcome: Call.Outcome) {
        kit = .idle
        kitCall?.outcome = outcome
        report(.ended)
    }

    private func isCurrent(_ id: CallIdentifier) -> Bool {
        kit != .idle && kitCall?.isNamed(id) == true
    }

    private mutating func begin(_ command: SystemCallRules.Command) {
        trace.append("kit begins \(command)")
        var succeeded = false
        switch command {
        case .connect: succeeded = isQuiet || random.below(4) > 0
        case .call(let id, let peer):
            succeeded = kit == .idle && (isQuiet || random.below(6) > 0)
            if succeeded { begin(id, with: peer, .outgoing, .calling, .calling) }
        case .answer(let id):
            let rings = kit == .ringing
            succeeded = kit != .calling && isCurrent(id) && (!rings || isQuiet || random.below(6) > 0)
            if succeeded, rings { answerItself() }
        case .reject(let id):
            succeeded = kit == .ringing && isCurrent(id)
            if succeeded { finish(.declined(by: .local)) }
        case .end(let id):
            succeeded = isCurrent(id)
            if succeeded { finish(.hungUp(by: .local)) }
        }
        outcomes.append(.done(command, succeeded: succeeded))
    }

    // MARK: The rules

    private mutating func take(_ input: SystemCallRules.Input) {
        trace.append("\(input)")
        for effect in rules.handle(input, at: now) {
            trace.append("    \(effect)")
            carryOut(effect)
        }
    }

    private mutating func carryOut(_ effect: SystemCallRules.Effect) {
        switch effect {
        case .reportIncoming(let call, _, let isRepeated):
            reportCount += 1
            if isRepeated != (listed[call] != nil), !isRepeated { violations.append("reported twice") }
            var refusal: SystemCalls.Refusal?
            if listed[call] != nil {
                refusal = .alreadyExists
            } else if !listed.isEmpty || (!isQuiet && random.below(10) == 0) {
                refusal = .filtered
            } else {
                listed[call] = false
            }
            fromSystem.append(.reported(call, isRepeated: isRepeated, refusal))
        case .reportStartedConnecting(let call):
            if listed[call] == nil { violations.append("an unknown call connects") }
        case .reportConnected(let call):
            if actions.values.contains(where: { $0.call == call && $0.kind != .end }) { return }
            if listed[call] != nil { listed[call] = true }
        case .reportEnded(let call, _):
            listed[call] = nil
        case .request(let request):
            requests.append(request)
        case .fulfill(let id):
            guard let action = actions.removeValue(forKey: id) else {
                violations.append("fulfilled what nobody waits for")
                return
            }
            if action.kind == .end { listed[action.call] = nil }
            if action.kind == .answer, listed[action.call] != nil { listed[action.call] = true }
        case .fail(let id):
            guard let action = actions.removeValue(forKey: id) else {
                violations.append("failed what nobody waits for")
                return
            }
            if case .start = action.kind { listed[action.call] = nil }
        case .command(let command):
            commands.append(command)
        case .prepareAudio, .mute, .hold, .release:
            break
        }
    }

    private mutating func identifier() -> CallIdentifier {
        count += 1
        return CallIdentifier.random(from: SeededRandom(seed: UInt64(count)))
    }

    private mutating func name() -> UUID {
        count += 1
        let number = withUnsafeBytes(of: UInt64(count).bigEndian) { Array($0) }
        return UUID(
            uuid: (
                0, 0, 0, 0, 0, 0, 0, 0, number[0], number[1], number[2], number[3], number[4], number[5], number[6],
                number[7]
            ))
    }
}

/// SplitMix64.
private struct Random {
    var state: UInt64

    mutating func below(_ limit: Int) -> Int {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return Int((z ^ (z >> 31)) % UInt64(limit))
    }
}
