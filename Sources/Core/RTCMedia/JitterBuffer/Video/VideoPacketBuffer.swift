import RTCWire

/// The unused packets of a video stream, and the complete frames among them.
///
/// A packet's slot follows from its sequence number, and its payload is stored in the slot's part of one memory block,
/// so a packet costs two copies and no allocation. The number of slots doubles as needed, up to a limit.
///
/// A frame is a run of packets without a gap: from a packet that begins a frame, by its descriptor or because the
/// packet before ended another, to one with the marker bit or before a different timestamp. Packets are linked to the
/// beginning of their frame as soon as all between have arrived, each once, in any order of arrival.
struct VideoPacketBuffer: Sendable {
    static let initialCapacity = 64
    static let maximumCapacity = 2_048
    /// The most complete frames that may wait; far more than any delay needs.
    static let maximumFrames = 256
    /// The payload size of a slot. Larger packets occur only on loopback and with jumbo frames.
    static let slotSize = 1_480
    /// The total size in bytes of larger payloads.
    static let maximumOversize = 1 << 20

    private var slots: [Slot]
    private var storage: [UInt8]
    private var oversized: [Int64: [UInt8]] = [:]
    private var oversize = 0
    /// Whether the packet before ``start`` was the end of a used frame.
    private var isAnchored = false

    /// The lowest sequence number still needed; `nil` before the first packet.
    private(set) var start: Int64?
    private(set) var highest: Int64 = 0
    /// The lowest number, from ``start`` on, that has not arrived.
    private(set) var firstMissing: Int64 = 0
    /// The complete, unused frames in order of their numbers.
    private(set) var frames: [CompleteVideoFrame] = []
    /// The frames that the last insertion completed.
    private(set) var newlyComplete: [CompleteVideoFrame] = []

    enum Insertion {
        case stored, duplicate, late
        /// There is no room. The caller drops frames, or discards the packet.
        case full
    }

    /// Access it field by field: copying such a large slot right after it was written stalls the processor.
    struct Slot: Sendable {
        var number = Int64.min
        var count = 0
        var timestamp = RTPTimestamp(0)
        var arrival = Instant.zero
        var descriptor = VideoPayloadDescriptor(bytes: 0..<0)
        var format = PayloadFormat.vp8
        var rotation: VideoRotation?
        var marker = false
        var isRetransmission = false
        /// A packet without payload, which uses a number but belongs to no frame.
        var isPadding = false
        var link = Link.none
        /// The number of the first packet of its frame, once linked.
        var first: Int64 = 0
    }

    enum Link: Sendable {
        case none
        /// All packets from the beginning of its frame to here have arrived.
        case inFrame
        /// The same, and a frame ends here or has ended before.
        case boundary
    }

    init() {
        slots = Array(repeating: Slot(), count: Self.initialCapacity)
        storage = Array(repeating: 0, count: Self.initialCapacity * Self.slotSize)
        frames.reserveCapacity(16)
    }

    // MARK: Input

    /// - Parameter descriptor: `nil` for a packet without payload.
    mutating func insert(
        _ payload: RawSpan, _ descriptor: VideoPayloadDescriptor?, _ info: VideoPacketInfo, arrival: Instant
    ) -> Insertion {
        let number = info.sequenceNumber
        if !newlyComplete.isEmpty { newlyComplete.removeAll(keepingCapacity: true) }
        guard let start else {
            begin(at: number)
            return insert(payload, descriptor, info, arrival: arrival)
        }
        if number < start {
            // Before the first frame is used, reordered packets may belong to an earlier start.
            guard !isAnchored, highest - number < Int64(slots.count) else { return .late }
            self.start = number
            firstMissing = number
        }
        guard makeRoom(for: number) else { return .full }
        let index = slotIndex(number)
        guard slots[index].number != number else { return .duplicate }
        guard store(payload, at: index, number) else { return .full }
        slots[index] = Slot(
            number: number, count: payload.byteCount, timestamp: info.timestamp, arrival: arrival,
            descriptor: descriptor ?? VideoPayloadDescriptor(bytes: 0..<0), format: info.format,
            rotation: info.rotation, marker: info.marker && descriptor != nil,
            isRetransmission: info.isRetransmission, isPadding: descriptor == nil)
        highest = max(highest, number)
        while firstMissing <= highest, contains(firstMissing) { firstMissing += 1 }
        link(from: number)
        return .stored
    }

