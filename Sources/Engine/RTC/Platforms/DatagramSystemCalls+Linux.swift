#if os(Linux)
    internal import Glibc
    internal import RTCWire

    /// The system calls of a UDP socket on Linux.
    enum DatagramSystemCalls {
        /// UDP_SEGMENT: the kernel splits one write into many datagrams (since 4.18).
        static let hasSegmentationOffload = probe(udpSegment)
        /// UDP_GRO: the kernel joins datagrams of one sender into one read (since 5.0).
        static let hasReceiveOffload = probe(udpGRO)
        /// The error of a path that does not support segmentation.
        static let segmentationUnsupported = EIO

        // From linux/udp.h, which the Glibc module does not contain.
        private static let solUDP: CInt = 17
        private static let udpSegment: CInt = 103
        private static let udpGRO: CInt = 104
        /// From linux/sockios.h: the arrival time of the last datagram read.
        private static let siocgstampns: UInt = 0x8907

        static func openDatagramSocket(isIPv6: Bool) -> CInt {
            let flags = CInt(SOCK_DGRAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue) | CInt(SOCK_NONBLOCK.rawValue)
            return socket(isIPv6 ? AF_INET6 : AF_INET, flags, CInt(IPPROTO_UDP))
        }

        static func bind(_ descriptor: CInt, _ address: UnsafePointer<sockaddr>, _ length: socklen_t) -> CInt {
            Glibc.bind(descriptor, address, length)
        }

        static func enableReceiveOffload(_ descriptor: CInt) {
            var on: CInt = 1
            _ = setsockopt(descriptor, solUDP, udpGRO, &on, socklen_t(MemoryLayout<CInt>.size))
        }

        private static func probe(_ option: CInt) -> Bool {
            let descriptor = openDatagramSocket(isIPv6: false)
            guard descriptor >= 0 else { return false }
            defer { close(descriptor) }
            var value: CInt = 0
            return setsockopt(descriptor, solUDP, option, &value, socklen_t(MemoryLayout<CInt>.size)) == 0
        }
    }

    // MARK: - Sending

    extension DatagramSystemCalls {
        /// Sends `bytes` to `remote`: one datagram, or several with a segment size.
        static func send(
            _ descriptor: CInt, _ bytes: UnsafeRawBufferPointer, segmentSize: Int?, to remote: TransportAddress
        ) -> SendResult {
            remote.withSocketAddress { address, length in
                while true {
                    let sent =
                        if let segmentSize {
                            sendSegmented(descriptor, bytes, segmentSize: segmentSize, address, length)
                        } else {
                            sendto(descriptor, bytes.baseAddress, bytes.count, CInt(MSG_NOSIGNAL), address, length)
                        }
                    if sent >= 0 { return .sent }
                    switch errno {
                    case EINTR: continue
                    case EAGAIN, ENOBUFS: return .full
                    case let code: return .refused(code)
                    }
                }
            }
        }

        private static func sendSegmented(
            _ descriptor: CInt, _ bytes: UnsafeRawBufferPointer, segmentSize: Int, _ address: UnsafePointer<sockaddr>,
            _ length: socklen_t
        ) -> Int {
            withUnsafeTemporaryAllocation(byteCount: 32, alignment: 8) { control in
                let size = UInt16(clamping: segmentSize)
                control.storeBytes(of: headerSize + 2, as: Int.self)
                control.storeBytes(of: solUDP, toByteOffset: MemoryLayout<Int>.size, as: CInt.self)
                control.storeBytes(of: udpSegment, toByteOffset: MemoryLayout<Int>.size + 4, as: CInt.self)
                control.storeBytes(of: size, toByteOffset: headerSize, as: UInt16.self)

                var vector = iovec(iov_base: UnsafeMutableRawPointer(mutating: bytes.baseAddress), iov_len: bytes.count)
                return withUnsafeMutablePointer(to: &vector) { vector in
                    var message = msghdr()
                    message.msg_name = UnsafeMutableRawPointer(mutating: address)
                    message.msg_namelen = length
                    message.msg_iov = vector
                    message.msg_iovlen = 1
                    message.msg_control = control.baseAddress
                    message.msg_controllen = numericCast(headerSize + aligned(2))
                    return sendmsg(descriptor, &message, CInt(MSG_NOSIGNAL))
                }
            }
        }

        /// The size of a control message's header: a pointer-sized length, level and type, as in `CMSG_LEN(0)`.
        private static var headerSize: Int { aligned(MemoryLayout<Int>.size + 8) }

        private static func aligned(_ size: Int) -> Int {
            (size + MemoryLayout<Int>.size - 1) & ~(MemoryLayout<Int>.size - 1)
        }
    }

    // MARK: - Receiving

    extension DatagramSystemCalls {
        /// Reads one datagram, or several of one sender joined by the kernel.
        static func receive(_ descriptor: CInt, into memory: UnsafeMutableRawBufferPointer) -> ReceiveResult {
            var vector = iovec(iov_base: memory.baseAddress, iov_len: memory.count)
            var message = msghdr()
            return withUnsafeTemporaryAllocation(byteCount: 64, alignment: 8) { control in
                withUnsafeMutablePointer(to: &vector) { vector in
                    let (count, remote) = TransportAddress.written { address, length in
                        message.msg_name = UnsafeMutableRawPointer(address)
                        message.msg_namelen = length
                        message.msg_iov = vector
                        message.msg_iovlen = 1
                        message.msg_control = control.baseAddress
                        message.msg_controllen = numericCast(control.count)

                        var count = recvmsg(descriptor, &message, 0)
                        while count < 0, errno == EINTR { count = recvmsg(descriptor, &message, 0) }
                        length = message.msg_namelen
                        return count
                    }
                    guard count >= 0 else { return errno == EAGAIN ? .empty : .failed(errno) }
                    return result(of: message, count: count, remote: remote)
                }
            }
        }

        /// The result of a message filled in by the kernel, with 64 bytes for control messages.
        static func result(of message: msghdr, count: Int, remote: TransportAddress?) -> ReceiveResult {
            guard let remote, message.msg_flags & CInt(MSG_TRUNC) == 0 else { return .unusable }
            let control = UnsafeRawBufferPointer(
                start: message.msg_control, count: min(Int(message.msg_controllen), 64))
            return .received(count: count, segmentSize: segmentSize(in: control), remote: remote)
        }

        /// The time in nanoseconds that the last datagram had waited: 0 to a second; 0 when unknown, as in the first
        /// call, which makes the kernel record arrivals from then on.
        static func waitingTime(_ descriptor: CInt) -> Int64 {
            var arrival = timespec()
            var now = timespec()
            guard ioctl(descriptor, siocgstampns, &arrival) == 0, clock_gettime(CLOCK_REALTIME, &now) == 0 else {
                return 0
            }
            // The system clock may be set in between.
            let seconds = min(max(now.tv_sec - arrival.tv_sec, -1), 2)
            return min(max(Int64(seconds) * 1_000_000_000 + Int64(now.tv_nsec - arrival.tv_nsec), 0), 1_000_000_000)
        }

        /// The segment size that the kernel reports for joined datagrams.
        private static func segmentSize(in control: UnsafeRawBufferPointer) -> Int? {
            var start = 0
            while start + headerSize <= control.count {
                let length = control.loadUnaligned(fromByteOffset: start, as: Int.self)
                guard length >= headerSize, length <= control.count - start else { return nil }
                let level = control.loadUnaligned(fromByteOffset: start + MemoryLayout<Int>.size, as: CInt.self)
                let type = control.loadUnaligned(fromByteOffset: start + MemoryLayout<Int>.size + 4, as: CInt.self)
                if level == solUDP, type == udpGRO, length >= headerSize + 4 {
                    return Int(control.loadUnaligned(fromByteOffset: start + headerSize, as: CInt.self))
                }
                start += aligned(length)
            }
            return nil
        }
    }
#endif
