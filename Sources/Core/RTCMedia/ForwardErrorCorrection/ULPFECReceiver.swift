package import RTCWire

/// Recovers lost packets of a stream from packets of forward error correction (RFC 5109, section 9).
///
/// Holds the newest packets, and the parities that still miss more than one of theirs. Each parity recovers one packet,
/// which may complete another parity. Whatever arrives, there are ``window`` packets and ``maximumWaiting`` parities at
/// most, and the work for one packet is bounded by them.
package struct ULPFECReceiver: Sendable {
    /// How many numbers are remembered; a power of two. More than a mask can name, for packets that are reordered.
    static let window: Int64 = 128
    /// How many parities wait.
    static let maximumWaiting = 32
    /// The size of the largest packet that is kept.
    static let slotSize = 1_500

    private struct Slot: Sendable {
        /// `Int64.min` when the slot is free.
        var number = Int64.min
        /// 0 when the packet arrived in another form than it was sent in first.
        var size = 0
    }

    /// A parity that waits.
    private struct Waiting: Sendable {
        var payload: ULPFECPayload
        /// The extended number of the mask's first bit.
        var base: Int64
        /// Which of its packets have not arrived.
        var missing: UInt64
        /// Where its bytes are kept.
        var place: Int
    }

    private var slots: [Slot] = []
    /// One packet for each slot, behind them the waiting parities.
    private var memory: [UInt8] = []
    private var waiting: [Waiting] = []
    private var freePlaces: [Int] = []
    private var highest = Int64.min
    /// The parities that were not needed, or could not be used.
    package private(set) var discarded = 0

    package init() {}

    // MARK: Input

    /// Takes in a packet of the stream, as it was before it was wrapped.
    ///
    /// - Parameters:
    ///   - packet: The datagram.
    ///   - header: Its header, with the payload type of the wrapped packet.
    ///   - payloadStart: Where the wrapped payload begins in the datagram. It reaches to the end, padding included.
    ///   - number: Its extended sequence number.
    ///   - map: The IDs of the header extensions: those that are filled in on sending are not protected.
    package mutating func insert(
        _ packet: RawSpan, header: RTPHeader, payloadStart: Int, number: Int64, map: RTPHeaderExtensionMap
    ) {
        let headerSize = header.length
        guard payloadStart >= headerSize, headerSize >= RTPHeader.minimumLength, payloadStart <= packet.byteCount
        else { return note(number) }
        let size = headerSize + packet.byteCount - payloadStart
        guard size <= Self.slotSize, let index = claim(number) else { return note(number) }
        memory.withUnsafeMutableBytes { memory in
            let slot = UnsafeMutableRawBufferPointer(rebasing: memory[Self.range(index)])
            packet.withUnsafeBytes { packet in
                UnsafeMutableRawBufferPointer(rebasing: slot[..<headerSize])
                    .copyMemory(from: UnsafeRawBufferPointer(rebasing: packet[..<headerSize]))
                UnsafeMutableRawBufferPointer(rebasing: slot[headerSize..<size])
                    .copyMemory(from: UnsafeRawBufferPointer(rebasing: packet[payloadStart...]))
            }
            slot[1] = slot[1] & 0x80 | header.payloadType.rawValue
            header.clearSendTimeFields(UnsafeMutableRawBufferPointer(rebasing: slot[..<headerSize]), map: map)
        }
        slots[index].size = size
        arrived(number)
    }

    /// Notes a packet whose bytes are of no use, since they are not those of its first transmission: a retransmission may
    /// have other header extensions.
    package mutating func note(_ number: Int64) {
        let isKnown = !slots.isEmpty && slots[Self.slot(number)].number == number
        guard !isKnown, let index = claim(number) else { return }
        slots[index].size = 0
        arrived(number)
    }

    /// Takes in a packet of error correction. Call ``recover(of:)`` afterwards, as after each other packet.
    ///
    /// - Parameters:
    ///   - bytes: Its payload.
    ///   - number: The extended sequence number of the packet that carries it, which follows those that it protects.
    package mutating func insert(parity bytes: RawSpan, number: Int64) {
        guard let payload = ULPFECPayload(bytes), payload.parity.count <= Self.slotSize else {
            discarded += 1
            return
        }
        let carrier = RTPSequenceNumber(UInt16(truncatingIfNeeded: number))
        let base = number - Int64(payload.base.distance(to: carrier))
        let last = base + Int64(63 - payload.mask.leadingZeroBitCount)
        makeSlots()
        advance(to: number)
        guard last < number, base > highest - Self.window, base >= 0 else {
            discarded += 1
            return
        }
        var missing = payload.mask
        for bit in 0..<Int64(ULPFECPayload.longestSpan) where missing >> UInt64(bit) & 1 != 0 {
            if slots[Self.slot(base + bit)].number == base + bit { missing &= ~(1 << UInt64(bit)) }
        }
        guard missing != 0 else {
            discarded += 1
            return
        }
        if waiting.count == Self.maximumWaiting { remove(at: 0) }
        guard let place = freePlaces.popLast() else { return }
        memory.withUnsafeMutableBytes { memory in
            bytes.withUnsafeBytes { bytes in
                let start = Self.start(of: place)
                UnsafeMutableRawBufferPointer(rebasing: memory[start..<start + payload.parity.count])
                    .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[payload.parity]))
            }
        }
        waiting.append(Waiting(payload: payload, base: base, missing: missing, place: place))
    }

    /// Forgets everything, as for another stream.
    package mutating func reset() {
        let discarded = discarded + waiting.count
        self = ULPFECReceiver()
        self.discarded = discarded
    }

    // MARK: Output

    /// Recovers a packet, if one can be. Call it until it returns `nil`.
    ///
    /// - Parameter ssrc: The source of the stream.
    /// - Returns: The extended sequence number of the packet, for ``withPacket(_:_:)``.
    package mutating func recover(of ssrc: SynchronizationSource) -> Int64? {
        while let index = waiting.firstIndex(where: { $0.missing & ($0.missing &- 1) == 0 }) {
            let parity = waiting[index]
            let number = parity.base + Int64(parity.missing.trailingZeroBitCount)
            let isRecovered = rebuild(number, from: parity, ssrc)
            if isRecovered { waiting[index].missing = 0 }
            remove(at: index, isUsed: isRecovered)
            guard isRecovered else { continue }
            arrived(number)
            return number
        }
        return nil
    }

    /// Passes the bytes of a recovered packet to `body`: an RTP packet that is not wrapped. Not called if they are not kept
    /// any more.
    package func withPacket(_ number: Int64, _ body: (UnsafeRawBufferPointer) -> Void) {
        guard !slots.isEmpty, slots[Self.slot(number)].number == number else { return }
        let (index, size) = (Self.slot(number), slots[Self.slot(number)].size)
        guard size > 0 else { return }
        memory.withUnsafeBytes { memory in
            let start = Self.range(index).lowerBound
            body(UnsafeRawBufferPointer(rebasing: memory[start..<start + size]))
        }
    }

    /// Rebuilds the only missing packet of a parity in its slot (RFC 5109, section 9.2).
    ///
    /// - Returns: Whether it is whole and consistent.
    private mutating func rebuild(_ number: Int64, from parity: Waiting, _ ssrc: SynchronizationSource) -> Bool {
        let fixed = RTPHeader.minimumLength
        let count = parity.payload.parity.count
        guard fixed + count <= Self.slotSize else { return false }
        var firstBytes = parity.payload.firstBytes
        var timestamp = parity.payload.timestamp
        var length = parity.payload.length
        var rest = parity.payload.mask & ~parity.missing
        let target = Self.slot(number)
        let slots = slots
        let size = memory.withUnsafeMutableBytes { memory -> Int? in
            let packet = UnsafeMutableRawBufferPointer(rebasing: memory[Self.range(target)])
            let body = UnsafeMutableRawBufferPointer(rebasing: packet[fixed..<fixed + count])
            let start = Self.start(of: parity.place)
            body.copyMemory(from: UnsafeRawBufferPointer(rebasing: memory[start..<start + count]))
            while rest != 0 {
                let other = parity.base + Int64(rest.trailingZeroBitCount)
                rest &= rest - 1
                let index = Self.slot(other)
                guard slots[index].number == other, slots[index].size >= fixed, index != target else { return nil }
                let bytes = UnsafeRawBufferPointer(
                    rebasing: memory[Self.range(index).lowerBound..<Self.range(index).lowerBound + slots[index].size])
                let span = RawSpan(_unsafeBytes: bytes)
                firstBytes ^= span.uint16(at: 0) ?? 0
                timestamp ^= span.uint32(at: 4) ?? 0
                length ^= UInt16(truncatingIfNeeded: bytes.count - fixed)
                ULPFECParity.xor(body, UnsafeRawBufferPointer(rebasing: bytes[fixed...]))
            }
            // What is behind the packet's end is left of the others, which must cancel out.
            guard Int(length) <= count, body[Int(length)...].allSatisfy({ $0 == 0 }) else { return nil }
            var writer = ByteWriter(UnsafeMutableRawBufferPointer(rebasing: packet[..<fixed]))
            writer.write(0x8000 | firstBytes & ULPFECPayload.recoveredBits)
            writer.write(UInt16(truncatingIfNeeded: number))
            writer.write(timestamp)
            writer.write(ssrc.rawValue)
            return fixed + Int(length)
        }
        guard let size else {
            self.slots[target].number = .min
            return false
        }
        self.slots[target] = Slot(number: number, size: size)
        return true
    }

    // MARK: Memory

    private static func slot(_ number: Int64) -> Int { Int(truncatingIfNeeded: number & (window - 1)) }

    private static func range(_ slot: Int) -> Range<Int> { slot * slotSize..<(slot + 1) * slotSize }

    /// Where the bytes of a parity are kept.
    private static func start(of place: Int) -> Int { (Int(window) + place) * slotSize }

    private mutating func makeSlots() {
        guard slots.isEmpty else { return }
        slots = Array(repeating: Slot(), count: Int(Self.window))
        memory = Array(repeating: 0, count: (Int(Self.window) + Self.maximumWaiting) * Self.slotSize)
        freePlaces = Array(0..<Self.maximumWaiting)
        waiting.reserveCapacity(Self.maximumWaiting)
    }

    /// The slot for a packet; `nil` if it is too old.
    private mutating func claim(_ number: Int64) -> Int? {
        guard number >= 0 else { return nil }
        makeSlots()
        advance(to: number)
        guard number > highest - Self.window else { return nil }
        let index = Self.slot(number)
        slots[index].number = number
        return index
    }

    /// Moves the window, and drops the parities that reach behind it.
    private mutating func advance(to number: Int64) {
        guard number > highest else { return }
        highest = number
        while let index = waiting.firstIndex(where: { $0.base <= number - Self.window }) { remove(at: index) }
    }

    /// Notes in the waiting parities that a packet is there.
    private mutating func arrived(_ number: Int64) {
        var index = 0
        while index < waiting.count {
            let bit = number - waiting[index].base
            if bit >= 0, bit < Int64(ULPFECPayload.longestSpan) { waiting[index].missing &= ~(1 << UInt64(bit)) }
            if waiting[index].missing == 0 { remove(at: index) } else { index += 1 }
        }
    }

    private mutating func remove(at index: Int, isUsed: Bool = false) {
        freePlaces.append(waiting.remove(at: index).place)
        if !isUsed { discarded += 1 }
    }
}
