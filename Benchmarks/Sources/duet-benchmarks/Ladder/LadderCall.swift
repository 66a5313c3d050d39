import RTCCodecs
import RTCFrames
import RTCMedia
import RTCWire

/// One direction of a call in media time: a sender that keeps its size and frame rate, a path of exactly its target, and a screen.
///
/// The sender is the engine's: the encoder with the settings of a call, ``EncoderRateControl``, and the pacer's queue, above which
/// the encoder gets no frame. A frame that is left out leaves the last one on the screen.
struct LadderCall {
    /// The time before anything counts: the first frame is a key frame, and the rate control settles.
    static let warmUp = TimeDelta.seconds(2)
    /// How much faster than its target the pacer sends while something waits.
    private static let pace = 1.15
    /// The headers of packets, as a factor and for each frame in bytes.
    private static let (overhead, packetOverhead) = (1.04, 20.0)

    let codec: RTPCodec
    let target: Bitrate
    let scale: Double
    let rateDivisor: Double
    private(set) var quality = PictureQuality()
    private(set) var kilobitsPerSecond = 0.0
    private(set) var shownPerSecond = 0.0
    /// How long the pacer took for everything up to each frame, in milliseconds.
    private(set) var queues: [Double] = []

    private let film: Film
    private let encoder: any VideoEncoder
    private let decoder: any VideoDecoder
    private let pool = I420BufferPool(capacity: 4)
    private var control = EncoderRateControl()
    /// The bits that wait for the pacer.
    private var queue = 0.0
    /// The frame that waits for the encoder.
    private var waiting: I420Buffer?
    /// What is on the screen, in the film's size.
    private var shown: I420Buffer?

    init(film: Film, codec: RTPCodec, target: Bitrate, scale: Double, rateDivisor: Double) throws {
        self.film = film
        self.codec = codec
        self.target = target
        self.scale = scale
        self.rateDivisor = rateDivisor
        let settings = VideoEncoderSettings(
            targetBitrate: target, maxFramerate: max(1, film.framesPerSecond / rateDivisor),
            scaleResolutionDownBy: scale)
        encoder = try CodecCatalog.system.makeVideoEncoder(for: codec, settings: settings)
        decoder = try CodecCatalog.system.makeVideoDecoder(for: codec)
    }

    mutating func run(seconds: Double) throws {
        let (ignored, moments) = (
            Int(Self.warmUp.seconds * film.framesPerSecond), Int(seconds * film.framesPerSecond)
        )
        var (bits, count) = (0.0, 0)
        for moment in 0..<ignored + moments {
            let source = film[moment]
            let size = try step(source, moment: moment)
            guard moment >= ignored else {
                queues = []
                continue
            }
            bits += size
            count += size > 0 ? 1 : 0
            guard let shown else { continue }
            source.withPlanes { source in shown.withPlanes { quality.add(source.y, $0.y) } }
        }
        kilobitsPerSecond = bits / seconds / 1_000
        shownPerSecond = Double(count) / seconds
    }

    /// Lets a moment of the film pass.
    ///
    /// - Returns: What was encoded, in bits with headers.
    private mutating func step(_ source: I420Buffer, moment: Int) throws -> Double {
        let interval = 1 / film.framesPerSecond
        let now = Instant.zero + .nanoseconds(Int64(Double(moment) * interval * 1e9))
        let bitrate = Double(target.bitsPerSecond)
        queue = max(0, queue - bitrate * Self.pace * interval)
        let place = Int(Double(moment) / rateDivisor + 1e-9)
        if moment == 0 || place != Int(Double(moment - 1) / rateDivisor + 1e-9) { waiting = source }
        // The encoder waits for room in the queue, as long as no newer frame is there.
        let left = TimeDelta.nanoseconds(Int64(queue / (bitrate * Self.pace) * 1e9))
        guard let frame = waiting, !control.shouldDropFrame(queue: left - .nanoseconds(Int64(interval * 1e9))) else {
            return 0
        }
        waiting = nil
        // What is left of the queue when the encoder gets the frame.
        let rest = min(left, EncoderRateControl.longestQueue)
        var settings = encoder.settings
        settings.targetBitrate = max(control.rate(for: target, queue: rest), .kilobits(10))
        if settings != encoder.settings { try encoder.configure(settings) }
        let encoded = try encoder.encode(
            VideoFrame(buffer: frame, timestamp: now),
            timestamp: RTPTimestamp(UInt32(truncatingIfNeeded: now.nanoseconds / 100_000 * 9)),
            keyFrame: moment == 0)
        control.note(
            size: encoded?.data.count ?? 0, isKeyFrame: encoded?.isKeyFrame ?? false, target: target, queue: rest,
            at: now)
        guard let encoded else { return 0 }
        let bits = (Double(encoded.data.count) * Self.overhead + Self.packetOverhead) * 8
        queue += bits
        queues.append(queue / (bitrate * Self.pace) * 1_000)
        if let picture = try decoder.decode(encoded, timestamp: now)?.buffer.i420(from: pool) {
            shown = picture.scaled(width: film.width, height: film.height, pool: pool)
        }
        return bits
    }
}
