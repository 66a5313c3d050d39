import Foundation
import Testing
import WebRTCKit

@Suite("The snippets of the original WebRTCKit's README")
struct SnippetTests {
    @Test("The printed configuration is read as it is printed")
    func configuration() throws {
        let config = try JSONDecoder().decode(Config.self, from: Data(printedConfig.utf8))
        let printed = PrintedConfig(config)
        #expect(printed.iceServers.count == 2 && printed.connectionTimeout == 30)
        #expect(PrintedBitrateConfig(printed.video).bitrateStepCriticalDown == 0.5)
        #expect(PrintedBitrateConfig(printed.audio).startBitrate == 16_000)
        #expect(try JSONDecoder().decode(Config.self, from: JSONEncoder().encode(config)) == config)
    }

    @Test("The defaults are the printed ones")
    func defaults() {
        #expect(BitrateConfig.defaultForVideo == PrintedDefaults.defaultForVideo)
        #expect(BitrateConfig.defaultForAudio == PrintedDefaults.defaultForAudio)
    }

    @Test("Without await, and with an audio device, it is set up too")
    func audioDevice() async {
        passAudioDevice(signalingServer: await SignalingServerConnectionImpl(), config: Config(), audioDevice: .init())
    }

    /// An app, with its controller and its sound.
    private struct App {
        let app: MyClass
        let device: FakeAudioDevice
        let id: PeerID

        init() async throws {
            let (device, config) = (FakeAudioDevice(), Config())
            let controller = await WebRTCKit.initialize(
                signalingServer: SignalingServerConnectionImpl(), config: config, audioDevice: device)
            self.device = device
            app = MyClass(controller)
            id = try await app.setUp()
        }
    }

    @Test("Two apps that are made of the snippets call each other")
    func call() async throws {
        let (alice, bob) = (try await App(), try await App())
        try await alice.app.record()
        try await bob.app.record()
        try await alice.app.events.wait(for: "local audio")
        try await alice.app.call(bob.id)
        try await bob.app.events.wait(for: "call from \(alice.id)")
        try await bob.app.accept()
        for app in [alice.app, bob.app] {
            try await app.events.wait(for: "started")
            try await app.events.wait(for: "remote audio")
        }

        // Sound, muted and not.
        try await isHeard(by: bob, true)
        let track = try #require(alice.app.events.track("local audio"))
        alice.app.mute(track)
        try await isHeard(by: bob, false)
        alice.app.unmute(track)
        try await isHeard(by: bob, true)
        let remote = try #require(bob.app.events.track("remote audio"))
        bob.app.mute(remote)
        try await isHeard(by: bob, false)
        bob.app.unmute(remote)
        try await isHeard(by: bob, true)

        // Video in the middle of the call.
        let capturer = GreyVideoCapturer()
        try await alice.app.addVideo(capturer)
        try await alice.app.events.wait(for: "local video")
        for index in 0..<10 { capturer.captureFrame(shade: 100, at: Int64(index) * 33_000_000) }
        try await bob.app.events.wait(for: "remote video")

        // Data channels.
        try await bob.app.openDataChannels()
        for label in ["firstChannel", "secondChannel"] {
            try await alice.app.events.wait(for: "channel \(label)")
            try await bob.app.events.wait(for: "\(label) is open")
        }
        #expect(!bob.app.events.lines.contains("channel firstChannel"))
        for channel in alice.app.events.channels { #expect(await channel.sendData(Data("hello".utf8))) }
        try await bob.app.events.wait(for: "firstChannel brought hello")
        try await bob.app.events.wait(for: "secondChannel brought hello")

        // Several changes at once.
        try await bob.app.configure { _ = try await bob.app.webRTCController.createDataChannel(label: "third") }
        try await alice.app.events.wait(for: "channel third")

        try await alice.app.end()
        for app in [alice.app, bob.app] { try await app.events.wait(for: "ended") }
        try await alice.app.close()
        try await bob.app.close()
    }

    @Test("A call that is rejected, and one with video from the beginning after it")
    func rejection() async throws {
        let (alice, bob) = (try await App(), try await App())
        try await alice.app.recordWithVideo(GreyVideoCapturer())
        try await alice.app.call(bob.id)
        try await bob.app.events.wait(for: "call from \(alice.id)")
        try await bob.app.reject()
        try await alice.app.events.wait(for: "ended: \(CallManagerError.rejected)")
        try await bob.app.events.wait(for: "ended")
        try await alice.app.call(bob.id)
        try await bob.app.events.wait(for: "call from \(alice.id)", count: 2)
        try await bob.app.accept()
        for app in [alice.app, bob.app] { try await app.events.wait(for: "started") }
        try await bob.app.events.wait(for: "remote video")
        try await bob.app.end()
        try await alice.app.events.wait(for: "ended")
    }

    /// Waits until somebody hears the other, or hears nothing any more.
    private func isHeard(by app: App, _ isHeard: Bool, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        for _ in 0..<100 {
            _ = app.device.takeLoudest()
            try await Task.sleep(for: .milliseconds(60))
            if (app.device.takeLoudest() > 1_000) == isHeard { return }
        }
        Issue.record("sound was \(isHeard ? "not heard" : "heard")", sourceLocation: sourceLocation)
    }
}
