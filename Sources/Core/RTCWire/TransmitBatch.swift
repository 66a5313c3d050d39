/// The local end of a path: one socket of the peer, by the number that its owner assigned.
///
/// The cores do not know file descriptors. A relayed or TCP candidate is a `SocketID` too; its meaning is known to the
/// owner.
@frozen
@usableFromInline package struct SocketID: Hashable, Sendable, Comparable {
    @usableFromInline package var rawValue: UInt32

    @inlinable
    package init(_ rawValue: UInt32) {
        self.rawValue = rawValue
    }

    @inlinable
    package static func < (left: SocketID, right: SocketID) -> Bool { left.rawValue < right.rawValue }
}

/// A local socket and the remote address that it talks to.
@frozen
@usableFromInline package struct TransportPath: Hashable, Sendable {
    @usableFromInline package var socket: SocketID
    @usableFromInline package var remote: TransportAddress

    @inlinable
    package init(socket: SocketID, remote: TransportAddress) {
        self.socket = socket
        self.remote = remote
    }
}

/// The framing around each datagram of a batch, in addition to UDP's header: the frames of a relay or of a stream.
///
/// Datagrams are written as usual, with room left before each; the frame is then written into that room
/// (``TransmitBatch/forEachFrame(_:)``), so that nothing is moved.
@frozen
@usableFromInline package struct TransmitFraming: Hashable, Sendable {
    /// Bytes before each datagram: 0, or at least 2.
    @usableFromInline package var headroom: Int
    /// Frames are filled up with zeros to a multiple of this: 1 or 4.
    @usableFromInline package var alignment: Int
    /// Whether the frames follow each other in a stream, where they need not have one size.
    @usableFromInline package var isStream: Bool

    @inlinable
    package init(headroom: Int, alignment: Int = 1, isStream: Bool = false) {
        self.headroom = headroom
        self.alignment = alignment
        self.isStream = isStream
    }

    /// No frames: datagrams as they are.
    @inlinable
    package static var none: TransmitFraming { TransmitFraming(headroom: 0) }
}

