package import RTCWire

/// The limits of the packets kept for retransmission. The first limit that is reached applies.
package struct RTPHistoryLimits: Sendable, Hashable {
    package var packets: Int
    package var bytes: Int
    package var age: TimeDelta

    package init(packets: Int, bytes: Int, age: TimeDelta) {
        self.packets = max(packets, 1)
        self.bytes = max(bytes, 2_048)
        self.age = age
    }

    /// For a video stream of up to 10 Mbit/s.
    package static var video: RTPHistoryLimits {
        RTPHistoryLimits(packets: 2_048, bytes: 2 << 20, age: .milliseconds(1_500))
    }

    /// For sound, which is not worth waiting for when it is late.
    package static var audio: RTPHistoryLimits {
        RTPHistoryLimits(packets: 64, bytes: 64 << 10, age: .milliseconds(500))
    }
}

/// The packets of one stream, from their writing until they are too old for a retransmission.
///
/// All bytes are in one ring, with each packet contiguous; the ring grows to what the stream needs within its limits,
/// so that steady traffic allocates nothing. Packets are identified by an index that counts from 0.
struct RTPPacketHistory: Sendable {
    /// The metadata of a packet.
    struct Record: Sendable {
        var offset: Int
        var size: Int
        var payloadSize: Int
        var fields: RTPSendTimeFields
        var written: Instant
        /// The time of the last transmission; `nil` before the first.
        var lastSent: Instant?
        var retransmissions: UInt8
        /// Whether a retransmission of it is queued.
        var isWaiting = false
        /// Whether it is the last packet of a frame, and of a key frame.
        var endsFrame = true
        var endsKeyFrame = false
        /// Whether it carries forward error correction. It ends a frame in the sense above: what is removed with it begins
        /// a new one.
        var isErrorCorrection = false
        /// Whether its frame is of a higher temporal layer.
        var isHigherLayer = false
    }

    private let limits: RTPHistoryLimits
    private var memory: [UInt8] = []
    private var records: [Record] = []
    /// The range of stored packets: `first ..< end`.
    private(set) var first: Int64 = 0
    private(set) var end: Int64 = 0
    /// The offset for the next packet.
    private var head = 0

    init(limits: RTPHistoryLimits) {
        self.limits = limits
    }

    func contains(_ index: Int64) -> Bool { index >= first && index < end }

    /// The record of a stored packet.
    subscript(index: Int64) -> Record {
        get { records[slot(index)] }
        _modify { yield &records[slot(index)] }
    }

    private func slot(_ index: Int64) -> Int { Int(truncatingIfNeeded: index) & (records.count - 1) }

    /// Lets `body` write a packet of at most `size` bytes, and stores it if `body` returns its sizes.
    ///
    /// - Returns: The index, or `nil` when `body` wrote nothing.
    mutating func append(
        atMost size: Int, at now: Instant,
        _ body: (UnsafeMutableRawBufferPointer) -> (size: Int, payloadSize: Int, fields: RTPSendTimeFields)?
    ) -> Int64? {
        guard size > 0, size <= limits.bytes / 2 else { return nil }
        // Unsent packets are kept regardless of age, since they are still queued.
        while first < end, self[first].lastSent != nil, now - self[first].written > limits.age { first += 1 }
        reserveRecord()
        let offset = reserveBytes(size)
        let written = memory.withUnsafeMutableBytes { memory -> (Int, Int, RTPSendTimeFields)? in
            body(UnsafeMutableRawBufferPointer(rebasing: memory[offset..<offset + size]))
        }
        guard let (length, payloadSize, fields) = written, length > 0, length <= size else { return nil }
        let index = end
        end += 1
        head = offset + length
        self[index] = Record(
            offset: offset, size: length, payloadSize: payloadSize, fields: fields, written: now, lastSent: nil,
            retransmissions: 0)
        return index
    }

    /// The index of the oldest unsent packet; unsent packets are always the newest. ``end`` if all were sent.
    var firstUnsent: Int64 {
        var index = end
        while index > first, self[index - 1].lastSent == nil { index -= 1 }
        return index
    }

    /// The index of the first packet of the frames of which nothing was sent yet; these are always the newest. ``end`` if
    /// there are none.
    var firstUnsentFrame: Int64 {
        var index = firstUnsent
        guard index > first, !self[index - 1].endsFrame else { return index }
        while index < end, !self[index].endsFrame { index += 1 }
        return min(index + 1, end)
    }

    /// Removes the frames of which nothing was sent yet. The next packets reuse their indices.
    mutating func removeUnsentFrames() {
        end = firstUnsentFrame
        head = first < end ? self[end - 1].offset + self[end - 1].size : 0
    }

    /// Passes the bytes of a stored packet to `body`.
    func withPacket<Result>(_ index: Int64, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        let record = self[index]
        return memory.withUnsafeBytes {
            body(UnsafeRawBufferPointer(rebasing: $0[record.offset..<record.offset + record.size]))
        }
    }

    /// Fills in the fields that are known only when a packet is first sent.
    mutating func patch(_ index: Int64, at now: Instant, transportSequenceNumber: TransportSequenceNumber) {
        let record = self[index]
        memory.withUnsafeMutableBytes { memory in
            let packet = UnsafeMutableRawBufferPointer(
                rebasing: memory[record.offset..<record.offset + record.size])
            record.fields.patch(packet, at: now, transportSequenceNumber: transportSequenceNumber)
        }
    }

    /// Makes room for one more record: by a larger ring, or by dropping the oldest.
    private mutating func reserveRecord() {
        let count = Int(end - first)
        if count == limits.packets {
            first += 1
        } else if count == records.count {
            let unused = Record(
                offset: 0, size: 0, payloadSize: 0, fields: RTPSendTimeFields(), written: .zero, lastSent: nil,
                retransmissions: 0)
            var larger = [Record](repeating: unused, count: max(16, records.count * 2))
            for index in first..<end { larger[Int(truncatingIfNeeded: index) & (larger.count - 1)] = self[index] }
            records = larger
        }
    }

    /// Finds `size` contiguous free bytes: after the newest packet, or at the start of the ring once enough of the
    /// oldest packets were dropped.
    private mutating func reserveBytes(_ size: Int) -> Int {
        while true {
            guard first < end else {
                if memory.count < size { grow(to: size) }
                return 0
            }
            let tail = self[first].offset
            // Both are equal only when the ring is empty.
            if head > tail {
                if memory.count - head >= size { return head }
                if tail > size { return 0 }
            } else if tail - head > size {
                return head
            }
            if memory.count < limits.bytes { grow(to: memory.count * 2) } else { first += 1 }
        }
    }

    /// Moves all packets to the start of a larger ring.
    private mutating func grow(to size: Int) {
        var larger = [UInt8](repeating: 0, count: min(max(size, 4_096, memory.count), limits.bytes))
        head = 0
        for index in first..<end {
            let record = self[index]
            larger.withUnsafeMutableBytes { larger in
                memory.withUnsafeBytes {
                    let packet = UnsafeRawBufferPointer(rebasing: $0[record.offset..<record.offset + record.size])
                    UnsafeMutableRawBufferPointer(rebasing: larger[head..<head + record.size]).copyMemory(from: packet)
                }
            }
            self[index].offset = head
            head += record.size
        }
        memory = larger
    }
}
