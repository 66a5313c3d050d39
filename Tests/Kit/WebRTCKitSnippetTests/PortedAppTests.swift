import Foundation
import Synchronization
import Testing
import WebRTCKit

@Suite("An app that was written for the original WebRTCKit")
struct PortedAppTests {
    /// Carries the app's messages over the server in this process.
    private final class FakeSocket: ChatSocket {
        let id = UUID().uuidString

        func open(_ receive: @escaping @Sendable (ChatMessage) async -> Void) async throws -> PeerID {
            FakeSignalingServer.shared.add(id) { event in
                switch event {
                case .signal(let data, let peer, _): await receive(ChatMessage(content: .signal(data), sender: peer))
                case .candidate(let data, let peer):
                    await receive(ChatMessage(content: .candidate(data), sender: peer))
                case .endCall(let peer): await receive(ChatMessage(content: .endCall, sender: peer))
                }
            }
            return id
        }

        func send(_ message: ChatMessage.Content, to peer: PeerID) async throws {
            let event: FakeSignalingServer.Event =
                switch message {
                case .signal(let data): .signal(data, from: id, isPolite: false)
                case .candidate(let data): .candidate(data, from: id)
                case .endCall: .endCall(from: id)
                }
            try FakeSignalingServer.shared.send(event, to: peer)
        }

        func close() { FakeSignalingServer.shared.remove(id) }
    }

    @MainActor
    private func app(for mode: InitializingMode = .production) async -> ChatViewModel {
        ChatViewModel(await ChatSetup.controller(for: mode, socket: FakeSocket(), audioDevice: FakeAudioDevice()))
    }

    @MainActor
    private func wait(for what: String, _ holds: @MainActor () -> Bool) async throws {
        let end = ContinuousClock.now + .seconds(20)
        while !holds() {
            try #require(ContinuousClock.now < end, "\(what) did not come")
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    @MainActor
    @Test("calls another one, shows it pictures and chats, over a connection that has no lock")
    func call() async throws {
        let (alice, bob) = (await app(), await app())
        let aliceID = try await alice.connect()
        let bobID = try await bob.connect()
        try await alice.call(bobID)
        try await wait(for: "the call") { bob.caller == aliceID }
        try await bob.answer()
        try await wait(for: "the start") { alice.isInCall && bob.isInCall }

        let capturer = GreyVideoCapturer()
        try await alice.toggleVideo(capturer)
        try await wait(for: "one's own video") { alice.localVideoTrack?.source == .local }
        let pictures = Task {
            for index in 0..<2_000 where !Task.isCancelled {
                capturer.captureFrame(shade: 100, at: Int64(index) * 10_000_000)
                try? await Task.sleep(for: .milliseconds(10))
            }
        }
        try await wait(for: "a picture") { bob.thumbnail.thumbnail.pictures > 2 }
        #expect(bob.remoteVideoTrack?.source == .remote)
        let thumbnail = bob.thumbnail.thumbnail
        #expect(thumbnail.size == CGSize(width: 320, height: 180) && abs(Int(thumbnail.brightness) - 100) < 6)
        pictures.cancel()
        try await alice.toggleVideo(GreyVideoCapturer())

        try await bob.openChat()
        #expect(await bob.send("hello"))
        try await wait(for: "the message") { alice.messages == ["hello"] }

        try await bob.hangUp()
        try await wait(for: "the end") { !alice.isInCall && !bob.isInCall }
        #expect(alice.problem == nil && bob.problem == nil)
    }

    @MainActor
    @Test("has a preview without a server and without devices, in which nobody answers")
    func preview() async throws {
        let controller = WebRTCKit.initializeForTesting()
        let app = ChatViewModel(controller)
        #expect(try await app.connect() == "0000")
        #expect(await !controller.isVideoRecording())
        try await controller.startRecording()
        try await controller.startVideoRecording()
        #expect(await controller.isVideoRecording())
        try await wait(for: "one's own video") { app.localVideoTrack != nil }
        let seen = ThumbnailRenderer()
        app.localVideoTrack?.add(seen)
        try await wait(for: "a picture") { seen.thumbnail.pictures > 0 }
        #expect(seen.thumbnail.size == CGSize(width: 640, height: 360))
        try await app.call("1111")
        #expect(await controller.state == .sendingCallRequest)
        try await app.hangUp()

        // A mode that is passed does the same, whatever else is passed.
        let other = await self.app(for: .previews)
        #expect(try await other.connect() == "0000")
    }

    @MainActor
    @Test("has renderers that are told a size once, and nothing after they were removed")
    func renderer() async throws {
        let controller = WebRTCKit.initializeForTesting()
        try await controller.startVideoRecording()
        let track = try #require(await controller.localVideoTrack)
        let seen = ThumbnailRenderer()
        // A view of the original's adds itself at each update.
        for _ in 0..<3 { track.add(seen) }
        try await wait(for: "pictures") { seen.thumbnail.pictures > 3 }
        #expect(seen.thumbnail.sizeChanges == 1)
        track.remove(seen)
        // One may be on its way.
        try await Task.sleep(for: .milliseconds(100))
        let last = seen.thumbnail.pictures
        try await Task.sleep(for: .milliseconds(200))
        #expect(seen.thumbnail.pictures == last)
    }
}
