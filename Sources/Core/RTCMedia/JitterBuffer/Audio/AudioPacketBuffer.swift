internal import RTCWire

/// The packets of one audio stream that wait to be decoded, in order of sequence numbers.
///
/// Bounded: when full, the oldest packets are dropped, since late audio is useless. The memory of removed packets is
/// reused.
struct AudioPacketBuffer {
    struct Packet {
        var sequenceNumber: Int64 = 0
        /// The RTP timestamp, without wrap-around.
        var timestamp: Int64 = 0
        var payloadType = RTPPayloadType(0)
        var arrival = Instant.zero
        /// Whether it came as a copy in another packet.
        var isCopy = false
        var bytes: [UInt8] = []
    }

    enum Insertion {
        case inserted, duplicate
        /// Replaced a copy of the same packet.
        case replacedCopy
    }

    /// The most packets kept: four seconds of 20 ms each.
    static let capacity = 200
    /// No audio packet is longer than a datagram.
    static let maximumPacketSize = 2_048

    private var slots: [Packet] = []
    private var free: [Int] = []
    /// The slots in use, by ascending sequence number.
    private var order: [Int] = []

    var count: Int { order.count }
    var isEmpty: Bool { order.isEmpty }

    /// The packet `index` places behind the next one.
    subscript(index: Int) -> Packet { slots[order[index]] }

    /// The timestamp, sequence number and payload type of the next packet.
    var first: (timestamp: Int64, sequenceNumber: Int64, payloadType: RTPPayloadType)? {
        guard let slot = order.first else { return nil }
        return (slots[slot].timestamp, slots[slot].sequenceNumber, slots[slot].payloadType)
    }

    var lastTimestamp: Int64? { order.last.map { slots[$0].timestamp } }

    mutating func insert(
        _ payload: RawSpan, sequenceNumber: Int64, timestamp: Int64, payloadType: RTPPayloadType, arrival: Instant
    ) -> Insertion {
        var place = order.count
        while place > 0, slots[order[place - 1]].sequenceNumber >= sequenceNumber {
            let slot = order[place - 1]
            if slots[slot].sequenceNumber == sequenceNumber {
                guard slots[slot].isCopy else { return .duplicate }
                fill(slot, payload, sequenceNumber, timestamp, payloadType, arrival, isCopy: false)
                return .replacedCopy
            }
            place -= 1
        }
        // A copy's sequence number is estimated and may be slightly wrong.
        for slot in order[max(place - 1, 0)..<min(place + 1, order.count)]
        where slots[slot].isCopy && slots[slot].timestamp == timestamp {
            fill(slot, payload, sequenceNumber, timestamp, payloadType, arrival, isCopy: false)
            return .replacedCopy
        }
        if order.count == Self.capacity {
            removeFirst()
            place = max(0, place - 1)
        }
        insert(payload, sequenceNumber, timestamp, payloadType, arrival, isCopy: false, at: place)
        return .inserted
    }

    /// Inserts the copy of an earlier packet, if that is missing.
    ///
    /// Copies have no sequence number: it follows from the timestamp, or from their order where timestamps have gaps.
    ///
    /// - Parameters:
    ///   - timestamp: The copy's timestamp.
    ///   - latest: The highest possible sequence number, from the order of copies.
    ///   - duration: The duration of a packet, in ticks.
    ///   - last: The last number played; `nil` before playout, when packets before the first are not needed.
    /// - Returns: Whether it was missing.
    mutating func insertCopy(
        _ payload: RawSpan, timestamp: Int64, latest: Int64, duration: Int64, after last: Int64?,
        payloadType: RTPPayloadType, arrival: Instant
    ) -> Bool {
        var place = order.count
        while place > 0, slots[order[place - 1]].timestamp >= timestamp {
            if slots[order[place - 1]].timestamp == timestamp { return false }
            place -= 1
        }
        guard place < order.count, order.count < Self.capacity,
            let before = place > 0 ? slots[order[place - 1]].sequenceNumber : last
        else { return false }
        let next = slots[order[place]].sequenceNumber
        guard next - before > 1 else { return false }
        let steps = max((slots[order[place]].timestamp - timestamp) / max(duration, 1), 1)
        var number = next - min(steps, next - before)
        if number <= before { number = min(max(latest, before + 1), next - 1) }
        insert(payload, number, timestamp, payloadType, arrival, isCopy: true, at: place)
        return true
    }

    private mutating func insert(
        _ payload: RawSpan, _ sequenceNumber: Int64, _ timestamp: Int64, _ payloadType: RTPPayloadType,
        _ arrival: Instant, isCopy: Bool, at place: Int
    ) {
        let slot: Int
        if let last = free.popLast() {
            slot = last
        } else {
            slot = slots.count
            slots.append(Packet())
        }
        fill(slot, payload, sequenceNumber, timestamp, payloadType, arrival, isCopy: isCopy)
        order.insert(slot, at: place)
    }

    private mutating func fill(
        _ slot: Int, _ payload: RawSpan, _ sequenceNumber: Int64, _ timestamp: Int64, _ payloadType: RTPPayloadType,
        _ arrival: Instant, isCopy: Bool
    ) {
        slots[slot].sequenceNumber = sequenceNumber
        slots[slot].timestamp = timestamp
        slots[slot].payloadType = payloadType
        slots[slot].arrival = arrival
        slots[slot].isCopy = isCopy
        slots[slot].bytes.removeAll(keepingCapacity: true)
        payload.withUnsafeBytes { slots[slot].bytes.append(contentsOf: $0) }
    }

    mutating func removeFirst() {
        guard !order.isEmpty else { return }
        free.append(order.removeFirst())
    }

    mutating func removeAll() {
        free.append(contentsOf: order)
        order.removeAll(keepingCapacity: true)
    }
}
