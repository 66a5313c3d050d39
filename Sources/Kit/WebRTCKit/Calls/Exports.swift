// The engine's words that the kit's API uses. Importing `WebRTCKit` is enough to use them.
//
// Some words stay where they are, since their names are too common to be put into every app: `Logger`, which is
// `WebRTCKit.Options.Logger` here; and the messages of the Duet server, for which whoever writes a `DuetSignalingObserver`
// imports `RTCSignaling`.
@_exported public import class RTC.AudioTrack
@_exported public import struct RTC.CallQuality
@_exported public import struct RTC.CallQualityMeter
@_exported public import enum RTC.MediaClock
@_exported public import class RTC.PeerConnection
@_exported public import struct RTC.RTCError
@_exported public import struct RTC.ServerTrust
@_exported public import struct RTC.StatisticsReport
@_exported public import class RTC.VideoTrack
@_exported public import struct RTCDevices.CameraChoice
@_exported public import class RTCDevices.CameraFeed
@_exported public import struct RTCDevices.CameraHistory
@_exported public import struct RTCDevices.CameraHistoryFile
@_exported public import protocol RTCDevices.CameraHistoryStore
@_exported public import struct RTCDevices.CameraPolicy
@_exported public import class RTCDevices.CameraSelector
@_exported public import struct RTCDevices.CaptureRequest
@_exported public import struct RTCDevices.DeviceError
@_exported public import enum RTCDevices.DeviceFeedEvent
@_exported public import struct RTCDevices.DeviceID
@_exported public import class RTCDevices.DeviceList
@_exported public import struct RTCDevices.DeviceSystem
@_exported public import class RTCDevices.MediaAuthorization
@_exported public import struct RTCDevices.MediaDevice
@_exported public import struct RTCDevices.MicrophoneChoice
@_exported public import class RTCDevices.MicrophoneFeed
@_exported public import struct RTCDevices.RotationAngles
@_exported public import class RTCDevices.SpeakerFeed
@_exported public import struct RTCDevices.VoiceProcessing
@_exported public import struct RTCFrames.AudioFrame
@_exported public import protocol RTCFrames.AudioFrameProducer
@_exported public import protocol RTCFrames.AudioSink
@_exported public import protocol RTCFrames.AudioSource
@_exported public import class RTCFrames.I420Buffer
@_exported public import class RTCFrames.PacedAudioSource
@_exported public import class RTCFrames.PacedVideoSource
@_exported public import struct RTCFrames.TestPicture
@_exported public import struct RTCFrames.Tone
@_exported public import struct RTCFrames.VideoFrame
@_exported public import protocol RTCFrames.VideoFrameBuffer
@_exported public import protocol RTCFrames.VideoFrameProducer
@_exported public import protocol RTCFrames.VideoSink
@_exported public import protocol RTCFrames.VideoSource
@_exported public import enum RTCPeer.ConnectionState
@_exported public import struct RTCSignaling.DisplayName
@_exported public import class RTCSignaling.SignalingClient
@_exported public import struct RTCSignaling.SignalingClientError
@_exported public import struct RTCSignaling.SignalingDeviceID
@_exported public import struct RTCSignaling.SignalingURL
@_exported public import struct RTCSignaling.UserID
@_exported public import enum RTCTransport.ICECandidatePolicy
@_exported public import enum RTCWire.VideoRotation
