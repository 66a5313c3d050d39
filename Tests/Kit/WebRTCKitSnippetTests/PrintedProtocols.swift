import Foundation
import WebRTCKit

/// The two protocols that the original WebRTCKit's README prints, as they stand there. A type that conforms to one of
/// these with its members alone, and to the kit's protocol of the same name too, shows that the kit asks for these and
/// for no more.
enum Printed {
    public protocol SignalingServerConnection: Sendable {

        /// Returns true if the connection is established / open.
        var isOpen: Bool { get }

        /// Set the delegate.
        func setDelegate(_ delegate: SignalingServerDelegate?)

        /// Establish a connection to the signaling server and receive the peer id.
        func connect() async throws -> PeerID

        /// Disconnect from the signaling server.
        func disconnect()

        /// Send a signal to the other peer through the signaling server.
        /// - Parameters:
        ///   - signal: The signal to send as data.
        ///   - destinationID: The ID of the other peer.
        func sendSignal(_ signal: Data, to destinationID: PeerID) async throws

        /// Send an ICE candidate to the other peer through the signaling server.
        /// - Parameters:
        ///   - candidate: The ICE candidate as data.
        ///   - destinationID: The ID of the other peer.
        func sendICECandidate(_ candidate: Data, to destinationID: PeerID) async throws

        /// Notify the other peer that we end the call.
        /// - Parameter destinationID: The ID of the other peer.
        func sendEndCall(to destinationID: PeerID) async throws

        /// The network connection has been re-established.
        func onConnectionSatisfied()

        /// The network connection was lost.
        func onConnectionUnsatisfied()
    }

    public protocol CallManagerDelegate: AnyObject, Sendable {

        /// We received an incoming call.
        /// - Parameter peerID: The ID of the peer which is calling.
        func didReceiveIncomingCall(from peerID: PeerID)

        /// We did add a local video track to the stream.
        ///
        /// The view can show the local video using the `WebRTCVideoView`.
        /// - Parameter videoTrack: The local video track.
        func didAddLocalVideoTrack(_ videoTrack: WRKRTCVideoTrack)

        /// Our remote peer did add a video track to the stream.
        ///
        /// The view can show the remote video using the `WebRTCVideoView`.
        /// - Parameter videoTrack: The remote video track.
        func didAddRemoteVideoTrack(_ videoTrack: WRKRTCVideoTrack)

        /// We did add a local audio track to the session.
        ///
        /// It will be sent automatically. You can use this track instance to mute it for example.
        /// - Parameter audioTrack: The local audio track.
        func didAddLocalAudioTrack(_ audioTrack: WRKRTCAudioTrack)

        /// Our remote peer did add an audio track to the session.
        ///
        /// It will be played automatically. You can use this track instance to mute it for example.
        /// - Parameter audioTrack: The remote audio track.
        func didAddRemoteAudioTrack(_ audioTrack: WRKRTCAudioTrack)

        /// Tells the delegate that the remote video track has been removed.
        /// - Parameter videoTrack: The remote video track.
        func remoteVideoTrackWasRemoved(_ videoTrack: WRKRTCVideoTrack)

        /// The call did start.
        func callDidStart()

        /// The call did end.
        /// - Parameter error: Error if the call ended with an error.
        func callDidEnd(withError error: CallManagerError?)

        /// Called when the peer created a new data channel.
        /// - Parameter dataChannel: The new data channel.
        func didReceiveDataChannel(_ dataChannel: WRKDataChannel)
    }
}

// What the README says that is delegated, in the words that it prints: nothing else is in these two extensions.

extension MyClass: CallManagerDelegate, Printed.CallManagerDelegate {
    func didReceiveIncomingCall(from peerID: PeerID) {
        events.note("call from \(peerID)")
    }

    func didAddLocalVideoTrack(_ videoTrack: WRKRTCVideoTrack) {
        events.note("local video")
    }

    func didAddRemoteVideoTrack(_ videoTrack: WRKRTCVideoTrack) {
        events.note("remote video")
    }

    func didAddLocalAudioTrack(_ audioTrack: WRKRTCAudioTrack) {
        events.note("local audio", audioTrack)
    }

    func didAddRemoteAudioTrack(_ audioTrack: WRKRTCAudioTrack) {
        events.note("remote audio", audioTrack)
    }

    func remoteVideoTrackWasRemoved(_ videoTrack: WRKRTCVideoTrack) {
        events.note("remote video removed")
    }

    func callDidStart() {
        events.note("started")
    }

    func callDidEnd(withError error: CallManagerError?) {
        events.note(error.map { "ended: \($0)" } ?? "ended")
    }

    func didReceiveDataChannel(_ dataChannel: WRKDataChannel) {
        events.note("channel \(dataChannel.label)", dataChannel)
    }
}
