/// Writes a packet from front to back into memory of a fixed size, in network byte order.
///
/// A write that does not fit is left out as a whole and noted in ``overflowed``: the caller checks once, at the end of
/// the packet. The writer does not own its memory; the caller keeps it alive, as in
/// `withUnsafeMutableBytes { var writer = ByteWriter($0) … }`.
@frozen
@usableFromInline package struct ByteWriter: ~Copyable {
    @usableFromInline
    let memory: UnsafeMutableRawBufferPointer
    @usableFromInline
    var length: Int
    @usableFromInline
    var failed: Bool

    @inlinable
    package init(_ memory: UnsafeMutableRawBufferPointer) {
        self.memory = memory
        self.length = 0
        self.failed = false
    }

    /// Bytes written so far.
    @inlinable
    package var count: Int { length }

    /// Whether something did not fit.
    @inlinable
    package var overflowed: Bool { failed }

    /// Bytes that still fit.
    @inlinable
    package var room: Int { memory.count - count }

    @inlinable
    package mutating func write(_ value: UInt8) { store(value) }
    @inlinable
    package mutating func write(_ value: UInt16) { store(value.bigEndian) }
    @inlinable
    package mutating func write(_ value: UInt32) { store(value.bigEndian) }
    @inlinable
    package mutating func write(_ value: UInt64) { store(value.bigEndian) }

    @inlinable
    mutating func store<Number: FixedWidthInteger & BitwiseCopyable>(_ value: Number) {
        let size = MemoryLayout<Number>.size
        guard room >= size else {
            failed = true
            return
        }
        memory.baseAddress.unsafelyUnwrapped.storeBytes(of: value, toByteOffset: count, as: Number.self)
        length += size
    }

    @inlinable
    package mutating func write(_ bytes: RawSpan) {
        bytes.withUnsafeBytes { write($0) }
    }

    @inlinable
    package mutating func write(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { write($0) }
    }

    @inlinable
    package mutating func write(_ bytes: UnsafeRawBufferPointer) {
        guard room >= bytes.count else {
            failed = true
            return
        }
        guard let source = bytes.baseAddress, bytes.count > 0 else { return }
        memory.baseAddress.unsafelyUnwrapped.advanced(by: count).copyMemory(from: source, byteCount: bytes.count)
        length += bytes.count
    }

    /// `count` zero bytes.
    @inlinable
    package mutating func writeZeros(_ zeros: Int) {
        guard zeros >= 0, room >= zeros else {
            failed = true
            return
        }
        guard zeros > 0 else { return }
        memory.baseAddress.unsafelyUnwrapped.advanced(by: count).initializeMemory(
            as: UInt8.self, repeating: 0, count: zeros)
        length += zeros
    }

    /// Zero bytes up to the next multiple of `alignment`.
    @inlinable
    package mutating func pad(to alignment: Int) {
        writeZeros((alignment - count % alignment) % alignment)
    }

    /// Replaces 16 bits that were written before, such as a length that is known only now.
    @inlinable
    package mutating func overwrite(_ value: UInt16, at offset: Int) {
        guard offset >= 0, offset + 2 <= count else { return }
        memory.baseAddress.unsafelyUnwrapped.storeBytes(of: value.bigEndian, toByteOffset: offset, as: UInt16.self)
    }

    /// Replaces 32 bits that were written before.
    @inlinable
    package mutating func overwrite(_ value: UInt32, at offset: Int) {
        guard offset >= 0, offset + 4 <= count else { return }
        memory.baseAddress.unsafelyUnwrapped.storeBytes(of: value.bigEndian, toByteOffset: offset, as: UInt32.self)
    }

    /// The bytes written so far.
    @inlinable
    package var written: UnsafeMutableRawBufferPointer {
        UnsafeMutableRawBufferPointer(rebasing: memory[0..<count])
    }
}

extension Array where Element == UInt8 {
    /// Appends a number in network byte order. For messages that are rare; packets use ``ByteWriter``.
    @inlinable
    package mutating func append<Number: FixedWidthInteger>(bigEndian number: Number) {
        Swift.withUnsafeBytes(of: number.bigEndian) { append(contentsOf: $0) }
    }
}
