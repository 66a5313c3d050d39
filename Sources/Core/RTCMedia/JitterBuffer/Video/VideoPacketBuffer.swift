import RTCWire

/// The packets of a video stream that have not been used, and the pictures that are complete among them.
///
/// A packet lies in the slot that its sequence number points to, its payload in the slot's part of one block of memory,
/// so that a packet costs two copies and no allocation. The slots double while the stream needs it, up to a limit.
///
/// A picture is a run of packets without a gap: from one that begins a picture, by its descriptor or because the packet
/// before it ended another, to one that has the marker or is followed by another timestamp. Packets are linked to the
/// beginning of their picture as soon as everything between is there, each once, whatever the order of arrival.
struct VideoPacketBuffer: Sendable {
    static let initialCapacity = 64
    static let maximumCapacity = 2_048
    /// Complete pictures that may wait; far more than any delay asks for.
    static let maximumFrames = 256
    /// What a payload has room for in its slot. No path carries larger packets but loopback and jumbo frames.
    static let slotSize = 1_480
    /// Bytes that larger payloads may take together.
    static let maximumOversize = 1 << 20

    private var slots: [Slot]
    private var storage: [UInt8]
    private var oversized: [Int64: [UInt8]] = [:]
    private var oversize = 0
    /// Whether the packet before ``start`` was the end of a picture that was used.
    private var isAnchored = false

    /// The lowest number that is still of use; `nil` before the first packet.
    private(set) var start: Int64?
    private(set) var highest: Int64 = 0
    /// The lowest number, from ``start`` on, that has not come.
    private(set) var firstMissing: Int64 = 0
    /// Complete, not used, in the order of their numbers.
    private(set) var frames: [CompleteVideoFrame] = []
    /// Those of them that the last insertion made complete.
    private(set) var newlyComplete: [CompleteVideoFrame] = []

    enum Insertion {
        case stored, duplicate, late
        /// There is no room. The caller makes some, or gives up what waits.
        case full
    }

    /// Read one field at a time: to copy a slot, which is large and was written a moment ago, makes the processor wait.
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
        /// A packet without payload: it takes a number and belongs to no picture.
        var isPadding = false
        var link = Link.none
        /// The number of the first packet of its picture, once linked.
        var first: Int64 = 0
    }

    enum Link: Sendable {
        case none
        /// Everything from the beginning of its picture to here is there.
        case inFrame
        /// Like that, and a picture ends here, or has ended before.
        case boundary
    }

    init() {
        slots = Array(repeating: Slot(), count: Self.initialCapacity)
        storage = Array(repeating: 0, count: Self.initialCapacity * Self.slotSize)
        frames.reserveCapacity(16)
    }

    // MARK: In

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
            // Before anything was used, what comes out of order may still be the beginning.
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

    /// Whether three quarters of the room are taken.
    var isCrowded: Bool {
        guard let start else { return false }
        return frames.count > Self.maximumFrames / 4 * 3 || highest - start > Int64(Self.maximumCapacity / 4 * 3)
    }

    /// Whether something is missing before what has come.
    var hasGap: Bool { start != nil && firstMissing < highest }

    /// When it was first seen that ``firstMissing`` is missing: the arrival of the packet behind the hole.
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
                // What was sent again came later than the knowledge that it was missing.
                if !slots[index].isRetransmission { return earliest }
            }
            number += 1
        }
        return earliest
    }

    /// Whether all that stands between what was used and `number` is padding.
    func isDirectlyNext(_ number: Int64) -> Bool {
        guard isAnchored, var current = start, number - current <= 64 else { return false }
        while current < number {
            let index = slotIndex(current)
            guard slots[index].number == current, slots[index].isPadding else { return false }
            current += 1
        }
        return true
    }

    // MARK: Out

    /// The slots of a complete frame, which `body` must not keep.
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

    /// Forgets everything up to `last`, the end of a picture.
    ///
    /// - Returns: How many packets, and how many complete pictures, are gone by it.
    @discardableResult
    mutating func removeAll(through last: Int64) -> (packets: Int, frames: Int) {
        guard let start, last >= start else { return (0, 0) }
        var packets = 0
        // Past the highest there is nothing, however far `last` is.
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

    /// Forgets everything; the next packet begins anew.
    @discardableResult
    mutating func removeAll() -> (packets: Int, frames: Int) {
        guard let start else { return (0, 0) }
        let removed = removeAll(through: max(highest, start))
        self.start = nil
        isAnchored = false
        return removed
    }

    // MARK: Linking

    /// Links the packet `number` and those behind it to the beginning of their pictures, as far as they follow without
    /// a gap, and notes the pictures that are complete by that.
    private mutating func link(from number: Int64) {
        var number = number
        while number <= highest {
            let index = slotIndex(number)
            guard slots[index].number == number, slots[index].link == .none else { return }
            guard let before = before(number) else {
                // The packet before is missing: only a descriptor can tell that this is a beginning.
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
                    // The end was not marked, but here another picture begins.
                    complete(first, through: number - 1)
                    guard slots[index].descriptor.mayBeginFrame else { return }
                    slots[index].first = number
                }
            }
            finishLinking(index)
            number += 1
        }
    }

    private enum Before {
        case boundary
        case inFrame(first: Int64, RTPTimestamp, PayloadFormat)
    }

    /// What ends, or goes on, right before `number`; `nil` when that is not known.
    ///
    /// Inlined: for a call all of the buffer's fields would be copied, some of them a moment after they were written.
    @inline(__always)
    private func before(_ number: Int64) -> Before? {
        if number == start, isAnchored { return .boundary }
        let previous = slotIndex(number - 1)
        guard slots[previous].number == number - 1 else { return nil }
        switch slots[previous].link {
        case .boundary: return .boundary
        case .inFrame:
            return .inFrame(first: slots[previous].first, slots[previous].timestamp, slots[previous].format)
        case .none:
            // Its own picture has a hole, but that it ends there is certain all the same.
            if slots[previous].isPadding { return nil }
            let index = slotIndex(number)
            let isOther = !slots[index].isPadding && slots[index].timestamp != slots[previous].timestamp
            return slots[previous].marker || isOther ? .boundary : nil
        }
    }

    /// Marks the packet as linked; its picture is complete when it ends here.
    private mutating func finishLinking(_ index: Int) {
        let (first, number) = (slots[index].first, slots[index].number)
        if slots[index].marker {
            slots[index].link = .boundary
            complete(first, through: number)
            return
        }
        slots[index].link = .inFrame
        // The packet behind may have been there before, and linked because its descriptor says that it is a beginning.
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

    /// Doubles the slots until `number` has one of its own.
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

/// A picture all of whose packets are there.
struct CompleteVideoFrame: Sendable {
    var first: Int64
    var last: Int64
    var format: PayloadFormat
    var timestamp: RTPTimestamp
    /// Of its first packet.
    var descriptor: VideoPayloadDescriptor
    var isKeyFrame: Bool
    var isDiscardable: Bool
    /// Whether there is a picture in it, and not only parameter sets.
    var hasPicture: Bool
    /// Whether its packets fit together.
    var isWellFormed: Bool
    var rotation: VideoRotation?
    /// At most, when put together.
    var byteCount: Int
    var packetCount: Int
    var firstArrival: Instant
    var completed: Instant
    var wasRetransmitted: Bool

    /// - Returns: `nil` when there is nothing but padding.
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
    /// Where the packet `number` lies, if it is there: the count is a power of two.
    fileprivate func index(of number: Int64) -> Int { Int(truncatingIfNeeded: number) & (count - 1) }
}
