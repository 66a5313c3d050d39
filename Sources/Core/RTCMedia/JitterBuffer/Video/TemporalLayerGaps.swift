import RTCWire

/// Finds the missing packets of which it is certain that they belong to higher temporal layers.
///
/// It compares the newest packet with the one that was the newest before. All packets between them are of higher layers
///
/// - if both are of one frame of a higher layer; or
/// - if the older frame is of a higher layer, or has ended, and there was no frame of the base layer in between. TL0PICIDX
///   shows that; in VP9's flexible mode, the references of a frame of the base layer show that none is needed.
struct TemporalLayerGaps: Sendable {
    private struct Newest {
        var number: Int64
        var format: PayloadFormat
        var timestamp: RTPTimestamp
        /// Whether the packet is the last of its frame.
        var endsFrame: Bool
        var layer: UInt8
        var baseLayerIndex: UInt8?
        var pictureID: UInt16?
        var pictureIDBits: UInt8
    }

    private var newest: Newest?

    init() {}

    /// Notes a received packet.
    ///
    /// - Parameter descriptor: `nil` for padding.
    /// - Returns: The missing packets right before it, if all are of higher layers.
    mutating func note(_ packet: VideoPacketInfo, _ descriptor: VideoPayloadDescriptor?) -> Range<Int64>? {
        if let newest, packet.sequenceNumber <= newest.number { return nil }
        guard let descriptor else {
            // Padding follows the last packet of a frame, and tells nothing of those before it.
            if let last = newest, last.endsFrame, packet.sequenceNumber == last.number + 1 {
                newest?.number += 1
            } else {
                newest = nil
            }
            return nil
        }
        guard let layer = descriptor.temporalLayer, descriptor.spatialLayer ?? 0 == 0 else {
            newest = nil
            return nil
        }
        let last = newest
        newest = Newest(
            number: packet.sequenceNumber, format: packet.format, timestamp: packet.timestamp,
            endsFrame: packet.marker, layer: layer, baseLayerIndex: descriptor.baseLayerIndex,
            pictureID: descriptor.pictureID, pictureIDBits: descriptor.pictureIDBits)
        guard let last, last.format == packet.format, packet.sequenceNumber > last.number + 1 else { return nil }
        let isDispensable =
            last.timestamp == packet.timestamp
            ? layer > 0 && last.layer == layer
            : (last.layer > 0 || last.endsFrame) && needsNothing(descriptor, layer, after: last)
        return isDispensable ? last.number + 1..<packet.sequenceNumber : nil
    }

    /// Whether no frame of the base layer is missing between `last` and the frame with this descriptor.
    private func needsNothing(_ descriptor: VideoPayloadDescriptor, _ layer: UInt8, after last: Newest) -> Bool {
        // The missing packets may contain the beginning of a frame of the base layer.
        guard layer > 0 || descriptor.beginsFrame else { return false }
        if let base = descriptor.baseLayerIndex, let lastBase = last.baseLayerIndex {
            return base &- lastBase == (layer == 0 ? 1 : 0)
        }
        guard layer == 0, let references = descriptor.references, references.count > 0,
            let new = descriptor.pictureID, let old = last.pictureID,
            descriptor.pictureIDBits == last.pictureIDBits
        else { return false }
        let distance = (new &- old) & (1 << UInt16(last.pictureIDBits) - 1)
        let nearest = [references.first, references.second, references.third].prefix(Int(references.count)).min() ?? 0
        return nearest >= distance
    }
}
