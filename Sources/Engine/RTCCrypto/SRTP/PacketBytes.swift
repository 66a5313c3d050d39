// How the library and the network see the bytes of a packet.

extension UnsafeMutableRawBufferPointer {
    /// As the library takes them.
    var octets: UnsafeMutableBufferPointer<UInt8> { assumingMemoryBound(to: UInt8.self) }

    /// The big-endian number at `offset`, which lies inside.
    func uint32(at offset: Int) -> UInt32 {
        UInt32(bigEndian: loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }
}

extension UnsafeRawBufferPointer {
    /// As the library takes them.
    var octets: UnsafeBufferPointer<UInt8> { assumingMemoryBound(to: UInt8.self) }

    /// The big-endian number at `offset`, which lies inside.
    func uint32(at offset: Int) -> UInt32 {
        UInt32(bigEndian: loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }
}