    /// Whether more than three quarters of the capacity are used.
    var isCrowded: Bool {
        guard let start else { return false }
        return frames.count > Self.maximumFrames / 4 * 3 || highest - start > Int64(Self.maximumCapacity / 4 * 3)
    }

    /// Whether packets are missing before the highest received one.
    var hasGap: Bool { start != nil && firstMissing < highest }

    /// The time at which ``firstMissing`` was found missing: the arrival of the first packet after the gap.
    ///
    /// - Returns: `nil` when nothing is missing.
    var missingSince: Instant? {
        guard hasGap else { return nil }
        var earliest: Instant?
        var number = firstMissing + 1
        while number <= highest {
            let index = slotIndex(number)
            if slots[index].number == number {
                earliest = min(earliest ?? slots[index].arrival, slots[index].arrival)
                // A retransmission arrived after the gap was found.
                if !slots[index].isRetransmission { return earliest }
            }
            number += 1
        }
        return earliest
    }

    /// Whether only padding lies between the last used packet and `number`.
    func isDirectlyNext(_ number: Int64) -> Bool {
        guard isAnchored, var current = start, number - current <= 64 else { return false }
        while current < number {
            let index = slotIndex(current)
            guard slots[index].number == current, slots[index].isPadding else { return false }
            current += 1
        }
        return true
    }

    // MARK: Output

    /// Passes the slots of a complete frame to `body`, which must not keep them.
    func forEachPacket(of frame: CompleteVideoFrame, _ body: (Slot, RawSpan) -> Void) {
        storage.withUnsafeBytes { storage in
            var number = frame.first
            while number <= frame.last {
                let index = slotIndex(number)
                let slot = slots[index]
                number += 1
                guard slot.number == number - 1, !slot.isPadding else { continue }
                if slot.count <= Self.slotSize {
                    let range = index * Self.slotSize..<index * Self.slotSize + slot.count
                    body(slot, RawSpan(_unsafeBytes: UnsafeRawBufferPointer(rebasing: storage[range])))
                } else if let bytes = oversized[slot.number] {
                    bytes.withUnsafeBytes { body(slot, RawSpan(_unsafeBytes: $0)) }
                }
            }
        }
    }

    /// Removes everything up to `last`, the end of a frame.
    ///
    /// - Returns: The number of packets and of complete frames removed.
    @discardableResult
    mutating func removeAll(through last: Int64) -> (packets: Int, frames: Int) {
        guard let start, last >= start else { return (0, 0) }
        var packets = 0
        // There is nothing beyond the highest number, however far `last` is.
        var number = start
        while number <= min(last, highest) {
            if contains(number) {
                clear(slotIndex(number))
                packets += 1
            }
            number += 1
        }
        let count = frames.firstIndex { $0.first > last } ?? frames.count
        frames.removeFirst(count)
        self.start = last + 1
        isAnchored = true
        highest = max(highest, last)
        firstMissing = max(firstMissing, last + 1)
        while firstMissing <= highest, contains(firstMissing) { firstMissing += 1 }
        return (packets, count)
    }

    /// Removes everything; the next packet starts over.
    @discardableResult
    mutating func removeAll() -> (packets: Int, frames: Int) {
        guard let start else { return (0, 0) }
        let removed = removeAll(through: max(highest, start))
        self.start = nil
        isAnchored = false
        return removed
    }

    // MARK: Linking

