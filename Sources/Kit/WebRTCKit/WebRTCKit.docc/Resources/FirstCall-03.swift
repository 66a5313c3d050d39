import WebRTCKit

@main
struct FirstCall {
    static func main() async throws {
        let words = CommandLine.arguments
        guard words.count >= 3 else { return print("usage: first-call SERVER NAME [PEER]") }
        let server = try DuetSignaling(url: words[1], user: words[2])

        var options = WebRTCKit.Options()
        options.sources.microphone = PacedAudioSource(Tone())
        let controller = await WebRTCKit.initialize(signalingServer: server, config: Config(), options: options)

        let screen = Screen(controller)
        await controller.setCallManagerDelegate(screen)
        print("signed in as \(try await controller.setupConnection())")

        for await _ in screen.ends { break }
        try await controller.disconnect()
    }
}

final class Screen: CallManagerDelegate {
    let ends: AsyncStream<Void>
    private let end: AsyncStream<Void>.Continuation
    private let controller: WebRTCController

    init(_ controller: WebRTCController) {
        self.controller = controller
        (ends, end) = AsyncStream.makeStream()
    }

    func didReceiveIncomingCall(from peerID: PeerID) {
        print("\(peerID) is calling")
    }

    func callDidStart() {
        print("the call runs")
    }

    func callDidEnd(withError error: CallManagerError?) {
        print("the call is over: \(error.map { "\($0)" } ?? "hung up")")
        end.yield()
    }

    func didAddLocalAudioTrack(_ audioTrack: WRKRTCAudioTrack) {}
    func didAddRemoteAudioTrack(_ audioTrack: WRKRTCAudioTrack) {}
    func didAddLocalVideoTrack(_ videoTrack: WRKRTCVideoTrack) {}
    func didAddRemoteVideoTrack(_ videoTrack: WRKRTCVideoTrack) {}
    func remoteVideoTrackWasRemoved(_ videoTrack: WRKRTCVideoTrack) {}
    func didReceiveDataChannel(_ dataChannel: WRKDataChannel) {}
}
