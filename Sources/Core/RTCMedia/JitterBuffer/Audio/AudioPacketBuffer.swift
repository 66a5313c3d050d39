internal import RTCWire

/// The packets of one audio stream that wait to be decoded, in the order of their sequence numbers.
///
/// Bounded: when it is full the oldest make room, since sound that is too late is of no use. The memory of a packet that
/// leaves serves a later one.
struct AudioPacketBuffer {
    struct Packet {
        var sequenceNumber: Int64 = 0
        /// In ticks of the RTP clock, without wrap-around.
        var timestamp: Int64 = 0
        var payloadType = RTPPayloadType(0)
        var arrival = Instant.zero
        var bytes: [UInt8] = []
    }

    enum Insertion {
        case inserted, duplicate
    }

    /// The most packets that are kept: four seconds of 20 ms each.
    static let capacity = 200
    /// No audio packet is longer than a datagram.
    static let maximumPacketSize = 2_048

    private var slots: [Packet] = []
    private var free: [Int] = []
    /// Slots in use, by ascending sequence number.
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
            if slots[order[place - 1]].sequenceNumber == sequenceNumber { return .duplicate }
            place -= 1
        }
        if order.count == Self.capacity {
            removeFirst()
            place = max(0, place - 1)
        }
        let slot: Int
        if let last = free.popLast() {
            slot = last
        } else {
            slot = slots.count
            slots.append(Packet())
        }
        slots[slot].sequenceNumber = sequenceNumber
        slots[slot].timestamp = timestamp
        slots[slot].payloadType = payloadType
        slots[slot].arrival = arrival
        slots[slot].bytes.removeAll(keepingCapacity: true)
        payload.withUnsafeBytes { slots[slot].bytes.append(contentsOf: $0) }
        order.insert(slot, at: place)
        return .inserted
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
