import RTCTransport
import RTCWire

/// The record content types of the stand-in, with their DTLS values.
enum StandInContentType: UInt8 {
    case alert = 21
    case handshake = 22
    case applicationData = 23
}

/// Protects the records of one direction: a mask in place of encryption, a checksum in place of authentication, and a
/// replay window (RFC 9147, section 4.5.1).
///
/// The layout is that of AES-GCM in DTLS 1.3 (RFC 9147, section 4) with 16-bit sequence number and length:
///
///      0x2F | sequence number 16 | length 16 | masked: content, type 8 | tag 128
///
/// or in DTLS 1.2 (RFC 6347, section 4.1, RFC 5288, section 3):
///
///      type 8 | 0xFEFD | epoch 16 | sequence number 48 | length 16 | explicit nonce 64 | masked content | tag 128
struct StandInRecordProtection {
    /// The most content bytes per record (RFC 8446, section 5.1).
    static let maximumContent = 16_384
    private static let tagSize = 16
    private static let unifiedHeader: UInt8 = 0x2F

    let version: DTLSVersion
    private let key: UInt64
    private var sequence: UInt64 = 0
    /// The highest accepted sequence number plus one, and a bit for each of the 64 below it.
    private var windowEnd: UInt64 = 0
    private var window: UInt64 = 0

    init(version: DTLSVersion, key: UInt64) {
        self.version = version
        self.key = key
    }

    /// The bytes that protection adds.
    var overhead: Int { Self.overhead(of: version) }

    static func overhead(of version: DTLSVersion) -> Int {
        version == .v13 ? 5 + 1 + tagSize : 13 + 8 + tagSize
    }

    // MARK: Sealing

    /// Writes a record with `content` to `memory`, which must have room. Returns the size of the record.
    mutating func seal(
        _ type: StandInContentType, _ content: UnsafeRawBufferPointer, into memory: UnsafeMutableRawBufferPointer
    ) -> Int {
        let number = sequence
        sequence &+= 1
        var writer = ByteWriter(memory)
        if version == .v13 {
            writer.write(Self.unifiedHeader)
            writer.write(UInt16(truncatingIfNeeded: number))
            writer.write(UInt16(truncatingIfNeeded: content.count + 1 + Self.tagSize))
        } else {
            writer.write(type.rawValue)
            writer.write(UInt16(0xFEFD))
            writer.write(UInt16(1))
            writer.write(UInt16(truncatingIfNeeded: number >> 32))
            writer.write(UInt32(truncatingIfNeeded: number))
            writer.write(UInt16(truncatingIfNeeded: 8 + content.count + Self.tagSize))
            writer.write(number)
        }
        let start = writer.count
        writer.write(content)
        if version == .v13 { writer.write(type.rawValue) }
        let end = writer.count
        guard !writer.overflowed, end + Self.tagSize <= memory.count else { return 0 }
        StandInHash.mask(UnsafeMutableRawBufferPointer(rebasing: memory[start..<end]), key: key, number: number)
        let tag = tag(UnsafeRawBufferPointer(rebasing: memory[0..<end]), number)
        writer.write(tag.0)
        writer.write(tag.1)
        return writer.count
    }

    // MARK: Opening

    /// The result of ``open(_:into:)`` at the front of a datagram.
    enum Opened {
        /// A record of `size` bytes, with `count` bytes of content.
        case record(type: UInt8, count: Int, size: Int)
        /// A record of `size` bytes that is forged, corrupted or a replay.
        case dropped(size: Int)
    }

    /// Whether `record` may be a protected record of `version`.
    static func isProtected(_ record: RawSpan, version: DTLSVersion) -> Bool {
        switch version {
        case .v13: record.byte(at: 0).map { $0 >> 5 == 1 } ?? false
        case .v12: record.uint16(at: 3) == 1
        }
    }

