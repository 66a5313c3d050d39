#if os(Linux)
    import Glibc
    import Synchronization

    /// What cameras' nodes can set, asked once while a node is the same: to open one wakes a camera that sleeps, and whoever
    /// waits for news of other devices waits for that.
    final class KnownControls: Sendable {
        static let shared = KnownControls { V4L2Controls(node: $0)?.controls }

        /// One making of a node: plugged in again, or with other rights, it is another one.
        private struct Node: Hashable {
            let path: String
            let inode: UInt64
            let device: UInt64
            let changed: [Int]
        }

        private let known = Mutex<[Node: CameraControls]>([:])
        private let read: @Sendable (String) -> CameraControls?
        /// More than this is not remembered.
        private static let limit = 64

        /// - Parameter read: Asks a node; `nil` when it cannot be opened.
        init(read: @escaping @Sendable (String) -> CameraControls?) { self.read = read }

        /// - Returns: `nil` for a node that cannot be opened.
        func controls(ofNode path: String) -> CameraControls? {
            var status = stat()
            guard stat(path, &status) == 0 else { return nil }
            let node = Node(
                path: path, inode: UInt64(status.st_ino), device: UInt64(status.st_rdev),
                changed: [Int(status.st_ctim.tv_sec), Int(status.st_ctim.tv_nsec)])
            if let controls = known.withLock({ $0[node] }) { return controls }
            guard let controls = read(path) else { return nil }
            known.withLock { known in
                if known.count >= Self.limit { known = [:] }
                known[node] = controls
            }
            return controls
        }
    }
#endif
