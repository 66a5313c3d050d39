// The code of the articles in Sources/Kit/WebRTCKit/WebRTCKit.docc, so that it compiles: each of their listings stands here or in
// Examples, line for line. DocumentationTests looks.

import Foundation
import RTCViews
import WebRTCKit

// MARK: Getting started

func readConfig(_ url: URL) throws -> Config {
    let config = try JSONDecoder().decode(Config.self, from: Data(contentsOf: url))
    return config
}

func nameServers() -> Config {
    let config = Config(iceServers: [
        RTCIceServer(urlStrings: ["stun:turn.example.org"]),
        RTCIceServer(
            urlStrings: ["turn:turn.example.org", "turns:turn.example.org"], username: "alice", credential: "secret"),
    ])
    return config
}

@MainActor
final class CallScreen {
    let model: WebRTCControllerModel

    init(signalingServer: any SignalingServerConnection, config: Config) {
        model = WebRTCControllerModel(WebRTCKit.initialize(signalingServer: signalingServer, config: config))
    }

    func signIn() async throws {
        let localPeerID = try await model.controller.setupConnection()
        print("others reach us as \(localPeerID)")
        try await model.controller.startRecording()
        try await model.controller.startVideoRecording()
    }

    func call(_ peer: PeerID) async throws {
        try await model.controller.sendCallRequest(to: peer)
    }

    func answer(_ accept: Bool) async throws {
        try await model.controller.answerCallRequest(accept: accept)
    }

    func hangUp() async throws {
        try await model.controller.endCall()
    }

    var caller: Call.Peer? {
        guard let call = model.call, call.direction == .incoming, call.state == .ringing else { return nil }
        return call.peer
    }

    var verification: VerificationStatus { model.call?.verification ?? .waiting }
}

// MARK: Following a call

@MainActor
final class CallHistory {
    var history: [Call] = []
    var remoteVideo: WRKRTCVideoTrack?

    func show(_ text: String) { print(text) }

    func follow(_ controller: WebRTCController) async {
        for await call in controller.calls {
            let name = call.peer.displayName
            switch call.state {
            case .calling: show("Calling \(name)")
            case .ringing: show(call.direction == .incoming ? "\(name) calls" : "It rings at \(name)")
            case .connecting: show("Connecting")
            case .connected: show("Connected")
            case .reconnecting: show("The connection is interrupted")
            case .ended: show(call.outcome?.description ?? "")
            }
        }
    }

    func record(_ controller: WebRTCController) async {
        for await event in controller.events {
            switch event {
            case .call(let call, .began) where call.direction == .incoming: show("\(call.peer.displayName) calls")
            case .call(let call, .ended):
                history.append(call)
                remoteVideo = nil
            case .remoteVideo(let track, isPresent: true): remoteVideo = track
            case .remoteVideo(let track, isPresent: false): if remoteVideo == track { remoteVideo = nil }
            case .missed: remoteVideo = nil
            case .server(.lost(let reason)): show(reason)
            default: break
            }
        }
    }

    func words(for outcome: Call.Outcome) -> String? {
        switch outcome {
        case .answeredElsewhere, .declinedElsewhere: nil
        case .cancelled(by: .remote), .unanswered: "Missed call"
        case .declined(by: .remote): "They do not want to talk now."
        case .busy: "They are in another call."
        case .neverConnected, .connectionLost: "The connection failed."
        default: outcome.description
        }
    }
}

func useDuetServer() throws -> DuetSignaling {
    let signalingServer = try DuetSignaling(url: "wss://calls.example.org", user: "alice", token: "…")
    return signalingServer
}

/// Shows a call in a window; on Linux.
@MainActor
func callInWindow(signalingServer: any SignalingServerConnection, options: WebRTCKit.Options) throws {
    try MainLoop.run {
        let window = try VideoCallWindow(title: "Bob")
        let controller = await WebRTCKit.initialize(
            signalingServer: signalingServer, config: Config(), options: options)
        Task {
            for await event in controller.events {
                switch event {
                case .remoteVideo(let track, isPresent: true): track.add(window.remoteView)
                case .localVideo(let track, isPresent: true): track.add(window.localView)
                case .call(_, .ended): window.close()
                default: break
                }
            }
        }
        try await controller.setupConnection()
        try await controller.startRecording()
        try await controller.startVideoRecording()
        try await controller.sendCallRequest(to: "bob")
        for await event in window.events {
            switch event {
            case .microphone(let isOn): await controller.localAudioTrack?.isEnabled = isOn
            case .camera(let isOn): await controller.localVideoTrack?.isEnabled = isOn
            case .switchCamera: options.devices?.cameras.switchCamera()
            case .hangUp: try? await controller.endCall()
            default: break
            }
        }
    }
}

// MARK: Media

func useMachine() throws -> WebRTCKit.Options {
    let devices = try MediaDevices(store: CameraHistoryFile(app: "doorbell"))
    var options = WebRTCKit.Options()
    options.devices = devices
    return options
}

func chooseCamera(of devices: MediaDevices, by id: MediaDevice.ID) {
    for camera in devices.cameras.choice.list { print(camera.name) }
    devices.cameras.choose(id)
    devices.cameras.switchCamera()
}

