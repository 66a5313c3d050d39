import RTC
import Testing

@testable import WebRTCKit

@MainActor
@Suite("The audio session of a call")
struct AudioSessionControllerTests {
    let session = FakeAudioSession()
    let audio: AudioSessionController
    let microphone = AudioTrack()
    let remote = AudioTrack()
    /// What the app was told.
    private final class Log {
        var notices: [AudioSessionController.Notice] = []
    }
    private let log = Log()

    init() {
        audio = AudioSessionController(session: session)
        audio.onNotice = { [log] in log.notices.append($0) }
    }

    private func call(hasVideo: Bool = false) async {
        audio.prepare(hasVideo: hasVideo)
        audio.didAddLocalAudioTrack(WRKRTCAudioTrack(microphone, isLocal: true))
        audio.callDidStart()
        audio.didAddRemoteAudioTrack(WRKRTCAudioTrack(remote, isLocal: false))
        await settle()
        log.notices = []
    }

    @Test("If the app shows no notices, nothing waits for the person: sound goes on")
    func nobodyToAsk() async {
        await call()
        audio.onNotice = nil
        session.interrupt()
        #expect(!microphone.isEnabled)
        session.onEvent?(.interruptionEnded(shouldResume: false))
        #expect(microphone.isEnabled && !audio.needsResuming)
        session.change(to: [.headphones], .newDeviceAvailable)
        session.change(to: [.speaker], .oldDeviceUnavailable)
        #expect(remote.isEnabled && !audio.needsResuming)
    }

    // MARK: Calls

    @Test("A call has the category and the mode of a call, and is active from its start to its end")
    func activation() async {
        audio.prepare(hasVideo: true)
        #expect(session.use == .videoCall && !session.isActive)
        audio.callDidStart()
        await settle()
        #expect(session.isActive && audio.isActive)
        audio.callDidEnd(withError: nil)
        await settle()
        #expect(!session.isActive && !audio.isActive)
        #expect(log.notices == [.activated, .deactivated] && session.violations.isEmpty)
    }

    @Test("Who has not prepared the session has one for a voice call")
    func unprepared() async {
        audio.callDidStart()
        await settle()
        #expect(session.use == .voiceCall && session.isActive && session.violations.isEmpty)
    }