    /// Links packet `number` and those that follow it without a gap to the beginnings of their frames, and records the
    /// frames completed by this.
    private mutating func link(from number: Int64) {
        var number = number
        while number <= highest {
            let index = slotIndex(number)
            guard slots[index].number == number, slots[index].link == .none else { return }
            guard let before = before(number) else {
                // The packet before is missing, so only the descriptor can mark a beginning.
                guard slots[index].descriptor.beginsFrame else { return }
                slots[index].first = number
                finishLinking(index)
                number += 1
                continue
            }
            switch before {
            case .boundary:
                if slots[index].isPadding {
                    slots[index].link = .boundary
                    number += 1
                    continue
                }
                guard slots[index].descriptor.mayBeginFrame else { return }
                slots[index].first = number
            case .inFrame(let first, let timestamp, let format):
                if slots[index].isPadding {
                    slots[index].timestamp = timestamp
                    slots[index].format = format
                    slots[index].first = first
                } else if slots[index].timestamp == timestamp, slots[index].format == format {
                    slots[index].first = first
                } else {
                    // The end was not marked, but another frame begins here.
                    complete(first, through: number - 1)
                    guard slots[index].descriptor.mayBeginFrame else { return }
                    slots[index].first = number
                }
            }
            finishLinking(index)
            number += 1
        }
    }

    private enum PrecedingFrame {
        case boundary
        case inFrame(first: Int64, RTPTimestamp, PayloadFormat)
    }

    /// The frame that ends or continues right before `number`; `nil` when unknown.
    ///
    /// Inlined: a call would copy all fields of the buffer, some of them right after they were written.
    @inline(__always)
    private func before(_ number: Int64) -> PrecedingFrame? {
        if number == start, isAnchored { return .boundary }
        let previous = slotIndex(number - 1)
        guard slots[previous].number == number - 1 else { return nil }
        switch slots[previous].link {
        case .boundary: return .boundary
        case .inFrame:
            return .inFrame(first: slots[previous].first, slots[previous].timestamp, slots[previous].format)
        case .none:
            // The previous frame has a gap, but it certainly ends here.
            if slots[previous].isPadding { return nil }
            let index = slotIndex(number)
            let isOther = !slots[index].isPadding && slots[index].timestamp != slots[previous].timestamp
            return slots[previous].marker || isOther ? .boundary : nil
        }
    }

    /// Marks the packet as linked; completes its frame if it ends here.
    private mutating func finishLinking(_ index: Int) {
        let (first, number) = (slots[index].first, slots[index].number)
        if slots[index].marker {
            slots[index].link = .boundary
            complete(first, through: number)
            return
        }
        slots[index].link = .inFrame
        // The next packet may have arrived before, already linked as a beginning by its descriptor.
        let next = slotIndex(number + 1)
        if slots[next].number == number + 1, slots[next].link != .none, !slots[next].isPadding,
            slots[next].first == number + 1
        {
            complete(first, through: number)
        }
    }

    private mutating func complete(_ first: Int64, through last: Int64) {
        slots[slotIndex(last)].link = .boundary
        guard let frame = CompleteVideoFrame(first: first, last: last, in: slots) else { return }
        var index = frames.count
        while index > 0, frames[index - 1].first > first { index -= 1 }
        if index > 0, frames[index - 1].first == first { return }
        frames.insert(frame, at: index)
        newlyComplete.append(frame)
    }

    // MARK: Memory

    private func slotIndex(_ number: Int64) -> Int { slots.index(of: number) }

    private func contains(_ number: Int64) -> Bool { slots[slotIndex(number)].number == number }

    private mutating func begin(at number: Int64) {
        start = number
        highest = number - 1
        firstMissing = number
        isAnchored = false
    }

    private mutating func clear(_ index: Int) {
        if slots[index].count > Self.slotSize, let bytes = oversized.removeValue(forKey: slots[index].number) {
            oversize -= bytes.count
        }
        slots[index].number = .min
    }

