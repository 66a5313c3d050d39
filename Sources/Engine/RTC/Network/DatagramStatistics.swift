/// The traffic of a socket, and the errors that did not close it.
struct DatagramStatistics: Sendable, Hashable {
    var datagramsSent: UInt64 = 0
    var bytesSent: UInt64 = 0
    var datagramsReceived: UInt64 = 0
    var bytesReceived: UInt64 = 0
    /// Datagrams that the system refused to send: no route, a firewall, too large for the path.
    var sendErrors: UInt64 = 0
    /// Errors reported by reads, usually for sent datagrams (ICMP "port unreachable").
    var receiveErrors: UInt64 = 0
    /// Datagrams dropped here: the backlog was full, or a received one was truncated.
    var datagramsDropped: UInt64 = 0
    /// Batches that the kernel refused to segment, and that were sent one datagram at a time.
    var segmentationRefusals: UInt64 = 0
    /// `errno` of the last error in either direction; 0 when there was none.
    var lastErrorCode: Int32 = 0

    mutating func countSent(_ bytes: Int, datagrams: Int) {
        bytesSent &+= UInt64(bytes)
        datagramsSent &+= UInt64(datagrams)
    }

    mutating func countReceived(_ bytes: Int, datagrams: Int) {
        bytesReceived &+= UInt64(bytes)
        datagramsReceived &+= UInt64(datagrams)
    }

    mutating func countSendError(_ code: Int32) {
        sendErrors &+= 1
        lastErrorCode = code
    }

    mutating func countReceiveError(_ code: Int32) {
        receiveErrors &+= 1
        lastErrorCode = code
    }
}
