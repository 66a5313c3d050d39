#if os(Linux)
    internal import Glibc
    internal import RTCNetwork
    internal import RTCWire

    /// Reads several datagrams in one system call (recvmmsg).
    ///
    /// Worthwhile if datagrams arrive singly and the kernel cannot join them, as from a relay, which sends each by a
    /// call of its own. Joined datagrams are better read into one region that stays in the processor's cache.
    final class VectoredRead {
        /// The most datagrams per call. Each has room for the largest; untouched pages cost nothing.
        static let count = 32

        private typealias Call =
            @convention(c) @Sendable (
                CInt, UnsafeMutableRawPointer, CUnsignedInt, CInt, UnsafeMutableRawPointer?
            ) -> CInt
        // Looked up dynamically, because the header declares it for GNU extensions only, which the Glibc module does
        // not enable.
        private static let call: Call? = dlsym(nil, "recvmmsg").map { unsafeBitCast($0, to: Call.self) }
        /// The size of `struct mmsghdr`: a message, and the number of bytes received.
        private static let headerStride = (MemoryLayout<msghdr>.size + 4 + 7) & ~7
        private static let controlSize = 64
        /// MSG_DONTWAIT
        private static let dontWait: CInt = 0x40

        private let headers = UnsafeMutableRawPointer.allocate(byteCount: headerStride * count, alignment: 16)
        private let vectors = UnsafeMutablePointer<iovec>.allocate(capacity: count)
        private let addresses = UnsafeMutablePointer<sockaddr_storage>.allocate(capacity: count)
        private let controls = UnsafeMutableRawPointer.allocate(byteCount: controlSize * count, alignment: 16)
        private let bytes = UnsafeMutableRawPointer.allocate(byteCount: DatagramMemory.size * count, alignment: 4_096)

        /// Returns `nil` if the system lacks the call.
        init?() {
            guard Self.call != nil else { return nil }
            for index in 0..<Self.count {
                vectors[index] = iovec(
                    iov_base: bytes + index * DatagramMemory.size, iov_len: DatagramMemory.size)
                var message = msghdr()
                message.msg_name = UnsafeMutableRawPointer(addresses + index)
                message.msg_iov = vectors + index
                message.msg_iovlen = 1
                message.msg_control = controls + index * Self.controlSize
                headers.storeBytes(of: message, toByteOffset: index * Self.headerStride, as: msghdr.self)
            }
        }

        deinit {
            headers.deallocate()
            vectors.deallocate()
            addresses.deallocate()
            controls.deallocate()
            bytes.deallocate()
        }

        private func message(_ index: Int) -> UnsafeMutablePointer<msghdr> {
            (headers + index * Self.headerStride).assumingMemoryBound(to: msghdr.self)
        }

        enum Outcome {
            /// The number received; fewer than ``count`` if there are no more.
            case received(Int)
            case empty
            /// `errno`
            case failed(CInt)
        }

        func receive(_ descriptor: CInt) -> Outcome {
            guard let call = Self.call else { return .empty }
            // Resets the fields that the kernel overwrites.
            for index in 0..<Self.count {
                let message = message(index)
                message.pointee.msg_namelen = socklen_t(MemoryLayout<sockaddr_storage>.size)
                message.pointee.msg_controllen = numericCast(Self.controlSize)
                message.pointee.msg_flags = 0
            }
            var count = call(descriptor, headers, CUnsignedInt(Self.count), Self.dontWait, nil)
            while count < 0, errno == EINTR {
                count = call(descriptor, headers, CUnsignedInt(Self.count), Self.dontWait, nil)
            }
            if count > 0 { return .received(Int(count)) }
            return count == 0 || errno == EAGAIN ? .empty : .failed(errno)
        }

        /// The bytes of the datagram at `index`.
        func bytes(_ index: Int, count: Int) -> UnsafeRawBufferPointer {
            UnsafeRawBufferPointer(start: bytes + index * DatagramMemory.size, count: count)
        }

        func result(_ index: Int) -> DatagramSystemCalls.ReceiveResult {
            let message = message(index)
            let count = (headers + index * Self.headerStride).load(
                fromByteOffset: MemoryLayout<msghdr>.size, as: CUnsignedInt.self)
            let remote = (addresses + index).withMemoryRebound(to: sockaddr.self, capacity: 1) {
                TransportAddress($0, length: Int(message.pointee.msg_namelen))
            }
            return DatagramSystemCalls.result(of: message.pointee, count: Int(count), remote: remote)
        }
    }
#endif
