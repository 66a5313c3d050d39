import Foundation
import WebRTCKit

// The snippets of the original WebRTCKit's README, its chapters “Usage” to “Data Channels” and “Muting”, as they stand
// there. Each has a function of its own, whose parameters are what the README takes for granted.

/// Most of the times the delegate will be something like your view model.
///
/// Its stored properties are set before a call, or in one function alone: nothing reads them at the same time.
final class MyClass: @unchecked Sendable {
    let webRTCController: WebRTCController
    let events = Events()
    var firstChannel: WRKDataChannel?
    var secondChannel: WRKDataChannel?

    init(_ webRTCController: WebRTCController) {
        self.webRTCController = webRTCController
    }

    func setUp() async throws -> PeerID {
        // Set the delegate.
        await webRTCController.setCallManagerDelegate(self)

        // Setup the connection, connecting and registering to the signaling server.
        let localPeerID = try await webRTCController.setupConnection()

        return localPeerID
    }

    func record() async throws {
        try await webRTCController.startRecording()
    }

    func call(_ peerID: PeerID) async throws {
        try await webRTCController.sendCallRequest(to: peerID)
    }

    func accept() async throws {
        try await webRTCController.answerCallRequest(accept: true)
    }

    func reject() async throws {
        try await webRTCController.answerCallRequest(accept: false)
    }

    func end() async throws {
        try await webRTCController.endCall()
    }

    func close() async throws {
        try await webRTCController.disconnect()
    }

    func configure(_ changes: () async throws -> Void) async throws {
        // start the configuration which prevents sending negotiation offers
        try await webRTCController.startConfiguration()

        // make changes here like starting video recording or opening data channels
        try await changes()

        // commit the configuration which sends one negotiation offer with all changes
        try await webRTCController.commitConfiguration()
    }

    func addVideo(_ videoCapturer: RTCVideoCapturer) async throws {
        try await webRTCController.startVideoRecording(videoCapturer: videoCapturer)
    }

    func recordWithVideo(_ videoCapturer: RTCVideoCapturer) async throws {
        try await webRTCController.startRecording(videoCapturer: videoCapturer)
    }

    func openDataChannels() async throws {

        try await webRTCController.startConfiguration()

        // config with disabled retransmission of failed values
        let noRetransmitsConfig = RTCDataChannelConfiguration()
        noRetransmitsConfig.maxRetransmits = 0

        // first channel
        self.firstChannel = try await webRTCController.createDataChannel(
            label: "firstChannel"
        )
        await firstChannel?.setDelegate(self)

        // second channel
        self.secondChannel = try await webRTCController.createDataChannel(
            label: "secondChannel",
            config: noRetransmitsConfig
        )
        await secondChannel?.setDelegate(self)

        try await webRTCController.commitConfiguration()
    }

    func mute(_ audioTrack: WRKRTCAudioTrack) {
        // mute audio
        audioTrack.isEnabled = false
    }

    func unmute(_ audioTrack: WRKRTCAudioTrack) {
        // unmute audio
        audioTrack.isEnabled = true
    }
}

/// A view model is often of the main actor: its snippets compile there too.
@MainActor
final class ViewModel {
    let webRTCController: WebRTCController
    var firstChannel: WRKDataChannel?

    init(_ webRTCController: WebRTCController) {
        self.webRTCController = webRTCController
    }

    func addVideo(_ videoCapturer: RTCVideoCapturer) async throws {
        try await webRTCController.startVideoRecording(videoCapturer: videoCapturer)
    }

    func openDataChannel() async throws {
        let noRetransmitsConfig = RTCDataChannelConfiguration()
        noRetransmitsConfig.maxRetransmits = 0

        self.firstChannel = try await webRTCController.createDataChannel(
            label: "firstChannel",
            config: noRetransmitsConfig
        )
    }

    func mute(_ audioTrack: WRKRTCAudioTrack) {
        audioTrack.isEnabled = false
    }
}

/// An actor compiles them too.
actor Caller {
    let webRTCController: WebRTCController

    init(_ webRTCController: WebRTCController) {
        self.webRTCController = webRTCController
    }

    func addVideo() async throws {
        let videoCapturer = RTCVideoCapturer()
        try await webRTCController.startVideoRecording(videoCapturer: videoCapturer)
    }
}

extension MyClass: RTCDataChannelDelegate {

    func dataChannelDidChangeState(_ dataChannel: RTCDataChannel) {
        events.note("\(dataChannel.label) is \(dataChannel.readyState)")
    }

    func dataChannel(_ dataChannel: RTCDataChannel, didReceiveMessageWith buffer: RTCDataBuffer) {
        events.note("\(dataChannel.label) brought \(String(decoding: buffer.data, as: UTF8.self))")
    }
}
