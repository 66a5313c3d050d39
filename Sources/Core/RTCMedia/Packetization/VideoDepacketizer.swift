import RTCWire

/// Parses RTP payloads of video: their information about the frame, and the codec's bytes in them.
package enum VideoDepacketizer {
    /// Reads the descriptor of `payload` without copying anything.
    ///
    /// - Returns: `nil` when it is not a payload of `format`: noise, to be dropped.
    package static func descriptor(of payload: RawSpan, format: PayloadFormat) -> VideoPayloadDescriptor? {
        switch format {
        case .vp8: VP8Depacketizer.descriptor(of: payload)
        case .vp9: VP9Depacketizer.descriptor(of: payload)
        case .h264: H264Depacketizer.descriptor(of: payload)
        case .opus, .pcmu, .pcma: nil
        }
    }

    /// Appends the codec's bytes in `payload`, which `descriptor` was read from, to `frame`; NAL units with their start
    /// codes.
    package static func append(
        _ payload: RawSpan, _ descriptor: VideoPayloadDescriptor, to frame: inout [UInt8]
    ) {
        payload.withUnsafeBytes { bytes in
            guard descriptor.bytes.lowerBound >= 0, descriptor.bytes.upperBound <= bytes.count else { return }
            let bytes = UnsafeRawBufferPointer(rebasing: bytes[descriptor.bytes])
            switch descriptor.packaging {
            case .plain, .fragment:
                frame.append(contentsOf: bytes)
            case .unit:
                frame.appendStartCode()
                frame.append(contentsOf: bytes)
            case .firstFragment(let header):
                frame.appendStartCode()
                frame.append(header)
                frame.append(contentsOf: bytes)
            case .aggregate:
                H264Depacketizer.forEachUnit(inAggregate: bytes) { unit in
                    frame.appendStartCode()
                    frame.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[unit]))
                }
            }
        }
    }

    /// An upper bound for the bytes that ``append(_:_:to:)`` adds.
    static func sizeBound(_ descriptor: VideoPayloadDescriptor) -> Int {
        switch descriptor.packaging {
        case .plain, .fragment: descriptor.bytes.count
        case .unit, .firstFragment: descriptor.bytes.count + 5
        // A two-byte size becomes a four-byte start code, for units of at least one byte.
        case .aggregate: descriptor.bytes.count + descriptor.bytes.count / 3 * 2 + 2
        }
    }
}

extension [UInt8] {
    mutating func appendStartCode() {
        append(0)
        append(0)
        append(0)
        append(1)
    }
}
