package import RTCFrames

/// Writes audio into a WAV file with 16-bit integers.
///
/// A file has the sample rate and number of channels of its first buffer: later ones are converted.
package struct WAVWriter: Sendable {
    private let sink: any ByteSink
    private var framer: AudioFramer?
    private var format: (sampleRate: Int, channels: Int)?
    private var bytes: [UInt8] = []
    /// The size of the data chunk in bytes.
    private var dataSize = 0

    /// The largest size that the header can express.
    private static let longest = 0xFFFF_FF00 - 64
    private static let headerSize = 44

    package init(_ sink: any ByteSink) {
        self.sink = sink
    }

    /// Writes a buffer.
    ///
    /// - Throws: ``MediaFileError`` if the file has reached 4 GB, or an error of the sink.
    package mutating func write(_ frame: AudioFrame) throws {
        guard frame.channels == 1 || frame.channels == 2, frame.sampleRate > 0 else {
            throw MediaFileError(.unsupported, "sound of \(frame.channels) channels is not written")
        }
        guard let format else {
            self.format = (frame.sampleRate, frame.channels)
            // The header has the sizes of a stream until the end is known.
            try Self.header(frame.sampleRate, frame.channels, dataSize: nil).withUnsafeBytes { try sink.write($0) }
            return try append(frame.samples)
        }
        if format == (frame.sampleRate, frame.channels) { return try append(frame.samples) }
        var framer =
            self.framer
            ?? AudioFramer(
                sampleRate: format.sampleRate, channels: format.channels,
                samplesPerFrame: max(1, format.sampleRate / 100))
        framer.append(frame)
        while let converted = framer.nextFrame() { try append(converted.samples) }
        self.framer = framer
    }

    /// Writes the sizes into the header. Without it, the file is readable as a stream.
    package mutating func finish() throws {
        guard let format else { return }
        try Self.header(format.sampleRate, format.channels, dataSize: dataSize).withUnsafeBytes {
            _ = try sink.overwrite(at: 0, with: $0)
        }
    }

    private mutating func append(_ samples: [Int16]) throws {
        guard dataSize + 2 * samples.count <= Self.longest else {
            throw MediaFileError(.unwritable, "a WAV file has no room for more than 4 GB")
        }
        bytes.removeAll(keepingCapacity: true)
        bytes.reserveCapacity(2 * samples.count)
        for sample in samples {
            bytes.append(UInt8(truncatingIfNeeded: sample))
            bytes.append(UInt8(truncatingIfNeeded: sample >> 8))
        }
        try bytes.withUnsafeBytes { try sink.write($0) }
        dataSize += bytes.count
    }

    private static func header(_ sampleRate: Int, _ channels: Int, dataSize: Int?) -> [UInt8] {
        var bytes: [UInt8] = []
        func append(_ value: Int, _ count: Int) {
            for index in 0..<count { bytes.append(UInt8(truncatingIfNeeded: value >> (8 * index))) }
        }
        bytes += "RIFF".utf8
        append(dataSize.map { $0 + headerSize - 8 } ?? 0xFFFF_FFFF, 4)
        bytes += "WAVEfmt ".utf8
        append(16, 4)
        append(1, 2)
        append(channels, 2)
        append(sampleRate, 4)
        append(sampleRate * channels * 2, 4)
        append(channels * 2, 2)
        append(16, 2)
        bytes += "data".utf8
        append(dataSize ?? 0xFFFF_FFFF, 4)
        return bytes
    }
}
