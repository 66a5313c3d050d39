/// What a socket has carried, and what went wrong without closing it.
struct DatagramStatistics: Sendable, Hashable {
    var datagramsSent: UInt64 = 0
    var bytesSent: UInt64 = 0
    var datagramsReceived: UInt64 = 0
    var bytesReceived: UInt64 = 0
    /// Datagrams that the system would not send: no route, a firewall, too large for the path.
    var sendErrors: UInt64 = 0
    /// Errors that reads reported, as a rule echoes of what was sent (ICMP "port unreachable").
    var receiveErrors: UInt64 = 0
    /// Datagrams dropped here: the backlog was full, or what arrived could not be read whole.
    var datagramsDropped: UInt64 = 0
    /// Batches that the kernel would not segment, and that left one datagram at a time.
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
