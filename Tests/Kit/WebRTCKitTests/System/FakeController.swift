import Foundation
import RTC
import Synchronization

@testable import WebRTCKit

/// A controller without a connection, with a kit's states.
@MainActor
final class FakeController: CallControl {
    struct Failed: Error {}

    enum State: Equatable {
        case idle
        case calling(PeerID)
        case ringing(PeerID)
        case answered
        case running
    }

    /// What it was asked, in order.
    private(set) var commands: [String] = []
    private(set) var stage = State.idle
    /// The current call, or the last one.
    private(set) var call: Call?
    nonisolated let events: AsyncStream<WebRTCController.Event>
    private let continuation: AsyncStream<WebRTCController.Event>.Continuation
    /// Whether there may be sound, in the order in which it was said.
    private let sound = Mutex<[Bool]>([])
    var soundSwitches: [Bool] { sound.withLock { $0 } }
    nonisolated func setMayUseAudio(_ mayUse: Bool) { sound.withLock { $0.append(mayUse) } }
    var failsToConnect = false
    var failsToCall = false
    var failsToAnswer = false
    /// Holds calls up, before they have begun.
    var isSlow = false
    private var waiters: [CheckedContinuation<Void, Never>] = []
    private var callCount = 0

    init() {
        (events, continuation) = AsyncStream.makeStream()
    }

    /// Reports something, as a controller does.
    func send(_ event: WebRTCController.Event) { continuation.yield(event) }

    private func report(_ change: Call.Change, _ state: Call.State) {
        call?.state = state
        if let call { send(.call(call, change)) }
    }

    private func wait() async {
        if isSlow { await withCheckedContinuation { waiters.append($0) } }
    }

    func hurry() {
        isSlow = false
        for waiter in waiters { waiter.resume() }
        waiters = []
    }

    private func mustBe(_ isPossible: Bool, for next: CallManagerState) throws {
        guard !isPossible else { return }
        throw CallManagerError.invalidStateChange(fromState: .idle, toState: next)
    }

    private func identifier() throws -> CallIdentifier {
        callCount += 1
        guard let id = CallIdentifier(rawValue: "call-of-the-kit-\(callCount)") else { throw Failed() }
        return id
    }

    func setupConnection() async throws -> PeerID {
        commands.append("connect")
        if failsToConnect { throw Failed() }
        return "me"
    }

    /// Calls without the system.
    func sendCallRequest(to peerID: PeerID) async throws {
        try await sendCallRequest(to: peerID, as: identifier())
    }

    func sendCallRequest(to peerID: PeerID, as id: CallIdentifier) async throws {
        commands.append("call \(peerID)")
        await wait()
        if failsToCall { throw Failed() }
        try mustBe(stage == .idle, for: .sendingCallRequest)
        stage = .calling(peerID)
        call = Call(id: id, peer: Call.Peer(id: peerID), direction: .outgoing, state: .calling, media: [])
        report(.began, .calling)
    }

    func answerCallRequest(_ id: CallIdentifier, accept: Bool) async throws {
        commands.append(accept ? "answer" : "reject")
        if accept { await wait() }
        if accept, failsToAnswer { throw Failed() }
        if accept, call?.id == id, stage == .answered || stage == .running { return }
        guard case .ringing = stage, call?.id == id else {
            throw CallManagerError.invalidStateChange(fromState: .idle, toState: .answeringCallRequest)
        }
        if accept { answerItself() } else { finish() }
    }

    /// Answers as the kit does automatically.
    func answerItself() {
        stage = .answered
        report(.answered, .connecting)
    }

    func endCall() async throws { try await end(call?.id) }

    func endCall(_ id: CallIdentifier) async throws { try await end(id) }

    private func end(_ id: CallIdentifier?) async throws {
        commands.append("end")
        try mustBe(stage != .idle && id.flatMap { call?.isNamed($0) } == true, for: .endingCall)
        finish()
    }

    // MARK: What the other peer does

    func invite(from peer: PeerID, media: [CallMedia] = [.audio], name: String? = nil) throws {
        stage = .ringing(peer)
        var caller = Call.Peer(id: peer)
        caller.name = name
        call = Call(id: try identifier(), peer: caller, direction: .incoming, state: .ringing, media: media)
        report(.began, .ringing)
    }

    /// Both peers have called each other, and the other one's call goes on.
    func meet() throws {
        let (id, former) = (try identifier(), call?.id)
        call?.formerID = former
        call?.id = id
        call?.direction = .incoming
        stage = .answered
        report(.glare, .ringing)
        report(.answered, .connecting)
    }

    func run() {
        stage = .running
        report(.connected, .connected)
    }

    func finish(_ error: CallManagerError? = nil, as ending: CallEnding? = nil) {
        stage = .idle
        call?.outcome = Self.outcome(error, ending)
        report(.ended, .ended)
    }

    private static func outcome(_ error: CallManagerError?, _ ending: CallEnding?) -> Call.Outcome {
        switch (error, ending) {
        case (.rejected, _): .declined(by: .remote)
        case (.busy, _): .busy
        case (.noAnswer, _), (nil, .unanswered): .unanswered
        case (.connectionTimeout, _): .neverConnected
        case (.connectionLost, _): .connectionLost
        case (.peerUnavailable, _): .unreachable
        case (let error?, _): .failed(error)
        case (nil, .endedHere): .hungUp(by: .local)
        case (nil, .answeredElsewhere): .answeredElsewhere
        case (nil, .declinedElsewhere): .declinedElsewhere
        case (nil, .failed): .failed(.connectionLost)
        case (nil, .endedByOtherSide), (nil, nil): .hungUp(by: .remote)
        }
    }
}

/// Lets everything that is on its way on the main actor arrive.
@MainActor
func settle() async {
    for _ in 0..<40 { await Task.yield() }
}

/// The main actor's things of a test, put together as an app does.
@MainActor
struct SystemCallsStage {
    let controller = FakeController()
    let provider = FakeCallProvider()
    let session = FakeAudioSession()
    let audio: AudioSessionController
    let calls: SystemCalls

    init(invitationTimeout: Duration = .seconds(30), endsWithoutInvitation: Bool = true) {
        audio = AudioSessionController(session: session)
        var settings = SystemCalls.Settings()
        settings.invitationTimeout = invitationTimeout
        settings.endsWithoutInvitation = endsWithoutInvitation
        calls = SystemCalls(controller: controller, provider: provider, audio: audio, settings: settings)
        provider.session = session
        session.belongsToSystem = true
    }

    /// Nothing is waited for, and no rule was broken.
    var isClean: Bool { provider.violations.isEmpty && session.violations.isEmpty && provider.actions.isEmpty }

    /// A call that runs, called by us.
    func outgoing(to peer: PeerID = "bob") async throws {
        try await calls.startCall(to: peer)
        await settle()
        controller.run()
        await settle()
    }

    /// A call that runs, answered on the system's screen.
    func incoming(from peer: PeerID = "bob") async throws {
        try controller.invite(from: peer)
        await settle()
        if let call = provider.callID { provider.ask(call, .answer) }
        await settle()
        controller.run()
        await settle()
    }
}
