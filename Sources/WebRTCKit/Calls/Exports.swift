// The engine's words that the kit's API uses. Importing `WebRTCKit` is enough to use them.
@_exported public import class RTC.AudioTrack
@_exported public import enum RTC.MediaClock
@_exported public import class RTC.PeerConnection
@_exported public import struct RTC.RTCError
@_exported public import struct RTC.StatisticsReport
@_exported public import class RTC.VideoTrack
@_exported public import struct RTCFrames.AudioFrame
@_exported public import protocol RTCFrames.AudioSink
@_exported public import protocol RTCFrames.AudioSource
@_exported public import struct RTCFrames.VideoFrame
@_exported public import protocol RTCFrames.VideoSink
@_exported public import protocol RTCFrames.VideoSource
@_exported public import enum RTCPeer.ConnectionState
