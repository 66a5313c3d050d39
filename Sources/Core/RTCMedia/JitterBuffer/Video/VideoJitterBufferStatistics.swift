package import RTCWire

/// What a video jitter buffer did, under the names of W3C webrtc-stats where there are such.
package struct VideoJitterBufferStatistics: Sendable, Hashable {
    /// Pictures that were complete.
    package var framesReceived = 0
    /// Of these, the number at which decoding could begin.
    package var keyFramesReceived = 0
    /// Pictures that were complete and could never be decoded.
    package var framesDropped = 0
    /// Pictures of more than one packet that were given out.
    package var framesAssembledFromMultiplePackets = 0
    /// From the first to the last packet of these, summed.
    package var totalAssemblyTime = TimeDelta.zero
    /// From the first packet to the poll that returned the frame, summed over ``jitterBufferEmittedCount``.
    package var jitterBufferDelay = TimeDelta.zero
    /// The delay aimed at, summed likewise.
    package var jitterBufferTargetDelay = TimeDelta.zero
    /// The delay that jitter alone required, summed likewise.
    package var jitterBufferMinimumDelay = TimeDelta.zero
    package var jitterBufferEmittedCount = 0
    /// Intervals between frames that are much longer than the ones before: at least three times the mean, and 150 ms
    /// more than it.
    package var freezeCount = 0
    package var totalFreezesDuration = TimeDelta.zero
    /// Intervals between frames of five seconds or more. They also count as freezes: the receiver cannot tell whether
    /// the sender paused or the network failed.
    package var pauseCount = 0
    package var totalPausesDuration = TimeDelta.zero
    /// Packets that were useless when they arrived: too late, or more than fit into the buffer.
    package var packetsDiscarded = 0
    package var packetsDuplicated = 0
    /// Packets whose payload was not of their format.
    package var packetsMalformed = 0
    /// The number of requested key frames.
    package var keyFramesRequested = 0

    package init() {}
}

/// Distinguishes freezes from the usual gaps between frames (W3C webrtc-stats, `freezeCount`).
struct FreezeDetector: Sendable {
    private var last: Instant?
    private var gaps: [TimeDelta] = []
    private var next = 0
    private var sum = TimeDelta.zero

    private static let gapLimit = 30

    init() {
        gaps.reserveCapacity(Self.gapLimit)
    }

    mutating func note(_ time: Instant, in statistics: inout VideoJitterBufferStatistics) {
        guard let last else {
            last = time
            return
        }
        let gap = max(time - last, .zero)
        self.last = max(time, last)
        let isPause = gap >= .seconds(5)
        if isPause {
            statistics.pauseCount += 1
            statistics.totalPausesDuration = statistics.totalPausesDuration + gap
        }
        if !gaps.isEmpty {
            let mean = sum / Int64(gaps.count)
            if gap >= max(mean * 3, mean + .milliseconds(150)) {
                statistics.freezeCount += 1
                statistics.totalFreezesDuration = statistics.totalFreezesDuration + gap
            }
        }
        // The average covers moving video only, so a pause does not change how the next freeze is judged.
        guard !isPause else { return }
        sum = sum + gap
        if gaps.count < Self.gapLimit {
            gaps.append(gap)
        } else {
            sum = sum - gaps[next]
            gaps[next] = gap
            next = (next + 1) % Self.gapLimit
        }
    }
}