    /// Doubles the slots until `number` has its own.
    private mutating func makeRoom(for number: Int64) -> Bool {
        guard let start, number - start < Int64(Self.maximumCapacity), frames.count < Self.maximumFrames else {
            return false
        }
        guard number - start >= Int64(slots.count) else { return true }
        var capacity = slots.count
        while number - start >= Int64(capacity) { capacity *= 2 }
        var larger = Array(repeating: Slot(), count: capacity)
        var largerStorage = [UInt8](repeating: 0, count: capacity * Self.slotSize)
        for (old, slot) in slots.enumerated() where slot.number != .min {
            let new = Int(truncatingIfNeeded: slot.number) & (capacity - 1)
            larger[new] = slot
            guard slot.count <= Self.slotSize, slot.count > 0 else { continue }
            let source = old * Self.slotSize, target = new * Self.slotSize
            largerStorage.withUnsafeMutableBytes { destination in
                storage.withUnsafeBytes { bytes in
                    UnsafeMutableRawBufferPointer(rebasing: destination[target..<target + slot.count])
                        .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[source..<source + slot.count]))
                }
            }
        }
        slots = larger
        storage = largerStorage
        return true
    }

    private mutating func store(_ payload: RawSpan, at index: Int, _ number: Int64) -> Bool {
        guard payload.byteCount > 0 else { return true }
        guard payload.byteCount <= Self.slotSize else {
            guard oversize + payload.byteCount <= Self.maximumOversize else { return false }
            oversized[number] = payload.array
            oversize += payload.byteCount
            return true
        }
        storage.withUnsafeMutableBytes { storage in
            payload.withUnsafeBytes { bytes in
                let target = index * Self.slotSize
                UnsafeMutableRawBufferPointer(rebasing: storage[target..<target + bytes.count]).copyMemory(from: bytes)
            }
        }
        return true
    }
}

/// A frame whose packets have all arrived.
struct CompleteVideoFrame: Sendable {
    var first: Int64
    var last: Int64
    var format: PayloadFormat
    var timestamp: RTPTimestamp
    /// The descriptor of the first packet.
    var descriptor: VideoPayloadDescriptor
    var isKeyFrame: Bool
    var isDiscardable: Bool
    /// Whether it contains a coded picture, not only parameter sets.
    var hasPicture: Bool
    /// Whether its packets fit together.
    var isWellFormed: Bool
    var rotation: VideoRotation?
    /// An upper bound for the size of the assembled frame.
    var byteCount: Int
    var packetCount: Int
    var firstArrival: Instant
    var completed: Instant
    var wasRetransmitted: Bool

    /// - Returns: `nil` for padding only.
    init?(first: Int64, last: Int64, in slots: [VideoPacketBuffer.Slot]) {
        let head = slots.index(of: first)
        guard !slots[head].isPadding else { return nil }
        self.first = first
        self.last = last
        format = slots[head].format
        timestamp = slots[head].timestamp
        descriptor = slots[head].descriptor
        isKeyFrame = descriptor.isKeyFrame
        isDiscardable = true
        hasPicture = format != .h264
        isWellFormed = true
        byteCount = 0
        packetCount = 0
        firstArrival = slots[head].arrival
        completed = firstArrival
        wasRetransmitted = false
        var isInFragment = false
        var number = first
        while number <= last {
            let part = slots.index(of: number)
            number += 1
            guard !slots[part].isPadding else { continue }
            byteCount += VideoDepacketizer.sizeBound(slots[part].descriptor)
            packetCount += 1
            firstArrival = min(firstArrival, slots[part].arrival)
            completed = max(completed, slots[part].arrival)
            wasRetransmitted = wasRetransmitted || slots[part].isRetransmission
            if let turn = slots[part].rotation { rotation = turn }
            if !slots[part].descriptor.isDiscardable { isDiscardable = false }
            guard format == .h264 else { continue }
            if slots[part].descriptor.isKeyFrame { isKeyFrame = true }
            if slots[part].descriptor.hasSlice { hasPicture = true }
            switch slots[part].descriptor.packaging {
            case .fragment: if !isInFragment { isWellFormed = false }
            case .firstFragment: isInFragment = true
            case .unit, .aggregate, .plain: isInFragment = false
            }
        }
    }
}

extension [VideoPacketBuffer.Slot] {
    /// The slot for packet `number`; the count is a power of two.
    fileprivate func index(of number: Int64) -> Int { Int(truncatingIfNeeded: number) & (count - 1) }
}
