internal import CNIOBoringSSL
internal import RTCTransport
internal import RTCWire

/// What a session's BIO reads from and writes to, and the clock that the library sees.
///
/// It lives in memory of its own rather than in the session object, because the library calls back into it in the
/// middle of calls that the session makes.
struct DatagramPipe {
    /// The session, for the verification callback.
    unowned(unsafe) var session: BoringDTLSSession?

    /// The datagram that the next read takes, whole. Set for the length of one call only.
    var incoming = UnsafeRawBufferPointer(start: nil, count: 0)

    /// Where the record that is being sealed goes. Set for the length of one call only.
    var sealTarget = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    /// How many bytes were written there.
    var sealed = 0

    /// Datagrams that wait to be polled out.
    var outgoing = DatagramQueue(maximumCount: 32, maximumBytes: 48 * 1_024)

    /// Microseconds since the session started: what the library takes for the time of day.
    var clock: Int64 = 0
    /// Whether the library looked at the clock, without which no timer of its can have changed.
    var clockWasRead = false

    /// Hands over the incoming datagram, once.
    mutating func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        guard !incoming.isEmpty else { return 0 }
        // What is larger than a record can be is cut off, and then fails to authenticate.
        let count = min(incoming.count, buffer.count)
        buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: incoming[..<count]))
        incoming = UnsafeRawBufferPointer(start: nil, count: 0)
        return count
    }

    /// Takes one datagram: the record that is being sealed, or one that has to wait.
    mutating func write(_ datagram: UnsafeRawBufferPointer) {
        guard !sealTarget.isEmpty, datagram.count <= sealTarget.count else {
            outgoing.append(datagram)
            return
        }
        // The sealed record is written last; what came before it was a message of the library's own.
        if sealed > 0 { outgoing.append(UnsafeRawBufferPointer(rebasing: sealTarget[..<sealed])) }
        sealTarget.copyMemory(from: datagram)
        sealed = datagram.count
    }
}

/// A bounded queue of datagrams, end to end in one array. What is beyond its bounds is lost, as on the network.
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
                // One that no empty batch has room for would block those behind it for ever.
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
    /// The kind of BIO that a pipe stands behind, made once per process.
    static let method = Method()

    final class Method: @unchecked Sendable {
        /// `nil` only when memory ran out.
        let pointer: OpaquePointer?

        fileprivate init() {
            // A source and sink of our own, as the library's own numbering of kinds has it.
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
