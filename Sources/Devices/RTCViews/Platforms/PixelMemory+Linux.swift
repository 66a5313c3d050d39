#if os(Linux)
    import Synchronization

    /// Memory for the pixels of one frame, four bytes each.
    final class PixelMemory: @unchecked Sendable {
        let pixels: UnsafeMutablePointer<UInt32>
        let count: Int
        /// The pool to return to, while the memory is in use.
        fileprivate var pool: PixelMemoryPool?

        fileprivate init(count: Int) {
            pixels = .allocate(capacity: count)
            self.count = count
        }

        deinit { pixels.deallocate() }

        /// Returns the memory to its pool. It must not be read any more.
        func recycle() {
            let pool = pool
            self.pool = nil
            pool?.recycle(self)
        }
    }

    /// Keeps freed memory for the next frame of the same size: new memory from the system costs more for each frame
    /// than filling it.
    final class PixelMemoryPool: Sendable {
        private let free = Mutex<[PixelMemory]>([])
        /// One frame that a view shows, one that GTK still draws, and the next one.
        private static let limit = 3

        func take(count: Int) -> PixelMemory {
            let found: PixelMemory? = free.withLock { free in
                if let index = free.firstIndex(where: { $0.count == count }) { return free.remove(at: index) }
                // The size has changed: memory of the old size is useless.
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
