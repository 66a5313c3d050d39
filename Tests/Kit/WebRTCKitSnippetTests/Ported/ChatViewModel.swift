import Foundation
import Observation
import WebRTCKit

/// What the app's views show.
@MainActor
@Observable
final class ChatViewModel {
    private(set) var caller: PeerID?
    private(set) var isInCall = false
    private(set) var localVideoTrack: WRKRTCVideoTrack?
    private(set) var remoteVideoTrack: WRKRTCVideoTrack?
    private(set) var messages: [String] = []
    private(set) var problem: String?
    let thumbnail = ThumbnailRenderer()

    private let webRTCController: WebRTCController
    private var channel: WRKDataChannel?

    init(_ webRTCController: WebRTCController) {
        self.webRTCController = webRTCController
    }

    func connect() async throws -> PeerID {
        await webRTCController.setCallManagerDelegate(self)
        let localPeerID = try await webRTCController.setupConnection()
        return localPeerID
    }

    func call(_ peerID: PeerID) async throws {
        try await webRTCController.sendCallRequest(to: peerID)
    }

    func answer() async throws {
        try await webRTCController.answerCallRequest(accept: true)
        caller = nil
    }

    func hangUp() async throws {
        try await webRTCController.endCall()
    }

    func toggleVideo(_ videoCapturer: sending RTCVideoCapturer) async throws {
        if await webRTCController.isVideoRecording() {
            try await webRTCController.stopVideoRecording()
        } else {
            try await webRTCController.startVideoRecording(videoCapturer: videoCapturer)
        }
    }

    func openChat() async throws {
        try await webRTCController.startConfiguration()
        channel = try await webRTCController.createDataChannel(label: "chat")
        guard let channel else { return }
        await channel.setDelegate(self)
        try await webRTCController.commitConfiguration()
    }

    func send(_ text: String) async -> Bool {
        await channel?.sendData(Data(text.utf8)) ?? false
    }

    /// A track of either kind, by what both have.
    func toggle(_ track: WRKRTCMediaStreamTrack) {
        track.isEnabled.toggle()
    }

    private func received(_ videoTrack: WRKRTCVideoTrack) {
        switch videoTrack.source {
        case .local: localVideoTrack = videoTrack
        case .remote:
            remoteVideoTrack = videoTrack
            videoTrack.add(thumbnail)
        }
    }

    private func adopt(_ dataChannel: WRKDataChannel) async {
        channel = dataChannel
        await dataChannel.setDelegate(self)
    }

    private func ended(_ error: CallManagerError?) {
        isInCall = false
        remoteVideoTrack = nil
        channel = nil
        problem = error?.localizedDescription
    }
}

// Sound needs nothing of this app, so it leaves out what tells of it.
nonisolated extension ChatViewModel: CallManagerDelegate {
    func didReceiveIncomingCall(from peerID: PeerID) { Task { @MainActor in caller = peerID } }
    func didAddLocalVideoTrack(_ videoTrack: WRKRTCVideoTrack) { Task { @MainActor in received(videoTrack) } }
    func didAddRemoteVideoTrack(_ videoTrack: WRKRTCVideoTrack) { Task { @MainActor in received(videoTrack) } }
    func callDidStart() { Task { @MainActor in isInCall = true } }
    func callDidEnd(withError error: CallManagerError?) { Task { @MainActor in ended(error) } }
    func didReceiveDataChannel(_ dataChannel: WRKDataChannel) { Task { @MainActor in await adopt(dataChannel) } }
}

nonisolated extension ChatViewModel: RTCDataChannelDelegate {
    func dataChannelDidChangeState(_ dataChannel: RTCDataChannel) {}

    func dataChannel(_ dataChannel: RTCDataChannel, didReceiveMessageWith buffer: RTCDataBuffer) {
        let text = String(decoding: buffer.data, as: UTF8.self)
        Task { @MainActor in messages.append(text) }
    }
}
