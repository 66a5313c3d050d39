import Testing
import WebRTCKit

@Suite("Importing WebRTCKit is enough")
struct ImportTests {
    @Test("for media of an app's own, generated ones among them")
    func media() {
        var options = WebRTCKit.Options()
        options.sources.microphone = PacedAudioSource(Tone())
        options.sources.camera = PacedVideoSource(TestPattern(width: 640, height: 360), framesPerSecond: 30)
        let speaker = Speaker()
        options.sources.speaker = speaker
        let named: [Any.Type] = [
            (any AudioSource).self, (any VideoSource).self, (any VideoSink).self, (any AudioFrameProducer).self,
            (any VideoFrameProducer).self, (any VideoFrameBuffer).self, VideoFrame.self, I420Buffer.self,
            AudioTrack.self, VideoTrack.self,
        ]
        #expect(named.count == 10)
        #expect(options.sources.speaker === speaker)
    }

    private final class Speaker: AudioSink {
        func deliver(_ frame: AudioFrame) {}
    }

    @Test("for a connection to a Duet server that wants more than an address")
    func duetServer() throws {
        let url = try #require(SignalingURL("wss://calls.example.org"))
        var configuration = SignalingClient.Configuration(
            url: url, user: UserID(rawValue: "alice"), device: SignalingDeviceID.random(),
            name: DisplayName(shortening: "Alice"), token: "…")
        configuration.trust = .file("server.pem")
        configuration.logger = WebRTCKit.Options.Logger(label: "calls")
        let signalingServer = DuetSignaling(configuration, ringTime: .seconds(30))
        let failure: SignalingClientError? = signalingServer.failure
        #expect(failure == nil && !signalingServer.isOpen)
    }

    @Test("for what options and errors are made of")
    func options() {
        var options = WebRTCKit.Options()
        options.logger = .init(label: "my-app")
        options.network = PeerConnection.NetworkPolicy()
        options.media = PeerConnection.MediaConfiguration()
        let status: VerificationStatus = .waiting
        let state: ConnectionState = .new
        let named: [Any.Type] = [StatisticsReport.self, RTCError.self, MediaClock.self, DeviceID.self]
        #expect(options.logger.label == "my-app" && status == .waiting && state == .new && named.count == 4)
    }
}