    /// Opens the record at the front of `bytes` into `memory`. An invalid record consumes all bytes.
    mutating func open(_ bytes: UnsafeRawBufferPointer, into memory: UnsafeMutableRawBufferPointer) -> Opened {
        var reader = ByteReader(RawSpan(_unsafeBytes: bytes))
        let number: UInt64
        var type: UInt8
        let length: Int
        if version == .v13 {
            guard let first = reader.readUInt8(), first == Self.unifiedHeader, let low = reader.readUInt16(),
                let size = reader.readUInt16()
            else { return .dropped(size: bytes.count) }
            (number, type, length) = (fullNumber(low), 0, Int(size))
        } else {
            guard let first = reader.readUInt8(), reader.readUInt16() == 0xFEFD, reader.readUInt16() == 1,
                let high = reader.readUInt16(), let low = reader.readUInt32(), let size = reader.readUInt16()
            else { return .dropped(size: bytes.count) }
            (number, type, length) = (UInt64(high) << 32 | UInt64(low), first, Int(size))
        }
        let size = reader.position + length
        let least = version == .v13 ? 1 + Self.tagSize : 8 + Self.tagSize
        guard length >= least, size <= bytes.count else { return .dropped(size: bytes.count) }
        if version == .v12 { _ = reader.skip(8) }
        let start = reader.position
        let end = size - Self.tagSize
        let expected = tag(UnsafeRawBufferPointer(rebasing: bytes[0..<end]), number)
        let isGenuine =
            UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: end, as: UInt64.self)) == expected.0
            && UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: end + 8, as: UInt64.self)) == expected.1
        guard isGenuine, end - start <= memory.count, accept(number) else { return .dropped(size: size) }
        let content = UnsafeMutableRawBufferPointer(rebasing: memory[0..<end - start])
        content.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
        StandInHash.mask(content, key: key, number: number)
        var count = end - start
        if version == .v13 {
            count -= 1
            type = content[count]
        }
        return .record(type: type, count: count, size: size)
    }

    /// The sequence number with the low bits `low` that is nearest to the expected one (RFC 9147, section 4.2.2).
    private func fullNumber(_ low: UInt16) -> UInt64 {
        let distance = Int16(bitPattern: low &- UInt16(truncatingIfNeeded: windowEnd))
        if distance < 0, windowEnd < UInt64(distance.magnitude) { return UInt64(low) }
        return windowEnd &+ UInt64(bitPattern: Int64(distance))
    }

    /// Adds `number` to the replay window, unless it was seen before or is too old.
    private mutating func accept(_ number: UInt64) -> Bool {
        if number >= windowEnd {
            let shift = number - windowEnd + 1
            window = shift < 64 ? window << shift | 1 : 1
            windowEnd = number + 1
            return true
        }
        let age = windowEnd - 1 - number
        guard age < 64, window & (1 << age) == 0 else { return false }
        window |= 1 << age
        return true
    }

    // MARK: Checksum

    private func tag(_ record: UnsafeRawBufferPointer, _ number: UInt64) -> (UInt64, UInt64) {
        var hash = StandInHash(state: key)
        hash.absorb(number)
        hash.absorb(record)
        return (hash.word(0), hash.word(1))
    }
}

/// Unprotected handshake records and alerts, with a checksum so that a corrupted one counts as noise rather than a
/// handshake error.
///
///      type 8 | 0xFEFD | epoch 16 = 0 | sequence number 48 | length 16 | body | checksum 64
enum StandInPlainRecord {
    static let overhead = 13 + 8

    static func write(_ type: StandInContentType, sequence: UInt64, _ body: [UInt8]) -> [UInt8] {
        var record: [UInt8] = [type.rawValue]
        record.append(bigEndian: UInt16(0xFEFD))
        record.append(bigEndian: UInt16(0))
        record.append(bigEndian: UInt16(truncatingIfNeeded: sequence >> 32))
        record.append(bigEndian: UInt32(truncatingIfNeeded: sequence))
        record.append(bigEndian: UInt16(truncatingIfNeeded: body.count + 8))
        record += body
        record.append(bigEndian: checksum(record[...]))
        return record
    }

    /// Reads the record at the front of `bytes`: its size, and its type and body if valid.
    static func read(_ bytes: ArraySlice<UInt8>) -> (size: Int, type: StandInContentType?, body: ArraySlice<UInt8>) {
        let nothing = bytes[bytes.startIndex..<bytes.startIndex]
        let start = bytes.startIndex
        guard bytes.count >= overhead else { return (bytes.count, nil, nothing) }
        let size = 13 + (Int(bytes[start + 11]) << 8 | Int(bytes[start + 12]))
        guard size >= overhead, size <= bytes.count, bytes[start + 1] == 0xFE, bytes[start + 2] == 0xFD,
            bytes[start + 3] == 0, bytes[start + 4] == 0
        else { return (bytes.count, nil, nothing) }
        var sum: UInt64 = 0
        for byte in bytes[start + size - 8..<start + size] { sum = sum << 8 | UInt64(byte) }
        guard sum == checksum(bytes[start..<start + size - 8]) else { return (size, nil, nothing) }
        return (size, StandInContentType(rawValue: bytes[start]), bytes[start + 13..<start + size - 8])
    }

    private static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        var hash = StandInHash(state: 0x3707_3443)
        bytes.withUnsafeBytes { hash.absorb($0) }
        return hash.word(0)
    }
}
