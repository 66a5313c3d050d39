#if os(Linux)
    import Glibc
    import RTCWire

    /// A gate that one thread waits for, and another one opens.
    final class ThreadGate: @unchecked Sendable {
        private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
        private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
        private var isOpen = false

        init() {
            pthread_mutex_init(mutex, nil)
            var attributes = pthread_condattr_t()
            pthread_condattr_init(&attributes)
            // A semaphore would use the time of day, which may be set back by hours.
            pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
            pthread_cond_init(condition, &attributes)
            pthread_condattr_destroy(&attributes)
        }

        deinit {
            pthread_cond_destroy(condition)
            pthread_mutex_destroy(mutex)
            condition.deallocate()
            mutex.deallocate()
        }

        /// Opens the gate, which stays open.
        func open() {
            pthread_mutex_lock(mutex)
            isOpen = true
            pthread_cond_broadcast(condition)
            pthread_mutex_unlock(mutex)
        }

        /// - Parameter time: The longest wait.
        func wait(_ time: TimeDelta) {
            let nanoseconds = (Instant.now + time).nanoseconds
            var end = timespec(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
            pthread_mutex_lock(mutex)
            while !isOpen, pthread_cond_timedwait(condition, mutex, &end) != ETIMEDOUT {}
            pthread_mutex_unlock(mutex)
        }
    }
#endif
