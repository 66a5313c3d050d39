#if os(Linux)
    extension WebViewContext {
        /// Nobody, if nobody is named: WebKitGTK asks the system itself when a page wants a device.
        nonisolated public static var ownDevices: (any DeviceAuthorizing)? { nil }
    }
#endif