/// Datagrams for one path that leave in one system call.
///
/// All have the size of the first, except the last, which may be shorter, as UDP segmentation offload requires. The
/// batch borrows its memory from the caller that polls a peer, so that an idle peer holds none.
@frozen
@usableFromInline package struct TransmitBatch: ~Copyable {
    /// The number of datagrams that Linux accepts in one segmented write (UDP_MAX_SEGMENTS).
    @usableFromInline package static var maximumCount: Int { 64 }

    @usableFromInline package let memory: UnsafeMutableRawBufferPointer
    /// Where the datagrams go. Meaningful once the first has been committed.
    @usableFromInline package var path: TransportPath
    /// The room that is left around each datagram.
    @usableFromInline package private(set) var framing = TransmitFraming.none
    /// Bytes of all datagrams together, frames included.
    @usableFromInline package private(set) var byteCount = 0
    /// Size of every datagram but the last, its frame included. In a stream, that of the first.
    @usableFromInline package private(set) var segmentSize = 0
    /// Number of datagrams.
    @usableFromInline package private(set) var count = 0
    private var isClosed = false

    /// - Parameter memory: Where the datagrams are put; kept alive by the caller while the batch is used. 64 KiB at
    ///   most can be sent at once; 1,500 bytes is the least that makes sense.
    @usableFromInline package init(_ memory: UnsafeMutableRawBufferPointer) {
        self.memory = UnsafeMutableRawBufferPointer(rebasing: memory.prefix(65_000))
        self.path = TransportPath(socket: SocketID(0), remote: TransportAddress(ip: IPAddress(v4: 0), port: 0))
    }

    @usableFromInline package var isEmpty: Bool { count == 0 }

    /// Leaves room for frames around the datagrams. Only allowed for an empty batch.
    @usableFromInline package mutating func frame(by framing: TransmitFraming) {
        if count == 0 { self.framing = framing }
    }

    /// The largest datagram that may come next; 0 when the batch is full or ends with a shorter one.
    @usableFromInline package var room: Int {
        if isClosed || count == Self.maximumCount { return 0 }
        let left = memory.count - byteCount
        let frame = count == 0 || framing.isStream ? left : min(left, segmentSize)
        return max(frame / framing.alignment * framing.alignment - framing.headroom, 0)
    }

    /// The memory that the next datagram is written into; `room` bytes of it may be used.
    @usableFromInline package var next: UnsafeMutableRawBufferPointer {
        let start = min(byteCount + framing.headroom, memory.count)
        return UnsafeMutableRawBufferPointer(rebasing: memory[start..<start + room])
    }

    /// Takes up the `size` bytes that were written into ``next`` as one datagram. More than ``room`` is refused.
    @discardableResult
    @usableFromInline package mutating func commit(_ size: Int) -> Bool {
        guard size > 0, size <= room else { return false }
        var frame = size
        if framing.headroom > 0 {
            // Stores the datagram's size in the frame's first bytes until the frame is written.
            memory.storeBytes(
                of: UInt16(truncatingIfNeeded: size).bigEndian, toByteOffset: byteCount, as: UInt16.self)
            let end = byteCount + framing.headroom + size
            frame = framing.size(ofFrameFor: size)
            for offset in end..<byteCount + frame { memory[offset] = 0 }
        }
        if count == 0 { segmentSize = frame }
        isClosed = !framing.isStream && frame < segmentSize
        byteCount += frame
        count += 1
        return true
    }

    /// Calls `body` with the frame of each datagram: its headroom, and behind that the datagram.
    @inlinable
    package func forEachFrame(
        _ body: (_ frame: UnsafeMutableRawBufferPointer, _ datagram: UnsafeMutableRawBufferPointer) -> Void
    ) {
        var start = 0
        if framing.headroom == 0 {
            while start < byteCount {
                let datagram = UnsafeMutableRawBufferPointer(
                    rebasing: memory[start..<min(start + segmentSize, byteCount)])
                body(datagram, datagram)
                start += datagram.count
            }
            return
        }
        while start + 2 <= byteCount {
            let size = Int(UInt16(bigEndian: memory.loadUnaligned(fromByteOffset: start, as: UInt16.self)))
            let end = min(start + framing.size(ofFrameFor: size), byteCount)
            let datagram = min(start + framing.headroom, end)
            body(
                UnsafeMutableRawBufferPointer(rebasing: memory[start..<end]),
                UnsafeMutableRawBufferPointer(rebasing: memory[datagram..<min(datagram + size, end)]))
            start = end
        }
    }

    /// Adds frames to a batch of a single datagram that was filled without them, by moving it: this case is rare.
    ///
    /// - Returns: `false`, without a change, if there is not exactly one datagram, or no room for its frame.
    @usableFromInline package mutating func insert(_ framing: TransmitFraming) -> Bool {
        let size = byteCount
        guard count == 1, self.framing == .none, framing.size(ofFrameFor: size) <= memory.count, size <= 65_535 else {
            return false
        }
        if framing.headroom > 0 {
            UnsafeMutableRawBufferPointer(rebasing: memory[framing.headroom..<framing.headroom + size])
                .copyMemory(from: UnsafeRawBufferPointer(rebasing: memory[..<size]))
        }
        removeAll()
        self.framing = framing
        return commit(size)
    }

    /// Appends a copy of `datagram`, or answers `false` if it does not fit.
    @usableFromInline package mutating func append(_ datagram: UnsafeRawBufferPointer) -> Bool {
        guard datagram.count <= room else { return false }
        next.copyMemory(from: datagram)
        return commit(datagram.count)
    }

    /// Forgets the datagrams, to use the memory again.
    @usableFromInline package mutating func removeAll() {
        byteCount = 0
        segmentSize = 0
        count = 0
        isClosed = false
        framing = .none
    }
}

extension TransmitFraming {
    /// Bytes of a frame with a datagram of `size` bytes in it.
    @inlinable
    package func size(ofFrameFor size: Int) -> Int {
        (headroom + size + alignment - 1) / alignment * alignment
    }
}
