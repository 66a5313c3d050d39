#if os(Linux)
    import CGTK
    import Dispatch

    extension MainLoop {
        private static var gtk: GTKLibrary?

        /// The priority of GTK's own drawing (GDK_PRIORITY_REDRAW): after input, alternating with drawing.
        private static let priority: Int32 = 120
        /// G_IO_IN
        private static let readable: UInt32 = 1

        static func checkThread() throws(ViewError) {
            guard cgtk_is_main_thread() != 0 else {
                throw ViewError(.wrongThread, "the main loop runs on the first thread of a program, and nowhere else")
            }
        }

        /// Waits until something was done.
        static func iterate() {
            if let gtk {
                _ = gtk.functions.pointee.g_main_context_iteration(nil, 1)
            } else {
                cgtk_main_queue_wait()
                cgtk_main_queue_drain()
            }
        }

        /// Switches to GLib's main loop, with GTK and a display, for other targets' widgets; later calls do nothing.
        ///
        /// - Throws: ``ViewError`` when GTK is missing, there is no screen, or the loop does not run.
        package static func openDisplay() throws(ViewError) { _ = try open() }

        /// Loads GTK, connects to the display, and switches to GLib's main loop, unless that is already done.
        static func open() throws(ViewError) -> GTKLibrary {
            if let gtk { return gtk }
            guard isRunning else {
                throw ViewError(.noMainLoop, "a window needs MainLoop.run, within which the program has to be")
            }
            let library = try GTKLibrary.shared.get()
            try library.open()
            _ = library.functions.pointee.g_unix_fd_add_full(
                priority, cgtk_main_queue_descriptor(), readable,
                { _, _, _ in
                    cgtk_main_queue_drain()
                    return 1
                }, nil, nil)
            gtk = library
            return library
        }
    }
#endif
