#if os(Linux)
    import Glibc
    import Synchronization

    /// The controls of camera nodes, read once while a node stays the same: opening a node wakes a sleeping camera, and
    /// delays the reports of other devices.
    final class KnownControls: Sendable {
        static let shared = KnownControls { V4L2Controls(node: $0)?.controls }

        /// One creation of a node: a node that is plugged in again or has other permissions differs.
        private struct Node: Hashable {
            let path: String
            let inode: UInt64
            let device: UInt64
            let changed: [Int]
        }

        private let known = Mutex<[Node: CameraControls]>([:])
        private let read: @Sendable (String) -> CameraControls?
        /// The most nodes that are remembered.
        private static let limit = 64

        /// - Parameter read: Reads the controls of a node; `nil` if it cannot be opened.
        init(read: @escaping @Sendable (String) -> CameraControls?) { self.read = read }

        /// - Returns: `nil` if the node cannot be opened.
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
