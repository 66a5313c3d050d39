/// Judges some seconds of a call by their worst impairment.
///
/// docs/quality.md has the table of limits in words. The call page uses the same rules (`quality.js`), and
/// `Tests/Quality/calls.json` tests both.
enum QualityJudgement {
    typealias Level = CallQuality.Level
    typealias Reason = CallQuality.Reason

    /// The values from which a measure is only good, fair, poor, and bad.
    private typealias Limits = (good: Double, fair: Double, poor: Double, bad: Double)

    /// For the fraction of audio or video that is missing.
    private static let loss: Limits = (0.01, 0.03, 0.08, 0.2)
    /// For the fraction of time that video is frozen.
    private static let freeze: Limits = (0.02, 0.06, 0.15, 0.4)
    /// For the missing fraction of the frame rate.
    private static let pictures: Limits = (0.25, 0.45, 0.65, 0.85)
    /// For the missing fraction of rows: with half of the rows the size is good, with a third fair.
    private static let size: Limits = (0.4, 0.6, 0.72, 0.85)
    /// For the delay of audio in seconds (ITU-T G.114 has 0.15 and 0.4).
    private static let delay: Limits = (0.2, 0.3, 0.45, 0.8)
    /// For key frame requests in five seconds with little loss.
    private static let keyFrames: Limits = (2, 3, 4, 8)

    /// The frame rate and rows above which more are not missed.
    private static let (enoughPictures, enoughRows) = (25.0, 540.0)
    private static let (littleLoss, calmLoss, calmJitter, fineBits, busyDecoder) = (0.01, 0.002, 0.03, 0.05, 0.85)

    /// - Parameter hasNetwork: Whether this machine reaches any other machine.
    static func judge(_ change: QualityChange, hasNetwork: Bool) -> CallQuality {
        if change.isSilent { return CallQuality(level: .bad, reason: hasNetwork ? .theirNetwork : .myNetwork) }
        var worst = CallQuality(level: .excellent)
        func note(_ value: Double?, _ limits: Limits, _ reason: Reason) {
            guard let value else { return }
            let level = level(value, limits)
            if level < worst.level { worst = CallQuality(level: level, reason: reason) }
        }
        // Of equally bad impairments, the first one is reported.
        let picturesHere = receiveReason(change)
        let picturesThere: Reason = change.now.sentVideo?.isLimitedByProcessor == true ? .myProcessor : .myNetwork
        if let sent = change.now.sentVideo, sent.framesPerSecond > 0 || sent.sourceFramesPerSecond > 0 {
            note(
                missing(sent.framesPerSecond, of: min(sent.sourceFramesPerSecond, enoughPictures)), pictures,
                picturesThere)
            if sent.isLimitedByNetwork || sent.isLimitedByProcessor {
                let source = Double(min(sent.sourceWidth, sent.sourceHeight))
                note(missing(Double(min(sent.width, sent.height)), of: min(source, enoughRows)), size, picturesThere)
            }
        }
        if change.sentLoss < littleLoss { note(Double(change.keyFrameRequests), keyFrames, .theirProcessor) }
        note(
            change.framesPerSecond.map { missing($0, of: min(change.bestFrameRate, enoughPictures)) }, pictures,
            picturesHere)
        note(change.frozenShare, freeze, picturesHere)
        note(change.now.sentAudio?.lossLeft, loss, .myNetwork)
        note(change.now.sentVideo?.lossLeft, loss, .myNetwork)
        note(change.concealed, loss, .theirNetwork)
        note(change.receivedRows.map { missing($0, of: min(change.bestRows, enoughRows)) }, size, .theirNetwork)
        let isOurs = change.sentLoss > change.receivedLoss || change.now.sentVideo?.isLimitedByNetwork == true
        note(change.delay, delay, isOurs ? .myNetwork : .theirNetwork)
        return worst
    }

    private static func level(_ value: Double, _ limits: Limits) -> Level {
        if value >= limits.bad { return .bad }
        if value >= limits.poor { return .poor }
        if value >= limits.fair { return .fair }
        return value >= limits.good ? .good : .excellent
    }

    private static func missing(_ value: Double, of whole: Double) -> Double {
        whole > 0 ? max(0, 1 - value / whole) : 0
    }

    /// The reason for a lower frame rate of received video.
    private static func receiveReason(_ change: QualityChange) -> Reason {
        if change.decoderLoad > busyDecoder { return .myProcessor }
        let rows = change.receivedRows ?? 0
        let isCalm =
            change.receivedLoss < calmLoss && (change.now.receivedVideo?.jitter ?? 0) < calmJitter
            && rows >= min(change.bestRows, enoughRows) * 0.9 && change.bitsPerPixel >= fineBits
        return isCalm ? .theirProcessor : .theirNetwork
    }
}
