/// Two readings some seconds apart, and what lies between them.
struct QualityChange: Sendable {
    var seconds: Double
    var before: QualityReading
    var now: QualityReading
    /// Seconds in which the received picture stood still.
    var frozen: Double
    /// Seconds in which pictures came that are not all the same, and how many.
    var moving: Double
    var pictures: Int
    /// The most of the last minutes.
    var bestRows: Double
    var bestPictures: Double
    /// Whether nothing at all arrives any more.
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

    /// The share of what was played that was made up.
    var concealed: Double? { share(\.concealed, of: \.samples, \.receivedSound) }

    /// The share of packets that were lost on the way here, repaired ones included.
    var receivedLoss: Double {
        max(
            share(\.lost, of: { $0.packets + $0.lost }, \.receivedSound) ?? 0,
            share(\.lost, of: { $0.packets + $0.lost }, \.receivedVideo) ?? 0)
    }

    private var video: (now: QualityReading.Received, before: QualityReading.Received)? {
        guard let now = now.receivedVideo, let before = before.receivedVideo, now.packets > before.packets else {
            return nil
        }
        return (now, before)
    }

    /// `nil` while no pictures are sent to us, or one that stands still: a camera that is switched off.
    var picturesPerSecond: Double? { moving >= QualityWindow.leastLength ? Double(pictures) / moving : nil }

    var frozenShare: Double? { video == nil ? nil : min(frozen / seconds, 1) }

    var receivedRows: Double? { video.map { Double(min($0.now.width, $0.now.height)) } }

    /// The share of complete pictures that we did not decode, with nothing lost: or of the time that decoding took.
    var decoderLoad: Double {
        guard let (now, before) = video else { return 0 }
        let dropped = Double(now.dropped - before.dropped)
        let share = dropped / max(dropped + Double(now.frames - before.frames), 1)
        return max((now.decodeTime - before.decodeTime) / seconds, receivedLoss < 0.01 ? share * 5 : 0)
    }

    /// How fine the received pictures are: a sender that saves bits sends coarse ones, a slow one fine ones.
    var bitsPerPixel: Double {
        guard let (now, before) = video, now.frames > before.frames else { return 0 }
        let pixels = Double(max(now.width * now.height, 1)) * Double(now.frames - before.frames)
        return Double(now.bytes - before.bytes) * 8 / pixels
    }

    /// From there until it is heard here, as far as it can be known: half a round trip, and the jitter buffer.
    var delay: Double? {
        guard let roundTrip = now.roundTripTime else { return nil }
        guard let sound = now.receivedSound ?? now.receivedVideo,
            let earlier = before.receivedSound ?? before.receivedVideo, sound.emitted > earlier.emitted
        else { return roundTrip / 2 }
        return roundTrip / 2 + (sound.bufferDelay - earlier.bufferDelay) / Double(sound.emitted - earlier.emitted)
    }

    // MARK: Sent

    /// The share of packets that get lost on the way there, repaired ones included.
    var sentLoss: Double { max(now.sentSound?.loss ?? 0, now.sentVideo?.loss ?? 0) }

    /// How often the other side asked for a key frame.
    var keyFrameRequests: Int {
        guard let now = now.sentVideo, let before = before.sentVideo else { return 0 }
        return max(0, now.keyFrameRequests - before.keyFrameRequests)
    }
}

extension QualityReading.Received {
    /// Bytes of a picture in which something moves.
    private static let leastPicture = 300

    /// Whether pictures came that are not all the same, as those of a camera that is switched off.
    func isMoving(since before: Self) -> Bool {
        let count = frames - before.frames
        return count <= 0 || (bytes - before.bytes) / count >= Self.leastPicture
    }
}

extension QualityReading.Sent {
    /// What is left of the loss when each packet is repaired once, by another that may be lost as well.
    var lossLeft: Double? { loss.map { isRepaired ? $0 * $0 : $0 } }
}
