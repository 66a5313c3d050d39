#if os(Linux)
    import Synchronization

    /// Memory for the pixels of one picture, four bytes each.
    final class PixelMemory: @unchecked Sendable {
        let pixels: UnsafeMutablePointer<UInt32>
        let count: Int
        /// Whom it goes back to, while it is in use.
        fileprivate var pool: PixelMemoryPool?

        fileprivate init(count: Int) {
            pixels = .allocate(capacity: count)
            self.count = count
        }

        deinit { pixels.deallocate() }

        /// Gives it back. Nobody may read it any more.
        func recycle() {
            let pool = pool
            self.pool = nil
            pool?.recycle(self)
        }
    }

    /// Keeps memory that is free again, since a picture of this size will follow: memory that the system has to provide anew
    /// for each picture costs more than to fill it.
    final class PixelMemoryPool: Sendable {
        private let free = Mutex<[PixelMemory]>([])
        /// What a view shows, what GTK still draws, and what comes next.
        private static let limit = 3

        func take(count: Int) -> PixelMemory {
            let found: PixelMemory? = free.withLock { free in
                if let index = free.firstIndex(where: { $0.count == count }) { return free.remove(at: index) }
                // The size has changed: what is of the old one is of no use.
                free = []
                return nil
            }
            let memory = found ?? PixelMemory(count: count)
            memory.pool = self
            return memory
        }

        fileprivate func recycle(_ memory: PixelMemory) {
            free.withLock { if $0.count < Self.limit { $0.append(memory) } }
        }
    }
#endif
