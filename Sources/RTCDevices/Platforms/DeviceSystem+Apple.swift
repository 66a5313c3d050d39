#if canImport(AVFoundation)
    extension DeviceSystem {
        /// AVFoundation, and the photo library's permission.
        public static let ofMachine = DeviceSystem(
            authorization: FrameworkAuthorization(framework: SystemPermissions()),
            discovery: { SystemDiscovery() }, capture: SystemCapture(), rotation: { SystemRotation(for: $0) },
            preference: SystemPreference())
    }
#endif
