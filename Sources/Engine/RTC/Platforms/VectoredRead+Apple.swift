#if canImport(Darwin)
    internal import RTCWire

    /// Reads several datagrams in one system call: not available on Apple's systems, which have no public call for it.
    final class VectoredRead {
        static let count = 1

        init?() { return nil }

        enum Outcome {
            case received(Int)
            case empty
            case failed(CInt)
        }

        func receive(_ descriptor: CInt) -> Outcome { .empty }
        func bytes(_ index: Int, count: Int) -> UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: nil, count: 0) }
        func result(_ index: Int) -> DatagramSystemCalls.ReceiveResult { .empty }
    }
#endif
