import Foundation
import RTC
import RTCFrames
import Synchronization
import Testing

@testable import WebRTCKit

/// Waits until `condition` holds.
///
/// - Returns: Whether it came to hold in time.
func eventually(within seconds: Double = 20, _ condition: () async -> Bool) async -> Bool {
    let clock = ContinuousClock()
    let end = clock.now + .seconds(seconds)
    while clock.now < end {
        if await condition() { return true }
        try? await Task.sleep(for: .milliseconds(5))
    }
    return await condition()
}

/// A delegate that remembers what it was told, in words.
final class Diary: CallManagerDelegate {
    private struct Entries {
        var words: [String] = []
        var times: [String: ContinuousClock.Instant] = [:]
        var remoteVideo: WRKRTCVideoTrack?
        var remoteAudio: WRKRTCAudioTrack?
        var localVideo: WRKRTCVideoTrack?
        var localAudio: WRKRTCAudioTrack?
        var channels: [WRKDataChannel] = []
        var code: VerificationCode?
        var states: [ConnectionState] = []
        var endings: [CallEnding] = []
    }

    private let entries = Mutex(Entries())
    /// Plays what is received, unless it is `nil`.
    let ear = Ear()

    private func note(_ word: String, _ change: (inout Entries) -> Void = { _ in }) {
        entries.withLock { entries in
            entries.words.append(word)
            entries.times[word] = .now
            change(&entries)
        }
    }

    var words: [String] { entries.withLock { $0.words } }
    var remoteVideo: WRKRTCVideoTrack? { entries.withLock { $0.remoteVideo } }
    var remoteAudio: WRKRTCAudioTrack? { entries.withLock { $0.remoteAudio } }
    var localVideo: WRKRTCVideoTrack? { entries.withLock { $0.localVideo } }
    var localAudio: WRKRTCAudioTrack? { entries.withLock { $0.localAudio } }
    var channels: [WRKDataChannel] { entries.withLock { $0.channels } }
    var code: VerificationCode? { entries.withLock { $0.code } }
    /// The states of connections, which are no words.
    var states: [ConnectionState] { entries.withLock { $0.states } }
    /// How the calls ended, which are no words.
    var endings: [CallEnding] { entries.withLock { $0.endings } }
    /// When it was told so last.
    func time(of word: String) -> ContinuousClock.Instant? { entries.withLock { $0.times[word] } }

    func count(_ word: String) -> Int { words.count { $0 == word } }

    func forget() {
        entries.withLock { $0 = Entries() }
    }

    /// Waits until it was told so, this many times.
    func wait(for word: String, times: Int = 1, within seconds: Double = 20) async -> Bool {
        let isTold = await eventually(within: seconds) { self.count(word) >= times }
        if !isTold { Issue.record("“\(word)” was not told; what was: \(words)") }
        return isTold
    }

    func didReceiveIncomingCall(from peerID: PeerID) { note("incoming \(peerID)") }
    func didAddLocalVideoTrack(_ videoTrack: WRKRTCVideoTrack) { note("local video") { $0.localVideo = videoTrack } }
    func didAddLocalAudioTrack(_ audioTrack: WRKRTCAudioTrack) { note("local audio") { $0.localAudio = audioTrack } }
    func didAddRemoteVideoTrack(_ videoTrack: WRKRTCVideoTrack) {
        note("remote video") { $0.remoteVideo = videoTrack }
    }
    func didAddRemoteAudioTrack(_ audioTrack: WRKRTCAudioTrack) {
        note("remote audio") { $0.remoteAudio = audioTrack }
        audioTrack.add(ear)
    }
    func remoteVideoTrackWasRemoved(_ videoTrack: WRKRTCVideoTrack) {
        note("remote video removed") { if $0.remoteVideo == videoTrack { $0.remoteVideo = nil } }
    }
    func callDidStart() { note("started") }
    func callWillEnd(as ending: CallEnding) { entries.withLock { $0.endings.append(ending) } }
    func callDidEnd(withError error: CallManagerError?) { note(error.map { "ended \($0.word)" } ?? "ended") }
    func didReceiveDataChannel(_ dataChannel: WRKDataChannel) {
        note("channel \(dataChannel.label)") { $0.channels.append(dataChannel) }
    }
    func peerIsRinging() { note("ringing") }
    func connectionLost() { note("lost") }
    func connectionRestored() { note("restored") }
    func verificationDidChange(to status: VerificationStatus) {
        if case .code(let code) = status { note("code") { $0.code = code } } else { note("\(status)") }
    }
    func callQualityDidChange(to quality: CallQuality) { note("quality \(quality.level)") }
    func connectionStateDidChange(to state: ConnectionState, reason: String?) {
        entries.withLock { $0.states.append(state) }
    }
    func remoteAudioTrackWasRemoved(_ audioTrack: WRKRTCAudioTrack) { note("remote audio removed") }
    func localVideoTrackWasRemoved(_ videoTrack: WRKRTCVideoTrack) { note("local video removed") }
}

/// Listens.
final class Ear: AudioSink {
    private struct State {
        var meter = FrequencyMeter()
        var frames = 0
        var lastIsSilent = true
        var firstSound: ContinuousClock.Instant?
    }

