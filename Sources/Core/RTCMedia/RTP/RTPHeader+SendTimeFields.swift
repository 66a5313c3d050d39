import RTCWire

extension RTPHeader {
    /// Overwrites with zeros what senders fill in when a packet leaves: the send time, the transport-wide number and the
    /// transmission offset. Error correction protects packets as they were before.
    ///
    /// - Parameter header: The bytes of this header, up to the payload.
    func clearSendTimeFields(_ header: UnsafeMutableRawBufferPointer, map: borrowing RTPHeaderExtensionMap) {
        guard let profile = extensionProfile, extensionRange.upperBound <= header.count else { return }
        let usesTwoBytes = profile & 0xFFF0 == RTPHeaderExtensions.twoByteProfile
        guard usesTwoBytes || profile == RTPHeaderExtensions.oneByteProfile else { return }
        var offset = extensionRange.lowerBound
        let end = extensionRange.upperBound
        while offset < end {
            let head = header[offset]
            offset += 1
            if head == 0 { continue }
            var (id, size) = (head >> 4, Int(head & 0x0F) + 1)
            if usesTwoBytes {
                guard offset < end else { return }
                (id, size) = (head, Int(header[offset]))
                offset += 1
            } else if id == 0 || id == 15 {
                return
            }
            guard size <= end - offset else { return }
            switch map[id] {
            case .absoluteSendTime, .transportSequenceNumber, .transmissionOffset:
                for index in offset..<offset + size { header[index] = 0 }
            default: break
            }
            offset += size
        }
    }
}
