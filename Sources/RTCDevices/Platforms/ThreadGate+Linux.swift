#if os(Linux)
    import Glibc
    import RTCWire

    /// Waited for by one thread, and opened by another.
    final class ThreadGate: @unchecked Sendable {
        private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

        init() { sem_init(semaphore, 0, 0) }

        deinit {
            sem_destroy(semaphore)
            semaphore.deallocate()
        }

        func open() { sem_post(semaphore) }

        /// - Parameter time: How long at most.
        func wait(_ time: TimeDelta) {
            var end = timespec()
            clock_gettime(CLOCK_REALTIME, &end)
            let nanoseconds = Int64(end.tv_nsec) + time.nanoseconds % 1_000_000_000
            end.tv_sec += Int(time.nanoseconds / 1_000_000_000 + nanoseconds / 1_000_000_000)
            end.tv_nsec = Int(nanoseconds % 1_000_000_000)
            while sem_timedwait(semaphore, &end) != 0, errno == EINTR {}
        }
    }
#endif
