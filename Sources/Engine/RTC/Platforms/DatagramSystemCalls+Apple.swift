#if canImport(Darwin)
    internal import Darwin
    internal import RTCWire

    /// The system calls of a UDP socket on Apple's systems: one datagram per call.
    enum DatagramSystemCalls {
        static let hasSegmentationOffload = false
        static let hasReceiveOffload = false
        static let segmentationUnsupported = EIO

        static func openDatagramSocket(isIPv6: Bool) -> CInt {
            let descriptor = socket(isIPv6 ? AF_INET6 : AF_INET, SOCK_DGRAM, IPPROTO_UDP)
            guard descriptor >= 0 else { return descriptor }
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
            return descriptor
        }

        static func bind(_ descriptor: CInt, _ address: UnsafePointer<sockaddr>, _ length: socklen_t) -> CInt {
            Darwin.bind(descriptor, address, length)
        }

        static func enableReceiveOffload(_ descriptor: CInt) {}

        /// Sends `bytes` to `remote` as one datagram. There is no segmentation here, so `segmentSize` is `nil`.
        static func send(
            _ descriptor: CInt, _ bytes: UnsafeRawBufferPointer, segmentSize: Int?, to remote: TransportAddress
        ) -> SendResult {
            remote.withSocketAddress { address, length in
                while true {
                    if sendto(descriptor, bytes.baseAddress, bytes.count, 0, address, length) >= 0 { return .sent }
                    switch errno {
                    case EINTR: continue
                    case EAGAIN, ENOBUFS: return .full
                    case let code: return .refused(code)
                    }
                }
            }
        }

        /// Reads one datagram. `memory` must have room for the largest possible one.
        static func receive(_ descriptor: CInt, into memory: UnsafeMutableRawBufferPointer) -> ReceiveResult {
            let (count, remote) = TransportAddress.written { address, length in
                var count = recvfrom(descriptor, memory.baseAddress, memory.count, 0, address, &length)
                while count < 0, errno == EINTR {
                    count = recvfrom(descriptor, memory.baseAddress, memory.count, 0, address, &length)
                }
                return count
            }
            guard count >= 0 else { return errno == EAGAIN ? .empty : .failed(errno) }
            guard let remote else { return .unusable }
            return .received(count: count, segmentSize: nil, remote: remote)
        }

        /// The time that the last datagram had waited, which this system does not provide.
        static func waitingTime(_ descriptor: CInt) -> Int64 { 0 }
    }
#endif
