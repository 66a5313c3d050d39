/// The difference between two readings some seconds apart.
struct QualityChange: Sendable {
    var seconds: Double
    var before: QualityReading
    var now: QualityReading
    /// The seconds during which received video was frozen.
    var frozen: Double
    /// The seconds during which moving video arrived, and its number of frames.
    var moving: Double
    var pictures: Int
    /// The maxima of the last minutes.
    var bestRows: Double
    var bestFrameRate: Double
    /// Whether nothing arrives at all.
    var isSilent: Bool

    // MARK: Received

    private func share(
        _ part: (QualityReading.Received) -> Int, of whole: (QualityReading.Received) -> Int,
        _ stream: (QualityReading) -> QualityReading.Received?
    ) -> Double? {
        guard let now = stream(now), let before = stream(before) else { return nil }
        let count = whole(now) - whole(before)
        return count > 0 ? min(max(Double(part(now) - part(before)) / Double(count), 0), 1) : nil
    }

    /// The ratio of concealed to played samples.
    var concealed: Double? { share(\.concealed, of: \.samples, \.receivedAudio) }

    /// The loss ratio of received packets, repaired ones included.
    var receivedLoss: Double {
        max(
            share(\.lost, of: { $0.packets + $0.lost }, \.receivedAudio) ?? 0,
            share(\.lost, of: { $0.packets + $0.lost }, \.receivedVideo) ?? 0)
    }

    private var video: (now: QualityReading.Received, before: QualityReading.Received)? {
        guard let now = now.receivedVideo, let before = before.receivedVideo, now.packets > before.packets else {
            return nil
        }
        return (now, before)
    }

    /// The frame rate of received video; `nil` while there is none, or only a still picture, as of a camera that is
    /// switched off.
    var framesPerSecond: Double? { moving >= QualityWindow.leastLength ? Double(pictures) / moving : nil }

    var frozenShare: Double? { video == nil ? nil : min(frozen / seconds, 1) }

    var receivedRows: Double? { video.map { Double(min($0.now.width, $0.now.height)) } }

    /// The load of our decoder: the fraction of time spent decoding or, with little loss, five times the fraction of
    /// dropped frames.
    var decoderLoad: Double {
        guard let (now, before) = video else { return 0 }
        let dropped = Double(now.dropped - before.dropped)
        let share = dropped / max(dropped + Double(now.frames - before.frames), 1)
        return max((now.decodeTime - before.decodeTime) / seconds, receivedLoss < 0.01 ? share * 5 : 0)
    }

    /// The bits per pixel of received video: low for a sender short of bandwidth, high for a slow one.
    var bitsPerPixel: Double {
        guard let (now, before) = video, now.frames > before.frames else { return 0 }
        let pixels = Double(max(now.width * now.height, 1)) * Double(now.frames - before.frames)
        return Double(now.bytes - before.bytes) * 8 / pixels
    }

    /// The estimated one-way delay in seconds: half a round trip plus the jitter buffer.
    var delay: Double? {
        guard let roundTrip = now.roundTripTime else { return nil }
        guard let sound = now.receivedAudio ?? now.receivedVideo,
            let earlier = before.receivedAudio ?? before.receivedVideo, sound.emitted > earlier.emitted
        else { return roundTrip / 2 }
        return roundTrip / 2 + (sound.bufferDelay - earlier.bufferDelay) / Double(sound.emitted - earlier.emitted)
    }

    // MARK: Sent

    /// The loss ratio of sent packets, repaired ones included.
    var sentLoss: Double { max(now.sentAudio?.loss ?? 0, now.sentVideo?.loss ?? 0) }

    /// The number of key frame requests by the remote peer.
    var keyFrameRequests: Int {
        guard let now = now.sentVideo, let before = before.sentVideo else { return 0 }
        return max(0, now.keyFrameRequests - before.keyFrameRequests)
    }
}

extension QualityReading.Received {
    /// The least size in bytes of a frame with motion.
    private static let leastMovingFrame = 300

    /// Whether the frames contain motion, unlike those of a camera that is switched off.
    func isMoving(since before: Self) -> Bool {
        let count = frames - before.frames
        return count <= 0 || (bytes - before.bytes) / count >= Self.leastMovingFrame
    }
}

extension QualityReading.Sent {
    /// The loss remaining after one repair per packet, which may be lost as well.
    var lossLeft: Double? { loss.map { isRepaired ? $0 * $0 : $0 } }
}