    private let state = Mutex(State())

    func deliver(_ frame: AudioFrame) {
        state.withLock { state in
            state.meter.append(frame)
            state.frames += 1
            state.lastIsSilent = frame.samples.allSatisfy { abs(Int($0)) < 64 }
            if !state.lastIsSilent, state.firstSound == nil { state.firstSound = .now }
        }
    }

    var frames: Int { state.withLock { $0.frames } }
    var isSilent: Bool { state.withLock { $0.lastIsSilent } }
    /// When something was heard first.
    var firstSound: ContinuousClock.Instant? { state.withLock { $0.firstSound } }

    func forget() { state.withLock { $0 = State() } }

    func hears(_ frequency: Double) async -> Bool {
        await eventually {
            let meter = self.state.withLock { $0.meter }
            return meter.isFull && meter.share(of: frequency) > 0.6
        }
    }
}

/// Looks, and reads test pictures.
final class Eye: VideoSink {
    private struct State {
        var frames = 0
        var readable = 0
        var last: (width: Int, height: Int)?
    }

    private let state = Mutex(State())

    func deliver(_ frame: VideoFrame) {
        let isReadable = TestPattern.read(from: frame.buffer) != nil
        state.withLock { state in
            state.frames += 1
            state.readable += isReadable ? 1 : 0
            state.last = (frame.width, frame.height)
        }
    }

    var frames: Int { state.withLock { $0.frames } }
    var readable: Int { state.withLock { $0.readable } }
    var size: (width: Int, height: Int)? { state.withLock { $0.last } }

    /// Waits for so many readable pictures more than there are.
    func sees(_ count: Int = 3) async -> Bool {
        let wanted = readable + count
        return await eventually { self.readable >= wanted }
    }
}

/// A peer with a controller, and what it needs.
struct Caller: Sendable {
    let name: PeerID
    let controller: WebRTCController
    let diary = Diary()
    let signaling: InMemoryConnection

    /// - Parameters:
    ///   - tone: What its microphone records, in hertz.
    ///   - devices: The machine's; none unless a test brings some, wherever it runs.
    ///   - network: What happens to the machine's network, in place of what does.
    init(
        _ name: PeerID, _ server: InMemoryServer, tone: Double = 440, config: Config = .test,
        audioDevice: (any RTCAudioDevice)? = nil, devices: DefaultDevices = .none,
        network: AsyncStream<NetworkMonitor.Event>? = nil, _ change: (inout WebRTCKit.Options) -> Void = { _ in }
    ) async throws {
        self.name = name
        signaling = server.connection(name)
        var options = WebRTCKit.Options()
        options.network.bindAddress = .init(127, 0, 0, 1)
        options.sources.microphone = PacedAudioSource(Tone(frequency: tone))
        options.sources.camera = PacedVideoSource(TestPattern(width: 320, height: 192), framesPerSecond: 20)
        change(&options)
        controller = WebRTCKit.makeController(
            signalingServer: signaling, config: config, audioDevice: audioDevice, options: options, devices: devices,
            networkEvents: { network ?? NetworkMonitor().events })
        await controller.setCallManagerDelegate(diary)
        let id = try await controller.setupConnection()
        #expect(id == name)
    }

    /// Calls, and waits until the call runs on both sides.
    func call(_ other: Caller, times: Int = 1) async throws {
        try await controller.sendCallRequest(to: other.name)
        #expect(await other.diary.wait(for: "incoming \(name)", times: times))
        try await other.controller.answerCallRequest(accept: true)
        #expect(await diary.wait(for: "started", times: times))
        #expect(await other.diary.wait(for: "started", times: times))
    }

    /// Hangs up, and waits until the other side knows.
    func hangUp(_ other: Caller, times: Int = 1) async throws {
        try await controller.endCall()
        #expect(await other.diary.wait(for: "ended", times: times))
        #expect(await diary.wait(for: "ended", times: times))
    }
}

extension Config {
    static let test = Config(connectionTimeout: 20)
}

/// Two peers of one server.
struct CallPair {
    let server = InMemoryServer()
    let alice: Caller
    let bob: Caller

    init(
        config: Config = .test, aliceNetwork: AsyncStream<NetworkMonitor.Event>? = nil,
        _ change: (inout WebRTCKit.Options) -> Void = { _ in }
    ) async throws {
        alice = try await Caller("alice", server, tone: 440, config: config, network: aliceNetwork, change)
        bob = try await Caller("bob", server, tone: 880, config: config, change)
    }

    /// Both record sound, alice calls, bob answers.
    static func running(_ change: (inout WebRTCKit.Options) -> Void = { _ in }) async throws -> CallPair {
        let pair = try await CallPair(change)
        try await pair.alice.controller.startRecording()
        try await pair.bob.controller.startRecording()
        try await pair.alice.call(pair.bob)
        return pair
    }

    /// Lets the calls from now on go through a cable, which can be cut.
    func lead(through cable: Cable) {
        server.setFilter { message in
            var message = message
            switch message.content {
            case .signal(let data): message.content = .signal(cable.rewrite(data))
            case .candidate(let data): message.content = .candidate(cable.rewrite(data))
            case .endCall: break
            }
            return message
        }
    }
}
