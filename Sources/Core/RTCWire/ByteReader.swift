/// Reads a packet from front to back, in network byte order.
///
/// Every read is checked and answers `nil` past the end, so that a truncated packet is a parse failure and never a
/// trap. The reader borrows the packet's bytes and copies none.
@frozen
@usableFromInline package struct ByteReader: ~Escapable {
    @usableFromInline
    let bytes: RawSpan
    @usableFromInline
    var offset: Int

    @inlinable
    @_lifetime(copy bytes)
    package init(_ bytes: RawSpan) {
        self.bytes = bytes
        self.offset = 0
    }

    /// Offset of the next byte from the start of the packet.
    @inlinable
    package var position: Int { offset }

    /// Bytes that are left.
    @inlinable
    package var remaining: Int { bytes.byteCount - offset }

    @inlinable
    package var isAtEnd: Bool { offset == bytes.byteCount }

    @inlinable
    @_lifetime(self: copy self)
    package mutating func readUInt8() -> UInt8? {
        guard remaining >= 1 else { return nil }
        defer { offset += 1 }
        return bytes.unsafeLoad(fromUncheckedByteOffset: offset, as: UInt8.self)
    }

    @inlinable
    @_lifetime(self: copy self)
    package mutating func readUInt16() -> UInt16? { read(UInt16.self) }

    @inlinable
    @_lifetime(self: copy self)
    package mutating func readUInt32() -> UInt32? { read(UInt32.self) }

    @inlinable
    @_lifetime(self: copy self)
    package mutating func readUInt64() -> UInt64? { read(UInt64.self) }

    @inlinable
    @_lifetime(self: copy self)
    mutating func read<Number: FixedWidthInteger & BitwiseCopyable>(_: Number.Type) -> Number? {
        let size = MemoryLayout<Number>.size
        guard remaining >= size else { return nil }
        defer { offset += size }
        return Number(bigEndian: bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: Number.self))
    }

    /// The next `count` bytes as a span of their own, or `nil` if there are fewer.
    @inlinable
    @_lifetime(copy self)
    @_lifetime(self: copy self)
    package mutating func readBytes(_ count: Int) -> RawSpan? {
        guard count >= 0, remaining >= count else { return nil }
        defer { offset += count }
        return bytes.extracting(unchecked: offset..<offset + count)
    }

    /// All bytes that are left.
    @inlinable
    @_lifetime(copy self)
    @_lifetime(self: copy self)
    package mutating func readRest() -> RawSpan {
        defer { offset = bytes.byteCount }
        return bytes.extracting(unchecked: offset..<bytes.byteCount)
    }

    /// Moves on by `count` bytes; `false`, and nowhere, if there are fewer.
    @inlinable
    @_lifetime(self: copy self)
    package mutating func skip(_ count: Int) -> Bool {
        guard count >= 0, remaining >= count else { return false }
        offset += count
        return true
    }
}

extension RawSpan {
    /// A copy of the bytes.
    @inlinable
    package var array: [UInt8] {
        withUnsafeBytes { [UInt8]($0) }
    }

    /// The byte at `offset`, or `nil` past the end.
    @inlinable
    package func byte(at offset: Int) -> UInt8? {
        guard offset >= 0, offset < byteCount else { return nil }
        return unsafeLoad(fromUncheckedByteOffset: offset, as: UInt8.self)
    }

    /// The 16 bits at `offset` in network byte order, or `nil` past the end.
    @inlinable
    package func uint16(at offset: Int) -> UInt16? {
        guard offset >= 0, offset <= byteCount - 2 else { return nil }
        return UInt16(bigEndian: unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt16.self))
    }

    /// The 32 bits at `offset` in network byte order, or `nil` past the end.
    @inlinable
    package func uint32(at offset: Int) -> UInt32? {
        guard offset >= 0, offset <= byteCount - 4 else { return nil }
        return UInt32(bigEndian: unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt32.self))
    }

    @inlinable
    package func elementsEqual(_ other: [UInt8]) -> Bool {
        withUnsafeBytes { mine in other.withUnsafeBytes { mine.elementsEqual($0) } }
    }
}
