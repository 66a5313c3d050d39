import RTCMedia
import RTCWire
import Testing

/// One packet of a test stream.
struct VideoTestPacket {
    var info: VideoPacketInfo
    var payload: [UInt8]
    /// Of the picture it belongs to.
    var index: Int
}

/// Makes pictures and cuts them into packets.
struct VideoTestSender {
    let format: PayloadFormat
    var nextSequenceNumber: Int64 = 70_000
    var firstTimestamp: UInt32 = 0xFFFF_F000
    var framesPerSecond = 30
    var pictureSize = 3_000
    var keyPictureSize = 9_000
    var packetSize = 1_100
    private(set) var pictures: [EncodedVideoFrame] = []
    private var packetizer: VideoPacketizer

    init(_ format: PayloadFormat) {
        self.format = format
        let parameters = FormatParameters("packetization-mode=1")
        // Near its end, so that the ids wrap in every test.
        guard let packetizer = VideoPacketizer(format: format, parameters: parameters, firstPictureID: 0x7FFA) else {
            preconditionFailure("a format of sound")
        }
        self.packetizer = packetizer
    }

    func timestamp(of index: Int) -> RTPTimestamp {
        RTPTimestamp(firstTimestamp &+ UInt32(truncatingIfNeeded: index * 90_000 / framesPerSecond))
    }

    mutating func next(isKey: Bool) -> [VideoTestPacket] {
        let index = pictures.count
        let fill = UInt8(index % 200) + 1
        let size = isKey ? keyPictureSize : pictureSize
        let data =
            switch format {
            case .h264: TestPattern.h264(isKey: isKey, size: size, fill: fill)
            default: TestPattern.vp8(isKey: isKey, size: size, fill: fill)
            }
        let picture = EncodedVideoFrame(
            format: format, data: data, isKeyFrame: isKey, timestamp: timestamp(of: index), width: 640, height: 360)
        pictures.append(picture)
        let payloads = packetizer.payloads(of: picture, maximumPayloadSize: packetSize)
        return payloads.enumerated().map { part, payload in
            defer { nextSequenceNumber += 1 }
            return VideoTestPacket(
                info: VideoPacketInfo(
                    format: format, sequenceNumber: nextSequenceNumber, timestamp: picture.timestamp,
                    marker: part == payloads.count - 1),
                payload: payload, index: index)
        }
    }
}

extension VideoJitterBuffer {
    mutating func insert(_ packet: VideoTestPacket, at now: Instant, isRetransmission: Bool = false) {
        var info = packet.info
        info.isRetransmission = isRetransmission
        let wantsPoll = packet.payload.withUnsafeBytes { insert(RawSpan(_unsafeBytes: $0), info, arrival: now) }
        guard !wantsPoll else { return }
        // Whoever does not poll then has missed nothing.
        var copy = self
        let (picture, wantsKeyFrame) = (copy.poll(at: now), copy.pollKeyFrameRequest(at: now))
        #expect(picture == nil && !wantsKeyFrame)
    }

    mutating func drain(at now: Instant) -> [AssembledVideoFrame] {
        var pictures: [AssembledVideoFrame] = []
        while let picture = poll(at: now) { pictures.append(picture) }
        return pictures
    }
}

/// A jitter buffer behind a reference, so that an expectation may drive it.
final class VideoTestBuffer {
    var buffer: VideoJitterBuffer

    init(parameters: FormatParameters = FormatParameters()) {
        buffer = VideoJitterBuffer(parameters: parameters)
    }

    func insert(_ packet: VideoTestPacket, at now: Instant, isRetransmission: Bool = false) {
        buffer.insert(packet, at: now, isRetransmission: isRetransmission)
    }

    func drain(at now: Instant) -> [AssembledVideoFrame] { buffer.drain(at: now) }
    func poll(at now: Instant) -> AssembledVideoFrame? { buffer.poll(at: now) }
    func pollKeyFrameRequest(at now: Instant) -> Bool { buffer.pollKeyFrameRequest(at: now) }
    var nextDeadline: Instant? { buffer.nextDeadline }
    var needsKeyFrame: Bool { buffer.needsKeyFrame }
    var statistics: VideoJitterBufferStatistics { buffer.statistics }
}

func milliseconds(_ count: Int64) -> Instant { .zero + .milliseconds(count) }

/// When the picture of this index is captured at 30 pictures a second.
func frameTime(_ index: Int) -> Instant { .zero + .nanoseconds(Int64(index) * 1_000_000_000 / 30) }

/// A call in virtual time: a sender, a path that delays and loses, and a receiver that asks for what is missing and for
/// key frames.
struct VideoTestCall {
    struct Shown {
        var picture: AssembledVideoFrame
        var index: Int
        var captured: Instant
        var time: Instant
    }

    var sender: VideoTestSender
    var buffer = VideoJitterBuffer()
    var oneWayDelay = TimeDelta.milliseconds(20)
    /// What is added to the delay of a packet that leaves at this time.
    var extraDelay: (Instant) -> TimeDelta = { _ in .zero }
    /// Whether a packet that leaves at this time is lost; the count is how often it was sent before.
    var isLost: (Instant, Int) -> Bool = { _, _ in false }
    var isDuplicated: () -> Bool = { false }
    /// Whether what was lost is asked for again.
    var retransmits = true
    /// Whether packets may overtake each other.
    var reorders = false
    /// From when to when the sender makes no pictures.
    var pause: ClosedRange<Int64>?

    private(set) var shown: [Shown] = []
    private(set) var keyFrameRequests: [Instant] = []

