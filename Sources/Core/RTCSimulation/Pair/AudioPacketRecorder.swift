public import RTCPeer
public import RTCWire

/// Records the audio packets that a peer receives, and pretends to play them a fixed time after their arrival.
public final class AudioPacketRecorder: AudioPacketSink {
    public struct Packet: Sendable {
        public let info: AudioPacketInfo
        public let payload: [UInt8]
    }

    /// In the order in which they arrived.
    public private(set) var packets: [Packet] = []
    /// The number of changes of the source.
    public private(set) var resets = 0
    /// The delay that lip sync requests.
    public private(set) var extraDelay = TimeDelta.zero
    /// From the arrival of a packet until it is passed to the device, without ``extraDelay``.
    public var bufferDelay = TimeDelta.milliseconds(60)
    /// From there until it is heard.
    public var playoutDelay = TimeDelta.zero

    public init() {}

    public func receive(_ payload: RawSpan, _ packet: AudioPacketInfo) {
        packets.append(Packet(info: packet, payload: payload.withUnsafeBytes { Array($0) }))
    }

    public func reset() { resets += 1 }

    public func setExtraDelay(_ delay: TimeDelta) { extraDelay = delay }

    public var presentation: (timestamp: RTPTimestamp, time: Instant)? {
        packets.last.map { ($0.info.timestamp, $0.info.arrival + bufferDelay + extraDelay) }
    }
}
