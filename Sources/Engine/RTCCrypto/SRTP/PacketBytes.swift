// Access to the bytes of a packet, for the library and in network byte order.

extension UnsafeMutableRawBufferPointer {
    /// In the pointer type of the library.
    var octets: UnsafeMutableBufferPointer<UInt8> { assumingMemoryBound(to: UInt8.self) }

    /// The big-endian number at `offset`, which must be in range.
    func uint32(at offset: Int) -> UInt32 {
        UInt32(bigEndian: loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }
}

extension UnsafeRawBufferPointer {
    /// In the pointer type of the library.
    var octets: UnsafeBufferPointer<UInt8> { assumingMemoryBound(to: UInt8.self) }

    /// The big-endian number at `offset`, which must be in range.
    func uint32(at offset: Int) -> UInt32 {
        UInt32(bigEndian: loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }
}
