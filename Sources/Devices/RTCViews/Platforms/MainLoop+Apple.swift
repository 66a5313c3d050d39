#if canImport(Darwin)
    import CoreFoundation

    extension MainLoop {
        static func checkThread() throws(ViewError) {}

        /// Waits until something was done, by CoreFoundation's run loop.
        static func iterate() { _ = CFRunLoopRunInMode(.defaultMode, 3_600, true) }
    }
#endif
