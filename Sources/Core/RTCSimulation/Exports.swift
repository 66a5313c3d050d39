// The types of this module's API that other cores define. Importing `RTCSimulation` suffices to use them.
@_exported public import enum RTCPeer.ConnectionState
@_exported public import enum RTCPeer.NegotiationMode
@_exported public import struct RTCPeer.Peer
@_exported public import enum RTCPeer.Signal
@_exported public import struct RTCTransport.DataChannelMessage
@_exported public import struct RTCTransport.DataChannelParameters
@_exported public import struct RTCTransport.DataChannelPriority
@_exported public import enum RTCTransport.DataChannelState
@_exported public import struct RTCWire.Bitrate
@_exported public import struct RTCWire.IPAddress
@_exported public import struct RTCWire.Instant
@_exported public import struct RTCWire.TimeDelta
@_exported public import struct RTCWire.TransportAddress
