package import RTCFrames
package import RTCWire

/// Reads audio from a WAV file: integers of 8, 16, 24 or 32 bits, or 32-bit floating point, mono or stereo.
package struct WAVReader: AudioFrameProducer {
    package let sampleRate: Int
    package let channels: Int
    /// Whether it starts again at the end.
    package var loops: Bool
    private var reader: BufferedReader
    private let encoding: Encoding
    /// The offset of the data chunk from the beginning of the file.
    private let dataOffset: Int
    /// The size of the data chunk in bytes; `nil` for a file written as a stream, which extends to its end.
    private let dataSize: Int?
    private var left: Int

    private enum Encoding {
        case unsigned8, signed16, signed24, signed32, float32

        var bytes: Int {
            switch self {
            case .unsigned8: 1
            case .signed16: 2
            case .signed24: 3
            case .signed32, .float32: 4
            }
        }
    }

    /// Opens a file and reads its header.
    ///
    /// - Throws: ``MediaFileError``, or an error of `source`.
    package init(_ source: any ByteSource, loops: Bool = false) throws {
        var reader = BufferedReader(source)
        let header = try reader.read(12)
        guard header.count == 12, header[0..<4].elementsEqual("RIFF".utf8), header[8..<12].elementsEqual("WAVE".utf8)
        else {
            throw MediaFileError(.malformed, "this is no WAV file: it does not begin with RIFF and WAVE")
        }
        var offset = 12
        var format: (encoding: Encoding, channels: Int, sampleRate: Int)?
        while true {
            let chunk = try reader.read(8)
            guard chunk.count == 8 else {
                throw MediaFileError(.malformed, "the WAV file has no samples: its chunk called data is missing")
            }
            offset += 8
            let size = Int(Self.integer(chunk[4..<8]))
            if chunk[0..<4].elementsEqual("data".utf8) {
                guard let format else {
                    throw MediaFileError(
                        .malformed, "the WAV file does not say what its samples are: its chunk fmt is missing")
                }
                (encoding, channels, sampleRate) = format
                // A streaming writer does not know the length.
                dataSize = size == 0 || size >= 0xFFFF_FF00 ? nil : size
                break
            }
            if chunk[0..<4].elementsEqual("fmt ".utf8) {
                let body = try reader.read(min(size, 40))
                format = try Self.format(body)
                guard try reader.skip(size - body.count + size % 2) else { continue }
            } else {
                guard try reader.skip(size + size % 2) else { continue }
            }
            offset += size + size % 2
        }
        self.reader = reader
        self.loops = loops
        dataOffset = offset
        left = dataSize ?? .max
    }

    /// Returns the next samples.
    ///
    /// - Throws: An error of the source. A truncated file ends early.
    package mutating func nextFrame(samplesPerChannel: Int, at timestamp: Instant) throws -> AudioFrame? {
        var samples: [Int16] = []
        samples.reserveCapacity(samplesPerChannel * channels)
        var hasRewound = false
        while samples.count < samplesPerChannel * channels {
            let before = samples.count
            try read(samplesPerChannel - samples.count / channels, into: &samples)
            if samples.count == before {
                // Two rewinds in a row mean that the file is empty.
                guard loops, !hasRewound else { break }
                try rewind()
                hasRewound = true
            } else {
                hasRewound = false
            }
        }
        guard !samples.isEmpty else { return nil }
        return AudioFrame(samples: samples, sampleRate: sampleRate, channels: channels, timestamp: timestamp)
    }

    /// Returns to the first sample.
    package mutating func rewind() throws {
        try reader.rewind()
        guard try reader.skip(dataOffset) else { throw MediaFileError(.unreadable, "the WAV file has become shorter") }
        left = dataSize ?? .max
    }

    private mutating func read(_ count: Int, into samples: inout [Int16]) throws {
        let frame = encoding.bytes * channels
        let bytes = try reader.read(min(count, left / frame) * frame)
        left -= bytes.count
        let whole = bytes.count / frame * frame
        for start in stride(from: 0, to: whole, by: encoding.bytes) {
            samples.append(sample(bytes, start))
        }
    }

    private func sample(_ bytes: [UInt8], _ start: Int) -> Int16 {
        func upper(_ low: Int) -> Int16 {
            Int16(bitPattern: UInt16(bytes[start + low]) | UInt16(bytes[start + low + 1]) << 8)
        }
        switch encoding {
        case .unsigned8: return (Int16(bytes[start]) - 128) * 256
        case .signed16: return upper(0)
        case .signed24: return upper(1)
        case .signed32: return upper(2)
        case .float32:
            let value = Float(bitPattern: Self.integer(bytes[start..<start + 4]))
            guard value.isFinite else { return 0 }
            return Int16(max(-32_768, min(32_767, (value * 32_768).rounded())))
        }
    }

    private static func format(
        _ body: [UInt8]
    ) throws -> (encoding: Encoding, channels: Int, sampleRate: Int) {
        guard body.count >= 16 else { throw MediaFileError(.malformed, "the WAV file's chunk fmt is too short") }
        var tag = integer(body[0..<2])
        let channels = Int(integer(body[2..<4]))
        let sampleRate = Int(integer(body[4..<8]))
        let bits = Int(integer(body[14..<16]))
        // WAVE_FORMAT_EXTENSIBLE: the format tag is the beginning of an identifier.
        if tag == 0xFFFE, body.count >= 26 { tag = integer(body[24..<26]) }
        guard (1...2).contains(channels) else {
            throw MediaFileError(.unsupported, "the WAV file has \(channels) channels; one or two are read")
        }
        guard (4_000...192_000).contains(sampleRate) else {
            throw MediaFileError(
                .malformed, "the WAV file has \(sampleRate) samples a second; 4,000 to 192,000 are read")
        }
        let encoding: Encoding
        switch (tag, bits) {
        case (1, 8): encoding = .unsigned8
        case (1, 16): encoding = .signed16
        case (1, 24): encoding = .signed24
        case (1, 32): encoding = .signed32
        case (3, 32): encoding = .float32
        default:
            throw MediaFileError(
                .unsupported,
                "the WAV file's samples have \(bits) bits in format \(tag); integers of 8 to 32 bits and 32-bit floats are read"
            )
        }
        return (encoding, channels, sampleRate)
    }

    /// A little-endian number of two or four bytes.
    private static func integer(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        bytes.reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }
}
