#if os(Linux)
    extension WebViewContext {
        /// The default source of the app's permission for devices: none, since WebKitGTK asks the system itself when a page wants one.
        nonisolated public static var ownDevices: (any DeviceAuthorizing)? { nil }
    }
#endif
