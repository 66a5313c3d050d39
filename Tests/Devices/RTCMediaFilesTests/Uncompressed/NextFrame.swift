import RTCFrames
import RTCWire
import Testing

extension TestPattern {
    /// The next picture, which there has to be.
    mutating func drawn(at timestamp: Instant) throws -> VideoFrame {
        let frame = nextFrame(at: timestamp)
        return try #require(frame)
    }
}

extension Tone {
    /// The next samples, which there have to be.
    mutating func played(_ samplesPerChannel: Int) throws -> AudioFrame {
        let frame = nextFrame(samplesPerChannel: samplesPerChannel, at: .zero)
        return try #require(frame)
    }
}
