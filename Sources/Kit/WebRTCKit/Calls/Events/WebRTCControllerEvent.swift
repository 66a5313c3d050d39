public import RTC
public import RTCDevices

extension WebRTCController {
    /// Something that happened to a controller or its call. See ``WebRTCController/events``.
    public enum Event: Sendable {
        /// A call began, changed or ended: the call after the change, and what changed.
        case call(Call, Call.Change)
        /// The last statistics of a call, immediately before its ``Call/Change/ended``.
        case finalStatistics(StatisticsReport)
        /// Another peer called during a call, and was answered “busy”.
        case busy(Call.Peer)
        /// The state of the peer connection changed. Many of these changes are too short to matter to a person: ``Call/state``
        /// has those that do. `reason` says why it is `failed`, if that is known.
        case connectionState(ConnectionState, reason: String?)
        /// A local audio track was added, or removed if `isPresent` is false. One that replaces another is added before the other is
        /// removed.
        case localAudio(WRKRTCAudioTrack, isPresent: Bool)
        /// A local video track was added, or removed if `isPresent` is false. One that replaces another is added before the other is
        /// removed.
        case localVideo(WRKRTCVideoTrack, isPresent: Bool)
        /// The peer added an audio track, or removed it if `isPresent` is false. It ends with the call, without this event.
        case remoteAudio(WRKRTCAudioTrack, isPresent: Bool)
        /// The peer added a video track, or removed it if `isPresent` is false. It ends with the call, without this event.
        case remoteVideo(WRKRTCVideoTrack, isPresent: Bool)
        /// The peer opened a data channel. It is closed if the app neither keeps it nor sets its delegate.
        case dataChannel(WRKDataChannel)
        /// One of ``WebRTCKit/Options/devices`` changed, was lost, or failed.
        case device(DeviceFeedEvent, of: MediaDevice.Media)
        /// The state of the connection to the signalling server changed.
        case server(SignalingServerState)
        /// Everything that waited at the signalling server for this device was delivered, after a sign-in: no invitation is waiting.
        /// ``DuetSignaling`` reports it; other connections by ``SignalingServerDetailsDelegate/waitingSignalsWereDelivered()``.
        case caughtUp
        /// Events were dropped because more than 256 were waiting for this reader. The current state follows, as for a new
        /// reader.
        case missed
    }
}