    @Test("A session that cannot be set up is told, and the call goes on")
    func failure() async {
        session.fails = true
        audio.prepare(hasVideo: false)
        #expect(log.notices.count == 1)
        guard case .failed = log.notices.first else { return #expect(Bool(false), "\(log.notices)") }
    }

    // MARK: Interruptions

    @Test("An interruption mutes the microphone and says so; it is as before when the system says that we may resume")
    func interruption() async {
        await call()
        session.interrupt()
        #expect(!microphone.isEnabled && !audio.isActive && log.notices == [.interrupted])
        session.onEvent?(.interruptionEnded(shouldResume: true))
        #expect(microphone.isEnabled && session.isActive && audio.isActive)
        #expect(log.notices == [.interrupted, .resumed])
    }

    @Test("If the system does not say so, the person is asked")
    func asks() async {
        await call()
        session.interrupt()
        session.onEvent?(.interruptionEnded(shouldResume: false))
        #expect(!microphone.isEnabled && !session.isActive && log.notices == [.interrupted, .awaitsUser])
        audio.resume()
        #expect(microphone.isEnabled && session.isActive && log.notices.last == .resumed)
        audio.resume()
        #expect(log.notices.count == 3)
    }

    @Test("Who was muted before an interruption, or during it, is muted after it")
    func mutedInterruption() async {
        await call()
        microphone.isEnabled = false
        session.interrupt()
        session.onEvent?(.interruptionEnded(shouldResume: true))
        #expect(!microphone.isEnabled)
        audio.isMuted = false
        #expect(microphone.isEnabled)
        session.interrupt()
        audio.isMuted = true
        #expect(!microphone.isEnabled)
        session.onEvent?(.interruptionEnded(shouldResume: true))
        #expect(!microphone.isEnabled && audio.isMuted)
    }

    @Test("A microphone that comes during an interruption is silent until it is over")
    func lateTrack() async {
        await call()
        session.interrupt()
        let other = AudioTrack()
        audio.didAddLocalAudioTrack(WRKRTCAudioTrack(other, isLocal: true))
        await settle()
        #expect(!other.isEnabled)
        session.onEvent?(.interruptionEnded(shouldResume: true))
        #expect(other.isEnabled)
    }

    @Test("An interruption that outlasts the call leaves nothing muted")
    func interruptedEnd() async {
        await call()
        session.interrupt()
        audio.callDidEnd(withError: .connectionLost)
        await settle()
        #expect(microphone.isEnabled)
        session.onEvent?(.interruptionEnded(shouldResume: true))
        #expect(!session.isActive)
    }

    @Test("Without a call an interruption is nobody's affair")
    func idle() {
        session.interrupt()
        session.onEvent?(.interruptionEnded(shouldResume: true))
        #expect(log.notices.isEmpty && !session.isActive)
    }

    @Test("With calls of the system, an interruption ends when the system activates the session again")
    func systemInterruption() async throws {
        let stage = SystemCallsStage()
        stage.controller.send(.localAudio(WRKRTCAudioTrack(microphone, isLocal: true), isPresent: true))
        try await stage.incoming()
        stage.session.interrupt()
        #expect(!microphone.isEnabled)
        stage.session.activatedBySystem()
        stage.provider.onEvent?(.audioActivated)
        #expect(microphone.isEnabled && stage.audio.isActive && stage.isClean)
    }

    @Test("It also ends then if the person was to be asked")
    func systemActivationInsteadOfPerson() async throws {
        let stage = SystemCallsStage()
        stage.audio.onNotice = { _ in }
        stage.controller.send(.localAudio(WRKRTCAudioTrack(microphone, isLocal: true), isPresent: true))
        try await stage.incoming()
        stage.session.interrupt()
        stage.session.onEvent?(.interruptionEnded(shouldResume: false))
        #expect(!microphone.isEnabled && stage.audio.needsResuming)
        stage.session.activatedBySystem()
        stage.provider.onEvent?(.audioActivated)
        #expect(microphone.isEnabled && !stage.audio.needsResuming && stage.isClean)
    }

    // MARK: Routes

    @Test("Headphones that come change the output, and nothing else")
    func headphonesCome() async {
        await call()
        session.change(to: [.headphones], .newDeviceAvailable)
        #expect(remote.isEnabled && microphone.isEnabled && log.notices == [.outputChanged([.headphones])])
    }

    @Test("Headphones that go leave the call at the receiver")
    func toReceiver() async {
        await call()
        session.change(to: [.headphones], .newDeviceAvailable)
        session.change(to: [.receiver], .oldDeviceUnavailable)
        #expect(remote.isEnabled && microphone.isEnabled && session.isActive)
        #expect(log.notices == [.outputChanged([.headphones]), .outputChanged([.receiver])])
    }

    @Test(
        "Headphones that go, where it would be heard aloud then, silence the other side until the person says otherwise",
        arguments: ["resume", "speaker", "headphones"])
    func silenced(wish: String) async {
        await call(hasVideo: true)
        session.change(to: [.bluetooth], .newDeviceAvailable)
        session.change(to: [.speaker], .oldDeviceUnavailable)
        #expect(!remote.isEnabled && microphone.isEnabled && log.notices.last == .silencedForPrivacy)
        switch wish {
        case "resume": audio.resume()
        case "speaker": audio.setSpeaker(true)
        default: session.change(to: [.headphones], .newDeviceAvailable)
        }
        #expect(remote.isEnabled && log.notices.last == .resumed)
    }

    @Test("The loudspeaker is used while it is chosen, and not by the next call")
    func speaker() async {
        await call()
        audio.setSpeaker(true)
        #expect(session.isSpeakerOn && audio.isSpeakerOn)
        session.change(to: [.speaker])
        #expect(remote.isEnabled)
        audio.callDidEnd(withError: nil)
        await settle()
        #expect(!session.isSpeakerOn && !audio.isSpeakerOn)
    }

    // MARK: Media services

    @Test("When the system's audio was born again, the session is set up as it was, and the app makes its device anew")
    func mediaServices() async {
        await call(hasVideo: true)
        audio.setSpeaker(true)
        session.interrupt()
        session.dieAndComeBack()
        #expect(session.use == .videoCall && session.isActive && session.isSpeakerOn && microphone.isEnabled)
        #expect(log.notices.last == .mediaServicesReset && session.violations.isEmpty)
    }

    @Test("With calls of the system it is the system that activates it again")
    func systemMediaServices() async throws {
        let stage = SystemCallsStage()
        try await stage.incoming()
        stage.session.dieAndComeBack()
        #expect(stage.session.use == .voiceCall && stage.session.activations == 0 && stage.isClean)
    }

    @Test("A reset of the media services outside of calls switches no sound on: the system does so, for its next call")
    func idleMediaServices() async throws {
        let stage = SystemCallsStage()
        await settle()
        stage.session.dieAndComeBack()
        #expect(stage.controller.soundSwitches.last == false)
        try await stage.incoming()
        #expect(stage.controller.soundSwitches.last == true && stage.isClean)
    }
}
