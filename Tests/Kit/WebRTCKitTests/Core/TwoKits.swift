import RTCPeer
import RTCWire
import Testing

@testable import WebRTCKit

/// Two kits' cores and the signalling between them, for scenarios that read as ladders.
///
/// What the cores do is written down in lines, such as `alice → bob: invite o1 audio` and `bob: open 1 polite, waits`.
/// There are no connections: the scenario says what they would do. Descriptions and candidates are short words.
final class TwoKits {
    let alice: Kit
    let bob: Kit
    /// Whether what is sent arrives at once; else it waits for ``deliver()``.
    var delivers = true
    /// Whether the server can be reached. When not, sending fails.
    var isServerUp = true
    private(set) var now = Instant.zero
    private var underWay: [(outgoing: CallCore.Outgoing, from: Kit, to: Kit)] = []
    private var lines: [String] = []

    init(_ settings: CallCore.Settings = .init(), seed: UInt64 = 1) {
        alice = Kit("alice", settings, seed: seed)
        bob = Kit("bob", settings, seed: seed &+ 1_000)
        // The caller's is the lesser one unless a scenario wants otherwise.
        alice.isPoliteTo = ["bob": false]
        bob.isPoliteTo = ["alice": true]
    }

    /// Two kits whose call runs: alice has called. Nothing of it is left to be expected.
    static func inCall(_ settings: CallCore.Settings = .init(), seed: UInt64 = 1) throws -> TwoKits {
        let kits = TwoKits(settings, seed: seed)
        try kits.alice.call("bob")
        kits.alice.offers("o1")
        kits.carry()
        try kits.bob.accept()
        kits.bob.answers("a1")
        kits.carry()
        kits.alice.path(.connected)
        kits.bob.path(.connected)
        kits.carry()
        kits.lines = []
        #expect(kits.alice.core.state == .callIsRunning && kits.bob.core.state == .callIsRunning)
        return kits
    }

    /// Lets both do what they have to, and compares it with `expected`.
    func expect(_ expected: String..., sourceLocation: SourceLocation = #_sourceLocation) {
        carry()
        #expect(lines == expected, sourceLocation: sourceLocation)
        lines = []
    }

    /// Both are idle, nothing is due, and nothing is open.
    func expectNothingLeft(sourceLocation: SourceLocation = #_sourceLocation) {
        carry()
        for kit in [alice, bob] {
            #expect(kit.core.state == .idle, "\(kit.name)", sourceLocation: sourceLocation)
            #expect(kit.core.remotePeer == nil, "\(kit.name)", sourceLocation: sourceLocation)
            #expect(kit.core.nextDeadline == nil, "\(kit.name)", sourceLocation: sourceLocation)
            #expect(kit.open.isEmpty, "\(kit.name)", sourceLocation: sourceLocation)
        }
    }

    func wait(_ time: TimeDelta) {
        now = now + time
        for kit in [alice, bob] { kit.advance(to: now) }
    }

    /// Lets what is under way arrive.
    func deliver() {
        let arriving = underWay
        underWay = []
        for message in arriving { message.to.hears(message.outgoing, from: message.from.name) }
    }

    /// Loses what is under way to bob.
    func loseToBob() { underWay.removeAll { $0.to === bob } }

    /// Loses what is under way, unseen by the sender.
    func loseAll() {
        carry()
        underWay = []
    }

    func carry() {
        var hasMore = true
        while hasMore {
            hasMore = false
            for kit in [alice, bob] {
                while let effect = kit.nextEffect() {
                    hasMore = true
                    carryOut(effect, of: kit)
                }
            }
        }
    }

    private func carryOut(_ effect: CallCore.Effect, of kit: Kit) {
        guard case .send(let outgoing, let peer) = effect else {
            lines.append("\(kit.name): \(Line.of(effect))")
            return
        }
        guard isServerUp else {
            lines.append("\(kit.name) ↛ \(peer): \(Line.of(outgoing))")
            kit.signaling(.sendingFailed(outgoing, to: peer, message: "no server"))
            return
        }
        lines.append("\(kit.name) → \(peer): \(Line.of(outgoing))")
        guard let other = [alice, bob].first(where: { $0.name == peer }) else { return }
        if delivers { other.hears(outgoing, from: kit.name) } else { underWay.append((outgoing, kit, other)) }
    }
}

/// One kit's core, with what a test does to it.
final class Kit {
    let name: PeerID
    var core: CallCore
    /// What the signalling says of politeness, by the sender; polite to all others.
    var isPoliteTo: [PeerID: Bool] = [:]
    private(set) var now = Instant.zero
    /// The connections that were opened and not closed.
    private(set) var open: Set<Int> = []
    /// How its calls ended.
    private(set) var endings: [CallEnding] = []
    /// What its app was told of its calls.
    private(set) var calls: [(change: Call.Change, call: Call)] = []
    /// Those who were told that it is busy.
    private(set) var busyCallers: [Call.Peer] = []

    init(_ name: PeerID, _ settings: CallCore.Settings = .init(), seed: UInt64 = 1) {
        self.name = name
        core = CallCore(settings: settings, random: SeededRandom(seed: seed))
    }

    func call(_ peer: PeerID, _ media: CallMedia...) throws { try core.perform(.call(peer, media: media), at: now) }
    func accept() throws { try core.perform(.answer(accept: true), at: now) }
    func reject() throws { try core.perform(.answer(accept: false), at: now) }
    func end() throws { try core.perform(.end, at: now) }

