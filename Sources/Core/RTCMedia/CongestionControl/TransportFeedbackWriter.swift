public import RTCWire

/// Records when the packets of a transport arrive, and tells the sender about every 50 ms
/// (draft-holmer-rmcat-transport-wide-cc-extensions-01).
@usableFromInline package struct TransportFeedbackWriter: Sendable {
    /// The time between two reports.
    @usableFromInline package var interval = TimeDelta.milliseconds(50)
    /// When there is something to report; `.distantFuture` when nothing arrived since the last one.
    @usableFromInline package private(set) var nextDeadline = Instant.distantFuture

    /// The arrival time of each number in nanoseconds, or `missing`; a ring by number.
    private var arrivals: [Int64] = []
    /// The next number to report, and the highest that arrived; neither wraps.
    private var start: Int64 = 0
    private var highest: Int64 = -1
    private var feedbackCount: UInt8 = 0
    private var lastReport: Instant?
    /// The status symbols of one report, reused between calls.
    private var symbols: [UInt8] = []
    private var deltas: [Int16] = []

    private static let missing = Int64.min
    /// The size of the ring; a power of two, and less than half a wrap-around.
    static let window: Int64 = 8_192
    /// The distance up to which a late packet makes reports restart from it.
    static let reportedTwice: Int64 = 256
    /// The most packets in one report.
    static let maximumStatuses = 1_000
    /// The size in bytes of the header before the chunks.
    private static let headSize = 20

    @usableFromInline package init() {}

    /// A packet with this number arrived.
    @usableFromInline package mutating func record(_ number: TransportSequenceNumber, at now: Instant) {
        if arrivals.isEmpty {
            arrivals = [Int64](repeating: Self.missing, count: Int(Self.window))
            start = Int64(number.rawValue) + 65_536
            highest = start - 1
        }
        let distance = TransportSequenceNumber(UInt16(truncatingIfNeeded: highest)).distance(to: number)
        let extended = highest + Int64(distance)
        if distance > 0 {
            if Int64(distance) >= Self.window {
                // The gap would be a report of losses only; the sender has restarted.
                for index in arrivals.indices { arrivals[index] = Self.missing }
                start = extended
            } else {
                for fresh in highest + 1...extended { arrivals[slot(fresh)] = Self.missing }
            }
            highest = extended
            start = max(start, highest - Self.window + 1)
        } else {
            guard extended > highest - Self.window else { return }
            // Already reported as lost, or out of order: the packets from here on are reported again.
            if extended < start, arrivals[slot(extended)] == Self.missing {
                // Too late to be worth a long report.
                guard start - extended <= Self.reportedTwice else { return }
                start = extended
            }
        }
        if arrivals[slot(extended)] == Self.missing { arrivals[slot(extended)] = now.nanoseconds }
        if nextDeadline == .distantFuture {
            nextDeadline = max(now, lastReport.map { $0 + interval } ?? now + interval)
        }
    }

    private func slot(_ number: Int64) -> Int { Int(truncatingIfNeeded: number & (Self.window - 1)) }

    /// Writes one report, of as many packets as fit; call it again while ``nextDeadline`` has passed.
    ///
    /// - Returns: Whether there was something to report, and room for it.
    @discardableResult
    @usableFromInline package mutating func write(
        from sender: SynchronizationSource, media: SynchronizationSource, at now: Instant, to writer: inout ByteWriter
    ) -> Bool {
        guard start <= highest, writer.room >= Self.headSize + 8,
            let first = (start...highest).first(where: { arrivals[slot($0)] != Self.missing })
        else {
            nextDeadline = start <= highest ? nextDeadline : .distantFuture
            return false
        }
        let unit = TransportFeedback.referenceUnit.nanoseconds
        let reference = Self.floorDivide(arrivals[slot(first)], unit)
        let next = gather(reference: reference * unit, room: writer.room - Self.headSize)
        guard !symbols.isEmpty else { return false }

        let packet = writer.beginRTCP(.transportLayerFeedback, count: FeedbackFormat.transportFeedback)
        writer.write(sender.rawValue)
        writer.write(media.rawValue)
        writer.write(UInt16(truncatingIfNeeded: start))
        writer.write(UInt16(truncatingIfNeeded: symbols.count))
        writer.write(UInt32(truncatingIfNeeded: reference) << 8 | UInt32(feedbackCount))
        writeChunks(to: &writer)
        var index = 0
        for symbol in symbols where symbol != 0 {
            if symbol == 1 {
                writer.write(UInt8(truncatingIfNeeded: deltas[index]))
            } else {
                writer.write(UInt16(bitPattern: deltas[index]))
            }
            index += 1
        }
        writer.endRTCP(packet)
        feedbackCount &+= 1
        start = next
        lastReport = now
        if start > highest { nextDeadline = .distantFuture }
        return true
    }

    private static func floorDivide(_ value: Int64, _ divisor: Int64) -> Int64 {
        let (quotient, rest) = value.quotientAndRemainder(dividingBy: divisor)
        return rest < 0 ? quotient - 1 : quotient
    }

    /// Fills `symbols` and `deltas` with as many packets as fit into `room` bytes.
    ///
    /// - Parameter reference: The reference time in nanoseconds.
    /// - Returns: The first number that did not fit.
    private mutating func gather(reference: Int64, room: Int) -> Int64 {
        symbols.removeAll(keepingCapacity: true)
        deltas.removeAll(keepingCapacity: true)
        let tick = TransportFeedback.tick.nanoseconds
        var ticks: Int64 = 0
        var deltaSize = 0
        for number in start...highest {
            // Every chunk but the last holds seven symbols at least; padding takes up to three bytes.
            guard symbols.count < Self.maximumStatuses, 2 * (symbols.count / 7 + 1) + deltaSize + 2 + 3 <= room else {
                return number
            }
            let arrival = arrivals[slot(number)]
            guard arrival != Self.missing else {
                symbols.append(0)
                continue
            }
            let delta = Self.floorDivide(arrival &- reference, tick) - ticks
            guard let short = Int16(exactly: delta) else {
                // The delta is too large, so the next report gets its own reference time.
                return number
            }
            ticks += delta
            let isSmall = delta >= 0 && delta <= 255
            symbols.append(isSmall ? 1 : 2)
            deltas.append(short)
            deltaSize += isSmall ? 1 : 2
        }
        return highest + 1
    }

    /// Writes `symbols` in chunks, chosen by looking ahead 14 symbols.
    private func writeChunks(to writer: inout ByteWriter) {
        var index = 0
        while index < symbols.count {
            let left = symbols.count - index
            let symbol = symbols[index]
            var run = 1
            while run < left, run < 0x1FFF, symbols[index + run] == symbol { run += 1 }
            if run >= 14 || run == left {
                writer.write(UInt16(symbol) << 13 | UInt16(truncatingIfNeeded: run))
                index += run
                continue
            }
            let oneBit = (0..<min(14, left)).allSatisfy { symbols[index + $0] < 2 }
            let count = oneBit ? 14 : 7
            var chunk: UInt16 = oneBit ? 0x8000 : 0xC000
            for place in 0..<min(count, left) {
                let shift = oneBit ? 13 - place : 12 - 2 * place
                chunk |= UInt16(symbols[index + place]) << UInt16(shift)
            }
            writer.write(chunk)
            index += min(count, left)
        }
    }
}
