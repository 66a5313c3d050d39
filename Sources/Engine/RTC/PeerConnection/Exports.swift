@_exported public import class RTCCrypto.Certificate
// The types of the engine's API that the cores define. Importing `RTC` suffices to use them.
@_exported public import enum RTCPeer.ConnectionState
@_exported public import struct RTCPeer.ICECandidateInit
@_exported public import enum RTCPeer.NegotiationMode
@_exported public import struct RTCPeer.SessionDescription
@_exported public import enum RTCPeer.Signal
@_exported public import enum RTCPeer.SignalingState
@_exported public import struct RTCTransport.CryptoError
@_exported public import enum RTCTransport.DTLSVersion
@_exported public import enum RTCTransport.DigestAlgorithm
@_exported public import struct RTCTransport.Fingerprint
@_exported public import enum RTCTransport.ICECandidatePolicy
@_exported public import enum RTCTransport.ICEConnectionState
@_exported public import enum RTCTransport.ICEGatheringState
@_exported public import struct RTCWire.IPAddress
