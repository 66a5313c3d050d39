internal import CNIOBoringSSL
internal import RTCTransport
internal import RTCWire

/// The input and output of a session's BIO, and the clock for the library.
///
/// In memory of its own rather than in the session object, because the library calls back into it during calls of the
/// session.
struct DatagramPipe {
    /// The session, for the verification callback.
    unowned(unsafe) var session: BoringDTLSSession?

    /// The datagram for the next read. Set during one call only.
    var incoming = UnsafeRawBufferPointer(start: nil, count: 0)

    /// The destination of the record being sealed. Set during one call only.
    var sealTarget = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    /// The number of bytes written to `sealTarget`.
    var sealed = 0

    /// The datagrams to be polled.
    var outgoing = DatagramQueue(maximumCount: 32, maximumBytes: 48 * 1_024)

    /// The microseconds since the session started, which the library takes for the time of day.
    var clock: Int64 = 0
    /// Whether the library read the clock; otherwise none of its timers can have changed.
    var clockWasRead = false

    /// Returns the incoming datagram, once.
    mutating func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        guard !incoming.isEmpty else { return 0 }
        // Bytes beyond the largest record are cut off, so that it fails to authenticate.
        let count = min(incoming.count, buffer.count)
        buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: incoming[..<count]))
        incoming = UnsafeRawBufferPointer(start: nil, count: 0)
        return count
    }

    /// Takes one datagram: the record being sealed, or one to be queued.
    mutating func write(_ datagram: UnsafeRawBufferPointer) {
        guard !sealTarget.isEmpty, datagram.count <= sealTarget.count else {
            outgoing.append(datagram)
            return
        }
        // The sealed record is written last; an earlier datagram is a message by the library itself.
        if sealed > 0 { outgoing.append(UnsafeRawBufferPointer(rebasing: sealTarget[..<sealed])) }
        sealTarget.copyMemory(from: datagram)
        sealed = datagram.count
    }
}

/// A bounded queue of datagrams, stored contiguously. Drops those that exceed its bounds, like the network.
struct DatagramQueue {
    private var bytes: [UInt8] = []
    private var sizes: [Int] = []
    private let maximumCount: Int
    private let maximumBytes: Int

    init(maximumCount: Int, maximumBytes: Int) {
        self.maximumCount = maximumCount
        self.maximumBytes = maximumBytes
    }

    var isEmpty: Bool { sizes.isEmpty }

    @discardableResult
    mutating func append(_ datagram: UnsafeRawBufferPointer) -> Bool {
        guard sizes.count < maximumCount, datagram.count <= maximumBytes - bytes.count else { return false }
        bytes.append(contentsOf: datagram)
        sizes.append(datagram.count)
        return true
    }

    var last: [UInt8]? {
        sizes.last.map { Array(bytes.suffix($0)) }
    }

    mutating func popFirst() -> [UInt8]? {
        guard let size = sizes.first else { return nil }
        let datagram = Array(bytes.prefix(size))
        drop(1)
        return datagram
    }

    /// Moves datagrams into `batch` until one does not fit.
    mutating func drain(into batch: inout TransmitBatch) -> Bool {
        var count = 0
        var offset = 0
        bytes.withUnsafeBytes { memory in
            while count < sizes.count {
                let datagram = UnsafeRawBufferPointer(rebasing: memory[offset..<offset + sizes[count]])
                // A datagram too large for any batch must not block those after it.
                if !batch.append(datagram), !batch.isEmpty { break }
                offset += sizes[count]
                count += 1
            }
        }
        drop(count)
        return count > 0
    }

    mutating func removeAll() {
        bytes = []
        sizes = []
    }

    private mutating func drop(_ count: Int) {
        guard count < sizes.count else {
            removeAll()
            return
        }
        bytes.removeFirst(sizes[..<count].reduce(0, +))
        sizes.removeFirst(count)
    }
}

extension DatagramPipe {
    /// The BIO method of a pipe, created once per process.
    static let method = Method()

    final class Method: @unchecked Sendable {
        /// `nil` only when memory ran out.
        let pointer: OpaquePointer?

        fileprivate init() {
            // A custom source and sink, in the library's numbering of BIO types.
            let sourceAndSink: Int32 = 0x0400
            pointer = BIO_meth_new(BIO_get_new_index() | sourceAndSink, "datagram pipe")
            BIO_meth_set_read(pointer) { bio, buffer, size in
                guard let bio, let pipe = DatagramPipe.behind(bio), let buffer, size > 0 else { return -1 }
                BIO_clear_retry_flags(bio)
                let count = pipe.pointee.read(
                    into: UnsafeMutableRawBufferPointer(start: buffer, count: Int(size)))
                if count > 0 { return Int32(count) }
                BIO_set_retry_read(bio)
                return -1
            }
            BIO_meth_set_write(pointer) { bio, bytes, size in
                guard let bio, let pipe = DatagramPipe.behind(bio), let bytes, size > 0 else { return -1 }
                BIO_clear_retry_flags(bio)
                pipe.pointee.write(UnsafeRawBufferPointer(start: bytes, count: Int(size)))
                return size
            }
            BIO_meth_set_ctrl(pointer) { _, command, _, _ in command == BIO_CTRL_FLUSH ? 1 : 0 }
        }
    }

    static func behind(_ bio: OpaquePointer) -> UnsafeMutablePointer<DatagramPipe>? {
        BIO_get_data(bio)?.assumingMemoryBound(to: DatagramPipe.self)
    }
}
