import RTCCodecs
import RTCFrames
import RTCMedia
import RTCWire
import Testing

/// The codecs as this machine offers them.
enum Codecs {
    static let video = ["VP8", "VP9", "H264"]

    static func named(_ name: String, packetizationMode: Int = 1) throws -> RTPCodec {
        let all = CodecCatalog.system.codecs.map(\.codec).filter { $0.name == name }
        return try #require(
            all.first { $0.format != .h264 || $0.formatParameters.contains("packetization-mode=\(packetizationMode)") },
            "\(name) cannot be used here: \(CodecCatalog.system.missing)")
    }

    static func encoder(
        _ name: String, kilobits: Int64 = 1_000, framerate: Double = 30, scale: Double = 1
    ) throws -> any VideoEncoder {
        try CodecCatalog.system.makeVideoEncoder(
            for: named(name),
            settings: VideoEncoderSettings(
                targetBitrate: .kilobits(kilobits), maxFramerate: framerate, scaleResolutionDownBy: scale))
    }

    static func decoder(_ name: String) throws -> any VideoDecoder {
        try CodecCatalog.system.makeVideoDecoder(for: named(name))
    }
}

/// Pictures of a test picture through an encoder, with the timestamps of a steady source.
struct EncodedStream {
    var picture: TestPattern
    let encoder: any VideoEncoder
    var framerate: Double
    private var ticks = 0.0
    private(set) var sent = 0

    init(width: Int, height: Int, encoder: any VideoEncoder, framerate: Double = 30) {
        picture = TestPattern(width: width, height: height)
        self.encoder = encoder
        self.framerate = framerate
    }

    /// The next picture, and what the encoder made of it.
    mutating func next(keyFrame: Bool = false) throws -> (source: VideoFrame, encoded: EncodedVideoFrame?) {
        let source = try picture.drawn(at: .zero + .microseconds(Int64(ticks * 100 / 9)))
        let timestamp = RTPTimestamp(UInt32(truncatingIfNeeded: Int64(ticks)) &+ 0xFFFF_0000)
        ticks += 90_000 / framerate
        sent += 1
        return (source, try encoder.encode(source, timestamp: timestamp, keyFrame: keyFrame))
    }
}

/// The peak signal-to-noise ratio of the brightness of two pictures of one size, in decibels.
func signalToNoise(_ left: VideoFrame, _ right: VideoFrame) throws -> Double {
    let pool = I420BufferPool(capacity: 2)
    let left = try #require(left.buffer.i420(from: pool))
    let right = try #require(right.buffer.i420(from: pool))
    try #require(left.width == right.width && left.height == right.height)
    return left.withPlanes { left in
        right.withPlanes { right in
            var sum = 0
            for y in 0..<left.height {
                for x in 0..<left.width {
                    let difference = Int(left.y.row(y)[x]) - Int(right.y.row(y)[x])
                    sum += difference * difference
                }
            }
            return decibels(255 * 255 * Double(left.width * left.height), over: Double(sum))
        }
    }
}

/// Ten times the decimal logarithm of `power / noise`, in steps of a tenth; at most 100.
func decibels(_ power: Double, over noise: Double) -> Double {
    guard noise > 0 else { return 100 }
    var ratio = power / noise
    var result = 0.0
    while ratio > 1, result < 100 {
        ratio /= 1.023_292_992_280_754
        result += 0.1
    }
    return result
}

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
