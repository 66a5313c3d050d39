#if canImport(AVFoundation)
    extension WebViewContext {
        /// The default source of the app's permission for devices: the system.
        nonisolated public static var ownDevices: (any DeviceAuthorizing)? { SystemDevices() }
    }
#endif
