public import RTC
public import RTCDevices

extension WebRTCController {
    /// What happens to a controller and its call. See ``WebRTCController/events``.
    public enum Event: Sendable {
        /// A call began, changed or ended: what changed, and how the call is since.
        case call(Call, Call.Change)
        /// The statistics of the call that has just ended, told before its ``Call/Change/ended``.
        case finalStatistics(StatisticsReport)
        /// Another peer called during a call, and was told that this device is busy.
        case busy(Call.Peer)
        /// The call's connection is in another state, also in one that is over before it means anything to a person:
        /// ``Call/state`` is what does. `reason` says why, if it is `failed` and that is known.
        case connectionState(ConnectionState, reason: String?)
        /// This device records sound, or no longer.
        case localAudio(WRKRTCAudioTrack, isPresent: Bool)
        /// This device records video, or no longer.
        case localVideo(WRKRTCVideoTrack, isPresent: Bool)
        /// The peer sends sound, or no longer.
        case remoteAudio(WRKRTCAudioTrack, isPresent: Bool)
        /// The peer sends video, or no longer.
        case remoteVideo(WRKRTCVideoTrack, isPresent: Bool)
        /// The peer opened a data channel. One that is neither kept nor given a delegate is closed.
        case dataChannel(WRKDataChannel)
        /// Something happened to one of ``WebRTCKit/Options/devices``.
        case device(DeviceFeedEvent, of: MediaDevice.Media)
        /// The connection to the signalling server is in another state.
        case server(ServerState)
        /// Events were dropped, because more than 256 waited to be read. The present follows, as for a new reader.
        case missed
    }
}
