#if os(Linux)
    import Glibc
    import Synchronization
    import Testing

    @testable import RTCDevices

    @Suite("Connections to the servers of sound and pictures", .timeLimit(.minutes(1)))
    struct ServerWatchTests {
        @Test("One that finds no server closes its own descriptor once, and nobody else's")
        func failing() {
            let searching = Searching()
            MediaThread.start("searching") {
                for _ in 0..<20_000 where ServerWatch(path: "/nowhere/pipewire-0") != nil {
                    Issue.record("nobody listens there")
                }
                searching.isOver.store(true, ordering: .relaxed)
            }
            var taken = 0
            while !searching.isOver.load(ordering: .relaxed) {
                let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
                sched_yield()
                if fcntl(descriptor, F_GETFD) < 0 { taken += 1 }
                close(descriptor)
            }
            #expect(taken == 0)
        }

        private final class Searching: Sendable {
            let isOver = Atomic(false)
        }

        @Test("It is alive for as long as the server holds its end")
        func ends() throws {
            var ends: [Int32] = [-1, -1]
            try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
            let watch = ServerWatch(taking: ends[0])
            #expect(watch.isAlive)
            close(ends[1])
            #expect(!watch.isAlive)
        }
    }
#endif