    func offers(_ sdp: String) { connection(.signal(.description(SessionDescription(type: .offer, sdp: sdp)))) }
    func answers(_ sdp: String) { connection(.signal(.description(SessionDescription(type: .answer, sdp: sdp)))) }
    func finds(_ candidate: String) { connection(.signal(.candidate(ICECandidateInit(candidate: candidate)))) }
    func path(_ state: ConnectionState) { connection(.state(state)) }

    /// What the newest connection does, or that with this `number`.
    func connection(_ event: CallCore.ConnectionEvent, number: Int? = nil) {
        core.receive(event, of: number ?? core.connectionCount, at: now)
    }

    func hears(_ outgoing: CallCore.Outgoing, from peer: PeerID) {
        switch outgoing {
        case .signal(let signal):
            signaling(.signal(signal.encoded(), from: peer, isPolite: isPoliteTo[peer] ?? true))
        case .candidate(let candidate): signaling(.candidate(candidate.encoded(), from: peer))
        case .endCall: signaling(.endCall(from: peer))
        }
    }

    func hears(_ content: CallSignal.Content, of call: CallIdentifier, from peer: PeerID) {
        hears(.signal(CallSignal(call: call, content)), from: peer)
    }

    func hearsCandidate(_ candidate: String, of call: CallIdentifier, from peer: PeerID) {
        hears(.candidate(CallCandidate(call: call, ICECandidateInit(candidate: candidate))), from: peer)
    }

    func signaling(_ event: CallCore.SignalingEvent) { core.receive(event, at: now) }
    func network(_ event: CallCore.NetworkEvent) { core.receive(event, at: now) }

    /// Lets time pass from deadline to deadline.
    func advance(to time: Instant) {
        while let deadline = core.nextDeadline, deadline <= time {
            now = max(now, deadline)
            core.advance(to: now)
        }
        now = time
        core.advance(to: now)
    }

    func wait(_ time: TimeDelta) { advance(to: now + time) }

    /// What is to be done next, apart from what no line stands for.
    func nextEffect() -> CallCore.Effect? {
        while let effect = core.nextEffect() {
            switch effect {
            case .open(let number, _, _): open.insert(number)
            case .close(let number): open.remove(number)
            case .report(let change, let call):
                calls.append((change, call))
                if change == .ended, let outcome = call.outcome { endings.append(CallEnding(outcome)) }
            case .reportBusy(let peer): busyCallers.append(peer)
            default: break
            }
            if !Line.of(effect).isEmpty { return effect }
        }
        return nil
    }

    /// What the kit does, for tests of one kit alone.
    func takeLines() -> [String] {
        var lines: [String] = []
        while let effect = nextEffect() { lines.append(Line.of(effect)) }
        return lines
    }

    func expect(_ expected: String..., sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(takeLines() == expected, sourceLocation: sourceLocation)
    }
}

/// How effects are written in scenarios.
enum Line {
    static func of(_ effect: CallCore.Effect) -> String {
        switch effect {
        case .open(let number, let isPolite, let waits):
            "open \(number) \(isPolite ? "polite" : "impolite")\(waits ? ", waits" : "")"
        case .setPolite(let number, let isPolite): "\(isPolite ? "polite" : "impolite") \(number)"
        case .receive(let number, .description(let description)):
            "receive \(number) \(description.type) \(description.sdp)"
        case .receive(let number, .candidate(let candidate)): "receive \(number) \(candidate.candidate)"
        case .restartICE(let number): "restart \(number)"
        case .close(let number): "close \(number)"
        case .send(let outgoing, let peer): "to \(peer): \(of(outgoing))"
        case .report(let change, let call): of(change, call)
        case .reportBusy: ""
        }
    }

    static func of(_ outgoing: CallCore.Outgoing) -> String {
        switch outgoing {
        case .endCall: return "endCall"
        case .candidate(let candidate): return candidate.candidate.candidate
        case .signal(let signal):
            switch signal.content {
            case .invite(let sdp, let media): return (["invite", sdp] + media.map(\.rawValue)).joined(separator: " ")
            case .answer(let sdp): return "answer \(sdp)"
            case .reject(let reason), .cancel(let reason), .hangUp(let reason):
                return "\(signal.content.kind) \(reason)"
            case .negotiate(let description): return "negotiate \(description.type) \(description.sdp)"
            case .verify(let message): return "verify \(message.step)"
            case .ringing, .busy, .noAnswer, .unavailable: return signal.content.kind
            }
        }
    }

    /// What the app's delegate is told; nothing for what it is not.
    private static func of(_ change: Call.Change, _ call: Call) -> String {
        switch change {
        case .began where call.direction == .incoming:
            (["incomingCall", call.peer.id] + call.media.map(\.rawValue)).joined(separator: " ")
        case .connected: "started"
        case .ringing, .connectionLost, .connectionRestored: "\(change)"
        case .ended: call.outcome?.error.map { "ended \($0.word)" } ?? "ended"
        case .verification: call.code == nil ? "verificationFailed" : "code"
        case .present, .began, .glare, .answered, .quality, .presence: ""
        }
    }
}

extension Call {
    var code: VerificationCode? {
        if case .code(let code) = verification { code } else { nil }
    }
}
