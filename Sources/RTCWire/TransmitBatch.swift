/// The local end of a path: one socket of the peer's, by the number that its owner gave it.
///
/// The cores know no file descriptors. A relayed or TCP candidate is a `SocketID` too; what it stands for is the
/// owner's affair.
@frozen
public struct SocketID: Hashable, Sendable, Comparable {
    public var rawValue: UInt32

    @inlinable
    public init(_ rawValue: UInt32) {
        self.rawValue = rawValue
    }

    @inlinable
    public static func < (left: SocketID, right: SocketID) -> Bool { left.rawValue < right.rawValue }
}

/// A local socket and the remote address that it talks to.
@frozen
public struct TransportPath: Hashable, Sendable {
    public var socket: SocketID
    public var remote: TransportAddress

    @inlinable
    public init(socket: SocketID, remote: TransportAddress) {
        self.socket = socket
        self.remote = remote
    }
}

/// Datagrams for one path that leave in one system call.
///
/// All have the size of the first, except the last, which may be shorter: what UDP segmentation offload asks for. The
/// batch borrows its memory; whoever polls a peer provides it, so that an idle peer holds none.
@frozen
public struct TransmitBatch: ~Copyable {
    /// The number of datagrams that Linux accepts in one segmented write (UDP_MAX_SEGMENTS).
    public static var maximumCount: Int { 64 }

    public let memory: UnsafeMutableRawBufferPointer
    /// Where the datagrams go. Meaningful once the first has been committed.
    public var path: TransportPath
    /// Bytes of all datagrams together.
    public private(set) var byteCount = 0
    /// Size of every datagram but the last.
    public private(set) var segmentSize = 0
    /// Number of datagrams.
    public private(set) var count = 0
    private var isClosed = false

    /// - Parameter memory: Where the datagrams are put; kept alive by the caller while the batch is used. 64 KiB at
    ///   most can be sent at once; 1,500 bytes is the least that makes sense.
    public init(_ memory: UnsafeMutableRawBufferPointer) {
        self.memory = UnsafeMutableRawBufferPointer(rebasing: memory.prefix(65_000))
        self.path = TransportPath(socket: SocketID(0), remote: TransportAddress(ip: IPAddress(v4: 0), port: 0))
    }

    public var isEmpty: Bool { count == 0 }

    /// The largest datagram that may come next; 0 when the batch is full or ends with a shorter one.
    public var room: Int {
        if isClosed || count == Self.maximumCount { return 0 }
        let left = memory.count - byteCount
        return count == 0 ? left : min(left, segmentSize)
    }

    /// The memory that the next datagram is written into; `room` bytes of it may be used.
    public var next: UnsafeMutableRawBufferPointer {
        UnsafeMutableRawBufferPointer(rebasing: memory[byteCount..<byteCount + room])
    }

    /// Takes up the `size` bytes that were written into ``next`` as one datagram. More than ``room`` is refused.
    @discardableResult
    public mutating func commit(_ size: Int) -> Bool {
        guard size > 0, size <= room else { return false }
        if count == 0 { segmentSize = size }
        isClosed = size < segmentSize
        byteCount += size
        count += 1
        return true
    }

    /// Appends a copy of `datagram`, or answers `false` if it does not fit.
    public mutating func append(_ datagram: UnsafeRawBufferPointer) -> Bool {
        guard datagram.count <= room else { return false }
        next.copyMemory(from: datagram)
        return commit(datagram.count)
    }

    /// Forgets the datagrams, to use the memory again.
    public mutating func removeAll() {
        byteCount = 0
        segmentSize = 0
        count = 0
        isClosed = false
    }
}