func recordGeneratedMedia(signalingServer: any SignalingServerConnection) async throws {
    var options = WebRTCKit.Options()
    options.sources.microphone = PacedAudioSource(Tone())
    options.sources.camera = PacedVideoSource(TestPattern(width: 640, height: 360), framesPerSecond: 30)
    let webRTCController = await WebRTCKit.initialize(
        signalingServer: signalingServer, config: Config(), options: options)
    try await webRTCController.startRecording()
    try await webRTCController.startVideoRecording()
}

final class GreyCapturer: RTCVideoCapturer {
    func capture(shade: UInt8, at nanoseconds: Int64) {
        let grey = [UInt8](repeating: 128, count: 320 * 180)
        guard
            let buffer = RTCI420Buffer(
                width: 640, height: 360, y: [UInt8](repeating: shade, count: 640 * 360), u: grey, v: grey)
        else { return }
        delegate?.capturer(self, didCapture: RTCVideoFrame(buffer: buffer, rotation: ._0, timeStampNs: nanoseconds))
    }
}

func recordCapturer(webRTCController: WebRTCController) async throws -> GreyCapturer {
    let capturer = GreyCapturer()
    try await webRTCController.startVideoRecording(videoCapturer: capturer)
    return capturer
}

/// Counts what a track brings.
final class PictureCounter: VideoSink {
    private let count = Counter()

    func deliver(_ frame: VideoFrame) { count.add(1) }
}

func lookAtPictures(videoTrack: WRKRTCVideoTrack) async {
    videoTrack.add(PictureCounter())

    for await frame in videoTrack.frames {
        print("a picture of \(frame.buffer.width) by \(frame.buffer.height)")
    }
}

func chooseDevices() throws -> WebRTCKit.Options {
    let devices = try MediaDevices(store: CameraHistoryFile(app: "doorbell"))
    var options = WebRTCKit.Options()
    options.devices = devices
    // A menu:
    for camera in devices.cameras.choice.list { print(camera.name) }
    for microphone in devices.microphone.choice.list { print(microphone.name) }
    if let chosen = devices.cameras.choice.list.last { devices.cameras.choose(chosen.id) }
    // The button, which is there while `choice.showsSwitchButton`:
    devices.cameras.switchCamera()
    return options
}

// MARK: Data channels

final class Chat: RTCDataChannelDelegate {
    private let webRTCController: WebRTCController

    init(webRTCController: WebRTCController) {
        self.webRTCController = webRTCController
    }

    func open() async throws -> WRKDataChannel {
        try await webRTCController.startConfiguration()
        let channel = try await webRTCController.createDataChannel(label: "chat")
        await channel.setDelegate(self)
        try await webRTCController.commitConfiguration()
        return channel
    }

    func openForPositions() async throws -> WRKDataChannel {
        let newestOnly = RTCDataChannelConfiguration()
        newestOnly.isOrdered = false
        newestOnly.maxRetransmits = 0
        return try await webRTCController.createDataChannel(label: "positions", config: newestOnly)
    }

    func say(_ text: String, on channel: WRKDataChannel) async {
        let message = RTCDataBuffer(data: Data(text.utf8), isBinary: false)
        guard await channel.sendData(message) else { return print("the channel is closed") }
    }

    func dataChannelDidChangeState(_ dataChannel: RTCDataChannel) {
        print("\(dataChannel.label) is \(dataChannel.readyState)")
    }

    func dataChannel(_ dataChannel: RTCDataChannel, didReceiveMessageWith buffer: RTCDataBuffer) {
        print("they say: \(String(decoding: buffer.data, as: UTF8.self))")
    }
}

@MainActor
final class ChatModel {
    private(set) var messages: [String] = []
}

nonisolated extension ChatModel: RTCDataChannelDelegate {
    func dataChannelDidChangeState(_ dataChannel: RTCDataChannel) {}

    func dataChannel(_ dataChannel: RTCDataChannel, didReceiveMessageWith buffer: RTCDataBuffer) {
        Task { @MainActor in messages.append(String(decoding: buffer.data, as: UTF8.self)) }
    }
}

// MARK: Changes during a call

func turnOnEverything(webRTCController: WebRTCController) async throws -> WRKDataChannel {
    let channel: WRKDataChannel
    try await webRTCController.startConfiguration()
    do {
        try await webRTCController.startVideoRecording()
        channel = try await webRTCController.createDataChannel(label: "chat")
    } catch {
        try await webRTCController.commitConfiguration()
        throw error
    }
    try await webRTCController.commitConfiguration()
    return channel
}

func mute(webRTCController: WebRTCController) async {
    await webRTCController.localAudioTrack?.isEnabled = false
}

// MARK: Errors and states

func describe(_ error: CallManagerError) -> String {
    switch error {
    case .rejected: "They do not want to talk now."
    case .busy: "They are in another call."
    case .noAnswer: "Nobody answers."
    case .peerUnavailable: "They are not there."
    case .connectionTimeout, .connectionLost: "The connection failed."
    default: "\(error)"
    }
}

func callIfPossible(_ peer: PeerID, webRTCController: WebRTCController) async throws {
    do {
        try await webRTCController.sendCallRequest(to: peer)
    } catch CallManagerError.invalidStateChange(let state, _) {
        print("there is a call already: it is \(state)")
    }
}
