public import RTCWire

/// The offsets of the fields that are filled in when the packet leaves; 0 for fields that it does not have.
@usableFromInline package struct RTPSendTimeFields: Sendable, Hashable {
    var absoluteSendTime: UInt16 = 0
    var transportSequenceNumber: UInt16 = 0

    /// Whether the packet has a transport-wide number.
    @usableFromInline package var hasTransportSequenceNumber: Bool { transportSequenceNumber != 0 }

    /// Fills in the fields when the packet is sent.
    func patch(
        _ packet: UnsafeMutableRawBufferPointer, at now: Instant,
        transportSequenceNumber number: TransportSequenceNumber
    ) {
        let time = Int(absoluteSendTime)
        if time > 0, time + 3 <= packet.count {
            let value = AbsoluteSendTime(now).rawValue
            packet[time] = UInt8(truncatingIfNeeded: value >> 16)
            packet[time + 1] = UInt8(truncatingIfNeeded: value >> 8)
            packet[time + 2] = UInt8(truncatingIfNeeded: value)
        }
        let sequence = Int(transportSequenceNumber)
        if sequence > 0, sequence + 2 <= packet.count {
            packet.storeBytes(of: number.rawValue.bigEndian, toByteOffset: sequence, as: UInt16.self)
        }
    }
}

extension RTPHeaderExtensions {
    /// The size in bytes of the extension that ``write(to:map:)`` writes; 0 when `map` has an ID for none of the
    /// values, so that the packet needs no extension.
    func size(in map: borrowing RTPHeaderExtensionMap) -> Int {
        let head = map.usesTwoByteForm ? 2 : 1
        var size = 0
        func add(_ kind: RTPHeaderExtension, _ length: Int?) {
            if let length, map.contains(kind) { size += head + length }
        }
        add(.mediaIdentification, mid?.count)
        add(.streamIdentifier, rid?.count)
        add(.repairedStreamIdentifier, repairedRID?.count)
        add(.absoluteSendTime, absoluteSendTime == nil ? nil : 3)
        add(.transportSequenceNumber, transportSequenceNumber == nil ? nil : 2)
        add(.audioLevel, audioLevel == nil ? nil : 1)
        add(.videoOrientation, rotation == nil ? nil : 1)
        add(.playoutDelay, playoutDelay == nil ? nil : 3)
        add(.absoluteCaptureTime, absoluteCaptureTime.map { $0.clockOffset == nil ? 8 : 16 })
        add(.transmissionOffset, transmissionOffset == nil ? nil : 3)
        return size == 0 ? 0 : 4 + (size + 3) & ~3
    }

    /// Writes the whole extension, including its four-byte head, with the values that are set and have an ID in `map`.
    ///
    /// The caller has written the fixed header with `hasExtension: true`. Without any value an extension of no words is
    /// written, which is allowed.
    ///
    /// - Returns: The positions of the fields that are filled in when the packet leaves, as offsets from the start of
    ///   `writer`, which is the start of the packet.
    @discardableResult
    @usableFromInline package func write(to writer: inout ByteWriter, map: borrowing RTPHeaderExtensionMap)
        -> RTPSendTimeFields
    {
        var fields = RTPSendTimeFields()
        let twoBytes = map.usesTwoByteForm
        writer.write(twoBytes ? Self.twoByteProfile : Self.oneByteProfile)
        let lengthOffset = writer.count
        writer.write(UInt16(0))
        let start = writer.count

        // Sizes are 1 to 16, so every element fits both forms.
        func begin(_ kind: RTPHeaderExtension, size: Int, _ writer: inout ByteWriter) -> Bool {
            guard let id = map.id(of: kind), writer.room >= size + 2 else { return false }
            if twoBytes {
                writer.write(id)
                writer.write(UInt8(truncatingIfNeeded: size))
            } else {
                writer.write(id << 4 | UInt8(truncatingIfNeeded: size - 1))
            }
            return true
        }
        if let absoluteSendTime, begin(.absoluteSendTime, size: 3, &writer) {
            fields.absoluteSendTime = UInt16(truncatingIfNeeded: writer.count)
            writer.writeUInt24(absoluteSendTime.rawValue)
        }
        if let transportSequenceNumber, begin(.transportSequenceNumber, size: 2, &writer) {
            fields.transportSequenceNumber = UInt16(truncatingIfNeeded: writer.count)
            writer.write(transportSequenceNumber.rawValue)
        }
        if let mid, begin(.mediaIdentification, size: mid.count, &writer) { mid.write(to: &writer) }
        if let rid, begin(.streamIdentifier, size: rid.count, &writer) { rid.write(to: &writer) }
        if let repairedRID, begin(.repairedStreamIdentifier, size: repairedRID.count, &writer) {
            repairedRID.write(to: &writer)
        }
        if let audioLevel, begin(.audioLevel, size: 1, &writer) {
            writer.write((audioLevel.hasVoice ? 0x80 : 0) | audioLevel.level)
        }
        if let rotation, begin(.videoOrientation, size: 1, &writer) { writer.write(rotation.rawValue) }
        if let playoutDelay, begin(.playoutDelay, size: 3, &writer) { writer.writeUInt24(playoutDelay.rawValue) }
        if let absoluteCaptureTime,
            begin(.absoluteCaptureTime, size: absoluteCaptureTime.clockOffset == nil ? 8 : 16, &writer)
        {
            writer.write(absoluteCaptureTime.timestamp.rawValue)
            if let offset = absoluteCaptureTime.clockOffset { writer.write(UInt64(bitPattern: offset)) }
        }
        if let transmissionOffset, begin(.transmissionOffset, size: 3, &writer) {
            writer.writeUInt24(UInt32(bitPattern: transmissionOffset) & 0xFF_FFFF)
        }
        writer.writeZeros((4 - (writer.count - start) & 3) & 3)
        writer.overwrite(UInt16(truncatingIfNeeded: (writer.count - start) / 4), at: lengthOffset)
        return fields
    }
}

extension ByteWriter {
    /// The lower 24 bits.
    mutating func writeUInt24(_ value: UInt32) {
        guard room >= 3 else {
            // Causes an overflow.
            writeZeros(3)
            return
        }
        write(UInt8(truncatingIfNeeded: value >> 16))
        write(UInt16(truncatingIfNeeded: value))
    }
}
