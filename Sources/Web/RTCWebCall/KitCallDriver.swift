internal import Synchronization
public import WebRTCKit

/// The calls of the kit, for a page.
public final class KitCallDriver: WebCallDriver {
    private let controller: WebRTCController

    /// - Parameter controller: Set up, and recording what calls are to send.
    public init(_ controller: WebRTCController) {
        self.controller = controller
    }

    public func call(_ peer: String) async throws { try await controller.sendCallRequest(to: peer) }
    public func answer(accept: Bool) async throws { try await controller.answerCallRequest(accept: accept) }
    public func hangUp() async throws { try await controller.endCall() }

    public func setMuted(_ track: WebCallTrack, _ isMuted: Bool) async throws {
        // A page must not believe that something is muted which is not there yet.
        switch track {
        case .microphone:
            guard let track = await controller.localAudioTrack else {
                throw CallManagerError.deviceUnavailable("no microphone is used")
            }
            track.isEnabled = !isMuted
        case .camera:
            guard let track = await controller.localVideoTrack else {
                throw CallManagerError.deviceUnavailable("no camera is used")
            }
            track.isEnabled = !isMuted
        }
    }

    public func statistics() async throws -> WebCallStatistics {
        let transport = try await controller.statistics().transport
        return WebCallStatistics(
            packetsSent: UInt64(clamping: transport.packetsSent),
            packetsReceived: UInt64(clamping: transport.packetsReceived),
            bytesSent: UInt64(clamping: transport.bytesSent), bytesReceived: UInt64(clamping: transport.bytesReceived))
    }
}

/// A delegate of the kit that tells what a page is told. Give it to the controller, beside the app's own by a
/// `CallManagerDelegateGroup`, and keep it: neither does.
public final class KitCallEvents: CallManagerDelegate {
    private let tell: @Sendable (WebCallEvent) -> Void
    private let end: @Sendable () -> Void
    /// How the call that ends now ends; told with its end.
    private let ending = Mutex<CallEnding?>(nil)

    public init(_ tell: @escaping @Sendable (WebCallEvent) -> Void) {
        self.tell = tell
        end = {}
    }

    /// Tells the page of a bridge, in the order in which things happen.
    public init(_ bridge: WebCallBridge) {
        let (events, continuation) = AsyncStream.makeStream(of: WebCallEvent.self)
        tell = { continuation.yield($0) }
        end = { continuation.finish() }
        Task { @MainActor in
            for await event in events { bridge.tell(event) }
        }
    }

    deinit { end() }

    public func didReceiveIncomingCall(from peerID: PeerID) { tell(.incoming(peer: peerID)) }
    public func callDidStart() { tell(.started) }
    public func callWillEnd(as ending: CallEnding) { self.ending.withLock { $0 = ending } }
    public func callDidEnd(withError error: CallManagerError?) {
        let ending = ending.withLock { $0.take() }
        tell(.ended(reason: error.map { String(describing: $0) }, ending: ending.map(WebCallEnding.init)))
    }
    public func peerIsRinging() { tell(.ringing) }
    public func connectionLost() { tell(.connectionLost) }
    public func connectionRestored() { tell(.connectionRestored) }
    public func didAddLocalVideoTrack(_ videoTrack: WRKRTCVideoTrack) {}
    public func didAddRemoteVideoTrack(_ videoTrack: WRKRTCVideoTrack) {}
    public func didAddLocalAudioTrack(_ audioTrack: WRKRTCAudioTrack) {}
    public func didAddRemoteAudioTrack(_ audioTrack: WRKRTCAudioTrack) {}
    public func remoteVideoTrackWasRemoved(_ videoTrack: WRKRTCVideoTrack) {}
    public func didReceiveDataChannel(_ dataChannel: WRKDataChannel) {}
}

extension WebCallEnding {
    init(_ ending: CallEnding) {
        self =
            switch ending {
            case .endedHere: .endedHere
            case .endedByOtherSide: .endedByOtherSide
            case .unanswered: .unanswered
            case .answeredElsewhere: .answeredElsewhere
            case .declinedElsewhere: .declinedElsewhere
            case .failed: .failed
            }
    }
}
