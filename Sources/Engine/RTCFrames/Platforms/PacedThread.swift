import RTCWire

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A thread that calls a closure at even intervals until it is stopped.
final class PacedThread: @unchecked Sendable {
    private let lock = Lock()
    private var isStopped = false
    private let interval: TimeDelta
    private let tick: @Sendable (Instant) -> Bool

    /// - Parameter tick: Called with its scheduled time; returns `false` to stop. A time more than one interval ago is
    ///   skipped.
    init(interval: TimeDelta, tick: @escaping @Sendable (Instant) -> Bool) {
        self.interval = max(interval, .microseconds(100))
        self.tick = tick
    }

    func start() {
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        defer { pthread_attr_destroy(&attributes) }
        let retained = Unmanaged.passRetained(self).toOpaque()
        #if canImport(Darwin)
            var thread: pthread_t?
            let status = pthread_create(&thread, &attributes, { PacedThread.main($0) }, retained)
        #else
            var thread = pthread_t()
            let status = pthread_create(&thread, &attributes, { PacedThread.main($0) }, retained)
        #endif
        if status != 0 { Unmanaged<PacedThread>.fromOpaque(retained).release() }
    }

    /// Stops after the current tick.
    func stop() { lock.withLock { isStopped = true } }

    private static func main(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        guard let argument else { return nil }
        Unmanaged<PacedThread>.fromOpaque(argument).takeRetainedValue().run()
        return nil
    }

    private func run() {
        var due = monotonicNow()
        while !lock.withLock({ isStopped }) {
            guard tick(due) else { return }
            due += interval
            let now = monotonicNow()
            if now > due + interval {
                let missed = (now - due).nanoseconds / interval.nanoseconds
                due += interval * missed
            }
            sleep(until: due, now: now)
        }
    }

    private func sleep(until due: Instant, now: Instant) {
        let wait = (due - now).nanoseconds
        guard wait > 0 else { return }
        var request = timespec(tv_sec: Int(wait / 1_000_000_000), tv_nsec: Int(wait % 1_000_000_000))
        var rest = timespec()
        while nanosleep(&request, &rest) != 0, errno == EINTR { request = rest }
    }
}

/// A mutual exclusion lock.
package final class Lock: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>

    package init() {
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    package func withLock<Result>(_ body: () throws -> Result) rethrows -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body()
    }
}
