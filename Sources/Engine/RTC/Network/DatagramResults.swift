internal import RTCWire

extension DatagramSystemCalls {
    enum SendResult {
        case sent
        /// No room now.
        case full
        /// `errno`
        case refused(CInt)
    }

    enum ReceiveResult {
        case received(count: Int, segmentSize: Int?, remote: TransportAddress)
        /// The datagram is truncated, or its sender has no address.
        case unusable
        case empty
        /// `errno`
        case failed(CInt)
    }
}
