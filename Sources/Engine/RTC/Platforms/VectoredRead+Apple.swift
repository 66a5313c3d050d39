#if canImport(Darwin)
    internal import RTCWire

    /// Reads several datagrams in one system call: Apple's systems have none that is public.
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