    private var events: [Event] = []
    private var indices: [RTPTimestamp: Int] = [:]
    private var sent: [Int64: VideoTestPacket] = [:]
    private var received: Set<Int64> = []
    private var highest: Int64 = 0
    private var lastArrival = Instant.zero
    private var order = 0

    private struct Event {
        var time: Instant
        var order: Int
        var kind: Kind
    }

    private enum Kind {
        case capture(Int)
        case arrival(VideoTestPacket, attempt: Int)
        case ask(Int64, attempt: Int)
        case resend(Int64, attempt: Int)
    }

    private var wantsKeyFrame = true
    private var keyFrameWantedFrom: Instant?

    init(_ format: PayloadFormat) {
        sender = VideoTestSender(format)
    }

    /// Runs `count` frame intervals, and until nothing is on its way.
    mutating func run(frames count: Int) {
        buffer.roundTripTime = oneWayDelay * 2
        for index in 0..<count { schedule(captureTime(index), .capture(index)) }
        while let next = events.first?.time {
            let deadline = buffer.nextDeadline ?? .distantFuture
            let now = min(next, max(deadline, lastPoll))
            if now == next {
                let event = events.removeFirst()
                handle(event, at: now)
            }
            receive(at: now)
        }
        // What is still held.
        for _ in 0..<1_000 {
            guard let deadline = buffer.nextDeadline, deadline < lastPoll + .seconds(20) else { return }
            receive(at: max(deadline, lastPoll))
        }
    }

    func captureTime(_ index: Int) -> Instant {
        milliseconds(1_000) + .nanoseconds(Int64(index) * 1_000_000_000 / Int64(sender.framesPerSecond))
    }

    private var lastPoll = Instant.zero

    private mutating func receive(at now: Instant) {
        lastPoll = now
        for picture in buffer.drain(at: now) {
            guard let index = indices[picture.frame.timestamp] else { continue }
            shown.append(Shown(picture: picture, index: index, captured: captureTime(index), time: now))
        }
        if buffer.pollKeyFrameRequest(at: now) {
            keyFrameRequests.append(now)
            keyFrameWantedFrom = now + oneWayDelay
        }
    }

    private mutating func handle(_ event: Event, at now: Instant) {
        switch event.kind {
        case .capture(let index):
            if let pause, pause.contains((now - .zero).milliseconds) { return }
            if let from = keyFrameWantedFrom, from <= now {
                wantsKeyFrame = true
                keyFrameWantedFrom = nil
            }
            // A frame that was not captured leaves a hole in the timestamps.
            while sender.pictures.count < index { skipPicture() }
            indices[sender.timestamp(of: index)] = index
            for packet in sender.next(isKey: wantsKeyFrame) {
                sent[packet.info.sequenceNumber] = packet
                transmit(packet, attempt: 0, at: now)
                if isDuplicated() { transmit(packet, attempt: 0, at: now) }
            }
            wantsKeyFrame = false
        case .arrival(let packet, let attempt):
            buffer.insert(packet, at: now, isRetransmission: attempt > 0)
            received.insert(packet.info.sequenceNumber)
            noteGaps(upTo: packet.info.sequenceNumber, at: now)
        case .ask(let number, let attempt):
            guard !received.contains(number), attempt < 10 else { return }
            schedule(now + oneWayDelay, .resend(number, attempt: attempt))
            schedule(now + oneWayDelay * 2 + .milliseconds(20), .ask(number, attempt: attempt + 1))
        case .resend(let number, let attempt):
            guard let packet = sent[number] else { return }
            transmit(packet, attempt: attempt, at: now)
        }
    }

    private mutating func skipPicture() {
        // Pictures are counted, packets are not: nothing was sent.
        let number = sender.nextSequenceNumber
        _ = sender.next(isKey: false)
        sender.nextSequenceNumber = number
    }

    private mutating func noteGaps(upTo number: Int64, at now: Instant) {
        if highest == 0 { highest = number - 1 }
        guard number > highest else { return }
        if retransmits {
            for missing in highest + 1..<number where !received.contains(missing) {
                schedule(now, .ask(missing, attempt: 1))
            }
        }
        highest = number
    }

    private mutating func transmit(_ packet: VideoTestPacket, attempt: Int, at now: Instant) {
        guard !isLost(now, attempt) else { return }
        var arrival = now + oneWayDelay + extraDelay(now)
        if !reorders {
            arrival = max(arrival, lastArrival)
            lastArrival = arrival
        }
        schedule(arrival, .arrival(packet, attempt: attempt))
    }

    private mutating func schedule(_ time: Instant, _ kind: Kind) {
        order += 1
        var index = events.count
        while index > 0, events[index - 1].time > time { index -= 1 }
        events.insert(Event(time: time, order: order, kind: kind), at: index)
    }

    // MARK: What holds

    /// Whether each picture is what was sent, and its decoder had the one before it.
    var isDecodable: Bool {
        var last: Int?
        for item in shown {
            let original = sender.pictures[item.index]
            guard item.picture.frame.data == original.data, item.picture.frame.isKeyFrame == original.isKeyFrame else {
                return false
            }
            if !original.isKeyFrame, last != item.index - 1 { return false }
            last = item.index
        }
        return true
    }

    /// From capture to the time to show it, for each picture.
    var delays: [TimeDelta] { shown.map { $0.picture.renderTime - $0.captured } }

    /// The longest time without a picture, from `start` on, in milliseconds.
    func longestGap(from start: Instant = .zero) -> Int64 {
        var longest: Int64 = 0
        for (first, second) in zip(shown, shown.dropFirst()) where second.time > start {
            longest = max(longest, (second.picture.renderTime - first.picture.renderTime).milliseconds)
        }
        return longest
    }
}
