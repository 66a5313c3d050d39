#if canImport(AVFoundation)
    extension WebViewContext {
        /// Who says whether the app may use devices, if nobody else is named: the system.
        nonisolated public static var ownDevices: (any DeviceAuthorizing)? { SystemDevices() }
    }
#endif
