package import RTCPeer
package import RTCWire

/// Records the audio packets that a peer receives, and pretends to play them a fixed time after their arrival.
package final class AudioPacketRecorder: AudioPacketSink {
    package struct Packet: Sendable {
        package let info: AudioPacketInfo
        package let payload: [UInt8]
    }

    /// In the order in which they arrived.
    package private(set) var packets: [Packet] = []
    /// The number of changes of the source.
    package private(set) var resets = 0
    /// The delay that lip sync requests.
    package private(set) var extraDelay = TimeDelta.zero
    /// From the arrival of a packet until it is passed to the device, without ``extraDelay``.
    package var bufferDelay = TimeDelta.milliseconds(60)
    /// From there until it is heard.
    package var playoutDelay = TimeDelta.zero

    package init() {}

    package func receive(_ payload: RawSpan, _ packet: AudioPacketInfo) {
        packets.append(Packet(info: packet, payload: payload.withUnsafeBytes { Array($0) }))
    }

    package func reset() { resets += 1 }

    package func setExtraDelay(_ delay: TimeDelta) { extraDelay = delay }

    package var presentation: (timestamp: RTPTimestamp, time: Instant)? {
        packets.last.map { ($0.info.timestamp, $0.info.arrival + bufferDelay + extraDelay) }
    }
}
