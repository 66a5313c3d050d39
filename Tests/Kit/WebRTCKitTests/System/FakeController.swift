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
    var state: CallManagerState {
        switch stage {
        case .idle: .idle
        case .calling: .sendingCallRequest
        case .ringing: .receivingCallRequest
        case .answered: .connecting
        case .running: .callIsRunning
        }
    }
    /// Told as a controller tells its delegate.
    weak var delegate: (any CallManagerDelegate)?
    /// Whether there may be sound, in the order in which it was said.
    private let sound = Mutex<[Bool]>([])
    var soundSwitches: [Bool] { sound.withLock { $0 } }
    nonisolated func setMayUseSound(_ mayUse: Bool) { sound.withLock { $0.append(mayUse) } }
    var failsToConnect = false
    var failsToCall = false
    var failsToAnswer = false
    /// Holds calls up, before they have begun.
    var isSlow = false
    private var waiters: [CheckedContinuation<Void, Never>] = []

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

    func setupConnection() async throws -> PeerID {
        commands.append("connect")
        if failsToConnect { throw Failed() }
        return "me"
    }

    func sendCallRequest(to peerID: PeerID) async throws {
        commands.append("call \(peerID)")
        await wait()
        if failsToCall { throw Failed() }
        try mustBe(stage == .idle, for: .sendingCallRequest)
        stage = .calling(peerID)
    }

    func answerCallRequest(accept: Bool) async throws {
        commands.append(accept ? "answer" : "reject")
        if accept { await wait() }
        if accept, failsToAnswer { throw Failed() }
        guard case .ringing = stage else {
            throw CallManagerError.invalidStateChange(fromState: .idle, toState: .answeringCallRequest)
        }
        if accept { stage = .answered } else { finish() }
    }

    func endCall() async throws {
        commands.append("end")
        try mustBe(stage != .idle, for: .endingCall)
        finish()
    }

    // MARK: What the other peer does

    func invite(from peer: PeerID, media: [CallMedia] = [.audio]) {
        stage = .ringing(peer)
        delegate?.didReceiveIncomingCall(from: peer, media: media)
    }

    func run() {
        stage = .running
        delegate?.callDidStart()
    }

    func finish(_ error: CallManagerError? = nil, as ending: CallEnding? = nil) {
        stage = .idle
        if let ending { delegate?.callWillEnd(as: ending) }
        delegate?.callDidEnd(withError: error)
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

    init(invitationTimeout: Duration = .seconds(30)) {
        audio = AudioSessionController(session: session)
        var settings = SystemCalls.Settings()
        settings.invitationTimeout = invitationTimeout
        calls = SystemCalls(controller: controller, provider: provider, audio: audio, settings: settings)
        controller.delegate = calls
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
    func incoming(from peer: PeerID = "bob") async {
        controller.invite(from: peer)
        await settle()
        if let call = provider.callID { provider.ask(call, .answer) }
        await settle()
        controller.run()
        await settle()
    }
}
